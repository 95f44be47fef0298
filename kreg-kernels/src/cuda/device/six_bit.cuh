// The head of a Q4_K or Q5_K block, 16 bytes: f16 d, f16 dmin, 12 bytes of eight 6-bit scales and eight 6-bit minimums.
//
// Groups 0..4 lie in the low six bits of bytes 4..8 (scales) and 8..12 (minimums); groups 4..8 have their low four bits
// in bytes 12..16 (scale low nibble, minimum high nibble) and their upper two above those of groups 0..4.
#pragma once
#include "device/decode.cuh"
#include "device/half.cuh"
#include "device/load.cuh"

struct SixBit {
    // The numbers of one chunk of 64 weights: of its low nibbles (0) and of its high nibbles (1).
    u32 scale[2], minimum[2];
    float d, dmin;
};

// Of chunk 0..4 of the block.
__device__ __forceinline__ SixBit six_bit(const u8* block, u32 chunk) {
    const uint4 head = load_u128<16>(block);
    u32 scales = head.y & 0x3f3f3f3fu, minimums = head.z & 0x3f3f3f3fu;
    if (chunk >= 2) {
        scales = (head.w & 0x0f0f0f0fu) | (head.y >> 2 & 0x30303030u);
        minimums = (head.w >> 4 & 0x0f0f0f0fu) | (head.z >> 2 & 0x30303030u);
    }
    const u32 low = 2 * (chunk & 1);
    return {{byte_of(scales, low), byte_of(scales, low + 1)},
            {byte_of(minimums, low), byte_of(minimums, low + 1)},
            f16_to_f32((u16)head.x),
            f16_to_f32((u16)(head.x >> 16))};
}

// Unit `part` of a Q4_K or Q5_K block: four bytes of nibbles, whose low halves are weights 64 chunk + 4 (part % 8) and
// whose high halves are those 32 further on. `low` and `high` are the codes.
__device__ __forceinline__ void affine_unit(const u8* block, u32 chunk, u32 low, u32 high, float* w) {
    const SixBit s = six_bit(block, chunk);
    spread(low, 0.0f, w);
    spread(high, 0.0f, w + 4);
#pragma unroll
    for (u32 i = 0; i < 8; i++) {
        // d scale q has at most 23 bits: exact. The difference is the only rounding.
        w[i] = s.d * (float)s.scale[i / 4] * w[i] - s.dmin * (float)s.minimum[i / 4];
    }
}
