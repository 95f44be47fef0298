// Taking what kernels have found wrong, in one step: a bit that is set at the same time is taken now or stays for later.
#include "device/types.cuh"

extern "C" __global__ void fault_take(u32* fault, u32* taken) {
    *taken = atomicExch(fault, 0u);
}
