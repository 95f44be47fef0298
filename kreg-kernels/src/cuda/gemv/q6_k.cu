// Q6_K: see device/q6_k.cuh.
#include "device/decode.cuh"
#include "device/gemv.cuh"
#include "device/gemv_dp4a.cuh"
#include "device/half.cuh"
#include "device/q6_k.cuh"
#include "device/quantise.cuh"

struct Q6_K : Blocks<256, 210> {
    static constexpr u32 SECOND = 64;
    static __device__ __forceinline__ u32 first(u32 part) { return q6_first(part); }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const Q6Unit unit = q6_unit(block, part);
        const float d = f16_to_f32((u16)load_u16(block + 208));
        const float low = d * (float)unit.scale_low, high = d * (float)unit.scale_high;
        spread(unit.low, 32.0f, w);
        spread(unit.high, 32.0f, w + 4);
#pragma unroll
        for (u32 i = 0; i < UNIT; i++) w[i] *= i < 4 ? low : high;
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q6_k(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q6_K>(w, x, y, rows, cols);
}

// Q6_K on activations in 8 bits. A unit is that of device/q6_k.cuh: twice four weights, 64 apart.
struct Q6_K_Integers {
    static constexpr u32 UNITS = 32, BYTES = 210;
    static __device__ __forceinline__ void add(const u8* const* of_row, u32 block, u32 unit, const i8* codes,
                                               const float* scales, float* sum) {
        const u32 at = block * 256 + q6_first(unit);
        const int low = load_codes(codes + at), high = load_codes(codes + at + 64);
        const int bias_low = 32 * add_codes(low, 0), bias_high = 32 * add_codes(high, 0);
        const float scale_low = __ldg(scales + at / 32), scale_high = __ldg(scales + at / 32 + 2);
#pragma unroll
        for (u32 r = 0; r < GEMV_ROWS; r++) {
            const u8* of_block = of_row[r] + (u64)block * BYTES;
            const Q6Unit q = q6_unit(of_block, unit);
            const float d = f16_to_f32((u16)load_u16(of_block + 208));
            // At most 128 * 4 * 32 * 127: below 2^24, so the conversions are exact.
            const float a = (float)(q.scale_low * (dp4a((int)q.low, low, 0) - bias_low));
            const float b = (float)(q.scale_high * (dp4a((int)q.high, high, 0) - bias_high));
            sum[r] += d * a * scale_low;
            sum[r] += d * b * scale_high;
        }
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q6_k_dp4a(const u8* __restrict__ w, const i8* __restrict__ codes,
                                                     float* __restrict__ y, u32 rows, u32 cols) {
    gemv_dp4a<Q6_K_Integers>(w, codes, y, rows, cols);
}

extern "C" __global__ void __launch_bounds__(256) gemv_q6_k_quantise(const float* __restrict__ x, i8* __restrict__ codes,
                                                                  u32 cols) {
    quantise(x, codes, cols);
}
