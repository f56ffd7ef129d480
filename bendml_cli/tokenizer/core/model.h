/* What a vocabulary knows, made once and then only read, by any number of threads.

   Symbols 0 to 255 are the bytes; symbol 256 + k is what merge k makes, of two symbols before it. So the smaller of two
   symbols is the one that is merged first. Ids are the numbers that the user sees. */
#ifndef BENDML_MODEL_H
#define BENDML_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BYTES 256u
#define NONE UINT32_MAX

typedef struct {
    uint32_t left, right;
} Pair;

/* A node of a trie in a double array: its child by a byte is node base + byte, if that one's parent is this node. */
typedef struct {
    uint32_t base, parent, symbol;
} Node;

typedef struct {
    uint32_t symbols;
    Pair *parts;           /* of each symbol; a byte is its own part */
    uint32_t *ids;         /* of each symbol */
    uint32_t *lengths;     /* of each symbol, in bytes */
    uint32_t *shorter;     /* the longest other symbol that a symbol begins with, or NONE */
    uint32_t *merged;      /* a hash table of pairs: the symbol that one makes, or NONE */
    uint32_t merged_mask;
    Node *trie;            /* of the symbols that encoding can give */
} Model;

static inline uint32_t pair_slot(uint32_t left, uint32_t right)
{
    uint64_t hash = (left ^ (uint64_t)right << 32) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
}

/* The symbol that a pair makes, or NONE. */
static inline uint32_t merge_of(const Model *m, uint32_t left, uint32_t right)
{
    for (uint32_t slot = pair_slot(left, right) & m->merged_mask;; slot = (slot + 1) & m->merged_mask) {
        uint32_t symbol = m->merged[slot];
        if (symbol == NONE || (m->parts[symbol].left == left && m->parts[symbol].right == right))
            return symbol;
    }
}

/* Do the merges leave the bytes of two symbols as these two, of merges before `limit`?

   Undo the merges on both sides of the border, the latest first: each pair of symbols that met there must not have been
   merged before one of the two was merged into more. Of equal merges the left one came first. */
static inline bool stay_apart(const Model *m, uint32_t left, uint32_t right, uint32_t limit)
{
    for (;;) {
        uint32_t both = merge_of(m, left, right);
        if (both < limit)
            return false;
        if (left > right && left >= BYTES) {
            limit = left;
            left = m->parts[left].right;
        } else if (right >= BYTES) {
            limit = right + 1;
            right = m->parts[right].left;
        } else {
            return true;
        }
    }
}

#endif
