/* How main's value is printed: a table of the types in it (show_table.py), which the emitted C holds. */
#ifndef BEND_SHOW_H
#define BEND_SHOW_H

#include "bend.h"

typedef enum {
  B_SHOW_NAT,
  B_SHOW_U32,
  B_SHOW_F32,
  B_SHOW_CHAR,
  B_SHOW_STRING,
  B_SHOW_LIST,
  B_SHOW_TUPLE,
  B_SHOW_ARRAY,
  B_SHOW_DATA,
  B_SHOW_CHOICE,
  B_SHOW_TEXT
} b_show_kind;

/* A constructor: its name as printed, and for each of its fields an entry of the table (by index) and whether the field
   is there at run time. One that is not has an entry of kind text. */
typedef struct b_show_constructor {
  const char *name;
  uint32_t count;
  const uint32_t *fields;
  const uint8_t *live;
} b_show_constructor;

/* Of a field whose type depends on an earlier field: where in the constructor's cell the value is that decides, by field
   of field, and the entries by its tag. A Nat's field is the number before it, and its tag 0 or 1. */
typedef struct b_show_choice {
  uint32_t depth;
  const uint32_t *path;
  uint32_t count;
  const uint32_t *entries;
} b_show_choice;

/* One type, of a value in its form as a word. b_show (bend.h) prints by a table of these; the first is main's type. */
typedef struct b_show_entry {
  b_show_kind kind;
  uint32_t parts[2];                      /* list, array: the element; tuple: its two sides */
  const b_show_constructor *constructors; /* data: by tag */
  const b_show_choice *choice;            /* choice: only where a constructor or a tuple has its fields' entries */
  const char *text;                       /* text */
} b_show_entry;

#endif
