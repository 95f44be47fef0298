// IQ2_XXS, 66 bytes: f16 d; per 32 weights 4 codebook bytes and a u32 of 4 x 7 signs and a 4-bit scale.
// `d (0.5 + scale) / 4 * magnitude`. Unit part is 8 weights: one codebook entry.
#include "device/codebook.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"
#include "device/iq2_xxs_grid.cuh"

struct IQ2_XXS : Blocks<256, 66> {
    static constexpr u32 SECOND = 4;
    using Table = Eights<256>;
    static __device__ __forceinline__ void fill(Table& table) { unpack(IQ2_XXS_GRID, table); }
    static __device__ __forceinline__ u32 first(u32 part) { return 8 * part; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const Table& table, float* w) {
        const u8* group = block + 2 + part / 4 * 8;
        const u32 word = load_u32<2>(group + 4);
        const uint2 magnitudes = table.entry[load_u8(group + part % 4)];
        const float d = f16_to_f32((u16)load_u16(block)) * (0.5f + (float)(word >> 28)) * 0.25f;
        signed_weights(magnitudes.x, magnitudes.y, eight_signs(word >> (7 * (part % 4))), d, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq2_xxs(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ2_XXS>(w, x, y, rows, cols);
}
