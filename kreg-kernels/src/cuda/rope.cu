// Rotary position embedding in place, neighbours paired: (2j, 2j + 1) turns by pos * ratio^j. One thread a pair.
#include "device/angle.cuh"
#include "device/each.cuh"
#include "device/position.cuh"

extern "C" __global__ void rope(float* __restrict__ x, u32 pos, const u32* pos_at, double ratio,
                                u32 half, u32 pairs) {
    pos = index_of(pos, pos_at);
    FOR_EACH(i, pairs) {
        const Rotation turn = rotation(pos * power(ratio, i % half));
        rotate(x + 2 * i, x + 2 * i + 1, turn);
    }
}
