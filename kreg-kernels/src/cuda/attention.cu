// Attention of one query position over caches [kv_heads][max_len][d] that hold it and all before it.
#include "device/attend.cuh"

extern "C" __global__ void __launch_bounds__(128)
    attention(const float* __restrict__ q, const float* __restrict__ k_cache, const float* __restrict__ v_cache,
              u32 pos, const u32* pos_at, u32 heads, u32 kv_heads, u32 d, u32 max_len,
              float scale, float cap, float* __restrict__ out, float* __restrict__ parts,
              u32* fault) {
    pos = index_of(pos, pos_at);
    if (!admit(pos, max_len, FAULT_POSITION, fault)) return;
    const CacheLayout cache = {(size_t)max_len * d, d};
    attend(q, k_cache, v_cache, cache, {heads, kv_heads, d, scale, cap}, pos + 1, out, parts);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_merge(const float* __restrict__ parts, u32 pos, const u32* pos_at, u32 d,
                    u32 max_len, u32 splits, float* __restrict__ out) {
    pos = index_of(pos, pos_at);
    if (pos < max_len) merge(parts, pos + 1, splits, d, out);
}
