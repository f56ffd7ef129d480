#include "split.h"
#include "tokenizer.h"

#include <stdlib.h>

/* A piece of at most this many bytes is kept with its ids. */
#define KEPT_BYTES 16
/* And so many of its ids beside it; the ids of the others, which are rare, lie together elsewhere. */
#define KEPT_IDS 3
#define SETS (1u << 15)
#define WAYS 2
#define SPILLED (1u << 20)

typedef struct {
    uint64_t low, high; /* the piece, filled up with zeros */
    uint32_t ids[KEPT_IDS];
    uint16_t length, count;
} Kept;

struct Encoder {
    const Model *model;
    Kept *kept;          /* SETS sets of WAYS pieces */
    uint32_t *spilled;   /* the ids of kept pieces with more than KEPT_IDS, at ids[0] */
    uint32_t spilled_end;
    uint32_t *ids;       /* what was encoded */
    size_t room;
    uint64_t *dead;      /* a bit for each place in a piece: set when its encoding has no border there */
    size_t dead_words;
};

/* The longest symbol that s begins with. */
static inline uint32_t longest(const Model *m, const uint8_t *s, size_t n)
{
    const Node *trie = m->trie;
    uint32_t node = 0, symbol = NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t child = trie[node].base + s[i];
        if (trie[child].parent != node)
            break;
        node = child;
        if (trie[node].symbol != NONE)
            symbol = trie[node].symbol;
    }
    return symbol;
}

/* Encode one piece into `out`, as symbols; answers how many, which are at most n, or -1.

   A sequence of symbols is the encoding if each two neighbours are the encoding of their bytes, so it is found from left
   to right, the longest symbol first, going back where none fits. The encoding of a beginning is unique: a place where
   nothing fits can be given up for good, so that no place is visited in vain twice. */
static int64_t encode_piece(Encoder *e, const uint8_t *s, size_t n, uint32_t *out)
{
    const Model *m = e->model;
    uint32_t symbol = longest(m, s, n);
    if (m->lengths[symbol] == n) {
        out[0] = symbol;
        return 1;
    }
    size_t words = n / 64 + 1;
    if (words > e->dead_words) {
        uint64_t *dead = realloc(e->dead, words * 2 * sizeof *dead);
        if (dead == NULL)
            return -1;
        e->dead = dead;
        e->dead_words = words * 2;
    }
    uint64_t *dead = e->dead;
    memset(dead, 0, words * sizeof *dead);
    size_t at = 0, count = 0;
    for (;;) {
        size_t end = at + m->lengths[symbol];
        bool fits = !(dead[end / 64] >> end % 64 & 1) && (count == 0 || stay_apart(m, out[count - 1], symbol, NONE));
        if (fits) {
            out[count++] = symbol;
            at = end;
            if (at == n)
                return (int64_t)count;
            symbol = longest(m, s + at, n - at);
        } else if (m->shorter[symbol] != NONE) {
            symbol = m->shorter[symbol];
        } else {
            dead[at / 64] |= (uint64_t)1 << at % 64;
            symbol = out[--count];
            at -= m->lengths[symbol];
        }
    }
}

