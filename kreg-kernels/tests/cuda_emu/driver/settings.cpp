// Switches from the environment, and what tests ask beyond CUDA's interface.
#include <cstdio>
#include <cstdlib>
#include "driver.h"

namespace driver {

Driver state;
thread_local Context* current = nullptr;

const char* setting(const char* name) {
    const char* value = getenv(name);
    return value && *value ? value : nullptr;
}

long long number(const char* name, long long otherwise) {
    const char* value = setting(name);
    return value ? strtoll(value, nullptr, 10) : otherwise;
}

// EMU_CC=7.5 gives 75.
int compute_capability() {
    const char* value = setting("EMU_CC");
    int major = 8, minor = 0;
    if (value && sscanf(value, "%d.%d", &major, &minor) != 2) {
        fprintf(stderr, "cuda emulator: EMU_CC=%s is not MAJOR.MINOR\n", value);
        abort();
    }
    return 10 * major + minor;
}

// EMU_DRIVER_VERSION=11040 is CUDA 11.4.
int driver_version() {
    return static_cast<int>(number("EMU_DRIVER_VERSION", 12000));
}

}  // namespace driver

// How often something happened since the start or the last emu_reset: "launches", "graph_launches", "allocations",
// "frees", "synchronisations", "copies", "fills", "modules".
extern "C" unsigned long long emu_count(const char* what) {
    std::lock_guard<std::recursive_mutex> guard(driver::state.mutex);
    return driver::state.counts[what];
}

// Bytes of device memory in use.
extern "C" unsigned long long emu_live_bytes() {
    std::lock_guard<std::recursive_mutex> guard(driver::state.mutex);
    unsigned long long sum = 0;
    for (const auto& [address, size] : driver::state.memory) sum += size;
    return sum;
}

// Forgets counts and a lost device.
extern "C" void emu_reset() {
    std::lock_guard<std::recursive_mutex> guard(driver::state.mutex);
    driver::state.counts.clear();
    driver::state.lost = driver::Success;
}
