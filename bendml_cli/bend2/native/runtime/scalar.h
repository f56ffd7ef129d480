/* Arithmetic of Nat (uint64_t), U32 and Char (uint32_t), F32 (float), and Enums (uint8_t; Cmp is 0, 1, 2). */
#ifndef BEND_SCALAR_H
#define BEND_SCALAR_H

#include <math.h>

/* ---- Nat: never past 2^48 - 1 ---- */

#define B_NAT_MAX ((UINT64_C(1) << 48) - 1)

_Noreturn B_COLD void b_nat_overflow(void);

static inline uint64_t b_nat_checked(uint64_t n) {
  if (B_UNLIKELY(n > B_NAT_MAX)) b_nat_overflow();
  return n;
}
static inline uint64_t b_nat_succ(uint64_t a) { return b_nat_checked(a + 1); }
static inline uint64_t b_nat_pred(uint64_t a) { return a - 1; }
static inline uint64_t b_nat_double(uint64_t a) { return b_nat_checked(2 * a); }
static inline uint64_t b_nat_add(uint64_t a, uint64_t b) { return b_nat_checked(a + b); }
static inline uint64_t b_nat_mul(uint64_t a, uint64_t b) {
  uint64_t product;
  if (B_UNLIKELY(__builtin_mul_overflow(a, b, &product))) b_nat_overflow();
  return b_nat_checked(product);
}
/* Can n be counted up by `step` so many times? */
static inline bool b_nat_counts(uint64_t n, uint64_t step, uint64_t times) {
  uint64_t last;
  return !__builtin_mul_overflow(step, times, &last) && last <= B_NAT_MAX - n;
}
static inline uint64_t b_nat_pow(uint64_t a, uint64_t b) {
  if (b == 0) return 1;
  uint64_t power = a;
  if (a > 1)
    while (--b) power = b_nat_mul(power, a);
  return power;
}
static inline uint64_t b_nat_sub(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
static inline uint64_t b_nat_div(uint64_t a, uint64_t b) { return b ? a / b : 0; }
static inline uint64_t b_nat_mod(uint64_t a, uint64_t b) { return b ? a % b : a; }
static inline uint64_t b_nat_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t b_nat_max(uint64_t a, uint64_t b) { return a < b ? b : a; }
static inline uint8_t b_nat_cmp(uint64_t a, uint64_t b) { return (uint8_t)((a >= b) + (a > b)); }
static inline uint8_t b_nat_is_eq(uint64_t a, uint64_t b) { return a == b; }
static inline uint8_t b_nat_is_ne(uint64_t a, uint64_t b) { return a != b; }
static inline uint8_t b_nat_is_lt(uint64_t a, uint64_t b) { return a < b; }
static inline uint8_t b_nat_is_le(uint64_t a, uint64_t b) { return a <= b; }
static inline uint8_t b_nat_is_gt(uint64_t a, uint64_t b) { return a > b; }
static inline uint8_t b_nat_is_ge(uint64_t a, uint64_t b) { return a >= b; }
static inline uint32_t b_nat_to_u32(uint64_t a) { return (uint32_t)a; }

/* ---- U32: wraps ---- */

static inline uint32_t b_u32_inc(uint32_t a) { return a + 1; }
static inline uint32_t b_u32_not(uint32_t a) { return ~a; }
static inline uint32_t b_u32_shl(uint32_t a) { return a << 1; }
static inline uint32_t b_u32_shr(uint32_t a) { return a >> 1; }
static inline uint32_t b_u32_add(uint32_t a, uint32_t b) { return a + b; }
static inline uint32_t b_u32_sub(uint32_t a, uint32_t b) { return a - b; }
static inline uint32_t b_u32_mul(uint32_t a, uint32_t b) { return a * b; }
static inline uint32_t b_u32_div(uint32_t a, uint32_t b) { return b ? a / b : 0; }
static inline uint32_t b_u32_mod(uint32_t a, uint32_t b) { return b ? a % b : a; }
static inline uint32_t b_u32_and(uint32_t a, uint32_t b) { return a & b; }
static inline uint32_t b_u32_or(uint32_t a, uint32_t b) { return a | b; }
static inline uint32_t b_u32_xor(uint32_t a, uint32_t b) { return a ^ b; }
static inline uint32_t b_u32_min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t b_u32_max(uint32_t a, uint32_t b) { return a < b ? b : a; }
static inline uint32_t b_u32_shln(uint32_t a, uint64_t n) { return n < 32 ? a << n : 0; }
static inline uint32_t b_u32_shrn(uint32_t a, uint64_t n) { return n < 32 ? a >> n : 0; }
static inline uint32_t b_u32_pow(uint32_t a, uint64_t n) {
  uint32_t power = 1;
  for (; n; n >>= 1, a *= a)
    if (n & 1) power *= a;
  return power;
}
static inline uint8_t b_u32_cmp(uint32_t a, uint32_t b) { return (uint8_t)((a >= b) + (a > b)); }
static inline uint8_t b_u32_is_eq(uint32_t a, uint32_t b) { return a == b; }
static inline uint8_t b_u32_is_ne(uint32_t a, uint32_t b) { return a != b; }
static inline uint8_t b_u32_is_lt(uint32_t a, uint32_t b) { return a < b; }
static inline uint8_t b_u32_is_le(uint32_t a, uint32_t b) { return a <= b; }
static inline uint8_t b_u32_is_gt(uint32_t a, uint32_t b) { return a > b; }
static inline uint8_t b_u32_is_ge(uint32_t a, uint32_t b) { return a >= b; }
static inline uint8_t b_u32_is_zero(uint32_t a) { return a == 0; }
static inline uint8_t b_u32_is_even(uint32_t a) { return !(a & 1); }
static inline uint64_t b_u32_to_nat(uint32_t a) { return a; }
static inline uint64_t b_u32_log2(uint32_t a) { return a ? 31 - (uint64_t)__builtin_clz(a) : 0; }

static inline uint8_t b_bool_not(uint8_t a) { return !a; }
static inline uint8_t b_bool_xor(uint8_t a, uint8_t b) { return a != b; }

/* ---- F32: one IEEE operation, or the C double function rounded once ---- */

static inline float b_f32_add(float a, float b) { return a + b; }
static inline float b_f32_sub(float a, float b) { return a - b; }
static inline float b_f32_mul(float a, float b) { return a * b; }
static inline float b_f32_div(float a, float b) { return a / b; }
static inline float b_f32_neg(float a) { return -a; }
static inline float b_f32_abs(float a) { return __builtin_fabsf(a); }
static inline float b_f32_sqrt(float a) { return __builtin_sqrtf(a); }
static inline float b_f32_floor(float a) { return __builtin_floorf(a); }
static inline float b_f32_ceil(float a) { return __builtin_ceilf(a); }
static inline float b_f32_trunc(float a) { return __builtin_truncf(a); }
static inline float b_f32_mod(float a, float b) { return (float)fmod(a, b); }
static inline float b_f32_pow(float a, float b) { return (float)pow(a, b); }
static inline float b_f32_atan2(float a, float b) { return (float)atan2(a, b); }
static inline float b_f32_exp(float a) { return (float)exp(a); }
static inline float b_f32_log(float a) { return (float)log(a); }
static inline float b_f32_log2(float a) { return (float)log2(a); }
static inline float b_f32_log10(float a) { return (float)log10(a); }
static inline float b_f32_sin(float a) { return (float)sin(a); }
static inline float b_f32_cos(float a) { return (float)cos(a); }
static inline float b_f32_tan(float a) { return (float)tan(a); }
static inline float b_f32_asin(float a) { return (float)asin(a); }
static inline float b_f32_acos(float a) { return (float)acos(a); }
static inline float b_f32_atan(float a) { return (float)atan(a); }
static inline float b_f32_sinh(float a) { return (float)sinh(a); }
static inline float b_f32_cosh(float a) { return (float)cosh(a); }
static inline float b_f32_tanh(float a) { return (float)tanh(a); }
static inline uint8_t b_f32_is_eq(float a, float b) { return a == b; }
static inline uint8_t b_f32_is_ne(float a, float b) { return a != b; }
static inline uint8_t b_f32_is_lt(float a, float b) { return a < b; }
static inline uint8_t b_f32_is_le(float a, float b) { return a <= b; }
static inline uint8_t b_f32_is_gt(float a, float b) { return a > b; }
static inline uint8_t b_f32_is_ge(float a, float b) { return a >= b; }
static inline uint32_t b_f32_word(float a) {
  uint32_t bits;
  memcpy(&bits, &a, 4);
  return bits;
}
/* Which of the many not-a-numbers an operation gives depends on the processor and on how far C was optimised. */
static inline uint32_t b_f32_bits(float a) { return a == a ? b_f32_word(a) : 0x7fc00000u; }
static inline float b_f32_of_bits(uint32_t bits) {
  float a;
  memcpy(&a, &bits, 4);
  return a;
}
/* Truncated; 0 outside [0, 2^32) and for nan. */
static inline uint32_t b_f32_to_u32(float a) { return a >= 0.0f && a < 4294967296.0f ? (uint32_t)a : 0; }
static inline float b_u32_to_f32(uint32_t a) { return (float)a; }

#endif
