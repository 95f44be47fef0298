// y = W x with x in 8 bits (device/quantise.cuh): the loop that the integer kernels share. As device/gemv.cuh; a unit is
// what `Type::add` multiplies for one thread, of all rows at once.
//
// A type gives UNITS per block of 256, BYTES of a block, and
//   add(of_row, block, unit, codes, scales, sum)     the unit's products, for each row
#pragma once
#include "device/dot.cuh"
#include "device/gemv.cuh"

template <class Type>
__device__ __forceinline__ void gemv_dp4a(const u8* w, const i8* codes, float* y, u32 rows, u32 cols) {
    __shared__ float partial[GEMV_ROWS][GEMV_THREADS / WARP];
    const float* scales = (const float*)(codes + cols);
    const u32 units = cols / 256 * Type::UNITS, step = gridDim.x * blockDim.y * GEMV_ROWS;
    const u64 row_bytes = (u64)(cols / 256) * Type::BYTES;
    for (u32 first = (blockIdx.x * blockDim.y + threadIdx.y) * GEMV_ROWS; first < rows; first += step) {
        const u8* of_row[GEMV_ROWS];
#pragma unroll
        for (u32 r = 0; r < GEMV_ROWS; r++) of_row[r] = w + min(first + r, rows - 1) * row_bytes;
        float sum[GEMV_ROWS] = {};
#pragma unroll 2
        for (u32 unit = threadIdx.x; unit < units; unit += blockDim.x) {
            Type::add(of_row, unit / Type::UNITS, unit % Type::UNITS, codes, scales, sum);
        }
        store_rows(sum, partial, y, first, rows);
    }
}

// Four codes, from an address that is a multiple of 4.
__device__ __forceinline__ int load_codes(const i8* codes) {
    return __ldg((const int*)codes);
}

// The sum of four codes, added to `c`.
__device__ __forceinline__ int add_codes(int codes, int c) {
    return dp4a(codes, 0x01010101, c);
}
