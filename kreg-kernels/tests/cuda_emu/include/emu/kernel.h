// The list of compiled kernels. A generated file per `.cu` ends in EMU_UNIT and one EMU_KERNEL per entry point.
#pragma once

namespace emu {

// A compiled `extern "C" __global__` function.
struct Kernel {
    const char* name;
    // Bytes of each argument.
    const size_t* sizes;
    unsigned arguments;
    // Runs one thread of it; `values[i]` points to argument i, as in cuLaunchKernel.
    void (*thread)(void* const* values);
    // Static shared memory of its file.
    char *shared_begin, *shared_end;
    Kernel* next;
};

// The head of the list of all kernels in this program or library.
extern Kernel* kernels;

const Kernel* find_kernel(const char* name);

// Runs every thread of every block. Prints and aborts on a fault of the kernel.
void run(const Kernel& kernel, dim3 grid, dim3 block, size_t dynamic_shared, void* const* values);

template <auto Function>
struct Entry;
template <class... A, void (*Function)(A...)>
struct Entry<Function> {
    static constexpr size_t sizes[sizeof...(A) + 1] = {sizeof(A)..., 0};
    static constexpr unsigned count = sizeof...(A);
    template <size_t... I>
    static void call(void* const* values, std::index_sequence<I...>) {
        Function(*static_cast<std::remove_cv_t<A>*>(values[I])...);
    }
    static void thread(void* const* values) { call(values, std::index_sequence_for<A...>{}); }
};

struct Registration {
    Kernel kernel;
    explicit Registration(const Kernel& k) : kernel(k) {
        kernel.next = kernels;
        kernels = &kernel;
    }
};

}  // namespace emu

#define EMU_UNIT(section)                                                              \
    extern "C" char __start_##section[] __attribute__((weak, visibility("hidden")));   \
    extern "C" char __stop_##section[] __attribute__((weak, visibility("hidden")));    \
    static char* const emu_shared_begin = __start_##section;                           \
    static char* const emu_shared_end = __stop_##section;

#define EMU_KERNEL(function)                                                                              \
    static emu::Registration emu_register_##function({#function, emu::Entry<&function>::sizes,            \
                                                      emu::Entry<&function>::count,                       \
                                                      emu::Entry<&function>::thread, emu_shared_begin,    \
                                                      emu_shared_end, nullptr});
