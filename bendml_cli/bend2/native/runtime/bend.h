/* The core of the runtime: words and objects, memory, reference counts, closures, threads' interface, start and end.

   A word (V) is a pointer to an object or an immediate (n << 1) | 1. An object is a header of 8 bytes and then words.
   Scalar arithmetic is in scalar.h, arrays are in array.h; the cold parts of all three are in core.c, array.c, start.c.
   What runs as Bend code has the calling convention B_CC, under which `return f(..)` is always a jump: no step of a
   loop through tail calls needs stack. See apply.h for what such functions may take. Compilers that do not have the
   convention, which only tests use, make ordinary calls of those. */
#ifndef BEND_H
#define BEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t V;

#if __has_attribute(swiftasynccall)
#define B_CC __attribute__((swiftasynccall))
#else
#define B_CC
#endif
#define B_COLD __attribute__((noinline, cold))
#define B_LIKELY(x) __builtin_expect(!!(x), 1)
#define B_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- objects ---- */

enum { B_CELL, B_CLOSURE, B_BLOCK, B_NODE, B_HANDLE };

/* rc: owners. tag: a cell's constructor, a closure's arity, an array's kind of element. n: words that are owned.
   A closure has its code in f[0] and the n captured words after it; a cell has its n fields in f[0..n). */
typedef struct __attribute__((may_alias)) b_head {
  uint32_t rc;
  uint16_t tag;
  uint8_t n;
  uint8_t kind;
} b_head;
typedef struct __attribute__((may_alias)) b_obj {
  uint32_t rc;
  uint16_t tag;
  uint8_t n;
  uint8_t kind;
  V f[];
} b_obj;

/* A file or a channel: `release` is called when its last owner drops it, and frees the object (with free). */
typedef struct b_handle {
  b_head head;
  void (*release)(struct b_handle *);
} b_handle;

static inline bool b_is_imm(V v) { return v & 1; }
static inline V b_imm(uint64_t n) { return (n << 1) | 1; }
static inline uint64_t b_imm_value(V v) { return v >> 1; }
static inline b_obj *b_ptr(V v) { return (b_obj *)v; }
static inline V b_word(const void *object) { return (V)object; }
static inline unsigned b_tag(V v) { return b_is_imm(v) ? (unsigned)(v >> 1) : b_ptr(v)->tag; }

