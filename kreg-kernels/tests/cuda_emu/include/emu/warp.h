// Warp-wide operations. The full set of CUDA's `_sync` forms that kernels here use.
#pragma once

namespace emu {

static inline uint32_t mask_or_all(uint32_t mask = 0xffffffffu) {
    return mask;
}

template <class T>
static inline T shuffle(WarpOp op, const char* where, uint32_t mask, T value, int argument, int width = 32) {
    return from_bits<T>(warp(op, mask, to_bits(value), argument, width, where));
}

static inline int reduce(WarpOp op, const char* where, uint32_t mask, int value) {
    return static_cast<int>(warp(op, mask, static_cast<uint64_t>(static_cast<int64_t>(value)), 0, 32, where));
}

}  // namespace emu

#define __syncwarp(...) ((void)emu::warp(emu::WarpOp::SyncWarp, emu::mask_or_all(__VA_ARGS__), 0, 0, 32, EMU_HERE))
#define __shfl_sync(...) emu::shuffle(emu::WarpOp::Shfl, EMU_HERE, __VA_ARGS__)
#define __shfl_xor_sync(...) emu::shuffle(emu::WarpOp::ShflXor, EMU_HERE, __VA_ARGS__)
#define __shfl_up_sync(...) emu::shuffle(emu::WarpOp::ShflUp, EMU_HERE, __VA_ARGS__)
#define __shfl_down_sync(...) emu::shuffle(emu::WarpOp::ShflDown, EMU_HERE, __VA_ARGS__)
#define __ballot_sync(mask, predicate) \
    (static_cast<unsigned>(emu::warp(emu::WarpOp::Ballot, mask, (predicate) != 0, 0, 32, EMU_HERE)))
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __all_sync(mask, predicate) (__ballot_sync(mask, !(predicate)) == 0)
#define __reduce_add_sync(mask, value) emu::reduce(emu::WarpOp::AddSigned, EMU_HERE, mask, value)
#define __reduce_max_sync(mask, value) emu::reduce(emu::WarpOp::MaxSigned, EMU_HERE, mask, value)
#define __reduce_min_sync(mask, value) emu::reduce(emu::WarpOp::MinSigned, EMU_HERE, mask, value)
