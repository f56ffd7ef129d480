#include "split.h"
#include "tokenizer.h"

#include <stdlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a piece's first bytes are a number's lowest");

/* Pieces of at most so many bytes are kept with their ids. */
#define KEPT_BYTES 128
/* And those of at most so many bytes are their own keys. */
#define KEY_BYTES 8
/* As many ids are copied at once, whether a piece has them or not. */
#define COPIED 4
#define SETS (1u << 17)
#define ROOM (1u << 20)

typedef struct {
    uint64_t key;     /* the bytes, filled up with zeros; or a hash of them */
    uint32_t at;      /* the only id; or, of several ids and of a hashed piece, where they are in `stored` */
    uint16_t length, count;
} Kept;

struct Encoder {
    const Model *model;
    Kept *kept;          /* SETS sets of two pieces, the newer one first */
    uint32_t *stored;    /* ids of pieces, and after them the bytes of those with hashes */
    uint32_t stored_end;
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

/* Encode a piece into `out` as ids; answers how many there are, or -1. */
static int64_t encode_ids(Encoder *e, const uint8_t *s, size_t n, uint32_t *out)
{
    int64_t count = encode_piece(e, s, n, out);
    for (int64_t i = 0; i < count; i++)
        out[i] = e->model->ids[out[i]];
    return count;
}

/* The next pieces of a text are cut before the first of them is looked up: so the places where they are kept can be on
   their way from memory. */
#define AHEAD 32

typedef struct {
    const uint8_t *bytes;
    size_t length;
    uint64_t key;
    Kept *set;      /* NULL for a piece that is not kept */
} Cut;

static inline uint64_t mixed(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}

/* A hash of more than KEY_BYTES bytes. */
static inline uint64_t hash_of(const uint8_t *bytes, size_t length)
{
    uint64_t hash = 0, word;
    for (size_t i = 0; i < length - 8; i += 8) {
        memcpy(&word, bytes + i, 8);
        hash = mixed(hash ^ word);
    }
    memcpy(&word, bytes + length - 8, 8);
    return mixed(hash ^ word);
}

/* Cut off a piece; the bytes before `readable` may be read. */
static inline Cut cut_off(const Encoder *e, const uint8_t *bytes, size_t length, const uint8_t *readable)
{
    Cut cut = {.bytes = bytes, .length = length, .key = 0, .set = NULL};
    if (length > KEPT_BYTES)
        return cut;
    if (length > KEY_BYTES) {
        cut.key = hash_of(bytes, length);
    } else if (readable - bytes >= KEY_BYTES) {
        memcpy(&cut.key, bytes, KEY_BYTES);
        cut.key &= UINT64_MAX >> (64 - 8 * length);
    } else {
        memcpy(&cut.key, bytes, length);
    }
    cut.set = e->kept + (mixed(cut.key + length) & (SETS - 1)) * 2;
    __builtin_prefetch(cut.set);
    return cut;
}

/* Encode a piece that is not kept, and keep it. Answers how many ids it has, or -1. */
static int64_t encode_and_keep(Encoder *e, const Cut *cut, uint32_t *out)
{
    int64_t count = encode_ids(e, cut->bytes, cut->length, out);
    if (count < 0)
        return count;
    Kept piece = {.key = cut->key, .at = out[0], .length = (uint16_t)cut->length, .count = (uint16_t)count};
    if (count > 1 || cut->length > KEY_BYTES) {
        if (e->stored_end + 2 * KEPT_BYTES > ROOM) {
            /* Begin anew: what is common is soon kept again. */
            memset(e->kept, 0, (size_t)SETS * 2 * sizeof *e->kept);
            e->stored_end = 0;
        }
        piece.at = e->stored_end;
        memcpy(e->stored + piece.at, out, (size_t)count * sizeof *out);
        e->stored_end += (uint32_t)count;
        if (cut->length > KEY_BYTES) {
            memcpy(e->stored + e->stored_end, cut->bytes, cut->length);
            e->stored_end += (uint32_t)(cut->length + 3) / 4;
        }
    }
    cut->set[1] = cut->set[0];
    cut->set[0] = piece;
    return count;
}

/* Encode a piece into the ids from `out` on, where there is room for COPIED of them; answers how many there are, or
   -1. */
static inline int64_t encode_cut(Encoder *e, const Cut *cut, uint32_t *out)
{
    if (cut->set == NULL)
        return encode_ids(e, cut->bytes, cut->length, out);
    /* Which of the two it is cannot be foretold: no branch. */
    const Kept *kept = cut->set + ((cut->set[1].key == cut->key) & (cut->set[1].length == cut->length));
    bool found = (kept->key == cut->key) & (kept->length == cut->length);
    if (found && cut->length > KEY_BYTES)
        found = memcmp(e->stored + kept->at + kept->count, cut->bytes, cut->length) == 0;
    if (!found)
        return encode_and_keep(e, cut, out);
    /* What follows an only id is the next piece, or a place after the last one. */
    bool alone = kept->count == 1 && cut->length <= KEY_BYTES;
    const uint32_t *ids = alone ? &kept->at : e->stored + kept->at;
    memcpy(out, ids, COPIED * sizeof *out);
    if (kept->count > COPIED)
        memcpy(out, ids, kept->count * sizeof *out);
    return kept->count;
}

/* Encode a text into the encoder's ids from `count` on, for which there is room; answers where they end, or -1.
   The bytes before `readable` may be read. */
static int64_t encode_text(Encoder *e, const uint8_t *s, size_t i, size_t n, const uint8_t *readable, size_t count)
{
    Cut cuts[AHEAD];
    while (i < n) {
        size_t pieces = 0;
        for (; pieces < AHEAD && i < n; pieces++) {
            size_t end = piece_end(s, i, n);
            cuts[pieces] = cut_off(e, s + i, end - i, readable);
            i = end;
        }
        for (size_t k = 0; k < pieces; k++) {
            int64_t more = encode_cut(e, &cuts[k], e->ids + count);
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
    size_t last = texts ? ends[texts - 1] : start;
    /* No more ids than bytes. */
    size_t needed = last - start + COPIED;
    if (needed > e->room) {
        free(e->ids);
        e->ids = malloc(needed * sizeof *e->ids);
        e->room = e->ids == NULL ? 0 : needed;
        if (e->ids == NULL)
            return -1;
    }
    int64_t count = 0;
    for (size_t text = 0; text < texts; text++) {
        int64_t end = encode_text(e, data, start, ends[text], data + last, (size_t)count);
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
    /* With a place after the last one, and room to copy some ids more than are there. */
    e->kept = calloc((size_t)SETS * 2 + 1, sizeof *e->kept);
    e->stored = malloc((ROOM + COPIED) * sizeof *e->stored);
    if (e->kept == NULL || e->stored == NULL) {
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
    free(e->stored);
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
