/* Arrays: what their types' fast paths in array.h do not do. */
#include <stdlib.h>

#include "bend.h"

static const unsigned char element_bytes[] = {[B_F32] = 4, [B_U32] = 4, [B_U8] = 1, [B_WORD] = 8};

static bool is_node(V array) { return b_ptr(array)->kind == B_NODE; }

/* ---- blocks ---- */

/* Memory for a block, with room to align it. To debug there is no such room: nothing then hides an access past the end. */
static void *block_memory(uint64_t bytes) {
#ifdef B_DEBUG
  void *memory;
  return posix_memalign(&memory, _Alignof(b_block), sizeof(b_block) + bytes) ? NULL : memory;
#else
  return malloc(sizeof(b_block) + _Alignof(b_block) - 1 + bytes);
#endif
}

V b_block_new(unsigned kind, uint64_t depth) {
  if (depth > 40) b_out_of_memory();
  const uint64_t size = UINT64_C(1) << depth;
  const uint64_t bytes = size * element_bytes[kind];
  char *memory = block_memory(bytes);
  if (!memory) b_out_of_memory();
  b_block *block = (b_block *)(((uint64_t)memory + 63) & ~UINT64_C(63));
  b_header(block, B_BLOCK, kind, kind == B_WORD);
  block->size = size;
  block->mask = size - 1;
  block->memory = memory;
  b_count_live(1);
  if (kind == B_WORD)
    for (uint64_t i = 0; i < size; i++) b_data_word(b_word(block))[i] = b_imm(0);
  return b_word(block);
}

void b_block_free(b_obj *o) {
  b_count_live(-1);
  free(((b_block *)o)->memory);
}

V b_arr_new_f32(uint64_t depth, float element) {
  V array = b_block_new(B_F32, depth);
  float *data = b_data_f32(array);
  for (uint64_t i = 0; i < b_block_of(array)->size; i++) data[i] = element;
  return array;
}

V b_arr_new_u32(uint64_t depth, uint32_t element) {
  V array = b_block_new(B_U32, depth);
  uint32_t *data = b_data_u32(array);
  for (uint64_t i = 0; i < b_block_of(array)->size; i++) data[i] = element;
  return array;
}

V b_arr_new_u8(uint64_t depth, uint8_t element) {
  V array = b_block_new(B_U8, depth);
  memset(b_data_u8(array), element, b_block_of(array)->size);
  return array;
}

V b_arr_new_any(uint64_t depth, V element) {
  V array = b_block_new(B_WORD, depth);
  V *data = b_data_word(array);
  for (uint64_t i = 0; i < b_block_of(array)->size; i++) data[i] = element;
  b_dup_many(element, b_block_of(array)->size - 1);
  return array;
}

/* ---- one slot ---- */

/* Elements of size `bytes` as words and back, at a slot of a block of that kind. */
static V read_slot(const void *slot, unsigned kind) {
  switch (kind) {
    case B_U8: return b_imm(*(const uint8_t *)slot);
    case B_WORD: return *(const V *)slot;
    default: return b_imm(*(const uint32_t *)slot);
  }
}

static void write_slot(void *slot, unsigned kind, V element) {
  switch (kind) {
    case B_U8: *(uint8_t *)slot = b_unbox_enum(element); break;
    case B_WORD: *(V *)slot = element; break;
    default: *(uint32_t *)slot = b_unbox_u32(element);
  }
}

/* How many slots, modulo 2^32. */
uint32_t b_arr_size(V array) {
  uint32_t size = 1;
  for (; is_node(array); array = b_ptr(array)->f[0]) size *= 2;
  return size * (uint32_t)b_block_of(array)->size;
}

/* Where Base's way down a tree ends in a block of another size than the way there promised: it halves at each node. */
static uint32_t lopsided_index(uint64_t block_size, uint32_t size, uint32_t index) {
  uint32_t place = 0;
  for (; block_size > 1; block_size >>= 1) {
    size >>= 1;
    const bool right = index >= size;
    place = 2 * place + right;
    if (right) index -= size;
  }
  return place;
}

void *b_array_slot(V array, uint32_t index, unsigned *kind) {
  uint32_t size = b_arr_size(array);
  index = b_u32_mod(index, size);
  while (is_node(array)) {
    size >>= 1;
    const bool right = index >= size;
    array = b_ptr(array)->f[right];
    if (right) index -= size;
  }
  const b_block *block = b_block_of(array);
  if (block->size != size) index = lopsided_index(block->size, size, index);
  *kind = b_ptr(array)->tag;
  return b_block_of(array)->data + b_slot(array, index) * element_bytes[*kind];
}

V b_arr_get_any(V array, uint32_t index) {
  unsigned kind;
  const void *slot = b_array_slot(array, index, &kind);
  V element = read_slot(slot, kind);
  b_dup(element);
  return element;
}

V b_arr_exchange_any(V array, uint32_t index, V element) {
  unsigned kind;
  void *slot = b_array_slot(array, index, &kind);
  V old = read_slot(slot, kind);
  write_slot(slot, kind, element);
  return old;
}

V b_arr_set_any(V array, uint32_t index, V element) {
  b_drop(b_arr_exchange_any(array, index, element));
  return array;
}

/* ---- whole arrays ---- */

