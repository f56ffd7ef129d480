/* Printing main's value as the checker prints its normal form. Without recursion: values may be deep. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

#include "effects.h"
#include "text.h"


/* What is still to be printed: a value; the rest of a list, a tuple or an array, whose entry is its own; a text. */
typedef enum { VALUE, LIST, TUPLE, ARRAY, TEXT } piece_kind;

typedef struct {
  piece_kind kind;
  uint32_t entry;
  union {
    V value;
    const char *text;
  };
  uint64_t slot; /* of an array's block: where the rest begins */
  bool follows;  /* after another item, so that a comma comes first */
} piece;

typedef struct {
  const b_show_entry *table;
  piece *pieces; /* a stack: the last one is printed next */
  size_t count, room;
} printer;

static void push(printer *p, piece next) {
  if (p->count == p->room) {
    p->room = p->room ? 2 * p->room : 256;
    p->pieces = realloc(p->pieces, p->room * sizeof(piece));
    if (!p->pieces) b_out_of_memory();
  }
  p->pieces[p->count++] = next;
}

static void push_value(printer *p, uint32_t entry, V value) {
  push(p, (piece){.kind = VALUE, .entry = entry, .value = value});
}

static void push_text(printer *p, const char *text) { push(p, (piece){.kind = TEXT, .text = text}); }

static void print(const char *text) { b_output(text, strlen(text)); }

/* ---- literals ---- */

static void print_nat(uint64_t n) {
  char text[32];
  snprintf(text, sizeof text, "%llun", (unsigned long long)n);
  print(text);
}

static void print_u32(uint32_t n) {
  char text[16];
  snprintf(text, sizeof text, "%lu", (unsigned long)n);
  print(text);
}

static void print_f32(float x) {
  char text[B_F32_ROOM];
  b_output(text, b_f32_literal(x, text));
}

/* A character as in a literal between these quotes. */
static void print_code(uint32_t code, char quote) {
  static const char letters[][2] = {{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}, {'\0', '0'}, {'\\', '\\'}};
  char text[16];
  for (size_t at = 0; at < sizeof letters / sizeof *letters; at++)
    if (code == (uint8_t)letters[at][0]) {
      b_output((char[]){'\\', letters[at][1]}, 2);
      return;
    }
  if (code == (uint8_t)quote) {
    b_output((char[]){'\\', quote}, 2);
  } else if (code < 32 || code == 127 || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) {
    snprintf(text, sizeof text, "\\u{%lx}", (unsigned long)code);
    print(text);
  } else {
    b_output(text, b_encode(code, text));
  }
}

static void print_string(V string) {
  V head;
  print("\"");
  while (b_list_next(&string, &head)) print_code(b_unbox_u32(head), '"');
  print("\"");
}

/* ---- structures ---- */

/* The entry of a cell's field, once the fields that its type depends on were looked at. */
static uint32_t chosen(const printer *p, uint32_t entry, V cell) {
  while (p->table[entry].kind == B_SHOW_CHOICE) {
    const b_show_choice *choice = p->table[entry].choice;
    V at = cell;
    for (uint32_t step = 0; step < choice->depth; step++)
      at = b_is_imm(at) ? b_imm(b_imm_value(at) - 1) : b_ptr(at)->f[choice->path[step]];
    uint64_t tag = b_is_imm(at) ? b_imm_value(at) : b_ptr(at)->tag;
    entry = choice->entries[tag < choice->count ? tag : choice->count - 1];
  }
  return entry;
}

static void print_data(printer *p, const b_show_constructor *constructor, V value) {
  print(constructor->name);
  print("{");
  push_text(p, "}");
  unsigned live = 0;
  for (uint32_t at = 0; at < constructor->count; at++) live += constructor->live[at];
  for (uint32_t at = constructor->count; at-- > 0;) {
    V field = constructor->live[at] ? b_ptr(value)->f[--live] : b_imm(0);
    push_value(p, chosen(p, constructor->fields[at], value), field);
    if (at) push_text(p, ", ");
  }
}

