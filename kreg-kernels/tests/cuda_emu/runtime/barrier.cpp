#include "block.h"
#include "sanitizer.h"

namespace emu {
namespace {

void check_barrier(const char* where) {
    if (runtime.done) fail("__syncthreads after some threads of the block have exited");
    for (unsigned i = 0; i < runtime.count; i++) {
        const Thread& t = runtime.threads[i];
        if (t.state == State::AtBarrier && t.where != where) {
            fail("threads of one block are at different __syncthreads (divergence)");
        }
    }
}

void open_barrier() {
    runtime.at_barrier = 0;
    runtime.barrier_phase++;
    runtime.vote_result = runtime.vote;
    runtime.vote = 0;
    for (unsigned i = 0; i < runtime.count; i++) {
        Thread& t = runtime.threads[i];
        if (t.state != State::AtBarrier) continue;
        t.vote = runtime.vote_result;
        t.state = State::Ready;
    }
}

}  // namespace

int syncthreads_count(int value, const char* where) {
    Thread& t = self();
    t.where = where;
    t.state = State::AtBarrier;
    char* place = &runtime.place[2 + (runtime.barrier_phase & 1)];
    release(place);
    if (runtime.strict) check_barrier(where);
    runtime.vote += value;
    if (++runtime.at_barrier + runtime.done == runtime.count) open_barrier();
    else to_scheduler(t.fiber);
    acquire(place);
    return t.vote;
}

void syncthreads(const char* where) {
    syncthreads_count(0, where);
}

}  // namespace emu
