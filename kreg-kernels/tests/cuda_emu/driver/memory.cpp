// Device memory is host memory from posix_memalign, so that the address sanitizer knows its exact bounds.
#include <cstdlib>
#include "driver.h"

using namespace driver;

namespace {

constexpr size_t ALIGNMENT = 256;  // cuMemAlloc's

int allocate(DevicePointer* pointer, size_t bytes) {
    if (!pointer || !bytes) return InvalidValue;
    size_t used = 0;
    for (const auto& [address, size] : state.memory) used += size;
    const long long limit = number("EMU_ALLOC_LIMIT", -1);
    if (limit >= 0 && used + bytes > static_cast<size_t>(limit)) return OutOfMemory;
    void* p = nullptr;
    if (posix_memalign(&p, ALIGNMENT, bytes)) return OutOfMemory;
    memset(p, 0xff, bytes);  // NaNs: what nobody wrote shows
    state.memory[reinterpret_cast<uintptr_t>(p)] = bytes;
    state.counts["allocations"]++;
    *pointer = reinterpret_cast<DevicePointer>(p);
    return Success;
}

int release(DevicePointer pointer) {
    if (!pointer) return Success;
    if (!state.memory.erase(pointer)) return InvalidValue;
    free(reinterpret_cast<void*>(pointer));
    state.counts["frees"]++;
    return Success;
}

// A synchronous call: not in a capture, and done when it returns.
int at_once(Work work) {
    if (int refused = forbidden_in_capture()) return refused;
    return execute(work);
}

int copy(void* stream, void* to, const void* from, size_t bytes, bool to_device, bool from_device) {
    if (to_device && !in_device_memory(to, bytes)) return InvalidValue;
    if (from_device && !in_device_memory(from, bytes)) return InvalidValue;
    return submit(stream_of(stream), Copy{to, from, bytes});
}

template <class T>
int fill(void* stream, DevicePointer to, T value, size_t times) {
    void* p = reinterpret_cast<void*>(to);
    if (!in_device_memory(p, times * sizeof(T))) return InvalidValue;
    const char* bytes = reinterpret_cast<const char*>(&value);
    return submit(stream_of(stream), Fill{p, {bytes, bytes + sizeof(T)}, times});
}

void* host(DevicePointer p) {
    return reinterpret_cast<void*>(p);
}

}  // namespace

namespace driver {

bool in_device_memory(const void* p, size_t bytes) {
    if (!bytes) return true;
    const auto at = reinterpret_cast<uintptr_t>(p);
    auto after = state.memory.upper_bound(at);
    if (after == state.memory.begin()) return false;
    const auto& [address, size] = *--after;
    return at - address <= size && bytes <= size - (at - address);
}

}  // namespace driver

extern "C" {

int cuMemAlloc_v2(DevicePointer* p, size_t bytes) {
    ENTER_CONTEXT
    if (int refused = forbidden_in_capture()) return refused;
    return allocate(p, bytes);
}
// CUDA turns this into a graph node when captured; nothing in this project should allocate there, so it is refused.
int cuMemAllocAsync(DevicePointer* p, size_t bytes, void*) {
    return cuMemAlloc_v2(p, bytes);
}
int cuMemAllocManaged(DevicePointer* p, size_t bytes, unsigned) {
    return cuMemAlloc_v2(p, bytes);
}
int cuMemFree_v2(DevicePointer p) {
    ENTER_CONTEXT
    if (int refused = forbidden_in_capture()) return refused;
    return release(p);
}
int cuMemFreeAsync(DevicePointer p, void*) {
    return cuMemFree_v2(p);
}
int cuMemHostAlloc(void** p, size_t bytes, unsigned) {
    ENTER_CONTEXT
    *p = malloc(bytes);
    return *p ? Success : OutOfMemory;
}
int cuMemFreeHost(void* p) {
    free(p);
    return Success;
}
int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
    ENTER_CONTEXT
    *free_bytes = *total = size_t{1} << 32;
    return Success;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t n) {
    ENTER_CONTEXT
    return in_device_memory(host(to), n) ? at_once(Copy{host(to), from, n}) : int{InvalidValue};
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t n) {
    ENTER_CONTEXT
    state.counts["synchronisations"]++;
    return in_device_memory(host(from), n) ? at_once(Copy{to, host(from), n}) : int{InvalidValue};
}
int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t n) {
    ENTER_CONTEXT
    if (!in_device_memory(host(to), n) || !in_device_memory(host(from), n)) return InvalidValue;
    return at_once(Copy{host(to), host(from), n});
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t n, void* stream) {
    ENTER_CONTEXT
    return copy(stream, host(to), from, n, true, false);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t n, void* stream) {
    ENTER_CONTEXT
    return copy(stream, to, host(from), n, false, true);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t n, void* stream) {
    ENTER_CONTEXT
    return copy(stream, host(to), host(from), n, true, true);
}
int cuMemcpyPeerAsync(DevicePointer to, void*, DevicePointer from, void*, size_t n, void* stream) {
    ENTER_CONTEXT
    return copy(stream, host(to), host(from), n, true, true);
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t n) {
    ENTER_CONTEXT
    if (!in_device_memory(host(to), n)) return InvalidValue;
    return at_once(Fill{host(to), {static_cast<char>(value)}, n});
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, size_t n, void* stream) {
    ENTER_CONTEXT
    return fill(stream, to, value, n);
}
int cuMemsetD32Async(DevicePointer to, unsigned value, size_t n, void* stream) {
    ENTER_CONTEXT
    return fill(stream, to, value, n);
}

// The attributes that say to whom memory belongs. All memory belongs to the current context.
int cuPointerGetAttribute(void* value, int which, DevicePointer p) {
    ENTER_CONTEXT
    auto after = state.memory.upper_bound(p);
    if (after == state.memory.begin()) return InvalidValue;
    const auto& [address, size] = *--after;
    if (p - address >= size) return InvalidValue;
    switch (which) {
        case 1: *static_cast<Context**>(value) = current; return Success;
        case 2: *static_cast<unsigned*>(value) = 2; return Success;  // device memory
        case 3: *static_cast<DevicePointer*>(value) = p; return Success;
        case 9: *static_cast<int*>(value) = current->ordinal; return Success;
        case 11: *static_cast<DevicePointer*>(value) = address; return Success;
        case 12: *static_cast<size_t*>(value) = size; return Success;
        default: return NotSupported;
    }
}

}  // extern "C"
