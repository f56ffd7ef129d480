#include "split.h"
#include "tokenizer.h"

#include <stdlib.h>

/* A distinct piece: its bytes while pieces are counted, then the symbols that the merges so far have left of it. */
typedef struct {
    uint64_t count;
    size_t start;      /* in `bytes`, and in `symbols` */
    uint32_t length;
    uint32_t hash;
} Word;

/* One place where a pair was seen: a list of words, which may no longer have it, or have it twice. */
typedef struct {
    uint32_t word, next;
} Seen;

typedef struct {
    Pair pair;
    int64_t count;
    uint32_t seen;
} Counted;

/* A pair with the count that it had when it was entered; counts only go down. */
typedef struct {
    int64_t count;
    Pair pair;
    uint32_t at; /* in `pairs` */
} Candidate;

typedef struct {
    size_t start;
    uint32_t length;
} Spelling;

/* An array that grows. */
typedef struct {
    void *items;
    size_t count, room;
} Array;

struct Trainer {
    Array bytes, words;           /* uint8_t, Word */
    Array word_table;             /* uint32_t: words by their bytes, or NONE */
    bool begun;
    Array symbols;                /* uint32_t: of each word, from its start on */
    Array pairs, pair_table;      /* Counted; uint32_t: pairs by themselves, or NONE */
    Array seen;                   /* Seen */
    Array heap;                   /* Candidate, the best one first */
    Array merges;                 /* Pair */
    Array spelt, spellings;       /* uint8_t, Spelling: the bytes of all symbols */
    Array spelling_table;         /* uint32_t: symbols by their bytes, or NONE */
};

static bool room_for(Array *array, size_t count, size_t size)
{
    if (count <= array->room)
        return true;
    size_t room = array->room ? array->room : 256;
    while (room < count)
        room *= 2;
    void *items = realloc(array->items, room * size);
    if (items == NULL)
        return false;
    array->items = items;
    array->room = room;
    return true;
}

