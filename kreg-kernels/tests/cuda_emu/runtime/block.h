// The state of the one block that runs, shared by the runtime's files.
#pragma once
#include <cstdint>
#include "cuda_emu.h"
#include "fiber.h"

namespace emu {

constexpr unsigned WARP = 32;
constexpr unsigned MAX_THREADS = 1024;
constexpr size_t MAX_DYNAMIC_SHARED = 227 << 10;

enum class State : uint8_t { Ready, AtBarrier, AtWarp, Done };

struct Thread {
    Lane lane;  // first: `current_lane` points here
    State state;
    WarpOp op;
    uint32_t mask;
    int argument, width, vote;
    uint64_t in, out;
    const char* where;
    unsigned linear;
    Fiber fiber;
};

struct Runtime {
    Thread threads[MAX_THREADS];
    unsigned count = 0;  // threads of the block
    unsigned made = 0;   // fibers that exist
    unsigned done = 0;
    unsigned at_barrier = 0;
    int vote = 0, vote_result = 0;
    unsigned barrier_phase = 0, warp_phase[MAX_THREADS / WARP] = {};
    bool strict = true;
    const Kernel* kernel = nullptr;
    void* const* values = nullptr;
    // Places for the thread sanitizer: block start, block end, two for the barrier. Two, since a fast thread may be at
    // the next barrier before a slow one has left this one.
    char place[4];
};

extern Runtime runtime;

// The thread that runs now; only inside a kernel.
inline Thread& self() {
    return *reinterpret_cast<Thread*>(current_lane);
}

const char* name(WarpOp op);

}  // namespace emu
