/* GPT-2's pre-tokenization, by hand, on UTF-8:

     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

   A byte that is part of no character counts as one that is neither letter, number nor white space. */
#ifndef BENDML_SPLIT_H
#define BENDML_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OTHER, LETTER, NUMBER, SPACE };

/* Generated from the module `regex` (classes.py): CLASS_PAGE[c >> 7] is the row of CLASS_ROW for the character c, and
   the row has its class at c & 127. */
#include "classes.h"

typedef uint8_t Bytes16 __attribute__((vector_size(16)));
typedef _Bool Flags16 __attribute__((ext_vector_type(16)));

/* The same as class_at, of a character that is not ASCII. */
static unsigned wide_class_at(const uint8_t *s, size_t i, size_t n, size_t *next)
{
    uint32_t c = s[i];
    size_t left = n - i;
    *next = i + 1;
    if (c < 0xC2 || c > 0xF4 || left < 2 || (s[i + 1] & 0xC0) != 0x80)
        return OTHER;
    uint32_t second = s[i + 1] & 0x3F;
    if (c < 0xE0) {
        *next = i + 2;
        c = (c & 0x1F) << 6 | second;
    } else if (c < 0xF0) {
        /* Not in its shortest form, or a surrogate. */
        if ((c == 0xE0 && second < 0x20) || (c == 0xED && second >= 0x20))
            return OTHER;
        if (left < 3 || (s[i + 2] & 0xC0) != 0x80)
            return OTHER;
        *next = i + 3;
        c = (c & 0x0F) << 12 | second << 6 | (s[i + 2] & 0x3F);
    } else {
        /* Not in its shortest form, or past U+10FFFF. */
        if ((c == 0xF0 && second < 0x10) || (c == 0xF4 && second >= 0x10))
            return OTHER;
        if (left < 4 || (s[i + 2] & 0xC0) != 0x80 || (s[i + 3] & 0xC0) != 0x80)
            return OTHER;
        *next = i + 4;
        c = (c & 0x07) << 18 | second << 12 | (uint32_t)(s[i + 2] & 0x3F) << 6 | (s[i + 3] & 0x3F);
    }
    return CLASS_ROW[CLASS_PAGE[c >> 7]][c & 127];
}

/* The class of the character at s[i], i < n, and where the next one begins. */
static inline __attribute__((always_inline)) unsigned class_at(const uint8_t *s, size_t i, size_t n, size_t *next)
{
    if (s[i] >= 0x80)
        return wide_class_at(s, i, n, next);
    *next = i + 1;
    return CLASS_ROW[CLASS_PAGE[0]][s[i]];
}

/* Where the ASCII letters from s[i] on end. */
static inline size_t ascii_letters_end(const uint8_t *s, size_t i, size_t n)
{
    for (; i + 16 <= n; i += 16) {
        Bytes16 bytes;
        memcpy(&bytes, s + i, 16);
        Flags16 others = __builtin_convertvector((Bytes16)(((bytes | 0x20) - 'a') >= 26), Flags16);
        uint16_t bits;
        memcpy(&bits, &others, sizeof bits);
        if (bits)
            return i + (size_t)__builtin_ctz(bits);
    }
    while (i < n && (uint8_t)((s[i] | 0x20) - 'a') < 26)
        i++;
    return i;
}

/* Where the characters of a class from s[i] on end. */
static inline size_t run_end(const uint8_t *s, size_t i, size_t n, unsigned class)
{
    for (;;) {
        if (class == LETTER)
            i = ascii_letters_end(s, i, n);
        size_t next;
        if (i == n || class_at(s, i, n, &next) != class)
            return i;
        i = next;
    }
}

/* \s+(?!\S)|\s+ : all of the white space at the end of a text; before a word, all but its last character. */
static inline size_t spaces_end(const uint8_t *s, size_t i, size_t n)
{
    size_t at = i, last = i, next;
    while (at < n && class_at(s, at, n, &next) == SPACE) {
        last = at;
        at = next;
    }
    return at == n || last == i ? at : last;
}

/* Where the piece that begins at s[i] ends, i < n. */
static inline size_t piece_end(const uint8_t *s, size_t i, size_t n)
{
    size_t next;
    if (s[i] == ' ' && i + 1 < n) {
        unsigned class = class_at(s, i + 1, n, &next);
        return class == SPACE ? spaces_end(s, i, n) : run_end(s, next, n, class);
    }
    if (s[i] == '\'' && i + 1 < n) {
        uint8_t first = s[i + 1], second = i + 2 < n ? s[i + 2] : 0;
        if (first == 's' || first == 't' || first == 'm' || first == 'd')
            return i + 2;
        if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l'))
            return i + 3;
    }
    unsigned class = class_at(s, i, n, &next);
    return class == SPACE ? spaces_end(s, i, n) : run_end(s, next, n, class);
}

#endif
