// Rotary position embedding in place, halves paired: (j, j + half) turns by pos * ratio^j. One thread a pair.
#include "device/angle.cuh"
#include "device/each.cuh"
#include "device/position.cuh"

extern "C" __global__ void rope_neox(float* __restrict__ x, u32 pos, const u32* pos_at, double ratio,
                                     u32 half, u32 pairs) {
    pos = index_of(pos, pos_at);
    FOR_EACH(i, pairs) {
        const size_t head = i / half, j = i % half;
        float* a = x + head * 2 * half + j;
        rotate(a, a + half, rotation(pos * power(ratio, j)));
    }
}
