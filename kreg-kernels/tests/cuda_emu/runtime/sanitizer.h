// The sanitizers' fiber interfaces. The runtime itself is compiled without instrumentation, so that only kernels are
// checked; EMU_ASAN or EMU_TSAN says which sanitizer the kernels beside it are built with.
#pragma once
#include <cstddef>

#if defined(EMU_ASAN)
extern "C" {
void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* save, const void** bottom, size_t* size);
void __asan_poison_memory_region(const volatile void* p, size_t n);
void __asan_unpoison_memory_region(const volatile void* p, size_t n);
}
#endif
#if defined(EMU_TSAN)
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* p);
void __tsan_release(void* p);
}
#endif

namespace emu {

// What happens before `release(p)` happens before what follows `acquire(p)`.
inline void acquire([[maybe_unused]] void* p) {
#if defined(EMU_TSAN)
    __tsan_acquire(p);
#endif
}
inline void release([[maybe_unused]] void* p) {
#if defined(EMU_TSAN)
    __tsan_release(p);
#endif
}

// Only the first `used` of `all` bytes may be touched.
inline void allow([[maybe_unused]] char* p, [[maybe_unused]] size_t used, [[maybe_unused]] size_t all) {
#if defined(EMU_ASAN)
    __asan_unpoison_memory_region(p, all);
    __asan_poison_memory_region(p + used, all - used);
#endif
}

}  // namespace emu
