// IQ3_XXS, 98 bytes: f16 d, 64 codebook bytes, then per 32 weights a u32 of 4 x 7 signs and a 4-bit scale.
// `d (0.5 + scale) / 2 * magnitude`. Unit part is 8 weights: two codebook entries.
#include "device/codebook.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"
#include "device/iq3_xxs_grid.cuh"

struct IQ3_XXS : Blocks<256, 98> {
    static constexpr u32 SECOND = 4;
    using Table = Fours<256>;
    static __device__ __forceinline__ void fill(Table& table) { unpack(IQ3_XXS_GRID, 0x1c140c04u, 0x3e342c24u, table); }
    static __device__ __forceinline__ u32 first(u32 part) { return 8 * part; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const Table& table, float* w) {
        const u32 word = load_u32<2>(block + 66 + part / 4 * 4), codes = load_u16(block + 2 + 2 * part);
        const float d = f16_to_f32((u16)load_u16(block)) * (0.5f + (float)(word >> 28)) * 0.5f;
        signed_weights(table.entry[codes & 255], table.entry[codes >> 8], eight_signs(word >> (7 * (part % 4))), d, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq3_xxs(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ3_XXS>(w, x, y, rows, cols);
}