static void print_list_rest(printer *p, piece list) {
  if (b_is_imm(list.value)) {
    print("]");
    return;
  }
  if (list.follows) print(", ");
  const V *fields = b_ptr(list.value)->f;
  push(p, (piece){.kind = LIST, .entry = list.entry, .value = fields[1], .follows = true});
  push_value(p, p->table[list.entry].parts[0], fields[0]);
}

/* A second side that is a tuple goes on without parentheses. */
static void print_tuple_rest(printer *p, piece tuple) {
  const V *fields = b_ptr(tuple.value)->f;
  const uint32_t *parts = p->table[tuple.entry].parts;
  uint32_t second = chosen(p, parts[1], tuple.value);
  if (p->table[second].kind == B_SHOW_TUPLE)
    push(p, (piece){.kind = TUPLE, .entry = second, .value = fields[1]});
  else
    push_value(p, second, fields[1]);
  push_text(p, ", ");
  push_value(p, parts[0], fields[0]);
}

static V block_element(const b_block *block, uint64_t slot) {
  switch (block->head.tag) {
    case B_F32:
    case B_U32: return b_box_u32(((const uint32_t *)block->data)[slot]);
    case B_U8: return b_box_enum(((const uint8_t *)block->data)[slot]);
    default: return ((const V *)block->data)[slot];
  }
}

static void print_array_rest(printer *p, piece array) {
  const b_obj *o = b_ptr(array.value);
  if (o->kind == B_NODE) {
    push(p, (piece){.kind = ARRAY, .entry = array.entry, .value = o->f[1], .follows = true});
    push(p, (piece){.kind = ARRAY, .entry = array.entry, .value = o->f[0], .follows = array.follows});
    return;
  }
  const b_block *block = b_block_of(array.value);
  if (array.follows) print(", ");
  V element = block_element(block, array.slot);
  array.follows = true;
  if (++array.slot < block->size) push(p, array);
  push_value(p, p->table[array.entry].parts[0], element);
}

static void print_value(printer *p, piece item) {
  const b_show_entry *entry = &p->table[item.entry];
  switch (entry->kind) {
    case B_SHOW_NAT: print_nat(b_unbox_nat(item.value)); break;
    case B_SHOW_U32: print_u32(b_unbox_u32(item.value)); break;
    case B_SHOW_F32: print_f32(b_unbox_f32(item.value)); break;
    case B_SHOW_CHAR:
      print("'");
      print_code(b_unbox_u32(item.value), '\'');
      print("'");
      break;
    case B_SHOW_STRING: print_string(item.value); break;
    case B_SHOW_LIST:
      print("[");
      item.kind = LIST;
      push(p, item);
      break;
    case B_SHOW_TUPLE:
      print("(");
      push_text(p, ")");
      item.kind = TUPLE;
      push(p, item);
      break;
    case B_SHOW_ARRAY:
      print("[");
      push_text(p, "]");
      item.kind = ARRAY;
      push(p, item);
      break;
    case B_SHOW_DATA: print_data(p, &entry->constructors[b_tag(item.value)], item.value); break;
    case B_SHOW_CHOICE: B_NEVER();
    case B_SHOW_TEXT: print(entry->text); break;
  }
}

void b_show(V value, const b_show_entry *table) {
  printer p = {.table = table};
  push_value(&p, 0, value);
  while (p.count) {
    piece next = p.pieces[--p.count];
    switch (next.kind) {
      case VALUE: print_value(&p, next); break;
      case LIST: print_list_rest(&p, next); break;
      case TUPLE: print_tuple_rest(&p, next); break;
      case ARRAY: print_array_rest(&p, next); break;
      case TEXT: print(next.text); break;
    }
  }
  print("\n");
  free(p.pieces);
}
