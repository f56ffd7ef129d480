/* Text: Strings as UTF-8 and back, and numbers as decimal text. */
#ifndef BEND_TEXT_H
#define BEND_TEXT_H

#include "bend.h"

/* A growing run of bytes. */
typedef struct {
  char *data;
  size_t size, room;
} b_bytes;

/* Makes room for so many more bytes, and gives the place of the first. */
char *b_bytes_reserve(b_bytes *bytes, size_t more);

/* A String that is built from its start: `next` is where its next cell goes. */
typedef struct {
  V first;
  V *next;
} b_list_builder;

/* Begins a list or a String; its last tail is the immediate 0 (Nil, SNil) already. */
static inline void b_list_begin(b_list_builder *list) {
  list->first = b_imm(0);
  list->next = &list->first;
}

/* Adds an element: a Char of a String or a word of a List (SCon and Con have tag 1). */
static inline void b_list_add(b_list_builder *list, V head) {
  *list->next = b_cell2(1, head, b_imm(0));
  list->next = &b_ptr(*list->next)->f[1];
}

/* Looks at the cells of a list or a String in turn: `head` is its next element, false at its end. */
static inline bool b_list_next(V *list, V *head) {
  if (b_is_imm(*list)) return false;
  *head = b_ptr(*list)->f[0];
  *list = b_ptr(*list)->f[1];
  return true;
}

/* Writes a code as UTF-8, one that is no scalar value as U+FFFD; gives how many bytes (at most 4). */
unsigned b_encode(uint32_t code, char *out);

/* The String that UTF-8 spells: U+FFFD for each longest run of bytes that begins a character without ending it, and for
   each other byte that is not UTF-8. */
V b_decode(const char *bytes, size_t size);

/* How many bytes are missing at the end for its last character to be whole: 0 when it is whole or not UTF-8. */
unsigned b_missing_bytes(const char *bytes, size_t size);

#define B_F32_ROOM 40
/* An F32 literal (1.0, 1.5e+21, -0.0, nan, inf), the shortest that reads back; gives its length. */
size_t b_f32_literal(float x, char out[B_F32_ROOM]);

V b_nat_show(uint64_t n);
V b_u32_show(uint32_t n);
/* 1, 0.5, 1e+21, 1.5e-7, -0, NaN, Infinity, -Infinity. */
V b_f32_show(float x);
/* Maybe F32: of an optional sign, digits, an optional point and digits, an optional e, sign and digits, and no more. What
   is too large for a number is infinity, as IEEE rounding has it. */
V b_f32_read(V string);
V b_u32_to_word(uint32_t n);
uint32_t b_word_to_u32(V word);

#endif
