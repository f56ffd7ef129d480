/* Memory, reference counts and the slow ways of applying closures. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bend.h"

int b_threaded = 0;

/* ---- memory ---- */

_Thread_local b_heap b_local;

#ifdef B_DEBUG
long b_live_objects = 0;
#endif

/* Free objects that threads have given away, by words, in segments of about SEGMENT objects. A segment's first object
   has the address of the next segment in its header. */
enum { SEGMENT = B_LOCAL_OBJECTS / 2 };
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static b_obj *shared[B_SMALL_WORDS + 1];

/* A link in a header leaves n and kind alone: an address has 48 bits, as rc and tag have together. */
static b_obj *header_link(const b_obj *o) {
  uint64_t bits;
  memcpy(&bits, o, sizeof bits);
  return (b_obj *)(bits & ((UINT64_C(1) << 48) - 1));
}
static void set_header_link(b_obj *o, const b_obj *link) {
  uint64_t bits;
  memcpy(&bits, o, sizeof bits);
  bits = (bits & ~((UINT64_C(1) << 48) - 1)) | (uint64_t)link;
  memcpy(o, &bits, sizeof bits);
}

b_obj *b_alloc_large(unsigned words) {
  b_obj *o = malloc(sizeof(b_obj) + sizeof(V) * words);
  if (!o) b_out_of_memory();
  return o;
}

void b_free_large(b_obj *o) { free(o); }

static void new_chunk(void) {
  const size_t smallest = (size_t)64 << 10, largest = (size_t)4 << 20, huge_page = (size_t)2 << 20;
  b_heap *heap = &b_local;
  size_t bytes = heap->chunk_bytes ? heap->chunk_bytes * 2 : smallest;
  if (bytes > largest) bytes = largest;
  heap->chunk_bytes = bytes;
  void *chunk = bytes == largest ? aligned_alloc(huge_page, bytes) : malloc(bytes);
  if (!chunk) b_out_of_memory();
#ifdef MADV_HUGEPAGE
  if (bytes == largest) madvise(chunk, bytes, MADV_HUGEPAGE);
#endif
  heap->chunk = chunk;
  heap->chunk_end = heap->chunk + bytes;
}

/* Takes a segment of the shared objects, if there is one. */
static b_obj *take_shared(unsigned words) {
  if (!b_threaded || !__atomic_load_n(&shared[words], __ATOMIC_RELAXED)) return NULL;
  pthread_mutex_lock(&shared_lock);
  b_obj *segment = shared[words];
  if (segment) __atomic_store_n(&shared[words], header_link(segment), __ATOMIC_RELAXED);
  pthread_mutex_unlock(&shared_lock);
  return segment;
}

static void give_shared(unsigned words, b_obj *segment) {
  pthread_mutex_lock(&shared_lock);
  set_header_link(segment, shared[words]);
  __atomic_store_n(&shared[words], segment, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&shared_lock);
}

/* The free list is empty: fills it from the shared objects or with about 4 KiB of fresh ones, and gives one of them. */
b_obj *b_alloc_refill(unsigned words) {
  b_heap *heap = &b_local;
  b_obj *first = take_shared(words);
  if (first) {
    heap->count[words] = SEGMENT; /* or fewer: then the list just stays longer before it is shared again */
  } else {
    const size_t bytes = sizeof(b_obj) + sizeof(V) * words;
    size_t room = (size_t)(heap->chunk_end - heap->chunk) / bytes;
    if (room == 0) {
      new_chunk();
      room = (size_t)(heap->chunk_end - heap->chunk) / bytes;
    }
    size_t wanted = 4096 / bytes;
    uint32_t count = (uint32_t)(room < wanted ? room : wanted);
    first = (b_obj *)heap->chunk;
    b_obj *o = first;
    for (uint32_t i = 1; i < count; i++) {
      b_obj *next = (b_obj *)((char *)o + bytes);
      o->f[0] = (V)next;
      o = next;
    }
    o->f[0] = 0;
    heap->chunk += count * bytes;
    heap->count[words] = count;
  }
  heap->free[words] = (b_obj *)first->f[0];
  heap->count[words]--;
  return first;
}

/* The free list is long: half of it goes to the other threads, if there are any. */
void b_free_surplus(unsigned words) {
  b_heap *heap = &b_local;
  heap->count[words] = 0;
  if (!b_threaded) return;
  b_obj *segment = heap->free[words];
  b_obj *last = segment;
  for (uint32_t i = 1; i < SEGMENT && last->f[0]; i++) last = (b_obj *)last->f[0];
  heap->free[words] = (b_obj *)last->f[0];
  last->f[0] = 0;
  give_shared(words, segment);
}

void b_heap_release(void) {
  for (unsigned words = 1; words <= B_SMALL_WORDS; words++) {
    if (b_local.free[words]) give_shared(words, b_local.free[words]);
    b_local.free[words] = NULL;
    b_local.count[words] = 0;
  }
}

/* ---- reference counts ---- */

void b_dup_many(V v, uint64_t n) {
  if (b_is_imm(v)) return;
  b_obj *o = b_ptr(v);
  if (n > UINT32_MAX - b_owners(o)) b_fail("out of memory: more than %u owners of one value", UINT32_MAX);
  __atomic_fetch_add(&o->rc, (uint32_t)n, __ATOMIC_RELAXED);
}

/* Frees the memory of an object that is no cell. */
static void free_other(b_obj *o) {
  switch (o->kind) {
    case B_NODE: b_free(o, o->n); break;
    case B_CLOSURE: b_free(o, o->n + 1u); break;
    case B_BLOCK: b_block_free(o); break;
    default: ((b_handle *)o)->release((b_handle *)o);
  }
}

