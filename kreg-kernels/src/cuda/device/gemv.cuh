// y = W x, the loop that every weight type shares.
//
// A row is a sequence of units of 8 weights: two runs of 4, `SECOND` apart. Consecutive lanes take consecutive units of a
// block, so that weights and x are read in whole lines; a unit's weights are decoded exactly and multiplied in f32. A
// group of threads takes ROWS rows at once, so that x is read half as often and twice as many weight loads are in
// flight. Groups are a warp, or, when there are few rows, a whole block of warps: blockDim is (threads of a group,
// groups).
//
// A type gives
//   ELEMS, BYTES            of a block, for rows of whole blocks; SIZE for plain numbers (see device/number.cuh)
//   SECOND                  distance of a unit's runs of 4
//   first(part)             where in the block unit `part`'s first run begins
//   decode(block, part, table, w)   the unit's 8 weights
//   row_bytes(cols)         from row to row; a multiple of 2
//   Table, fill(table)      what decoding looks up in shared memory; NoTable when nothing
#pragma once
#include "device/load.cuh"
#include "device/reduce.cuh"
#include "device/types.cuh"

constexpr u32 GEMV_ROWS = 2;
constexpr u32 GEMV_THREADS = 128;
constexpr u32 UNIT = 8;

struct NoTable {};

// What types of whole blocks have in common.
template <u32 Elems, u32 Bytes>
struct Blocks {
    static constexpr u32 ELEMS = Elems, BYTES = Bytes;
    static constexpr bool TAIL = false;
    using Table = NoTable;
    static __device__ __forceinline__ u64 row_bytes(u32 cols) { return (u64)(cols / Elems) * Bytes; }
    static __device__ __forceinline__ void fill(NoTable&) {}
};

// Adds this thread's share of a row pair's products.
template <class Type, int AlignX>
__device__ __forceinline__ void add_products(const u8* const* of_row, const float* x, u32 cols,
                                             const typename Type::Table& table, float* sum) {
    constexpr u32 PER_BLOCK = Type::ELEMS / UNIT;
    const u32 units = cols / UNIT;
#pragma unroll 2
    for (u32 unit = threadIdx.x; unit < units; unit += blockDim.x) {
        const u32 block = unit / PER_BLOCK, part = unit % PER_BLOCK;
        const float* at = x + (u64)block * Type::ELEMS + Type::first(part);
        const float4 a = load_float4<AlignX>(at), b = load_float4<AlignX>(at + Type::SECOND);
#pragma unroll
        for (u32 r = 0; r < GEMV_ROWS; r++) {
            float w[UNIT];
            Type::decode(of_row[r] + (u64)block * Type::BYTES, part, table, w);
            sum[r] += w[0] * a.x;
            sum[r] += w[1] * a.y;
            sum[r] += w[2] * a.z;
            sum[r] += w[3] * a.w;
            sum[r] += w[4] * b.x;
            sum[r] += w[5] * b.y;
            sum[r] += w[6] * b.z;
            sum[r] += w[7] * b.w;
        }
    }
    if constexpr (Type::TAIL) {
        for (u32 c = units * UNIT + threadIdx.x; c < cols; c += blockDim.x) {
            for (u32 r = 0; r < GEMV_ROWS; r++) sum[r] += Type::one(of_row[r], c) * x[c];
        }
    }
}

// The group's sums become outputs. Without a barrier when the group is a warp.
__device__ __forceinline__ void store_rows(float* sum, float (*partial)[GEMV_THREADS / WARP], float* y, u32 first,
                                           u32 rows) {
#pragma unroll
    for (u32 r = 0; r < GEMV_ROWS; r++) sum[r] = warp_sum(sum[r]);
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (blockDim.x == WARP) {
        if (lane < GEMV_ROWS && lane < rows - first) y[first + lane] = lane == 0 ? sum[0] : sum[1];
        return;
    }
    if (lane < GEMV_ROWS) partial[lane][warp] = lane == 0 ? sum[0] : sum[1];
    __syncthreads();
    if (threadIdx.x < GEMV_ROWS && threadIdx.x < rows - first) {
        float all = 0.0f;
        for (u32 i = 0; i < blockDim.x / WARP; i++) all += partial[threadIdx.x][i];
        y[first + threadIdx.x] = all;
    }
    __syncthreads();
}

template <class Type, int AlignX>
__device__ __forceinline__ void gemv_rows(const u8* w, const float* x, float* y, u32 rows, u32 cols,
                                          const typename Type::Table& table) {
    __shared__ float partial[GEMV_ROWS][GEMV_THREADS / WARP];
    const u64 row_bytes = Type::row_bytes(cols);
    const u32 step = gridDim.x * blockDim.y * GEMV_ROWS;
    for (u32 first = (blockIdx.x * blockDim.y + threadIdx.y) * GEMV_ROWS; first < rows; first += step) {
        // A last odd row is computed twice and stored once.
        const u8* of_row[GEMV_ROWS];
#pragma unroll
        for (u32 r = 0; r < GEMV_ROWS; r++) of_row[r] = w + min(first + r, rows - 1) * row_bytes;
        float sum[GEMV_ROWS] = {};
        add_products<Type, AlignX>(of_row, x, cols, table, sum);
        store_rows(sum, partial, y, first, rows);
    }
}

// w: rows of blocks, 16-byte aligned; x: cols floats, 4-byte aligned; y: rows floats. rows, cols below 2^31; cols is a
// multiple of ELEMS where rows are blocks.
template <class Type>
__device__ __forceinline__ void gemv(const u8* w, const float* x, float* y, u32 rows, u32 cols) {
    __shared__ typename Type::Table table;
    Type::fill(table);
    if (is_aligned(x, 16)) {
        gemv_rows<Type, 16>(w, x, y, rows, cols, table);
    } else {
        gemv_rows<Type, 4>(w, x, y, rows, cols, table);
    }
}

#define GEMV_BOUNDS __launch_bounds__(GEMV_THREADS, 8)
