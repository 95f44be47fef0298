#include <cstdio>
#include <cstdlib>
#include "block.h"

namespace emu {

const char* name(WarpOp op) {
    static const char* const NAMES[] = {"shfl",     "shfl_xor",   "shfl_up",    "shfl_down", "ballot/any/all",
                                        "syncwarp", "reduce_add", "reduce_max", "reduce_min"};
    return NAMES[static_cast<int>(op)];
}

static void print_waiting() {
    const Thread* last = nullptr;
    for (unsigned i = 0; i < runtime.count; i++) {
        const Thread& t = runtime.threads[i];
        if (t.state != State::AtBarrier && t.state != State::AtWarp) continue;
        if (last && last->where == t.where && last->state == t.state) continue;
        const char* what = t.state == State::AtBarrier ? "__syncthreads" : name(t.op);
        fprintf(stderr, "  thread %u and on: waits in %s at %s\n", i, what, t.where);
        last = &t;
    }
}

void fail(const char* message) {
    const uint3 b = current_block.index;
    fprintf(stderr, "\nCUDA-EMU ERROR: %s\n  kernel %s, block (%u,%u,%u)", message,
            runtime.kernel ? runtime.kernel->name : "?", b.x, b.y, b.z);
    if (current_lane) {
        const uint3 t = self().lane.index;
        fprintf(stderr, ", thread (%u,%u,%u) at %s", t.x, t.y, t.z, self().where ? self().where : "?");
    }
    fputc('\n', stderr);
    print_waiting();
    fflush(stderr);
    abort();
}

}  // namespace emu
