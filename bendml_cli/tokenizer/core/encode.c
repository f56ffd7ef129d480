#include "split.h"
#include "tokenizer.h"

#include <stdlib.h>

/* A piece of at most this many bytes is kept with its ids. */
#define KEPT_BYTES 16
/* And so many of its ids beside it; the ids of the others, which are rare, lie together elsewhere. */
#define KEPT_IDS 3
#define SETS (1u << 16)
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

/* The next pieces of a text are cut before the first of them is looked up: so the places where they are kept can be on
   their way from memory. */
#define AHEAD 32

typedef struct {
    Kept piece;     /* without its ids */
    Kept *set;
    size_t start;
    size_t length;  /* more than KEPT_BYTES, where the rest is not filled in */
} Cut;

/* Cut off a piece that ends at `end`; the bytes up to `readable` may be read. */
static inline void cut(const Encoder *e, const uint8_t *s, size_t start, size_t end, size_t readable, Cut *made)
{
    static const uint8_t ONES[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    size_t length = end - start;
    made->start = start;
    made->length = length;
    if (length > KEPT_BYTES)
        return;
    uint64_t words[2] = {0, 0}, mask[2];
    if (start + KEPT_BYTES <= readable) {
        memcpy(words, s + start, KEPT_BYTES);
        memcpy(mask, ONES + KEPT_BYTES - length, KEPT_BYTES);
        words[0] &= mask[0];
        words[1] &= mask[1];
    } else {
        memcpy(words, s + start, length);
    }
    made->piece.low = words[0];
    made->piece.high = words[1];
    made->piece.length = (uint16_t)length;
    made->set = e->kept + (mixed(words[0], words[1], length) & (SETS - 1)) * WAYS;
    __builtin_prefetch(made->set);
}

/* Encode a piece into `out` as ids; answers how many there are, or -1. */
static int64_t encode_ids(Encoder *e, const uint8_t *s, size_t n, uint32_t *out)
{
    int64_t count = encode_piece(e, s, n, out);
    for (int64_t i = 0; i < count; i++)
        out[i] = e->model->ids[out[i]];
    return count;
}

/* Encode a piece that is not kept, and keep it as the first of its set. Answers how many ids it has, or -1. */
static int64_t encode_and_keep(Encoder *e, const uint8_t *s, const Cut *cut, uint32_t *out)
{
    int64_t count = encode_ids(e, s, cut->length, out);
    if (count < 0)
        return count;
    Kept piece = cut->piece;
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
    cut->set[1] = cut->set[0];
    cut->set[0] = piece;
    return count;
}

/* Encode a piece into the ids from `out` on; answers how many there are, or -1. */
static inline int64_t encode_cut(Encoder *e, const uint8_t *s, const Cut *cut, uint32_t *out)
{
    if (cut->length > KEPT_BYTES)
        return encode_ids(e, s + cut->start, cut->length, out);
    const Kept *first = cut->set, *second = cut->set + 1, *piece = &cut->piece;
    bool is_first = first->low == piece->low && first->high == piece->high && first->length == piece->length;
    bool is_second = second->low == piece->low && second->high == piece->high && second->length == piece->length;
    if (!(is_first | is_second))
        return encode_and_keep(e, s + cut->start, cut, out);
    const Kept *found = is_second ? second : first;
    /* There is room for all of these, and most often one is meant: no branch. */
    memcpy(out, found->ids, sizeof found->ids);
    if (found->count > KEPT_IDS)
        memcpy(out, e->spilled + found->ids[0], found->count * sizeof *out);
    return found->count;
}

/* Encode a text into the encoder's ids from `count` on, for which there is room; answers where they end, or -1.
   The bytes up to `readable` may be read. */
static int64_t encode_text(Encoder *e, const uint8_t *s, size_t i, size_t n, size_t readable, size_t count)
{
    Cut cuts[AHEAD];
    while (i < n) {
        size_t pieces = 0;
        for (; pieces < AHEAD && i < n; pieces++) {
            size_t end = piece_end(s, i, n);
            cut(e, s, i, end, readable, &cuts[pieces]);
            i = end;
        }
        for (size_t k = 0; k < pieces; k++) {
            int64_t more = encode_cut(e, s, &cuts[k], e->ids + count);
            if (more < 0)
                return more;
            count += (size_t)more;
        }
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