static inline uint64_t mixed(uint64_t low, uint64_t high, size_t length)
{
    __uint128_t product = (__uint128_t)(low ^ 0x9E3779B97F4A7C15u) * (high ^ 0xD6E8FEB86659FD93u ^ length);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Encode a piece that is not kept, and keep it as the newest of its set. Answers how many ids it has, or -1. */
static int64_t encode_and_keep(Encoder *e, const uint8_t *s, Kept *set, Kept piece, uint32_t *out)
{
    int64_t count = encode_piece(e, s, piece.length, out);
    for (int64_t i = 0; i < count; i++)
        out[i] = e->model->ids[out[i]];
    if (count < 0)
        return count;
    piece.count = (uint16_t)count;
    if (count <= KEPT_IDS) {
        memcpy(piece.ids, out, (size_t)count * sizeof *out);
    } else if (e->spilled_end + count <= SPILLED) {
        memcpy(e->spilled + e->spilled_end, out, (size_t)count * sizeof *out);
        piece.ids[0] = e->spilled_end;
        e->spilled_end += (uint32_t)count;
    } else {
        /* Begin anew: what is common is soon kept again. */
        memset(e->kept, 0, (size_t)SETS * WAYS * sizeof *e->kept);
        e->spilled_end = 0;
        return count;
    }
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = piece;
    return count;
}

/* Encode a text into the encoder's ids from `count` on, for which there is room; answers where they end, or -1.
   The bytes up to `readable` may be read. */
static int64_t encode_text(Encoder *e, const uint8_t *s, size_t i, size_t n, size_t readable, size_t count)
{
    static const uint8_t ONES[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    while (i < n) {
        size_t end = piece_end(s, i, n), length = end - i;
        uint32_t *out = e->ids + count;
        if (length > KEPT_BYTES) {
            int64_t more = encode_piece(e, s + i, length, out);
            if (more < 0)
                return more;
            for (int64_t k = 0; k < more; k++)
                out[k] = e->model->ids[out[k]];
            count += (size_t)more;
            i = end;
            continue;
        }
        uint64_t words[2] = {0, 0};
        if (i + KEPT_BYTES <= readable) {
            uint64_t mask[2];
            memcpy(words, s + i, KEPT_BYTES);
            memcpy(mask, ONES + KEPT_BYTES - length, KEPT_BYTES);
            words[0] &= mask[0];
            words[1] &= mask[1];
        } else {
            memcpy(words, s + i, length);
        }
        Kept *set = e->kept + (mixed(words[0], words[1], length) & (SETS - 1)) * WAYS;
        const Kept *found = NULL;
        for (int way = 0; way < WAYS && found == NULL; way++)
            if (set[way].low == words[0] && set[way].high == words[1] && set[way].length == length)
                found = set + way;
        if (found == NULL) {
            Kept piece = {.low = words[0], .high = words[1], .length = (uint16_t)length};
            int64_t more = encode_and_keep(e, s + i, set, piece, out);
            if (more < 0)
                return more;
            count += (size_t)more;
        } else {
            /* There is room for all three, and most often one is meant: no branch. */
            memcpy(out, found->ids, sizeof found->ids);
            if (found->count > KEPT_IDS)
                memcpy(out, e->spilled + found->ids[0], found->count * sizeof *out);
            count += found->count;
        }
        i = end;
    }
    return (int64_t)count;
}

int64_t tokenizer_encode(Encoder *e, const uint8_t *data, size_t start, const size_t *ends, size_t texts,
                         size_t *counts)
{
    size_t readable = texts ? ends[texts - 1] : start;
    /* No more ids than bytes. */
    size_t needed = readable - start + KEPT_BYTES;
    if (needed > e->room) {
        free(e->ids);
        e->ids = malloc(needed * sizeof *e->ids);
        e->room = e->ids == NULL ? 0 : needed;
        if (e->ids == NULL)
            return -1;
    }
    int64_t count = 0;
    for (size_t text = 0; text < texts; text++) {
        int64_t end = encode_text(e, data, start, ends[text], readable, (size_t)count);
        if (end < 0)
            return end;
        counts[text] = (size_t)(end - count);
        count = end;
        start = ends[text];
    }
    return count;
}

const uint32_t *tokenizer_ids(const Encoder *e)
{
    return e->ids;
}

Encoder *tokenizer_encoder_new(const Model *model)
{
    Encoder *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->model = model;
    e->kept = calloc((size_t)SETS * WAYS, sizeof *e->kept);
    e->spilled = malloc(SPILLED * sizeof *e->spilled);
    if (e->kept == NULL || e->spilled == NULL) {
        tokenizer_encoder_free(e);
        return NULL;
    }
    return e;
}

void tokenizer_encoder_free(Encoder *e)
{
    if (e == NULL)
        return;
    free(e->kept);
    free(e->spilled);
    free(e->ids);
    free(e->dead);
    free(e);
}

size_t tokenizer_split(const uint8_t *data, size_t size, size_t *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < size; count++)
        ends[count] = i = piece_end(data, i, size);
    return count;
}
