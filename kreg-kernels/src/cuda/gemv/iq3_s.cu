// IQ3_S, 110 bytes: f16 d, 64 codebook bytes, 8 bytes of ninth index bits, 32 sign bytes, 4 bytes of 4-bit scales for
// groups of 32. `d (1 + 2 scale) * magnitude`. Unit part is 8 weights: two codebook entries.
#include "device/codebook.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"
#include "device/iq3_s_grid.cuh"

struct IQ3_S : Blocks<256, 110> {
    static constexpr u32 SECOND = 4;
    using Table = Fours<512>;
    static __device__ __forceinline__ void fill(Table& table) { unpack(IQ3_S_GRID, 0x07050301u, 0x0f0d0b09u, table); }
    static __device__ __forceinline__ u32 first(u32 part) { return 8 * part; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const Table& table, float* w) {
        const u32 codes = load_u16(block + 2 + 2 * part), ninth = load_u8(block + 66 + part / 4) >> (2 * (part % 4));
        const u32 scale = load_u8(block + 106 + part / 8) >> (part % 8 / 4 * 4) & 15;
        const float d = f16_to_f32((u16)load_u16(block)) * (float)(1 + 2 * scale);
        signed_weights(table.entry[(codes & 255) | (ninth & 1) << 8], table.entry[codes >> 8 | (ninth & 2) << 7],
                       load_u8(block + 74 + part), d, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq3_s(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ3_S>(w, x, y, rows, cols);
}