/* Raw values as words and back. Unit is b_imm(0). */
static inline V b_box_nat(uint64_t n) { return b_imm(n); }
static inline V b_box_u32(uint32_t n) { return b_imm(n); }
static inline V b_box_enum(uint8_t n) { return b_imm(n); }
static inline V b_box_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return b_imm(bits);
}
static inline uint64_t b_unbox_nat(V v) { return v >> 1; }
static inline uint32_t b_unbox_u32(V v) { return (uint32_t)(v >> 1); }
static inline uint8_t b_unbox_enum(V v) { return (uint8_t)(v >> 1); }
static inline float b_unbox_f32(V v) {
  uint32_t bits = (uint32_t)(v >> 1);
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

/* ---- failing and ending ---- */

extern const char *b_program_name;

/* Say `<program>: <what happened>` on stderr (what was printed before comes first) and exit with status 1. */
_Noreturn B_COLD void b_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn B_COLD void b_out_of_memory(void);
/* End the process, with what was printed flushed. */
_Noreturn B_COLD void b_exit(int status);

/* ---- memory ---- */

#define B_SMALL_WORDS 12       /* objects of at most so many words after the header come from free lists */
#define B_LOCAL_OBJECTS 32768u /* a longer free list gives a part to the other threads */

typedef struct b_heap {
  b_obj *free[B_SMALL_WORDS + 1]; /* by words after the header; linked through f[0] */
  uint32_t count[B_SMALL_WORDS + 1];
  char *chunk, *chunk_end;
  size_t chunk_bytes;
} b_heap;

extern _Thread_local b_heap b_local;

B_COLD b_obj *b_alloc_refill(unsigned words);
B_COLD void b_free_surplus(unsigned words);
b_obj *b_alloc_large(unsigned words);
void b_free_large(b_obj *o);
/* Give this thread's free memory to the others: at the end of a thread. */
void b_heap_release(void);

#ifdef B_DEBUG
extern long b_live_objects; /* atomic */
#endif
static inline void b_count_live(int change) {
#ifdef B_DEBUG
  __atomic_fetch_add(&b_live_objects, change, __ATOMIC_RELAXED);
#else
  (void)change;
#endif
}

/* Memory for an object of so many words after its header, which is not written yet. */
static inline b_obj *b_alloc(unsigned words) {
#ifdef B_DEBUG
  b_count_live(1);
  return b_alloc_large(words);
#else
  if (words > B_SMALL_WORDS) return b_alloc_large(words);
  b_obj *o = b_local.free[words];
  if (B_UNLIKELY(!o)) return b_alloc_refill(words);
  b_local.free[words] = (b_obj *)o->f[0];
  b_local.count[words]--;
  return o;
#endif
}

static inline void b_free(b_obj *o, unsigned words) {
#ifdef B_DEBUG
  (void)words;
  b_count_live(-1);
  b_free_large(o);
#else
  if (words > B_SMALL_WORDS) {
    b_free_large(o);
    return;
  }
  o->f[0] = (V)b_local.free[words];
  b_local.free[words] = o;
  if (B_UNLIKELY(++b_local.count[words] > B_LOCAL_OBJECTS)) b_free_surplus(words);
#endif
}

static inline void b_header(void *object, unsigned kind, unsigned tag, unsigned n) {
  *(b_head *)object = (b_head){1, (uint16_t)tag, (uint8_t)n, (uint8_t)kind};
}

/* A cell of n fields to be written by the caller. */
static inline b_obj *b_cell(unsigned tag, unsigned n) {
  b_obj *o = b_alloc(n);
  b_header(o, B_CELL, tag, n);
  return o;
}

/* The same, in the memory of a cell of n fields that is free, if it is not null. */
static inline b_obj *b_cell_in(b_obj *old, unsigned tag, unsigned n) {
  b_obj *o = old ? old : b_alloc(n);
  b_header(o, B_CELL, tag, n);
  return o;
}

static inline V b_cell1(unsigned tag, V a) {
  b_obj *o = b_cell(tag, 1);
  o->f[0] = a;
  return b_word(o);
}
static inline V b_cell2(unsigned tag, V a, V b) {
  b_obj *o = b_cell(tag, 2);
  o->f[0] = a;
  o->f[1] = b;
  return b_word(o);
}

static inline void b_free_cell(b_obj *o, unsigned n) { b_free(o, n); }
static inline void b_free_cell_if(b_obj *o, unsigned n) {
  if (o) b_free(o, n);
}

/* ---- reference counts ---- */

extern int b_threaded; /* may several threads run? Set before the first one is started. */

static inline uint32_t b_owners(const b_obj *o) { return __atomic_load_n(&o->rc, __ATOMIC_ACQUIRE); }
/* Is the caller the only owner? */
static inline bool b_unique(const b_obj *o) { return b_owners(o) == 1; }

static inline void b_dup_ptr(b_obj *o) {
  if (B_UNLIKELY(b_threaded))
    __atomic_fetch_add(&o->rc, 1, __ATOMIC_RELAXED);
  else
    __atomic_store_n(&o->rc, __atomic_load_n(&o->rc, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}
static inline void b_dup(V v) {
  if (!b_is_imm(v)) b_dup_ptr(b_ptr(v));
}
/* n more owners. */
B_COLD void b_dup_many(V v, uint64_t n);

/* Frees an object whose last owner is gone, and all that only it owned. */
B_COLD void b_drop_dead(b_obj *o);

/* One owner less: was it the last? Then the caller must free the object. */
static inline bool b_release(b_obj *o) {
  uint32_t rc = b_owners(o);
  if (B_LIKELY(rc == 1)) return true;
  if (B_UNLIKELY(b_threaded)) return __atomic_fetch_sub(&o->rc, 1, __ATOMIC_ACQ_REL) == 1;
  __atomic_store_n(&o->rc, rc - 1, __ATOMIC_RELAXED);
  return false;
}
static inline void b_drop_ptr(b_obj *o) {
  if (b_release(o)) b_drop_dead(o);
}
static inline void b_drop(V v) {
  if (!b_is_imm(v)) b_drop_ptr(b_ptr(v));
}

/* ---- closures ---- */

#include "apply.h"

/* A closure of n captured words, which the caller writes at f[1..n]. */
static inline b_obj *b_closure(const void *code, unsigned arity, unsigned n) {
  b_obj *o = b_alloc(n + 1);
  b_header(o, B_CLOSURE, arity, n);
  o->f[0] = (V)code;
  return o;
}
static inline void b_free_closure(b_obj *o, unsigned n) { b_free(o, n + 1); }

/* ---- opening: what an object holds was read, and its readers own that now ---- */

/* A shared object: what it holds gets one more owner, and it one less. */
__attribute__((noinline)) void b_open_shared(b_obj *o);

/* A cell of n fields. */
static inline void b_open(b_obj *o, unsigned n) {
  if (B_LIKELY(b_unique(o)))
    b_free_cell(o, n);
  else
    b_open_shared(o);
}
/* The same, but if it was not shared its memory is kept; else this gives null. */
static inline b_obj *b_open_kept(b_obj *o) {
  if (B_LIKELY(b_unique(o))) return o;
  b_open_shared(o);
  return NULL;
}
static inline void b_open_closure(b_obj *o, unsigned n) {
  if (B_LIKELY(b_unique(o)))
    b_free_closure(o, n);
  else
    b_open_shared(o);
}

/* ---- text (text.c) ---- */

/* A String of these codes: SCon cells (tag 1) of Char and String over SNil (immediate 0). */
V b_text(const uint32_t *codes, size_t n);

/* ---- threads (threads.c) ---- */

extern unsigned b_thread_limit; /* how many threads the user allows */

/* Starts a thread on a stack of so many bytes (lazily committed; fewer if they cannot be had), with a handler that says
   when it overflows. Gives 0 or an errno; the thread to join, or if `thread` is null, nothing needs to join it. */
int b_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes, pthread_t *thread);
#define B_THREAD_STACK ((size_t)4 << 30)

#include "threads.h"

/* ---- start ---- */

struct b_show_entry;

typedef struct b_program {
  V(B_CC *main)(void);
  bool is_io;                        /* main gives an IO.OP, else a value to show: */
  const struct b_show_entry *shows; /* how (show.h); null if is_io */
} b_program;

extern int b_argc; /* the program's own name and arguments */
extern char **b_argv;

/* Runs the program: options of the runtime (`--threads N`) first, then the program's own arguments, perhaps after `--`.
   Gives the exit status. */
int b_start(int argc, char **argv, const b_program *program);
/* Ends the program as a Halt{code, message} says. */
_Noreturn void b_halt(V op);
/* A law that nothing fills, by its name: it fails. */
_Noreturn B_COLD V b_opaque(V name);

/* From effects.c: everything printed so far reaches its file. */
void b_flush_output(void);
/* From text.c: a String as UTF-8 with a zero at its end, to be freed by the caller; `bytes` is its length if not null.
   The String is only looked at. */
char *b_utf8(V string, size_t *bytes);
/* From show.c: prints a value, which it only looks at, and ends the line. */
void b_show(V value, const struct b_show_entry *shows);

/* Where no evaluation comes. */
#ifdef B_DEBUG
#define B_NEVER() b_fail("unreachable code is reached: a bug of the compiler")
#else
#define B_NEVER() __builtin_unreachable()
#endif

#include "array.h"
#include "effects.h"
#include "scalar.h"
#include "text.h"

#endif
