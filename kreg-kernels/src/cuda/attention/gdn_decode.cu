// Attention of one query position over caches [max_len][kv_heads * d] that hold it and all before it, as the attention
// layers of gated-delta-net models keep them.
#include "device/attend.cuh"

extern "C" __global__ void __launch_bounds__(128)
    attention_gdn_decode(const float* __restrict__ q, const float* __restrict__ k_cache,
                         const float* __restrict__ v_cache, u32 pos, const u32* pos_at, u32 heads,
                         u32 kv_heads, u32 d, u32 max_len, float scale,
                         float* __restrict__ out, float* __restrict__ parts, u32* fault) {
    pos = index_of(pos, pos_at);
    if (!admit(pos, max_len, FAULT_POSITION, fault)) return;
    const CacheLayout cache = {d, (size_t)kv_heads * d};
    attend(q, k_cache, v_cache, cache, {heads, kv_heads, d, scale, 0.f}, pos + 1, out, parts);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_gdn_decode_merge(const float* __restrict__ parts, u32 pos, const u32* pos_at, u32 d,
                               u32 max_len, u32 splits, float* __restrict__ out) {
    pos = index_of(pos, pos_at);
    if (pos < max_len) merge(parts, pos + 1, splits, d, out);
}
