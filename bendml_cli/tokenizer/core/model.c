#include "model.h"
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* A symbol's bytes, while the trie is made; `prefix` is its first eight bytes, for quick comparing. */
typedef struct {
    const uint8_t *bytes;
    uint64_t prefix;
    uint32_t length, symbol;
} Spelled;

/* Symbols that share the bytes that lead to a node; `shorter` is the longest symbol on the way to it. */
typedef struct {
    uint32_t node, first, end, depth, shorter;
} Branch;

typedef struct {
    Node *nodes;
    uint32_t size, hint;
} Trie;

static int by_bytes(const void *a, const void *b)
{
    const Spelled *x = a, *y = b;
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    uint32_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->bytes, y->bytes, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static uint64_t prefix_of(const uint8_t *bytes, uint32_t length)
{
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < 8; i++)
        prefix = prefix << 8 | (i < length ? bytes[i] : 0);
    return prefix;
}

static bool grow(Trie *trie, uint32_t size)
{
    if (size <= trie->size)
        return true;
    uint32_t wanted = trie->size ? trie->size : 1024;
    while (wanted < size)
        wanted *= 2;
    Node *nodes = realloc(trie->nodes, wanted * sizeof *nodes);
    if (nodes == NULL)
        return false;
    for (uint32_t i = trie->size; i < wanted; i++)
        nodes[i] = (Node){.base = NONE, .parent = NONE, .symbol = NONE};
    trie->nodes = nodes;
    trie->size = wanted;
    return true;
}

/* A base for a node with children by these bytes: all their places are free. NONE when memory is out. */
static uint32_t free_base(Trie *trie, const uint8_t *bytes, uint32_t count)
{
    /* All places before the hint are taken, or given up. */
    while (trie->hint < trie->size && trie->nodes[trie->hint].parent != NONE)
        trie->hint++;
    uint32_t first = trie->hint > bytes[0] ? trie->hint : bytes[0] + 1u;
    for (uint32_t base = first - bytes[0];; base++) {
        if (!grow(trie, base + BYTES))
            return NONE;
        uint32_t i = 0;
        while (i < count && trie->nodes[base + bytes[i]].parent == NONE)
            i++;
        if (i == count) {
            /* Hardly anything fits near the hint any more: later searches need not begin there. */
            if (count > 1 && base > trie->hint + 4 * BYTES)
                trie->hint += BYTES;
            return base;
        }
    }
}

/* Make the trie of these spelled symbols, which are sorted, and each symbol's `shorter`. */
static bool make_trie(Model *m, const Spelled *spelled, uint32_t count)
{
    Trie trie = {.nodes = NULL, .size = 0, .hint = 1};
    Branch *branches = malloc(((size_t)count + 1) * sizeof *branches);
    /* Open branches share no symbol, and each has one: there are never more than symbols. */
    bool good = branches != NULL && grow(&trie, 1);
    uint32_t open = 0;
    if (good) {
        trie.nodes[0].parent = 0;
        branches[open++] = (Branch){.node = 0, .first = 0, .end = count, .depth = 0, .shorter = NONE};
    }
    while (good && open > 0) {
        Branch at = branches[--open];
        uint8_t bytes[BYTES];
        uint32_t starts[BYTES + 1], children = 0;
        if (spelled[at.first].length == at.depth) {
            uint32_t symbol = spelled[at.first].symbol;
            trie.nodes[at.node].symbol = symbol;
            m->shorter[symbol] = at.shorter;
            at.shorter = symbol;
            at.first++;
        }
        for (uint32_t i = at.first; i < at.end; i++) {
            uint8_t byte = spelled[i].bytes[at.depth];
            if (children == 0 || bytes[children - 1] != byte) {
                bytes[children] = byte;
                starts[children++] = i;
            }
        }
        if (children == 0)
            continue;
        starts[children] = at.end;
        uint32_t base = free_base(&trie, bytes, children);
        good = base != NONE;
        if (!good)
            break;
        trie.nodes[at.node].base = base;
        for (uint32_t i = children; i-- > 0;) {
            uint32_t node = base + bytes[i];
            trie.nodes[node].parent = at.node;
            branches[open++] = (Branch){node, starts[i], starts[i + 1], at.depth + 1, at.shorter};
        }
    }
    free(branches);
    /* A node without children leads to places that are nobody's children. */
    for (uint32_t i = 0; good && i < trie.size; i++)
        if (trie.nodes[i].base == NONE)
            trie.nodes[i].base = trie.size;
    uint32_t size = trie.size;
    good = good && grow(&trie, size + BYTES);
    m->trie = trie.nodes;
    return good;
}

