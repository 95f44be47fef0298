// CUDA's built-in vector types, with CUDA's alignments: UBSan reports a misaligned access through them.
#pragma once

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// `N##2` is aligned to both its elements, `N##4` to all four but to 16 bytes at most.
#define EMU_VECTOR(T, N)                                                              \
    struct alignas(2 * sizeof(T)) N##2 {                                              \
        T x, y;                                                                       \
    };                                                                                \
    struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) N##4 {                    \
        T x, y, z, w;                                                                 \
    };                                                                                \
    static inline N##2 make_##N##2(T x, T y) { return {x, y}; }                       \
    static inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EMU_VECTOR(float, float)
EMU_VECTOR(double, double)
EMU_VECTOR(int, int)
EMU_VECTOR(unsigned, uint)
EMU_VECTOR(short, short)
EMU_VECTOR(unsigned short, ushort)
EMU_VECTOR(signed char, char)
EMU_VECTOR(unsigned char, uchar)
EMU_VECTOR(long long, longlong)
EMU_VECTOR(unsigned long long, ulonglong)
#undef EMU_VECTOR
