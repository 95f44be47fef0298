// IQ2_S, 82 bytes: f16 d, 32 codebook bytes, 32 sign bytes, 8 bytes of two upper index bits, 8 bytes of 4-bit scales for
// groups of 16. `d (0.5 + scale) / 4 * magnitude`. Unit part is 8 weights: one codebook entry.
#include "device/codebook.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"
#include "device/iq2_s_grid.cuh"

struct IQ2_S : Blocks<256, 82> {
    static constexpr u32 SECOND = 4;
    using Table = Eights<1024>;
    static __device__ __forceinline__ void fill(Table& table) { unpack(IQ2_S_GRID, table); }
    static __device__ __forceinline__ u32 first(u32 part) { return 8 * part; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const Table& table, float* w) {
        const u32 upper = load_u8(block + 66 + part / 4) >> (2 * (part % 4)) & 3;
        const u32 scale = load_u8(block + 74 + part / 4) >> (part % 4 / 2 * 4) & 15;
        const uint2 magnitudes = table.entry[load_u8(block + 2 + part) | upper << 8];
        const float d = f16_to_f32((u16)load_u16(block)) * (0.5f + (float)scale) * 0.25f;
        signed_weights(magnitudes.x, magnitudes.y, load_u8(block + 34 + part), d, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq2_s(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ2_S>(w, x, y, rows, cols);
}
