// CUDA's keywords and built-in variables.
#pragma once

#define KREG_CUDA_EMU 1

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// Each `.cu` has a section of its own for static shared memory, so that a block's start fills just that with NaNs.
#ifndef EMU_SHARED_SECTION
#define EMU_SHARED_SECTION "emu_shared"
#endif
#define __shared__ static __attribute__((section(EMU_SHARED_SECTION)))

// `extern __shared__ T name[]` cannot be mapped; device/shared.cuh has the CUDA form of this macro.
#define DYN_SHARED(T, name) T* name = reinterpret_cast<T*>(emu::current_block.dynamic_shared)

#define threadIdx (emu::current_lane->index)
#define blockIdx (emu::current_block.index)
#define blockDim (emu::current_block.block)
#define gridDim (emu::current_block.grid)
#define warpSize 32

#define __syncthreads() emu::syncthreads(EMU_HERE)
#define __syncthreads_count(value) emu::syncthreads_count((value) != 0, EMU_HERE)
#define __syncthreads_or(value) (emu::syncthreads_count((value) != 0, EMU_HERE) != 0)
#define __syncthreads_and(value) (emu::syncthreads_count((value) == 0, EMU_HERE) == 0)
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __trap() emu::fail("__trap")

template <class T>
static inline T __ldg(const T* p) {
    return *p;
}
template <class T>
static inline T __ldcs(const T* p) {
    return *p;
}

using std::max;
using std::min;
