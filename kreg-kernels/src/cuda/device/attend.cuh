// Attention of one query position over a cache of any layout, split over positions, with an online softmax.
//
// A block takes up to GROUP query heads that share a key head, and one stretch of positions; each of its warps takes
// tiles of 32 positions: scores (eight lanes a key row), softmax (a lane a position), weighted values (a row of values at
// a time). Keys and values are read once for all heads of the block. With one stretch the block writes the result;
// otherwise it leaves unnormalised sums, which `merge` adds up. Which stretch a position is in depends on the length and
// the grid alone, so results repeat bit for bit.
#pragma once
#include "device/position.cuh"
#include "device/quad.cuh"
#include "device/reduce.cuh"

constexpr u32 GROUP = 8;        // query heads of a block
constexpr u32 WARPS = 4;        // of a block
constexpr u32 TILE = 32;        // positions of a warp
constexpr u32 HEAD = 256;       // widest head
constexpr u32 MAX_SPLITS = 64;  // stretches

// Where position p of key head h lies: h * head + p * position, in elements.
struct CacheLayout {
    size_t head, position;
};

struct AttentionShape {
    u32 heads, kv_heads, d;
    float scale, cap;  // cap 0: none
};

// Positions of a stretch.
__device__ __forceinline__ u32 stretch(u32 length, u32 splits) {
    const u32 share = (length - 1) / splits + 1;
    return (share + WARPS * TILE - 1) / (WARPS * TILE) * (WARPS * TILE);
}

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

// What the exponents of a softmax are taken against: the maximum, or 0 while no score exceeds minus infinity.
__device__ __forceinline__ float base_of(float max) { return max == minus_infinity() ? 0.f : max; }

// The running softmax of one warp, for each head: the largest score, this lane's share of the sum, and this lane's
// elements of the weighted values.
struct Running {
    float max[GROUP], sum[GROUP];
    float4 value[GROUP][2];
};

// weight[h][p] = score of the tile's position p, for the n heads of `query`.
__device__ __forceinline__ void scores(const float4 (*query)[HEAD / 4], u32 n, const float* keys, size_t stride,
                                       u32 count, u32 d, bool wide, float (*weight)[TILE]) {
    const u32 lane = threadIdx.x % WARP, member = lane % 8;
    for (u32 p = lane / 8; p - lane / 8 < count; p += 4) {
        float sum[GROUP] = {};
        if (p < count) {
            const float* key = keys + p * stride;
            for (u32 e = member; 4 * e < d; e += 8) {
                const float4 k = load_quad(key, 4 * e, d, wide);
#pragma unroll
                for (u32 h = 0; h < GROUP; h++)
                    if (h < n) sum[h] += dot(query[h][e], k);
            }
        }
#pragma unroll
        for (u32 h = 0; h < GROUP; h++) {
            if (h >= n) break;
#pragma unroll
            for (int o = 4; o > 0; o >>= 1) sum[h] += __shfl_xor_sync(ALL_LANES, sum[h], o);
            if (member == h) weight[h][p] = sum[h];
        }
    }
}

// Scores become weights against the new maximum; what has been summed so far is brought to it.
__device__ __forceinline__ void soften(Running& run, u32 n, AttentionShape shape, u32 count,
                                       float (*weight)[TILE]) {
    const u32 lane = threadIdx.x % WARP;
#pragma unroll
    for (u32 h = 0; h < GROUP; h++) {
        if (h >= n) break;
        float score = minus_infinity();
        if (lane < count) {
            score = weight[h][lane] * shape.scale;
            if (shape.cap > 0.f) score = shape.cap * tanhf(score / shape.cap);
        }
        const float max = fmaxf(run.max[h], warp_max(score)), base = base_of(max);
        const float keep = expf(run.max[h] - base), w = lane < count ? expf(score - base) : 0.f;
        run.max[h] = max;
        run.sum[h] = run.sum[h] * keep + w;
        run.value[h][0] = scaled(run.value[h][0], keep);
        run.value[h][1] = scaled(run.value[h][1], keep);
        weight[h][lane] = w;
    }
}

// Lanes that cover one row of values, two quads each in heads above 128.
__device__ __forceinline__ u32 lanes_of_row(u32 d) { return d <= 32 ? 8 : d <= 64 ? 16 : 32; }

__device__ __forceinline__ void add_values(Running& run, u32 n, const float* values, size_t stride, u32 count,
                                           u32 d, bool wide, const float (*weight)[TILE]) {
    const u32 lane = threadIdx.x % WARP, lanes = lanes_of_row(d), e = 4 * (lane % lanes);
#pragma unroll 4
    for (u32 p = lane / lanes; p < count; p += 32 / lanes) {
        const float* row = values + p * stride;
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            if (e + 4 * WARP * j >= d) break;
            const float4 v = load_quad(row, e + 4 * WARP * j, d, wide);
#pragma unroll
            for (u32 h = 0; h < GROUP; h++)
                if (h < n) run.value[h][j] = plus(run.value[h][j], weight[h][p], v);
        }
    }
}