static uint32_t hash_of(const uint8_t *bytes, size_t length)
{
    uint64_t hash = length;
    for (; length >= 8; length -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
}

/* Make a table empty, with room for twice `count` numbers before it is half full. False when memory is out. */
static bool empty_table(Array *table, size_t count)
{
    size_t slots = 1024;
    while (slots < 4 * count)
        slots *= 2;
    if (!room_for(table, slots, sizeof(uint32_t)))
        return false;
    table->count = table->room;
    memset(table->items, 0xFF, table->room * sizeof(uint32_t));
    return true;
}

static void enter(Array *table, uint32_t hash, uint32_t number)
{
    uint32_t *slots = table->items;
    size_t slot = hash & (table->count - 1);
    while (slots[slot] != NONE)
        slot = (slot + 1) & (table->count - 1);
    slots[slot] = number;
}

static bool count_word(Trainer *t, const uint8_t *piece, size_t length)
{
    if (2 * t->words.count >= t->word_table.count) {
        if (!empty_table(&t->word_table, t->words.count))
            return false;
        for (size_t i = 0; i < t->words.count; i++)
            enter(&t->word_table, ((Word *)t->words.items)[i].hash, (uint32_t)i);
    }
    uint32_t hash = hash_of(piece, length);
    uint32_t *slots = t->word_table.items;
    size_t mask = t->word_table.count - 1;
    for (size_t slot = hash & mask; slots[slot] != NONE; slot = (slot + 1) & mask) {
        Word *word = (Word *)t->words.items + slots[slot];
        if (word->hash == hash && word->length == length
            && memcmp((uint8_t *)t->bytes.items + word->start, piece, length) == 0) {
            word->count++;
            return true;
        }
    }
    if (!room_for(&t->words, t->words.count + 1, sizeof(Word)) || !room_for(&t->bytes, t->bytes.count + length, 1))
        return false;
    memcpy((uint8_t *)t->bytes.items + t->bytes.count, piece, length);
    ((Word *)t->words.items)[t->words.count]
        = (Word){.count = 1, .start = t->bytes.count, .length = (uint32_t)length, .hash = hash};
    t->bytes.count += length;
    enter(&t->word_table, hash, (uint32_t)t->words.count++);
    return true;
}

int tokenizer_trainer_add(Trainer *t, const uint8_t *data, size_t size)
{
    for (size_t i = 0, end; i < size; i = end) {
        end = piece_end(data, i, size);
        if (end - i >= NONE || t->words.count >= NONE || !count_word(t, data + i, end - i))
            return -1;
    }
    return 0;
}

/* The number of a pair, entered with count 0 when it is new; NONE when memory is out. */
static uint32_t pair_number(Trainer *t, Pair pair)
{
    if (2 * t->pairs.count >= t->pair_table.count) {
        if (!empty_table(&t->pair_table, t->pairs.count))
            return NONE;
        const Counted *pairs = t->pairs.items;
        for (size_t i = 0; i < t->pairs.count; i++)
            enter(&t->pair_table, pair_slot(pairs[i].pair.left, pairs[i].pair.right), (uint32_t)i);
    }
    uint32_t hash = pair_slot(pair.left, pair.right), *slots = t->pair_table.items;
    size_t mask = t->pair_table.count - 1;
    for (size_t slot = hash & mask; slots[slot] != NONE; slot = (slot + 1) & mask) {
        Pair other = ((Counted *)t->pairs.items)[slots[slot]].pair;
        if (other.left == pair.left && other.right == pair.right)
            return slots[slot];
    }
    if (t->pairs.count >= NONE || !room_for(&t->pairs, t->pairs.count + 1, sizeof(Counted)))
        return NONE;
    ((Counted *)t->pairs.items)[t->pairs.count] = (Counted){.pair = pair, .count = 0, .seen = NONE};
    enter(&t->pair_table, hash, (uint32_t)t->pairs.count);
    return (uint32_t)t->pairs.count++;
}

/* Add `times` to the count of each pair of a word. */
static bool count_pairs(Trainer *t, uint32_t number, int64_t times)
{
    const Word *word = (Word *)t->words.items + number;
    const uint32_t *symbols = (uint32_t *)t->symbols.items + word->start;
    for (uint32_t i = 0; i + 1 < word->length; i++) {
        uint32_t at = pair_number(t, (Pair){symbols[i], symbols[i + 1]});
        if (at == NONE)
            return false;
        ((Counted *)t->pairs.items)[at].count += times;
    }
    return true;
}

/* Note where the pairs of a word are seen: all of them, or only those with the symbol `made`, as the others are known
   to be in this word. */
static bool note_pairs(Trainer *t, uint32_t number, uint32_t made)
{
    const Word *word = (Word *)t->words.items + number;
    const uint32_t *symbols = (uint32_t *)t->symbols.items + word->start;
    for (uint32_t i = 0; i + 1 < word->length; i++) {
        if (made != NONE && symbols[i] != made && symbols[i + 1] != made)
            continue;
        Counted *counted = (Counted *)t->pairs.items + pair_number(t, (Pair){symbols[i], symbols[i + 1]});
        if (counted->seen != NONE && ((Seen *)t->seen.items)[counted->seen].word == number)
            continue;
        if (t->seen.count >= NONE || !room_for(&t->seen, t->seen.count + 1, sizeof(Seen)))
            return false;
        ((Seen *)t->seen.items)[t->seen.count] = (Seen){.word = number, .next = counted->seen};
        counted->seen = (uint32_t)t->seen.count++;
    }
    return true;
}

/* Is `a` to be merged before `b`? The commoner one is; of equally common ones, that of the first symbols. */
static bool before(const Candidate *a, const Candidate *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    if (a->pair.left != b->pair.left)
        return a->pair.left < b->pair.left;
    return a->pair.right < b->pair.right;
}

static bool push(Trainer *t, uint32_t number)
{
    if (!room_for(&t->heap, t->heap.count + 1, sizeof(Candidate)))
        return false;
    const Counted *counted = (Counted *)t->pairs.items + number;
    Candidate new = {.count = counted->count, .pair = counted->pair, .at = number};
    Candidate *heap = t->heap.items;
    size_t at = t->heap.count++;
    for (; at > 0 && before(&new, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = new;
    return true;
}

static Candidate pop(Trainer *t)
{
    Candidate *heap = t->heap.items, best = heap[0], last = heap[--t->heap.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < t->heap.count; at = child) {
        if (child + 1 < t->heap.count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return best;
}

/* Enter a symbol of these bytes. Answers 1, 0 when there is one already, -1 when memory is out. */
static int spell(Trainer *t, const uint8_t *bytes, uint32_t length)
{
    if (2 * t->spellings.count >= t->spelling_table.count) {
        if (!empty_table(&t->spelling_table, t->spellings.count))
            return -1;
        const Spelling *spellings = t->spellings.items;
        for (size_t i = 0; i < t->spellings.count; i++) {
            const uint8_t *own = (uint8_t *)t->spelt.items + spellings[i].start;
            enter(&t->spelling_table, hash_of(own, spellings[i].length), (uint32_t)i);
        }
    }
    uint32_t hash = hash_of(bytes, length);
    const uint32_t *slots = t->spelling_table.items;
    size_t mask = t->spelling_table.count - 1;
    for (size_t slot = hash & mask; slots[slot] != NONE; slot = (slot + 1) & mask) {
        Spelling other = ((Spelling *)t->spellings.items)[slots[slot]];
        if (other.length == length && memcmp((uint8_t *)t->spelt.items + other.start, bytes, length) == 0)
            return 0;
    }
    if (!room_for(&t->spellings, t->spellings.count + 1, sizeof(Spelling))
        || !room_for(&t->spelt, t->spelt.count + length, 1))
        return -1;
    memcpy((uint8_t *)t->spelt.items + t->spelt.count, bytes, length);
    ((Spelling *)t->spellings.items)[t->spellings.count] = (Spelling){.start = t->spelt.count, .length = length};
    t->spelt.count += length;
    enter(&t->spelling_table, hash, (uint32_t)t->spellings.count++);
    return 1;
}

/* Enter the symbol that a pair makes. Answers as `spell` does. */
static int spell_both(Trainer *t, Pair pair)
{
    Spelling left = ((Spelling *)t->spellings.items)[pair.left], right = ((Spelling *)t->spellings.items)[pair.right];
    uint32_t length = left.length + right.length;
    /* Behind all spellings: there it stays if it is new. */
    if (!room_for(&t->spelt, t->spelt.count + 2 * (size_t)length, 1))
        return -1;
    uint8_t *spelt = t->spelt.items, *both = spelt + t->spelt.count + length;
    memcpy(both, spelt + left.start, left.length);
    memcpy(both + left.length, spelt + right.start, right.length);
    return spell(t, both, length);
}

/* The words become symbols, and their pairs are counted. */
static bool begin(Trainer *t)
{
    for (unsigned i = 0; i < BYTES; i++) {
        uint8_t byte = (uint8_t)i;
        if (spell(t, &byte, 1) < 0)
            return false;
    }
    if (!room_for(&t->symbols, t->bytes.count, sizeof(uint32_t)))
        return false;
    for (size_t i = 0; i < t->bytes.count; i++)
        ((uint32_t *)t->symbols.items)[i] = ((uint8_t *)t->bytes.items)[i];
    for (size_t i = 0; i < t->words.count; i++)
        if (!count_pairs(t, (uint32_t)i, (int64_t)((Word *)t->words.items)[i].count)
            || !note_pairs(t, (uint32_t)i, NONE))
            return false;
    for (size_t i = 0; i < t->pairs.count; i++)
        if (!push(t, (uint32_t)i))
            return false;
    return true;
}

/* Merge a pair wherever it is in a word, from left to right, and count the word's pairs anew. */
static bool merge_in_word(Trainer *t, uint32_t number, Pair pair, uint32_t made)
{
    Word *word = (Word *)t->words.items + number;
    uint32_t *symbols = (uint32_t *)t->symbols.items + word->start, at = 0;
    while (at + 1 < word->length && !(symbols[at] == pair.left && symbols[at + 1] == pair.right))
        at++;
    if (at + 1 >= word->length)
        return true;
    if (!count_pairs(t, number, -(int64_t)word->count))
        return false;
    uint32_t length = at;
    while (at < word->length) {
        bool both = at + 1 < word->length && symbols[at] == pair.left && symbols[at + 1] == pair.right;
        symbols[length++] = both ? made : symbols[at];
        at += both ? 2 : 1;
    }
    word->length = length;
    return count_pairs(t, number, (int64_t)word->count) && note_pairs(t, number, made);
}

int64_t tokenizer_trainer_run(Trainer *t, size_t count, uint64_t least)
{
    if (!t->begun && !begin(t))
        return -1;
    t->begun = true;
    while (t->merges.count < count && t->heap.count > 0) {
        Candidate best = pop(t);
        const Counted *counted = (Counted *)t->pairs.items + best.at;
        if (counted->count < 1 || (uint64_t)counted->count < least)
            continue;
        if (counted->count < best.count) {
            if (!push(t, best.at))
                return -1;
            continue;
        }
        uint32_t made = (uint32_t)(BYTES + t->merges.count);
        int new = spell_both(t, best.pair);
        if (new < 0 || !room_for(&t->merges, t->merges.count + 1, sizeof(Pair)))
            return -1;
        if (new == 0)
            continue;
        ((Pair *)t->merges.items)[t->merges.count++] = best.pair;
        size_t known = t->pairs.count;
        for (uint32_t at = counted->seen; at != NONE;) {
            Seen seen = ((Seen *)t->seen.items)[at];
            if (!merge_in_word(t, seen.word, best.pair, made))
                return -1;
            at = seen.next;
        }
        for (size_t i = known; i < t->pairs.count; i++)
            if (!push(t, (uint32_t)i))
                return -1;
    }
    return (int64_t)t->merges.count;
}

const Pair *tokenizer_trainer_merges(const Trainer *t)
{
    return t->merges.items;
}

Trainer *tokenizer_trainer_new(void)
{
    return calloc(1, sizeof(Trainer));
}

void tokenizer_trainer_free(Trainer *t)
{
    if (t == NULL)
        return;
    Array *arrays[] = {&t->bytes,  &t->words,  &t->word_table, &t->symbols, &t->pairs,     &t->pair_table,
                       &t->seen,   &t->heap,   &t->merges,     &t->spelt,   &t->spellings, &t->spelling_table};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]->items);
    free(t);
}
