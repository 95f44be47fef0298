// IQ4_XS, 136 bytes: f16 d, 16 bits of upper scale bits, 4 bytes of lower ones, 8 groups of 16 bytes of nibbles as in
// IQ4_NL. `d (scale - 32) level`. Unit part is the group part / 4, bytes from 4 (part % 4).
#include "device/decode.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"
#include "device/levels.cuh"

struct IQ4_XS : Blocks<256, 136> {
    static constexpr u32 SECOND = 16;
    static __device__ __forceinline__ u32 first(u32 part) { return part / 4 * 32 + part % 4 * 4; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const u32 group = part / 4;
        const uint2 head = load_u64<8>(block);
        const u32 upper = head.x >> (16 + 2 * group) & 3, lower = head.y >> (4 * group) & 15;
        u32 low, high;
        eight_levels(load_u32<4>(block + 8 + 4 * part), low, high);
        spread_signed(low, w);
        spread_signed(high, w + 4);
        scale(f16_to_f32((u16)head.x) * (float)((int)(lower | upper << 4) - 32), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq4_xs(const u8* __restrict__ w, const float* __restrict__ x,
                                                 float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ4_XS>(w, x, y, rows, cols);
}
