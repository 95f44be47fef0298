// FNV-1a, 64 bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emu {

inline uint64_t fnv1a(const char* bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size; i++) hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3ull;
    return hash;
}

}  // namespace emu
