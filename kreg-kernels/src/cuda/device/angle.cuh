// Rotations by angles of any size. The angle is f64 and is reduced before it is rounded, so that the error of a rotation
// does not grow with the position; sine and cosine are f32 series on an eighth of a turn, and use no local memory.
#pragma once
#include "device/types.cuh"

struct Rotation {
    float cos, sin;
};

// Taylor series, within 2e-9 for |x| <= pi / 4.
__device__ __forceinline__ float sin_series(float x) {
    const float z = x * x;
    return x + x * z * (-1.f / 6 + z * (1.f / 120 + z * (-1.f / 5040 + z * (1.f / 362880))));
}

__device__ __forceinline__ float cos_series(float x) {
    const float z = x * x;
    return 1.f + z * (-0.5f + z * (1.f / 24 + z * (-1.f / 720 + z * (1.f / 40320 + z * (-1.f / 3628800)))));
}

// The rotation by `angle` radians, which is not negative.
__device__ __forceinline__ Rotation rotation(double angle) {
    const double quarters = angle * 0.63661977236758134308;  // 2 / pi
    const double whole = rint(quarters);
    const float x = (float)((quarters - whole) * 1.57079632679489661923);
    const u32 quadrant = (u32)((i64)whole & 3);
    const float s = sin_series(x), c = cos_series(x);
    switch (quadrant) {
        case 0: return {c, s};
        case 1: return {-s, c};
        case 2: return {-c, -s};
        default: return {s, -c};
    }
}

// base^n by squaring: a handful of f64 products, where pow() would be hundreds.
__device__ __forceinline__ double power(double base, u32 n) {
    double result = 1.0;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return result;
}

// (a, b) -> (a cos - b sin, a sin + b cos)
__device__ __forceinline__ void rotate(float* a, float* b, Rotation r) {
    const float x = *a, y = *b;
    *a = x * r.cos - y * r.sin;
    *b = x * r.sin + y * r.cos;
}
