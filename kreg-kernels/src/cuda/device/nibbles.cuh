// Blocks of 32 weights in 16 bytes: low nibbles are weights 0..16, high nibbles 16..32. Unit p is the bytes from 4p.
#pragma once
#include "device/decode.cuh"
#include "device/gemv.cuh"

// `Bytes` of a block; its address is a multiple of `Align`.
template <u32 Bytes, int Align>
struct Nibbles : Blocks<32, Bytes> {
    static constexpr u32 SECOND = 16;
    static __device__ __forceinline__ u32 first(u32 part) { return 4 * part; }

    // The codes of unit `part` whose nibbles start at `qs`, less `bias`; `fifth` has bits 4 of the codes, a bit a weight.
    static __device__ __forceinline__ void codes(const u8* qs, u32 part, u32 fifth, float bias, float* w) {
        const u32 q = load_u32<Align>(qs + 4 * part);
        spread((q & 0x0f0f0f0fu) | four_bits(fifth, 4 * part) << 4, bias, w);
        spread((q >> 4 & 0x0f0f0f0fu) | four_bits(fifth, 16 + 4 * part) << 4, bias, w + 4);
    }
};
