#include "block.h"
#include "sanitizer.h"

namespace emu {
namespace {

bool is_shuffle(WarpOp op) {
    return op <= WarpOp::ShflDown;
}

// The lane that `lane` reads from.
int source(const Thread& t, int lane) {
    const int base = lane & ~(t.width - 1), end = base + t.width;
    switch (t.op) {
        case WarpOp::Shfl: return base + (t.argument & (t.width - 1));
        case WarpOp::ShflXor: return (lane ^ t.argument) < end ? lane ^ t.argument : lane;
        case WarpOp::ShflUp: return lane - t.argument >= base ? lane - t.argument : lane;
        case WarpOp::ShflDown: return lane + t.argument < end ? lane + t.argument : lane;
        default: return lane;
    }
}

// The one value that all lanes of a vote or a reduction get.
uint64_t combine(const Thread* lanes, uint32_t mask) {
    uint32_t ballot = 0;
    bool first = true;
    int sum = 0;
    WarpOp op = WarpOp::Ballot;
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1)) continue;
        op = lanes[l].op;
        if (lanes[l].in) ballot |= 1u << l;
        const int v = static_cast<int>(lanes[l].in);
        if (first) sum = v;
        else if (op == WarpOp::AddSigned) sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(v));
        else if (op == WarpOp::MaxSigned) sum = std::max(sum, v);
        else sum = std::min(sum, v);
        first = false;
    }
    return op == WarpOp::Ballot ? ballot : static_cast<uint64_t>(static_cast<int64_t>(sum));
}

// Every lane of `mask` is here: gives each its result and lets it go on.
void exchange(Thread* lanes, uint32_t mask) {
    const uint64_t all = combine(lanes, mask);
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1)) continue;
        Thread& t = lanes[l];
        t.out = all;
        if (is_shuffle(t.op)) {
            const int from = source(t, static_cast<int>(l));
            if (!(mask >> from & 1)) {
                current_lane = &t.lane;
                fail("shuffle reads from a lane that is not in the mask");
            }
            t.out = lanes[from].in;
        }
        t.state = State::Ready;
    }
}

// Whether every lane of `mask` waits in the very same operation as `t`.
bool complete(const Thread* lanes, unsigned width, const Thread& t) {
    bool all = true;
    for (unsigned l = 0; l < width; l++) {
        if (!(t.mask >> l & 1)) continue;
        const Thread& other = lanes[l];
        if (other.state == State::Done) fail("warp operation names a lane that has exited");
        if (other.state != State::AtWarp) {
            all = false;
        } else if (other.op != t.op || other.mask != t.mask || other.where != t.where) {
            fail("lanes of one warp are in different warp operations (divergence)");
        }
    }
    return all;
}

}  // namespace

uint64_t warp(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, const char* where) {
    Thread& t = self();
    const unsigned w = t.linear / WARP, lane = t.linear % WARP, lanes = std::min(WARP, runtime.count - w * WARP);
    Thread* first = runtime.threads + w * WARP;
    t.where = where;
    if (lanes < WARP) mask &= (1u << lanes) - 1;  // as on a GPU, where the missing lanes never existed
    if (!(mask >> lane & 1)) fail("the calling lane is not in its own mask");
    t.op = op;
    t.mask = mask;
    t.in = value;
    t.argument = argument;
    t.width = width;
    t.state = State::AtWarp;
    // Only __syncwarp orders memory; a shuffle does not.
    char* place = reinterpret_cast<char*>(first) + (runtime.warp_phase[w] & 1);
    if (op == WarpOp::SyncWarp) release(place);
    if (complete(first, lanes, t)) {
        exchange(first, mask);
        if (op == WarpOp::SyncWarp) runtime.warp_phase[w]++;
    } else {
        to_scheduler(t.fiber);
    }
    if (op == WarpOp::SyncWarp) acquire(place);
    return t.out;
}

}  // namespace emu
