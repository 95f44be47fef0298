// Q6_K, 210 bytes: 128 bytes of low nibbles, 64 bytes of upper bits, 16 signed scales for groups of 16, f16 d.
// `d scale (q - 32)`.
//
// Two halves of 128 weights. Byte l of a half's 64 has the nibbles of weights l and l + 64; byte l % 32 of its 32 upper
// bytes has the upper bits of weights l, l + 32, l + 64, l + 96, lowest first. Unit part is the half part / 16, bytes
// from 4 (part % 16).
#pragma once
#include "device/load.cuh"
#include "device/types.cuh"

struct Q6Unit {
    // Codes of weights 128 half + 4 quad + i, and of those 64 further on.
    u32 low, high;
    int scale_low, scale_high;
};

__device__ __forceinline__ u32 q6_first(u32 part) {
    return part / 16 * 128 + part % 16 * 4;
}

__device__ __forceinline__ Q6Unit q6_unit(const u8* block, u32 part) {
    const u32 half = part / 16, quad = part % 16;
    const u32 nibbles = load_u32<2>(block + 4 * part);
    const u32 upper = load_u32<2>(block + 128 + 32 * half + quad % 8 * 4) >> (quad / 8 * 2);
    const u8* scales = block + 192 + 8 * half + quad / 4;
    return {(nibbles & 0x0f0f0f0fu) | (upper & 0x03030303u) << 4,
            (nibbles >> 4 & 0x0f0f0f0fu) | (upper >> 4 & 0x03030303u) << 4, (i8)load_u8(scales),
            (i8)load_u8(scales + 4)};
}
