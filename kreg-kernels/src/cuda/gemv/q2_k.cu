// Q2_K, 84 bytes: 16 bytes of (scale, minimum) nibbles for groups of 16, 64 bytes of 2-bit codes, f16 d, f16 dmin.
// `d scale q - dmin minimum`. Byte l of a half's 32 has weights l, l + 32, l + 64, l + 96 of its 128, lowest bits first;
// unit part is the half part / 16, the lower or upper two of those (part / 8 % 2), bytes from 4 (part % 8).
#include "device/decode.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"

struct Q2_K : Blocks<256, 84> {
    static constexpr u32 SECOND = 32;
    static __device__ __forceinline__ u32 first(u32 part) { return part / 8 * 64 + part % 8 * 4; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const u32 pair = part / 8, quad = part % 8;
        const u32 codes = load_u32<4>(block + 16 + pair / 2 * 32 + 4 * quad) >> (pair % 2 * 4);
        const u8* head = block + 4 * pair + quad / 4;
        const u32 heads[2] = {load_u8(head), load_u8(head + 2)};
        const u32 ds = load_u32<4>(block + 80);
        const float d = f16_to_f32((u16)ds), dmin = f16_to_f32((u16)(ds >> 16));
        spread(codes & 0x03030303u, 0.0f, w);
        spread(codes >> 2 & 0x03030303u, 0.0f, w + 4);
#pragma unroll
        for (u32 i = 0; i < UNIT; i++) {
            w[i] = d * (float)(heads[i / 4] & 15) * w[i] - dmin * (float)(heads[i / 4] >> 4);
        }
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q2_k(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q2_K>(w, x, y, rows, cols);
}
