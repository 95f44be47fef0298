#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include "block.h"
#include "order.h"
#include "sanitizer.h"

namespace emu {

Lane* current_lane = nullptr;
Block current_block{};
Kernel* kernels = nullptr;
Runtime runtime;

namespace {

std::mutex device;  // one launch at a time, whichever OS thread asks
Order order;

// A fiber lives through many launches; each round is one thread of one block.
void fiber_main() {
    fiber_started();
    for (;;) {
        acquire(&runtime.place[0]);
        runtime.kernel->thread(runtime.values);
        release(&runtime.place[1]);
        self().state = State::Done;
        runtime.done++;
        to_scheduler(self().fiber);
    }
}

void make_fibers(unsigned count) {
    static char* stacks = nullptr;
    if (!stacks) {
        void* p = mmap(nullptr, STACK_BYTES * MAX_THREADS, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) fail("no memory for the stacks");
        stacks = static_cast<char*>(p);
    }
    for (; runtime.made < count; runtime.made++) {
        char* stack = stacks + runtime.made * STACK_BYTES;
        mprotect(stack, 4096, PROT_NONE);
        create(runtime.threads[runtime.made].fiber, stack, fiber_main);
    }
}

void place_threads() {
    const dim3 b = current_block.block;
    for (unsigned i = 0; i < runtime.count; i++) {
        Thread& t = runtime.threads[i];
        t.linear = i;
        t.lane.index = {i % b.x, i / b.x % b.y, i / (b.x * b.y)};
        t.state = State::Ready;
        t.where = nullptr;
    }
}

// Runs a warp until each lane waits for another warp or is done. Returns whether any lane ran.
bool run_warp(unsigned w) {
    const unsigned lanes = std::min(WARP, runtime.count - w * WARP);
    bool ran = false;
    for (bool again = true; again;) {
        again = false;
        const auto permutation = order.draw(lanes);
        for (unsigned i = 0; i < lanes; i++) {
            Thread& t = runtime.threads[w * WARP + order.at(permutation, i)];
            if (t.state != State::Ready) continue;
            current_lane = &t.lane;
            to_fiber(t.fiber);
            current_lane = nullptr;
            ran = again = true;
        }
    }
    return ran;
}

// Shared memory starts as NaNs: what a kernel reads before it wrote shows in the result. Not memset, which sanitizers
// watch: the section holds red zones.
void fill_with_nan(char* begin, char* end) {
    for (volatile char* p = begin; p < end; p++) *p = static_cast<char>(0xff);
}

void run_block(size_t dynamic_shared) {
    fill_with_nan(runtime.kernel->shared_begin, runtime.kernel->shared_end);
    fill_with_nan(current_block.dynamic_shared, current_block.dynamic_shared + dynamic_shared);
    runtime.at_barrier = runtime.done = 0;
    runtime.vote = 0;
    place_threads();
    release(&runtime.place[0]);
    const unsigned warps = (runtime.count + WARP - 1) / WARP;
    while (runtime.done < runtime.count) {
        bool ran = false;
        const auto permutation = order.draw(warps);
        for (unsigned i = 0; i < warps; i++) ran |= run_warp(static_cast<unsigned>(order.at(permutation, i)));
        if (!ran) fail("deadlock: no thread of the block can run");
    }
    acquire(&runtime.place[1]);
}

}  // namespace

const Kernel* find_kernel(const char* name) {
    for (const Kernel* k = kernels; k; k = k->next) {
        if (!strcmp(k->name, name)) return k;
    }
    return nullptr;
}

void run(const Kernel& kernel, dim3 grid, dim3 block, size_t dynamic_shared, void* const* values) {
    std::lock_guard<std::mutex> lock(device);
    const unsigned threads = block.x * block.y * block.z;
    if (!threads || threads > MAX_THREADS || dynamic_shared > MAX_DYNAMIC_SHARED) fail("bad launch configuration");
    static char* dynamic = static_cast<char*>(aligned_alloc(1024, MAX_DYNAMIC_SHARED));
    order = Order::parse(getenv("EMU_ORDER"));
    const char* strict = getenv("EMU_STRICT");
    runtime.strict = !strict || strcmp(strict, "0") != 0;
    runtime.kernel = &kernel;
    runtime.values = values;
    runtime.count = threads;
    current_block = {grid, block, {}, dynamic};
    adopt_scheduler();
    make_fibers(threads);
    allow(dynamic, dynamic_shared, MAX_DYNAMIC_SHARED);
    const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
    const auto permutation = order.draw(blocks);
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t b = order.at(permutation, i);
        current_block.index = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                               static_cast<unsigned>(b / grid.x / grid.y)};
        run_block(dynamic_shared);
    }
    runtime.kernel = nullptr;
}

}  // namespace emu
