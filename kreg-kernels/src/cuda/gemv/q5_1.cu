// Q5_1, 24 bytes: f16 d, f16 m, 32 fifth bits, 32 nibbles. `d q + m`.
#include "device/half.cuh"
#include "device/nibbles.cuh"

struct Q5_1 : Nibbles<24, 8> {
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const uint2 head = load_u64<8>(block);
        codes(block + 8, part, head.y, 0.0f, w);
        scale_and_add(f16_to_f32((u16)head.x), f16_to_f32((u16)(head.x >> 16)), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q5_1(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q5_1>(w, x, y, rows, cols);
}
