/* Arrays: flat blocks of 2^d slots, or nodes of two arrays.

   A block holds floats, 32-bit words, bytes or words; its kind of element is its header's tag. Where types are known,
   an array has the kind of its element, and the operations with a suffix take one comparison to be sure; all else, such
   as blocks made by code that did not know the element's type and nodes of halves that do not match, works too, slower.
   An index wraps modulo the size. Arrays are written in place: they have one owner. */
#ifndef BEND_ARRAY_H
#define BEND_ARRAY_H

enum { B_F32, B_U32, B_U8, B_WORD, B_HALVES };

/* head.tag is the kind of element; head.n says whether that is words. */
typedef struct b_block {
  b_head head;
  uint64_t size; /* a power of two */
  uint64_t mask; /* size - 1 */
  void *memory;  /* what malloc gave */
  char unused[32];
  _Alignas(64) char data[];
} b_block;

/* A cell of kind B_NODE and tag B_HALVES: f[0] and f[1] are the halves, of which neither need be as large as the other.
   As in the plain definition, its size is twice that of the left one, and index i goes left if it is in the lower half
   of that size. */

static inline b_block *b_block_of(V array) { return (b_block *)array; }
static inline float *b_data_f32(V array) { return (float *)__builtin_assume_aligned(b_block_of(array)->data, 64); }
static inline uint32_t *b_data_u32(V array) { return (uint32_t *)__builtin_assume_aligned(b_block_of(array)->data, 64); }
static inline uint8_t *b_data_u8(V array) { return (uint8_t *)__builtin_assume_aligned(b_block_of(array)->data, 64); }
static inline V *b_data_word(V array) { return (V *)__builtin_assume_aligned(b_block_of(array)->data, 64); }
static inline bool b_is_block_of(V array, unsigned kind) { return B_LIKELY(b_ptr(array)->tag == kind); }
static inline uint64_t b_slot(V array, uint32_t index) { return index & b_block_of(array)->mask; }

/* Are the slots first + k * stride (modulo 2^32), for k from 0 to n - 1, in a block, with no wrapping in between? n is
   below 2^31. */
static inline bool b_slots_within(V array, uint32_t first, uint32_t stride, uint64_t n) {
  const uint64_t size = b_block_of(array)->size;
  const uint64_t last = first + (n - 1) * (uint64_t)(int64_t)(int32_t)stride;
  return first < size && last < size && last <= UINT32_MAX;
}

/* A block of 2^depth slots that are not written yet (words: immediates). */
V b_block_new(unsigned kind, uint64_t depth);
/* The slot of an index, in whichever block it lies; its kind too. */
void *b_array_slot(V array, uint32_t index, unsigned *kind);

/* Whatever the kind of the block. */
V b_arr_new_any(uint64_t depth, V element);
V b_arr_get_any(V array, uint32_t index);
V b_arr_exchange_any(V array, uint32_t index, V element);
V b_arr_set_any(V array, uint32_t index, V element);
V b_arr_leaf_value_any(V array);
uint32_t b_arr_size(V array);
V b_arr_clone(V array);
uint8_t b_arr_is_node(V array);
static inline uint8_t b_arr_is_flat(V array) { return b_ptr(array)->kind == B_BLOCK; }
V b_arr_left(V array);
V b_arr_right(V array);
V b_arr_node(V left, V right);
V b_arr_to_list(V array);
static inline V b_arr_join(V array, V other) {
  b_drop(other);
  return array;
}

/* Frees a block or a node whose last owner is gone: all but the words in it. */
void b_block_free(b_obj *o);

V b_arr_new_f32(uint64_t depth, float element);
V b_arr_new_u32(uint64_t depth, uint32_t element);
V b_arr_new_u8(uint64_t depth, uint8_t element);
static inline V b_arr_new_word(uint64_t depth, V element) { return b_arr_new_any(depth, element); }

/* By kind of element: its C type, to a word and back, and what to do for a copy. */
static inline V b_same_word(V v) { return v; }

#define B_ARRAY_OPERATIONS(name, KIND, type, box, unbox, copy) \
  static inline type b_arr_get_##name(V array, uint32_t index) { \
    if (!b_is_block_of(array, KIND)) return unbox(b_arr_get_any(array, index)); \
    type element = b_data_##name(array)[b_slot(array, index)]; \
    copy(element); \
    return element; \
  } \
  static inline type b_arr_exchange_##name(V array, uint32_t index, type element) { \
    if (!b_is_block_of(array, KIND)) return unbox(b_arr_exchange_any(array, index, box(element))); \
    type *slot = &b_data_##name(array)[b_slot(array, index)]; \
    type old = *slot; \
    *slot = element; \
    return old; \
  } \
  static inline V b_arr_make_##name(uint64_t depth) { return b_block_new(KIND, depth); } \
  static inline void b_arr_init_##name(V array, uint32_t index, type element) { \
    b_data_##name(array)[b_slot(array, index)] = element; \
  } \
  static inline V b_arr_leaf_##name(type element) { \
    V array = b_block_new(KIND, 0); \
    b_data_##name(array)[0] = element; \
    return array; \
  }

#define B_NO_COPY(element) ((void)0)
B_ARRAY_OPERATIONS(f32, B_F32, float, b_box_f32, b_unbox_f32, B_NO_COPY)
B_ARRAY_OPERATIONS(u32, B_U32, uint32_t, b_box_u32, b_unbox_u32, B_NO_COPY)
B_ARRAY_OPERATIONS(u8, B_U8, uint8_t, b_box_enum, b_unbox_enum, B_NO_COPY)
B_ARRAY_OPERATIONS(word, B_WORD, V, b_same_word, b_same_word, b_dup)
#undef B_ARRAY_OPERATIONS
#undef B_NO_COPY

static inline V b_arr_set_f32(V array, uint32_t index, float element) {
  b_arr_exchange_f32(array, index, element);
  return array;
}
static inline V b_arr_set_u32(V array, uint32_t index, uint32_t element) {
  b_arr_exchange_u32(array, index, element);
  return array;
}
static inline V b_arr_set_u8(V array, uint32_t index, uint8_t element) {
  b_arr_exchange_u8(array, index, element);
  return array;
}
static inline V b_arr_set_word(V array, uint32_t index, V element) {
  b_drop(b_arr_exchange_word(array, index, element));
  return array;
}

static inline float b_arr_leaf_value_f32(V array) { return b_unbox_f32(b_arr_leaf_value_any(array)); }
static inline uint32_t b_arr_leaf_value_u32(V array) { return b_unbox_u32(b_arr_leaf_value_any(array)); }
static inline uint8_t b_arr_leaf_value_u8(V array) { return b_unbox_enum(b_arr_leaf_value_any(array)); }
static inline V b_arr_leaf_value_word(V array) { return b_arr_leaf_value_any(array); }

/* Where the element's type is not known, new blocks are of words. */
static inline V b_arr_make_any(uint64_t depth) { return b_block_new(B_WORD, depth); }
static inline V b_arr_leaf_any(V element) { return b_arr_leaf_word(element); }
static inline void b_arr_init_any(V array, uint32_t index, V element) { b_arr_set_any(array, index, element); }

/* Atomic: they look at the array, and give what the slot held. */
uint32_t b_arr_atomic_add(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_min(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_max(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_and(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_or(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_xor(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_exch(V array, uint32_t index, uint32_t value);
uint32_t b_arr_atomic_cas(V array, uint32_t index, uint32_t expected, uint32_t value);
float b_arr_atomic_fadd(V array, uint32_t index, float value);

#endif
