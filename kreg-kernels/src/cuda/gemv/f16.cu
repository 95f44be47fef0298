// F16: IEEE half.
#include "device/half.cuh"
#include "device/number.cuh"

extern "C" __global__ void GEMV_BOUNDS gemv_f16(const u8* __restrict__ w, const float* __restrict__ x,
                                               float* __restrict__ y, u32 rows, u32 cols) {
    if (cols % 8 == 0) {
        gemv<Numbers<Sixteen<f16_to_f32>, 16>>(w, x, y, rows, cols);
    } else {
        gemv<Numbers<Sixteen<f16_to_f32>, 2>>(w, x, y, rows, cols);
    }
}
