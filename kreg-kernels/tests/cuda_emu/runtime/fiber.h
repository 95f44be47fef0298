// Fibers: stacks that the scheduler switches to and back from. No preemption, one OS thread at a time.
#pragma once
#include <cstddef>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emu {

// An execution context that is not running now.
struct Fiber {
    char* stack = nullptr;
    void* saved = nullptr;  // stack pointer (x86-64)
    void* fake_stack = nullptr;
    void* tsan = nullptr;
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};

constexpr size_t STACK_BYTES = 64 << 10;

// The OS thread that switches to fibers: call before the first switch of a launch.
void adopt_scheduler();

// Gives `fiber` a stack in which `entry` runs at the first switch; `entry` never returns.
void create(Fiber& fiber, char* stack, void (*entry)());

// From the scheduler into `fiber`, until it calls `to_scheduler`.
void to_fiber(Fiber& fiber);

// From `fiber`, which runs, back to the scheduler.
void to_scheduler(Fiber& fiber);

// The first act of a fiber's entry function.
void fiber_started();

}  // namespace emu
