// One step of the gated delta rule on state [nv][dv][dk], in place: every row decays, is corrected towards its value along
// the key, and is read along the query. A row touches only itself: each warp takes four, one after the other in memory,
// and reads and writes each once.
#include "device/quad.cuh"
#include "device/reduce.cuh"

constexpr u32 ROWS = 4;   // of a warp
constexpr u32 QUADS = 2;  // of a lane: dk <= 256

extern "C" __global__ void __launch_bounds__(128)
    delta_rule(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
               const float* __restrict__ beta, const float* __restrict__ g, float* __restrict__ state,
               float* __restrict__ out, u32 nk, u32 dk, u32 dv, const u32* fault) {
    if (*fault != 0) return;
    // A grid of (rows / 16, heads).
    const u32 h = blockIdx.y, lane = threadIdx.x % WARP, first = (blockIdx.x * 4 + threadIdx.x / WARP) * ROWS;
    // The file's value heads are tiled over the key heads.
    const size_t key_head = (size_t)(h % nk) * dk;
    const float decay = expf(g[h]), rate = beta[h], root = sqrtf((float)dk);
    const bool wide = dk % 4 == 0 && aligned16(q) && aligned16(k) && aligned16(state);

    float4 key[QUADS], query[QUADS], s[ROWS][QUADS];
#pragma unroll
    for (u32 j = 0; j < QUADS; j++) {
        const u32 e = 4 * (lane + WARP * j);
        key[j] = query[j] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (e < dk) {
            key[j] = load_quad(k + key_head, e, dk, wide);
            query[j] = load_quad(q + key_head, e, dk, wide);
        }
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            s[r][j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (e < dk && first + r < dv)
                s[r][j] = scaled(load_quad(state + ((size_t)h * dv + first + r) * dk, e, dk, wide), decay);
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
        const u32 row = first + r;
        const bool here = row < dv;
        const size_t value = (size_t)h * dv + row;
        const float seen = warp_sum(dot(s[r][0], key[0]) + dot(s[r][1], key[1]));
        const float delta = here ? (v[value] - seen) * rate : 0.f;
#pragma unroll
        for (u32 j = 0; j < QUADS; j++) {
            const u32 e = 4 * (lane + WARP * j);
            s[r][j] = plus(s[r][j], delta, key[j]);
            if (here && e < dk) store_quad(state + value * dk, e, dk, wide, s[r][j]);
        }
        const float read = warp_sum(dot(s[r][0], query[0]) + dot(s[r][1], query[1]));
        if (here && lane == 0) out[value] = read / root;
    }
}
