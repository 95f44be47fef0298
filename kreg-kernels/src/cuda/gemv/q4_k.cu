// Q4_K, 144 bytes: d, dmin and 6-bit scales and minimums (device/six_bit.cuh), 128 bytes of nibbles.
// `d scale q - dmin minimum`. Four chunks of 64 weights; a chunk's 32 bytes hold its first half in their low nibbles.
#include "device/gemv.cuh"
#include "device/gemv_dp4a.cuh"
#include "device/quantise.cuh"
#include "device/six_bit.cuh"

struct Q4_K : Blocks<256, 144> {
    static constexpr u32 SECOND = 32;
    static __device__ __forceinline__ u32 first(u32 part) { return part / 8 * 64 + part % 8 * 4; }
    static __device__ __forceinline__ void decode(const u8* block, u32 part, const NoTable&, float* w) {
        const u32 q = load_u32<4>(block + 16 + 4 * part);
        affine_unit(block, part / 8, q & 0x0f0f0f0fu, q >> 4 & 0x0f0f0f0fu, w);
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q4_k(const u8* __restrict__ w, const float* __restrict__ x,
                                                float* __restrict__ y, u32 rows, u32 cols) {
    gemv<Q4_K>(w, x, y, rows, cols);
}

// d a - dmin b, where the products nearly cancel as often as weights are near zero: their rounding errors are carried
// along, so that the result errs by little of itself.
__device__ __forceinline__ float difference(float d, float a, float dmin, float b) {
    const float p = __fmul_rn(d, a), q = __fmul_rn(dmin, b);
    return (p - q) + (fmaf(d, a, -p) - fmaf(dmin, b, -q));
}

// Q4_K on activations in 8 bits. A unit is half of a chunk of 64 weights: 16 bytes of nibbles, whose low halves meet 16
// codes of one block of 32 activations, and whose high halves those 32 further on.
struct Q4_K_Integers {
    static constexpr u32 UNITS = 8, BYTES = 144;
    static __device__ __forceinline__ void add(const u8* const* of_row, u32 block, u32 unit, const i8* codes,
                                               const float* scales, float* sum) {
        const u32 chunk = unit / 2, at = block * 256 + chunk * 64 + unit % 2 * 16;
        const int4 low = __ldg((const int4*)(codes + at)), high = __ldg((const int4*)(codes + at + 32));
        const int x[2][4] = {{low.x, low.y, low.z, low.w}, {high.x, high.y, high.z, high.w}};
        int total[2] = {};
#pragma unroll
        for (u32 i = 0; i < 8; i++) total[i / 4] = add_codes(x[i / 4][i % 4], total[i / 4]);
        const float2 scale = __ldg((const float2*)(scales + at / 32));
#pragma unroll
        for (u32 r = 0; r < GEMV_ROWS; r++) {
            const u8* of_block = of_row[r] + (u64)block * BYTES;
            const SixBit s = six_bit(of_block, chunk);
            const uint4 q = load_u128<16>(of_block + 16 + 16 * unit);
            const u32 nibbles[4] = {q.x, q.y, q.z, q.w};
            int dot[2] = {};
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                dot[0] = dp4a((int)(nibbles[i] & 0x0f0f0f0fu), x[0][i], dot[0]);
                dot[1] = dp4a((int)(nibbles[i] >> 4 & 0x0f0f0f0fu), x[1][i], dot[1]);
            }
            // At most 63 * 15 * 127 * 16: below 2^24, so the conversions are exact.
            sum[r] += scale.x * difference(s.d, (float)((int)s.scale[0] * dot[0]), s.dmin,
                                           (float)((int)s.minimum[0] * total[0]));
            sum[r] += scale.y * difference(s.d, (float)((int)s.scale[1] * dot[1]), s.dmin,
                                           (float)((int)s.minimum[1] * total[1]));
        }
    }
};

extern "C" __global__ void GEMV_BOUNDS gemv_q4_k_dp4a(const u8* __restrict__ w, const i8* __restrict__ codes,
                                                     float* __restrict__ y, u32 rows, u32 cols) {
    gemv_dp4a<Q4_K_Integers>(w, codes, y, rows, cols);
}

extern "C" __global__ void __launch_bounds__(256) gemv_q4_k_quantise(const float* __restrict__ x, i8* __restrict__ codes,
                                                                  u32 cols) {
    quantise(x, codes, cols);
}
