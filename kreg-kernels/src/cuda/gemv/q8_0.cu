// Q8_0, 34 bytes: f16 d, 32 signed bytes. `d q`. Unit p is the weights from 4p and from 16 + 4p.
#include "device/decode.cuh"
#include "device/gemv.cuh"
#include "device/half.cuh"

struct Q8_0 : Blocks<32, 34> {
    static constexpr u32 SECOND = 16;
    static __device__ __forceinline__ u32 first(u32 part) { return 4 * part; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        spread_signed(load_u32<2>(block + 2 + 4 * part), w);
        spread_signed(load_u32<2>(block + 18 + 4 * part), w + 4);
        scale(f16_to_f32((u16)load_u16(block)), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q8_0(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q8_0>(w, x, y, rows, cols);
}