// The sums of the block's warps, head by head, to `out` (normalised) or to `parts` ([heads][splits][d + 2]: values, the
// largest score, the sum of weights).
__device__ __forceinline__ void combine(Running& run, u32 n, u32 first, u32 split, u32 splits,
                                        u32 d, float* out, float* parts) {
    __shared__ float4 value[WARPS][HEAD / 4];
    __shared__ float max[WARPS], sum[WARPS];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, lanes = lanes_of_row(d);
#pragma unroll
    for (u32 h = 0; h < GROUP; h++) {
        if (h >= n) break;
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            float4 v = run.value[h][j];
            // Lanes that took other positions hold the same elements.
            for (u32 o = lanes; o < 32; o *= 2) {
                v.x += __shfl_xor_sync(ALL_LANES, v.x, o);
                v.y += __shfl_xor_sync(ALL_LANES, v.y, o);
                v.z += __shfl_xor_sync(ALL_LANES, v.z, o);
                v.w += __shfl_xor_sync(ALL_LANES, v.w, o);
            }
            if (lane < lanes && 4 * (lane + WARP * j) < d) value[warp][lane + WARP * j] = v;
        }
        const float total = warp_sum(run.sum[h]);
        if (lane == 0) max[warp] = run.max[h], sum[warp] = total;
        __syncthreads();
        float top = max[0];
        for (u32 w = 1; w < WARPS; w++) top = fmaxf(top, max[w]);
        float factor[WARPS], weights = 0.f;
#pragma unroll
        for (u32 w = 0; w < WARPS; w++) {
            factor[w] = expf(max[w] - base_of(top));
            weights += factor[w] * sum[w];
        }
        // With one stretch there are no parts, and `parts` may be null.
        float* to = splits == 1 ? out + (size_t)(first + h) * d
                                : parts + ((size_t)(first + h) * splits + split) * (d + 2);
        for (u32 e = threadIdx.x; e < d; e += blockDim.x) {
            float v = 0.f;
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) v += factor[w] * ((const float*)value[w])[e];
            to[e] = splits == 1 ? v / weights : v;
        }
        if (splits > 1 && threadIdx.x == 0) to[d] = top, to[d + 1] = weights;
        __syncthreads();
    }
}

// One block of a grid of (splits, kv_heads * ceil(heads / kv_heads / GROUP)), each of 32 * WARPS threads.
__device__ __forceinline__ void attend(const float* q, const float* k_cache, const float* v_cache, CacheLayout cache,
                                       AttentionShape shape, u32 length, float* out, float* parts) {
    __shared__ float4 query[GROUP][HEAD / 4];
    __shared__ float weight[WARPS][GROUP][TILE];
    const u32 split = blockIdx.x, splits = gridDim.x, tile = blockIdx.y;
    const u32 share = stretch(length, splits), begin = split * share, d = shape.d;
    if (begin >= length) return;
    const u32 end = min(length, begin + share);
    const u32 group = shape.heads / shape.kv_heads, tiles = (group + GROUP - 1) / GROUP;
    const u32 kv = tile / tiles, first = kv * group + tile % tiles * GROUP;
    const u32 n = min(GROUP, (kv + 1) * group - first);

    const bool wide = d % 4 == 0 && aligned16(k_cache) && aligned16(v_cache), wide_q = d % 4 == 0 && aligned16(q);
    const u32 quads = (d + 3) / 4;
    for (u32 i = threadIdx.x; i < n * quads; i += blockDim.x)
        query[i / quads][i % quads] = load_quad(q + (size_t)(first + i / quads) * d, i % quads * 4, d, wide_q);
    __syncthreads();

    Running run;
#pragma unroll
    for (u32 h = 0; h < GROUP; h++) {
        run.max[h] = minus_infinity();
        run.sum[h] = 0.f;
        run.value[h][0] = run.value[h][1] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    const u32 warp = threadIdx.x / WARP;
    for (u32 p = begin + warp * TILE; p < end; p += WARPS * TILE) {
        const u32 count = min(TILE, end - p);
        const size_t at = kv * cache.head + p * cache.position;
        scores(query, n, k_cache + at, cache.position, count, d, wide, weight[warp]);
        __syncwarp();
        soften(run, n, shape, count, weight[warp]);
        __syncwarp();
        add_values(run, n, v_cache + at, cache.position, count, d, wide, weight[warp]);
        __syncwarp();
    }
    combine(run, n, first, split, splits, d, out, parts);
}

// One block a head: the stretches' sums become the result.
__device__ __forceinline__ void merge(const float* parts, u32 length, u32 splits, u32 d, float* out) {
    __shared__ float factor[MAX_SPLITS];
    const float* head = parts + (size_t)blockIdx.x * splits * (d + 2);
    const u32 used = (length - 1) / stretch(length, splits) + 1;
    float top = minus_infinity();
    for (u32 s = 0; s < used; s++) top = fmaxf(top, head[s * (d + 2) + d]);
    if (threadIdx.x < used) factor[threadIdx.x] = expf(head[threadIdx.x * (d + 2) + d] - base_of(top));
    __syncthreads();
    float weights = 0.f;
    for (u32 s = 0; s < used; s++) weights += factor[s] * head[s * (d + 2) + d + 1];
    for (u32 e = threadIdx.x; e < d; e += blockDim.x) {
        float v = 0.f;
        for (u32 s = 0; s < used; s++) v += factor[s] * head[s * (d + 2) + e];
        out[(size_t)blockIdx.x * d + e] = v / weights;
    }
}
