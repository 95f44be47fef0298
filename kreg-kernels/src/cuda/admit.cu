// The first kernel of a captured step: a position at or past the capacity sets the fault word, and a fault keeps every
// kernel after it from changing a cache or a state.
#include "device/position.cuh"

extern "C" __global__ void admit_position(u32 pos, const u32* pos_at, u32 limit, u32* fault) {
    admit(index_of(pos, pos_at), limit, FAULT_POSITION, fault);
}