/* A block with the elements of slots [from, from + size), which get one more owner. */
static V copy_of(const b_block *block, uint64_t from, uint64_t size) {
  const unsigned kind = block->head.tag;
  V copy = b_block_new(kind, (uint64_t)__builtin_ctzll(size));
  const size_t bytes = element_bytes[kind];
  memcpy(b_block_of(copy)->data, block->data + from * bytes, size * bytes);
  if (kind == B_WORD)
    for (uint64_t i = 0; i < size; i++) b_dup(b_data_word(copy)[i]);
  return copy;
}

static V new_node(V left, V right) {
  b_obj *o = b_alloc(2);
  b_header(o, B_NODE, B_HALVES, 2);
  o->f[0] = left;
  o->f[1] = right;
  return b_word(o);
}

V b_arr_clone(V array) {
  if (is_node(array)) {
    V left = b_arr_clone(b_ptr(array)->f[0]);
    return new_node(left, b_arr_clone(b_ptr(array)->f[1]));
  }
  return copy_of(b_block_of(array), 0, b_block_of(array)->size);
}

uint8_t b_arr_is_node(V array) { return is_node(array) || b_block_of(array)->size > 1; }

V b_arr_leaf_value_any(V array) {
  V element = read_slot(b_block_of(array)->data, b_ptr(array)->tag);
  b_dup(element);
  b_drop(array);
  return element;
}

static V half(V array, unsigned right) {
  if (is_node(array)) {
    V child = b_ptr(array)->f[right];
    b_dup(child);
    return child;
  }
  const uint64_t size = b_block_of(array)->size, half_size = (size + 1) / 2;
  return copy_of(b_block_of(array), right ? size - half_size : 0, half_size);
}

V b_arr_left(V array) { return half(array, 0); }

V b_arr_right(V array) {
  V right = half(array, 1);
  b_drop(array);
  return right;
}

/* Two blocks of one size and kind become one block: the halves' words move. */
V b_arr_node(V left, V right) {
  b_block *low = b_block_of(left);
  b_block *high = b_block_of(right);
  if (is_node(left) || is_node(right) || low->size != high->size || low->head.tag != high->head.tag)
    return new_node(left, right);
  const unsigned kind = low->head.tag;
  V both = b_block_new(kind, (uint64_t)__builtin_ctzll(low->size) + 1);
  const size_t bytes = low->size * element_bytes[kind];
  memcpy(b_block_of(both)->data, low->data, bytes);
  memcpy(b_block_of(both)->data + bytes, high->data, bytes);
  if (kind == B_WORD)
    for (uint64_t i = 0; i < b_block_of(both)->size; i++) b_dup(b_data_word(both)[i]);
  b_drop(left);
  b_drop(right);
  return both;
}

/* The list of an array's elements, and of `rest` after them. */
static V list_onto(V array, V rest) {
  while (is_node(array)) {
    rest = list_onto(b_ptr(array)->f[1], rest);
    array = b_ptr(array)->f[0];
  }
  const b_block *block = b_block_of(array);
  const unsigned kind = block->head.tag;
  for (uint64_t i = block->size; i-- > 0;) {
    V element = read_slot(block->data + i * element_bytes[kind], kind);
    b_dup(element);
    rest = b_cell2(1, element, rest);
  }
  return rest;
}

V b_arr_to_list(V array) {
  V list = list_onto(array, b_imm(0));
  b_drop(array);
  return list;
}

/* ---- atomic operations ---- */

/* The value that `operation` makes of an old one and an operand. */
typedef uint32_t update(uint32_t old, uint32_t operand);

static uint32_t atomic_update(V array, uint32_t index, uint32_t operand, update *updated) {
  unsigned kind;
  void *slot = b_array_slot(array, index, &kind);
  if (kind == B_WORD) {
    V old = __atomic_load_n((V *)slot, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n((V *)slot, &old, b_imm(updated(b_unbox_u32(old), operand)), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {
    }
    return b_unbox_u32(old);
  }
  uint32_t old = __atomic_load_n((uint32_t *)slot, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n((uint32_t *)slot, &old, updated(old, operand), true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_ACQUIRE)) {
  }
  return old;
}

static uint32_t second(uint32_t old, uint32_t operand) {
  (void)old;
  return operand;
}
static uint32_t float_sum(uint32_t old, uint32_t operand) {
  return b_f32_bits(b_f32_of_bits(old) + b_f32_of_bits(operand));
}

uint32_t b_arr_atomic_add(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_add);
}
uint32_t b_arr_atomic_min(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_min);
}
uint32_t b_arr_atomic_max(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_max);
}
uint32_t b_arr_atomic_and(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_and);
}
uint32_t b_arr_atomic_or(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_or);
}
uint32_t b_arr_atomic_xor(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, b_u32_xor);
}
uint32_t b_arr_atomic_exch(V array, uint32_t index, uint32_t value) {
  return atomic_update(array, index, value, second);
}
float b_arr_atomic_fadd(V array, uint32_t index, float value) {
  return b_f32_of_bits(atomic_update(array, index, b_f32_bits(value), float_sum));
}

uint32_t b_arr_atomic_cas(V array, uint32_t index, uint32_t expected, uint32_t value) {
  unsigned kind;
  void *slot = b_array_slot(array, index, &kind);
  if (kind == B_WORD) {
    V old = b_imm(expected);
    __atomic_compare_exchange_n((V *)slot, &old, b_imm(value), false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
    return b_unbox_u32(old);
  }
  __atomic_compare_exchange_n((uint32_t *)slot, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
  return expected;
}
