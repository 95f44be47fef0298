// Floating-point intrinsics. The approximate ones (`__expf`, …) are libm's here: the GPU's differ in the last bits.
#pragma once

static inline float __int_as_float(int v) {
    return emu::from_bits<float>(emu::to_bits(v));
}
static inline int __float_as_int(float v) {
    return emu::from_bits<int>(emu::to_bits(v));
}
static inline float __uint_as_float(unsigned v) {
    return emu::from_bits<float>(emu::to_bits(v));
}
static inline unsigned __float_as_uint(float v) {
    return emu::from_bits<unsigned>(emu::to_bits(v));
}

// glibc declares `__expf` and its siblings itself, so these are macros.
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)

static inline float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
static inline float __fdividef(float a, float b) {
    return a / b;
}
// Correctly rounded forms: also what keeps a compiler from contracting a * b + c.
static inline float __fadd_rn(float a, float b) {
    return a + b;
}
static inline float __fsub_rn(float a, float b) {
    return a - b;
}
static inline float __fmul_rn(float a, float b) {
    return a * b;
}
static inline float __fdiv_rn(float a, float b) {
    return a / b;
}
static inline float __frcp_rn(float a) {
    return 1.0f / a;
}
static inline float __fsqrt_rn(float a) {
    return sqrtf(a);
}
static inline float __frsqrt_rn(float a) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(a)));
}
static inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
// To the nearest integer, halves to even; NaN gives 0 and out of range saturates, as cvt.rni.s32.f32 does.
static inline int __float2int_rn(float x) {
    if (x != x) return 0;
    if (x >= 2147483648.0f) return INT32_MAX;
    if (x <= -2147483648.0f) return INT32_MIN;
    return static_cast<int>(nearbyintf(x));
}
