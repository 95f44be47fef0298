// Q5_K, 176 bytes: head as in Q4_K, 32 bytes of fifth bits (bit g of byte i belongs to weight 32 g + i), 128 bytes of
// nibbles as in Q4_K. `d scale q - dmin minimum`.
#include "device/gemv.cuh"
#include "device/six_bit.cuh"

struct Q5_K : Blocks<256, 176> {
    static constexpr u32 SECOND = 32;
    static __device__ __forceinline__ u32 first(u32 part) { return part / 8 * 64 + part % 8 * 4; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const u32 chunk = part / 8;
        const u32 q = load_u32<4>(block + 48 + 4 * part);
        const u32 fifth = load_u32<4>(block + 16 + part % 8 * 4) >> (2 * chunk);
        affine_unit(block, chunk, (q & 0x0f0f0f0fu) | (fifth & 0x01010101u) << 4,
                    (q >> 4 & 0x0f0f0f0fu) | (fifth >> 1 & 0x01010101u) << 4, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q5_k(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q5_K>(w, x, y, rows, cols);
}