/* Spell out the symbols that encoding can give, and make the trie of them. */
static bool spell(Model *m)
{
    size_t total = 0;
    for (uint32_t i = 0; i < m->symbols; i++)
        total += m->lengths[i];
    uint8_t *bytes = malloc(total + 1);
    size_t *starts = malloc(m->symbols * sizeof *starts);
    Spelled *spelled = malloc(m->symbols * sizeof *spelled);
    bool *reached = malloc(m->symbols * sizeof *reached);
    bool good = bytes != NULL && starts != NULL && spelled != NULL && reached != NULL;
    uint32_t count = 0;
    size_t end = 0;
    for (uint32_t i = 0; good && i < m->symbols; i++) {
        Pair parts = m->parts[i];
        starts[i] = end;
        if (i < BYTES) {
            bytes[end] = (uint8_t)i;
            reached[i] = true;
        } else {
            memcpy(bytes + end, bytes + starts[parts.left], m->lengths[parts.left]);
            memcpy(bytes + end + m->lengths[parts.left], bytes + starts[parts.right], m->lengths[parts.right]);
            reached[i] = reached[parts.left] && reached[parts.right] && stay_apart(m, parts.left, parts.right, i);
        }
        const uint8_t *own = bytes + end;
        end += m->lengths[i];
        if (reached[i])
            spelled[count++] = (Spelled){own, prefix_of(own, m->lengths[i]), m->lengths[i], i};
    }
    if (good) {
        qsort(spelled, count, sizeof *spelled, by_bytes);
        good = make_trie(m, spelled, count);
    }
    free(bytes);
    free(starts);
    free(spelled);
    free(reached);
    return good;
}

Model *tokenizer_model_new(const uint32_t *merges, size_t count, const uint32_t *ids)
{
    Model *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->symbols = (uint32_t)(BYTES + count);
    uint32_t slots = 1024;
    while (slots < 4 * count)
        slots *= 2;
    m->merged_mask = slots - 1;
    m->parts = malloc(m->symbols * sizeof *m->parts);
    m->ids = malloc(m->symbols * sizeof *m->ids);
    m->lengths = malloc(m->symbols * sizeof *m->lengths);
    m->shorter = malloc(m->symbols * sizeof *m->shorter);
    m->merged = malloc(slots * sizeof *m->merged);
    bool good = m->parts != NULL && m->ids != NULL && m->lengths != NULL && m->shorter != NULL && m->merged != NULL;
    if (good) {
        memcpy(m->ids, ids, m->symbols * sizeof *ids);
        memset(m->merged, 0xFF, slots * sizeof *m->merged);
        memset(m->shorter, 0xFF, m->symbols * sizeof *m->shorter);
        for (uint32_t i = 0; i < BYTES; i++) {
            m->parts[i] = (Pair){i, i};
            m->lengths[i] = 1;
        }
        for (uint32_t i = BYTES; i < m->symbols; i++) {
            Pair parts = {merges[2 * (i - BYTES)], merges[2 * (i - BYTES) + 1]};
            m->parts[i] = parts;
            m->lengths[i] = m->lengths[parts.left] + m->lengths[parts.right];
            uint32_t slot = pair_slot(parts.left, parts.right) & m->merged_mask;
            while (m->merged[slot] != NONE)
                slot = (slot + 1) & m->merged_mask;
            m->merged[slot] = i;
        }
        good = spell(m);
    }
    if (!good) {
        tokenizer_model_free(m);
        return NULL;
    }
    return m;
}

void tokenizer_model_free(Model *m)
{
    if (m == NULL)
        return;
    free(m->parts);
    free(m->ids);
    free(m->lengths);
    free(m->shorter);
    free(m->merged);
    free(m->trie);
    free(m);
}
