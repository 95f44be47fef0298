// The sixteen levels of IQ4_NL and IQ4_XS, denser around zero:
// -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113.
#pragma once
#include "device/types.cuh"

// The signed levels of four codes in the lower half of `codes`, lowest nibble first. `__byte_perm` looks a byte up among
// eight by three bits; the fourth bit chooses between two such answers.
__device__ __forceinline__ u32 four_levels(u32 codes) {
    const u32 index = codes & 0x7777u;
    const u32 low = __byte_perm(0xbfad9881u, 0xf6eaddcfu, index), high = __byte_perm(0x26190d01u, 0x71594535u, index);
    return __byte_perm(low, high, 0x3210u | (codes & 0x8888u) >> 1);
}

// Of eight codes in four bytes: `low` from the low nibbles, `high` from the high ones, as signed bytes.
__device__ __forceinline__ void eight_levels(u32 codes, u32& low, u32& high) {
    const u32 first = four_levels(codes), second = four_levels(codes >> 16);
    low = __byte_perm(first, second, 0x6420u);
    high = __byte_perm(first, second, 0x7531u);
}
