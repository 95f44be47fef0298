// IQ4_NL, 18 bytes: f16 d, 32 nibbles that index 16 levels. `d level`.
#include "device/half.cuh"
#include "device/levels.cuh"
#include "device/nibbles.cuh"

struct IQ4_NL : Nibbles<18, 2> {
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        u32 low, high;
        eight_levels(load_u32<2>(block + 2 + 4 * part), low, high);
        spread_signed(low, w);
        spread_signed(high, w + 4);
        scale(f16_to_f32((u16)load_u16(block)), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_iq4_nl(const u8* __restrict__ w, const float* __restrict__ x,
                                                 float* __restrict__ y, u32 rows, u32 cols) {
    gemv<IQ4_NL>(w, x, y, rows, cols);
}
