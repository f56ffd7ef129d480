/* Applying closures. Code takes the closure itself, which it uses up, and one word for each parameter: the first five as
   arguments, more of them in b_extra.

   A function of convention B_CC must not have arguments on the stack: the C compiler (LLVM 22) gets the jump between two
   such functions wrong where they differ in how many there are. So it takes at most six that are not floats. */
#ifndef BEND_APPLY_H
#define BEND_APPLY_H

#define B_MAX_ARITY 200
#define B_REGISTER_ARITY 5

/* Arguments on their way to a function of more than registers hold: it reads them before any other code runs. */
#define B_MAX_EXTRA 1024
extern _Thread_local V b_extra[B_MAX_EXTRA];

typedef B_CC V (*b_code1)(V, V);
typedef B_CC V (*b_code2)(V, V, V);
typedef B_CC V (*b_code3)(V, V, V, V);
typedef B_CC V (*b_code4)(V, V, V, V, V);
typedef B_CC V (*b_code5)(V, V, V, V, V, V);

B_CC B_COLD V b_apply_slow1(V f, V a1);
B_CC B_COLD V b_apply_slow2(V f, V a1, V a2);
B_CC B_COLD V b_apply_slow3(V f, V a1, V a2, V a3);
B_CC B_COLD V b_apply_slow4(V f, V a1, V a2, V a3, V a4);
B_CC B_COLD V b_apply_slow5(V f, V a1, V a2, V a3, V a4, V a5);
/* At n arguments in b_extra. */
B_CC B_COLD V b_apply_extra(V f, unsigned n);

/* A closure at n arguments, fewer or more than it takes too; it uses up all of them. */
static inline B_CC V b_apply1(V f, V a1) {
  if (B_LIKELY(b_ptr(f)->tag == 1)) return ((b_code1)b_ptr(f)->f[0])(f, a1);
  return b_apply_slow1(f, a1);
}
static inline B_CC V b_apply2(V f, V a1, V a2) {
  if (B_LIKELY(b_ptr(f)->tag == 2)) return ((b_code2)b_ptr(f)->f[0])(f, a1, a2);
  return b_apply_slow2(f, a1, a2);
}
static inline B_CC V b_apply3(V f, V a1, V a2, V a3) {
  if (B_LIKELY(b_ptr(f)->tag == 3)) return ((b_code3)b_ptr(f)->f[0])(f, a1, a2, a3);
  return b_apply_slow3(f, a1, a2, a3);
}
static inline B_CC V b_apply4(V f, V a1, V a2, V a3, V a4) {
  if (B_LIKELY(b_ptr(f)->tag == 4)) return ((b_code4)b_ptr(f)->f[0])(f, a1, a2, a3, a4);
  return b_apply_slow4(f, a1, a2, a3, a4);
}
static inline B_CC V b_apply5(V f, V a1, V a2, V a3, V a4, V a5) {
  if (B_LIKELY(b_ptr(f)->tag == 5)) return ((b_code5)b_ptr(f)->f[0])(f, a1, a2, a3, a4, a5);
  return b_apply_slow5(f, a1, a2, a3, a4, a5);
}

#endif
