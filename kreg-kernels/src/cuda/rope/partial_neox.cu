// Rotary position embedding in place of the first 2 * half elements of each head of d: pairs (j, j + half). The angle is
// pos for j = 0 and `step` times the one before for the next, in f32: these are the angles that models are served with.
// One thread a pair.
#include "device/angle.cuh"
#include "device/each.cuh"
#include "device/position.cuh"

extern "C" __global__ void rope_partial_neox(float* __restrict__ x, u32 pos, const u32* pos_at, float step,
                                             u32 d, u32 half, u32 pairs) {
    pos = index_of(pos, pos_at);
    FOR_EACH(i, pairs) {
        const size_t head = i / half, j = i % half;
        float angle = (float)pos;
        for (u32 k = 0; k < j; k++) angle *= step;
        float* a = x + head * d + j;
        rotate(a, a + half, rotation(angle));
    }
}
