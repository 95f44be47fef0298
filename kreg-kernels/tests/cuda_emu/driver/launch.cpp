// Launches: limits checked as a driver does, arguments copied, the emulator called.
#include <cstdio>
#include "driver.h"

using namespace driver;

namespace {

struct Run {
    Result operator()(const Launch& launch) const {
        const long long after = number("EMU_LOST_AFTER", -1);
        if (after >= 0 && state.counts["launches"] >= static_cast<unsigned long long>(after)) {
            return state.lost = LaunchFailed;
        }
        state.counts["launches"]++;
        Recording recording(launch);
        std::vector<const void*> values;
        for (const auto& a : launch.arguments) values.push_back(a.data());
        emu::run(*launch.kernel, launch.grid, launch.block, launch.dynamic_shared,
                 const_cast<void* const*>(reinterpret_cast<const void* const*>(values.data())));
        recording.finish();
        return Success;
    }
    // The memory may have been freed since the work was captured.
    Result operator()(const Copy& c) const {
        state.counts["copies"]++;
        memmove(c.to, c.from, c.bytes);
        return Success;
    }
    Result operator()(const Fill& f) const {
        state.counts["fills"]++;
        char* to = static_cast<char*>(f.to);
        for (size_t i = 0; i < f.times; i++) memcpy(to + i * f.pattern.size(), f.pattern.data(), f.pattern.size());
        return Success;
    }
};

bool fits(const Function& f, dim3 grid, dim3 block, unsigned shared) {
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z) return false;
    if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) return false;
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.x * block.y * block.z > 1024) return false;
    return shared <= static_cast<unsigned>(f.max_dynamic_shared);
}

}  // namespace

namespace driver {

Result execute(const Work& work) {
    return std::visit(Run{}, work);
}

}  // namespace driver

extern "C" {

int cuLaunchKernel(Function* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** values, void** extra) {
    ENTER_CONTEXT
    if (!f || extra) return InvalidValue;
    Launch launch{f->kernel, {gx, gy, gz}, {bx, by, bz}, shared, {}};
    if (!fits(*f, launch.grid, launch.block, shared)) return InvalidValue;
    for (unsigned i = 0; i < f->kernel->arguments; i++) {
        const char* bytes = static_cast<const char*>(values[i]);
        launch.arguments.emplace_back(bytes, bytes + f->kernel->sizes[i]);
    }
    return submit(stream_of(stream), std::move(launch));
}

// 8: dynamic shared memory above 48 KiB, up to the device's opt-in limit.
int cuFuncSetAttribute(Function* f, int which, int value) {
    ENTER_CONTEXT
    if (which != 8) return Success;
    if (value < 0 || value > shared_opt_in(compute_capability())) return InvalidValue;
    f->max_dynamic_shared = value;
    return Success;
}

int cuFuncGetAttribute(int* value, int which, Function* f) {
    ENTER_CONTEXT
    switch (which) {
        case 0: *value = 1024; break;  // threads per block
        case 1: *value = static_cast<int>(f->kernel->shared_end - f->kernel->shared_begin); break;
        case 8: *value = f->max_dynamic_shared; break;
        default: *value = 0;
    }
    return Success;
}

int cuFuncSetCacheConfig(Function*, int) {
    return Success;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int threads, size_t) {
    ENTER_CONTEXT
    if (threads < 1 || threads > 1024) return InvalidValue;
    *blocks = 2048 / threads;
    return Success;
}

}  // extern "C"
