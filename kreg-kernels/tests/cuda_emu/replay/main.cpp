// Runs recorded launches again (driver/record.cpp has the format): `replay FILE…`. The order comes from EMU_ORDER, the
// sanitizer from the build. Says of each launch whether its buffers end as they did when it was recorded.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include "../driver/hash.h"
#include "cuda_emu.h"

namespace {

struct Reader {
    std::string bytes;
    size_t at = 0;
    const char* take(size_t n) {
        if (n > bytes.size() - at) {
            fprintf(stderr, "replay: the file ends early\n");
            exit(2);
        }
        at += n;
        return bytes.data() + at - n;
    }
    template <class T>
    T number() {
        T value;
        memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
};

struct Buffer {
    uint64_t address, size;
    char* copy;
};

std::vector<Buffer> read_buffers(Reader& in) {
    std::vector<Buffer> buffers(in.number<uint32_t>());
    for (Buffer& b : buffers) {
        b.address = in.number<uint64_t>();
        b.size = in.number<uint64_t>();
        void* p = nullptr;
        if (posix_memalign(&p, 256, b.size)) exit(2);
        b.copy = static_cast<char*>(p);
        memcpy(b.copy, in.take(b.size), b.size);
    }
    return buffers;
}

// Pointers into recorded buffers become pointers into the copies.
void rebase(std::vector<char>& argument, const std::vector<Buffer>& buffers) {
    for (size_t at = 0; at + 8 <= argument.size(); at += 8) {
        uint64_t word;
        memcpy(&word, argument.data() + at, 8);
        for (const Buffer& b : buffers) {
            if (word < b.address || word - b.address > b.size) continue;
            word = reinterpret_cast<uint64_t>(b.copy) + (word - b.address);
            memcpy(argument.data() + at, &word, 8);
            break;
        }
    }
}

dim3 read_dim(Reader& in) {
    const unsigned x = in.number<uint32_t>(), y = in.number<uint32_t>(), z = in.number<uint32_t>();
    return {x, y, z};
}

bool replay(const char* path) {
    std::ifstream file(path, std::ios::binary);
    Reader in{{std::istreambuf_iterator<char>(file), {}}};
    if (memcmp(in.take(8), "EMULNCH1", 8)) {
        fprintf(stderr, "replay: %s is no recorded launch\n", path);
        exit(2);
    }
    const uint32_t length = in.number<uint32_t>();
    const std::string name(in.take(length), length);
    const emu::Kernel* kernel = emu::find_kernel(name.c_str());
    if (!kernel) {
        fprintf(stderr, "replay: %s: no kernel %s here\n", path, name.c_str());
        exit(2);
    }
    const dim3 grid = read_dim(in), block = read_dim(in);
    const size_t shared = in.number<uint64_t>();
    std::vector<std::vector<char>> arguments(in.number<uint32_t>());
    for (auto& a : arguments) {
        const uint32_t size = in.number<uint32_t>();
        const char* p = in.take(size);
        a.assign(p, p + size);
    }
    const std::vector<Buffer> buffers = read_buffers(in);
    std::vector<void*> values;
    for (auto& a : arguments) {
        rebase(a, buffers);
        values.push_back(a.data());
    }
    emu::run(*kernel, grid, block, shared, values.data());
    bool same = true;
    for (const Buffer& b : buffers) {
        same &= emu::fnv1a(b.copy, b.size) == in.number<uint64_t>();
        free(b.copy);
    }
    if (!same) fprintf(stderr, "replay: %s: the result differs from the recorded one\n", path);
    return same;
}

}  // namespace

int main(int count, char** paths) {
    bool same = true;
    for (int i = 1; i < count; i++) same &= replay(paths[i]);
    printf("replayed %d launches\n", count - 1);
    return same ? 0 : 1;
}
