// BF16: the upper half of an f32.
#include "device/half.cuh"
#include "device/number.cuh"

extern "C" __global__ void GEMV_BOUNDS gemv_bf16(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    if (cols % 8 == 0) {
        gemv<Numbers<Sixteen<bf16_to_f32>, 16>>(w, x, y, rows, cols);
    } else {
        gemv<Numbers<Sixteen<bf16_to_f32>, 2>>(w, x, y, rows, cols);
    }
}