/* Dead objects wait in a list through their headers, so that the depth of what is freed does not matter. The one found
   last is freed next: of a list's cell, its tail. */
void b_drop_dead(b_obj *o) {
  b_obj *pending = NULL;
  for (;;) {
    b_obj *next = NULL;
    V *owned = o->f;
    uint64_t count = o->n;
    if (B_UNLIKELY(o->kind != B_CELL)) {
      if (o->kind == B_CLOSURE) {
        owned = o->f + 1;
      } else if (o->kind == B_BLOCK && o->n) { /* of words: the tag may be gone, under a link */
        owned = b_data_word(b_word(o));
        count = ((b_block *)o)->size;
      }
    }
    for (uint64_t i = 0; i < count; i++) {
      if (b_is_imm(owned[i])) continue;
      b_obj *inner = b_ptr(owned[i]);
      if (!b_release(inner)) continue;
      if (next) {
        set_header_link(next, pending);
        pending = next;
      }
      next = inner;
    }
    if (B_LIKELY(o->kind == B_CELL))
      b_free(o, o->n);
    else
      free_other(o);
    o = next;
    if (!o) {
      if (!pending) return;
      o = pending;
      pending = header_link(o);
    }
  }
}

void b_open_shared(b_obj *o) {
  const V *held = o->kind == B_CLOSURE ? o->f + 1 : o->f;
  for (unsigned i = 0; i < o->n; i++) b_dup(held[i]);
  b_drop_ptr(o);
}

/* ---- closures ---- */

_Thread_local V b_extra[B_MAX_EXTRA];

/* Calls a closure of n parameters with the arguments in b_extra. */
static B_CC V call_extra(V f, unsigned n) {
  const V code = b_ptr(f)->f[0];
  const V a1 = b_extra[0], a2 = b_extra[1], a3 = b_extra[2], a4 = b_extra[3], a5 = b_extra[4];
  switch (n) {
    case 1: return ((b_code1)code)(f, a1);
    case 2: return ((b_code2)code)(f, a1, a2);
    case 3: return ((b_code3)code)(f, a1, a2, a3);
    case 4: return ((b_code4)code)(f, a1, a2, a3, a4);
    default: break;
  }
  if (n > B_REGISTER_ARITY) memmove(b_extra, b_extra + B_REGISTER_ARITY, (n - B_REGISTER_ARITY) * sizeof(V));
  return ((b_code5)code)(f, a1, a2, a3, a4, a5);
}

/* The closure f at `given` words more than the n that are in b_extra, which are put before them. */
static B_CC V resume(V self, unsigned n) {
  b_obj *o = b_ptr(self);
  const unsigned given = o->n - 1u;
  const V f = o->f[1];
  memmove(b_extra + given, b_extra, n * sizeof(V));
  memcpy(b_extra, o->f + 2, given * sizeof(V));
  b_open_closure(o, o->n);
  return call_extra(f, given + n);
}

/* The code of partial applications that take n more: f[1] is the closure, the words after it its first arguments. */
static B_CC V partial1(V self, V a1) {
  b_extra[0] = a1;
  return resume(self, 1);
}
static B_CC V partial2(V self, V a1, V a2) {
  b_extra[0] = a1, b_extra[1] = a2;
  return resume(self, 2);
}
static B_CC V partial3(V self, V a1, V a2, V a3) {
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3;
  return resume(self, 3);
}
static B_CC V partial4(V self, V a1, V a2, V a3, V a4) {
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3, b_extra[3] = a4;
  return resume(self, 4);
}
/* Five and more. */
static B_CC V partial5(V self, V a1, V a2, V a3, V a4, V a5) {
  const unsigned n = b_ptr(self)->tag;
  memmove(b_extra + B_REGISTER_ARITY, b_extra, (n - B_REGISTER_ARITY) * sizeof(V));
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3, b_extra[3] = a4, b_extra[4] = a5;
  return resume(self, n);
}

B_CC V b_apply_extra(V f, unsigned n) {
  const unsigned arity = b_ptr(f)->tag;
  if (arity == n) return call_extra(f, n);
  if (arity > n) {
    const unsigned more = arity - n;
    const void *code = more == 1   ? (const void *)partial1
                       : more == 2 ? (const void *)partial2
                       : more == 3 ? (const void *)partial3
                       : more == 4 ? (const void *)partial4
                                   : (const void *)partial5;
    b_obj *o = b_closure(code, more, n + 1);
    o->f[1] = f;
    memcpy(o->f + 2, b_extra, n * sizeof(V));
    return b_word(o);
  }
  V rest[B_MAX_ARITY];
  memcpy(rest, b_extra + arity, (n - arity) * sizeof(V));
  const V g = call_extra(f, arity);
  memcpy(b_extra, rest, (n - arity) * sizeof(V));
  return b_apply_extra(g, n - arity);
}

B_CC V b_apply_slow1(V f, V a1) {
  b_extra[0] = a1;
  return b_apply_extra(f, 1);
}
B_CC V b_apply_slow2(V f, V a1, V a2) {
  b_extra[0] = a1, b_extra[1] = a2;
  return b_apply_extra(f, 2);
}
B_CC V b_apply_slow3(V f, V a1, V a2, V a3) {
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3;
  return b_apply_extra(f, 3);
}
B_CC V b_apply_slow4(V f, V a1, V a2, V a3, V a4) {
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3, b_extra[3] = a4;
  return b_apply_extra(f, 4);
}
B_CC V b_apply_slow5(V f, V a1, V a2, V a3, V a4, V a5) {
  b_extra[0] = a1, b_extra[1] = a2, b_extra[2] = a3, b_extra[3] = a4, b_extra[4] = a5;
  return b_apply_extra(f, 5);
}
