// Embedding look-up: out = table[token], a copy of bits. One thread an element.
#include "device/each.cuh"
#include "device/position.cuh"

extern "C" __global__ void embed(const float* __restrict__ table, u32 token, const u32* token_at,
                                 u32 vocab, float* __restrict__ out, u32 n, u32* fault) {
    token = index_of(token, token_at);
    if (!admit(token, vocab, FAULT_TOKEN, fault)) return;
    FOR_EACH(i, n) out[i] = table[(size_t)token * n + i];
}
