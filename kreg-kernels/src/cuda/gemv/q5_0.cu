// Q5_0, 22 bytes: f16 d, 32 fifth bits, 32 nibbles. `d (q - 16)`.
#include "device/half.cuh"
#include "device/nibbles.cuh"

struct Q5_0 : Nibbles<22, 2> {
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        codes(block + 6, part, load_u32<2>(block + 2), 16.0f, w);
        scale(f16_to_f32((u16)load_u16(block)), w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q5_0(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q5_0>(w, x, y, rows, cols);
}
