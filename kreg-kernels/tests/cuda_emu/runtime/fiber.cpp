#include "fiber.h"
#include "sanitizer.h"

namespace emu {
namespace {

Fiber scheduler;
// The scheduler's own stack, as the address sanitizer knows it.
[[maybe_unused]] const void* scheduler_bottom = nullptr;
[[maybe_unused]] size_t scheduler_size = 0;

}  // namespace

#if defined(__x86_64__)
// Pushes the registers that a call preserves, stores the stack pointer in `*save`, and resumes `to`.
extern "C" void emu_switch(void** save, void* to);
asm(R"(
    .text
    .hidden emu_switch
    .globl emu_switch
    .type emu_switch,@function
emu_switch:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp,(%rdi)
    mov %rsi,%rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size emu_switch,.-emu_switch
)");
#endif

void adopt_scheduler() {
#if defined(EMU_TSAN)
    scheduler.tsan = __tsan_get_current_fiber();
#endif
}

void create(Fiber& fiber, char* stack, void (*entry)()) {
    fiber.stack = stack;
#if defined(EMU_TSAN)
    fiber.tsan = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
    // As after a call of `entry` that pushed six registers; 16-byte aligned where `entry` begins, less the return address.
    void** top = reinterpret_cast<void**>(stack + STACK_BYTES - 64);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    fiber.saved = top;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stack;
    fiber.context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber.context, entry, 0);
#endif
}

void to_fiber(Fiber& fiber) {
#if defined(EMU_ASAN)
    __sanitizer_start_switch_fiber(&scheduler.fake_stack, fiber.stack, STACK_BYTES);
#endif
#if defined(EMU_TSAN)
    __tsan_switch_to_fiber(fiber.tsan, 1);  // 1: a switch orders nothing
#endif
#if defined(__x86_64__)
    emu_switch(&scheduler.saved, fiber.saved);
#else
    swapcontext(&scheduler.context, &fiber.context);
#endif
#if defined(EMU_ASAN)
    __sanitizer_finish_switch_fiber(scheduler.fake_stack, nullptr, nullptr);
#endif
}

void to_scheduler(Fiber& fiber) {
#if defined(EMU_ASAN)
    __sanitizer_start_switch_fiber(&fiber.fake_stack, scheduler_bottom, scheduler_size);
#endif
#if defined(EMU_TSAN)
    __tsan_switch_to_fiber(scheduler.tsan, 1);
#endif
#if defined(__x86_64__)
    emu_switch(&fiber.saved, scheduler.saved);
#else
    swapcontext(&fiber.context, &scheduler.context);
#endif
#if defined(EMU_ASAN)
    __sanitizer_finish_switch_fiber(fiber.fake_stack, &scheduler_bottom, &scheduler_size);
#endif
}

void fiber_started() {
#if defined(EMU_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
#endif
}

}  // namespace emu
