// Stores the keys and values of one position: cache[head][pos] of [kv_heads][max_len][d]. One thread an element.
#include "device/each.cuh"
#include "device/position.cuh"

extern "C" __global__ void kv_write(const float* __restrict__ k, const float* __restrict__ v, u32 pos,
                                    const u32* pos_at, float* __restrict__ k_cache, float* __restrict__ v_cache,
                                    u32 kv_dim, u32 d, u32 max_len, u32* fault) {
    pos = index_of(pos, pos_at);
    if (!admit(pos, max_len, FAULT_POSITION, fault) || *fault != 0) return;
    FOR_EACH(i, kv_dim) {
        const size_t to = (i / d * max_len + pos) * d + i % d;
        k_cache[to] = k[i];
        v_cache[to] = v[i];
    }
}
