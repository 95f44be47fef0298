// EMU_RECORD=DIR: every launch becomes a file that replay/ runs again, under another order or another sanitizer.
//
// The file, little-endian: "EMULNCH1"; name (u32 length, bytes); grid and block (6 x u32); dynamic shared (u64);
// arguments (u32 count; each u32 size, bytes); buffers (u32 count; each u64 address, u64 size, bytes before the launch);
// then per buffer the u64 FNV-1a hash of its bytes after the launch.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include "driver.h"
#include "hash.h"

namespace driver {
namespace {

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The live allocation that `word` points into, or the end.
auto allocation(uintptr_t word) {
    auto after = state.memory.upper_bound(word);
    if (after == state.memory.begin()) return state.memory.end();
    --after;
    return word - after->first <= after->second ? after : state.memory.end();
}

}  // namespace

Recording::Recording(const Launch& launch) {
    const char* folder = setting("EMU_RECORD");
    if (!folder) return;
    std::map<uintptr_t, size_t> used;
    for (const auto& argument : launch.arguments) {
        for (size_t at = 0; at + 8 <= argument.size(); at += 8) {
            uintptr_t word;
            memcpy(&word, argument.data() + at, 8);
            if (const auto found = allocation(word); found != state.memory.end()) used.insert(*found);
        }
    }
    size_t total = 0;
    for (const auto& [address, size] : used) total += size;
    if (total > static_cast<size_t>(number("EMU_RECORD_LIMIT", 4 << 20))) {
        state.counts["unrecorded"]++;
        return;
    }
    static unsigned sequence = 0;
    path = std::string(folder) + "/" + launch.kernel->name + "-" + std::to_string(getpid()) + "-" +
           std::to_string(sequence++) + ".launch";
    bytes = "EMULNCH1";
    const std::string name = launch.kernel->name;
    put(bytes, static_cast<uint32_t>(name.size()));
    bytes += name;
    for (const dim3& d : {launch.grid, launch.block}) {
        for (uint32_t v : {d.x, d.y, d.z}) put(bytes, v);
    }
    put(bytes, static_cast<uint64_t>(launch.dynamic_shared));
    put(bytes, static_cast<uint32_t>(launch.arguments.size()));
    for (const auto& argument : launch.arguments) {
        put(bytes, static_cast<uint32_t>(argument.size()));
        bytes.append(argument.data(), argument.size());
    }
    put(bytes, static_cast<uint32_t>(used.size()));
    for (const auto& [address, size] : used) {
        buffers.push_back({address, size});
        put(bytes, static_cast<uint64_t>(address));
        put(bytes, static_cast<uint64_t>(size));
        bytes.append(reinterpret_cast<const char*>(address), size);
    }
}

void Recording::finish() {
    if (path.empty()) return;
    for (const Buffer& b : buffers) put(bytes, emu::fnv1a(reinterpret_cast<const char*>(b.address), b.size));
    FILE* file = fopen(path.c_str(), "wb");
    if (!file || fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || fclose(file)) {
        fprintf(stderr, "cuda emulator: cannot write %s\n", path.c_str());
        abort();
    }
}

}  // namespace driver
