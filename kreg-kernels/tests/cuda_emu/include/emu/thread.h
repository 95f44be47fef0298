// What a kernel sees of the machinery: where it is, and how it waits.
#pragma once

namespace emu {

// The place of one thread in its block.
struct Lane {
    uint3 index;
};

// The block that runs now.
struct Block {
    dim3 grid, block;
    uint3 index;
    char* dynamic_shared;
};

extern Lane* current_lane;
extern Block current_block;

// Waits until every thread of the block is here. `where` is "file:line".
void syncthreads(const char* where);

// As above; every thread gets a summary of all threads' `value`s: how many are not zero.
int syncthreads_count(int value, const char* where);

enum class WarpOp : uint8_t { Shfl, ShflXor, ShflUp, ShflDown, Ballot, SyncWarp, AddSigned, MaxSigned, MinSigned };

// Waits until every lane of `mask` is here, then exchanges `value`s.
uint64_t warp(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, const char* where);

// Prints the message with the block, thread and source line, and aborts.
[[noreturn]] void fail(const char* message);

template <class T>
inline uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
inline T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace emu

#define EMU_TEXT2(x) #x
#define EMU_TEXT(x) EMU_TEXT2(x)
#define EMU_HERE __FILE__ ":" EMU_TEXT(__LINE__)
