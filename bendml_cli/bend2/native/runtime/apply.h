/* Applying closures. Code takes the closure itself, which it uses up, and one word for each parameter. */
#ifndef BEND_APPLY_H
#define BEND_APPLY_H

#define B_MAX_ARITY 16

/* X(n, types of n words, n parameters, n arguments) */
#define B_T1 V
#define B_T2 B_T1, V
#define B_T3 B_T2, V
#define B_T4 B_T3, V
#define B_T5 B_T4, V
#define B_T6 B_T5, V
#define B_T7 B_T6, V
#define B_T8 B_T7, V
#define B_T9 B_T8, V
#define B_T10 B_T9, V
#define B_T11 B_T10, V
#define B_T12 B_T11, V
#define B_T13 B_T12, V
#define B_T14 B_T13, V
#define B_T15 B_T14, V
#define B_T16 B_T15, V
#define B_P1 V a1
#define B_P2 B_P1, V a2
#define B_P3 B_P2, V a3
#define B_P4 B_P3, V a4
#define B_P5 B_P4, V a5
#define B_P6 B_P5, V a6
#define B_P7 B_P6, V a7
#define B_P8 B_P7, V a8
#define B_P9 B_P8, V a9
#define B_P10 B_P9, V a10
#define B_P11 B_P10, V a11
#define B_P12 B_P11, V a12
#define B_P13 B_P12, V a13
#define B_P14 B_P13, V a14
#define B_P15 B_P14, V a15
#define B_P16 B_P15, V a16
#define B_A1 a1
#define B_A2 B_A1, a2
#define B_A3 B_A2, a3
#define B_A4 B_A3, a4
#define B_A5 B_A4, a5
#define B_A6 B_A5, a6
#define B_A7 B_A6, a7
#define B_A8 B_A7, a8
#define B_A9 B_A8, a9
#define B_A10 B_A9, a10
#define B_A11 B_A10, a11
#define B_A12 B_A11, a12
#define B_A13 B_A12, a13
#define B_A14 B_A13, a14
#define B_A15 B_A14, a15
#define B_A16 B_A15, a16
#define B_EACH_ARITY(X) \
  X(1, (B_T1), (B_P1), (B_A1)) \
  X(2, (B_T2), (B_P2), (B_A2)) \
  X(3, (B_T3), (B_P3), (B_A3)) \
  X(4, (B_T4), (B_P4), (B_A4)) \
  X(5, (B_T5), (B_P5), (B_A5)) \
  X(6, (B_T6), (B_P6), (B_A6)) \
  X(7, (B_T7), (B_P7), (B_A7)) \
  X(8, (B_T8), (B_P8), (B_A8)) \
  X(9, (B_T9), (B_P9), (B_A9)) \
  X(10, (B_T10), (B_P10), (B_A10)) \
  X(11, (B_T11), (B_P11), (B_A11)) \
  X(12, (B_T12), (B_P12), (B_A12)) \
  X(13, (B_T13), (B_P13), (B_A13)) \
  X(14, (B_T14), (B_P14), (B_A14)) \
  X(15, (B_T15), (B_P15), (B_A15)) \
  X(16, (B_T16), (B_P16), (B_A16))
#define B_LIST(...) __VA_ARGS__

/* b_code<n>: the code of n parameters. b_apply<n>: a closure at n arguments, fewer or more than it takes too; it uses
   up all of them. */
#define B_DECLARE_APPLY(n, types, params, args) \
  typedef B_CC V (*b_code##n)(V, B_LIST types); \
  B_CC B_COLD V b_apply_slow##n(V f, B_LIST params); \
  static inline B_CC V b_apply##n(V f, B_LIST params) { \
    b_obj *o = b_ptr(f); \
    if (B_LIKELY(o->tag == n)) return ((b_code##n)o->f[0])(f, B_LIST args); \
    return b_apply_slow##n(f, B_LIST args); \
  }
B_EACH_ARITY(B_DECLARE_APPLY)
#undef B_DECLARE_APPLY

#endif
