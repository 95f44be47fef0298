// Modules: PTX text is read for its version, target and entry names; the kernels are those compiled into this library.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include "driver.h"

using namespace driver;

namespace {

// The word after each `key` in `text`.
std::set<std::string> words_after(const std::string& text, const std::string& key) {
    std::set<std::string> words;
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        size_t from = at + key.size();
        while (from < text.size() && (text[from] == ' ' || text[from] == '\t')) from++;
        size_t to = from;
        while (to < text.size() && (isalnum(static_cast<unsigned char>(text[to])) || text[to] == '_')) to++;
        if (to > from) words.insert(text.substr(from, to - from));
    }
    return words;
}

// The newest PTX ISA that a driver of CUDA `version` reads: 12.x reads 8.x, 11.x reads 7.x; 10 times major, plus minor.
int newest_ptx(int version) {
    const int major = version / 1000, minor = version % 1000 / 10;
    return 10 * (major - 4) + minor;
}

Result check(const std::string& ptx) {
    int major = 0, minor = 0, target = 0;
    const size_t version_at = ptx.find(".version"), target_at = ptx.find(".target");
    if (version_at == std::string::npos || target_at == std::string::npos) return InvalidPtx;
    if (sscanf(ptx.c_str() + version_at, ".version %d.%d", &major, &minor) != 2) return InvalidPtx;
    if (sscanf(ptx.c_str() + target_at, ".target sm_%d", &target) != 1) return InvalidPtx;
    if (10 * major + minor > newest_ptx(driver_version())) return UnsupportedPtxVersion;
    if (target > compute_capability()) return NoBinaryForGpu;
    return Success;
}

bool listed(const char* list, const std::string& name) {
    return list && ("," + std::string(list) + ",").find("," + name + ",") != std::string::npos;
}

int load(Module** module, const std::string& image) {
    if (int refused = forbidden_in_capture()) return refused;
    if (Result error = check(image)) return error;
    *module = new Module{words_after(image, ".entry")};
    state.counts["modules"]++;
    return Success;
}

}  // namespace

extern "C" {

int cuModuleLoadData(Module** module, const void* image) {
    ENTER_CONTEXT
    return load(module, static_cast<const char*>(image));
}

int cuModuleLoad(Module** module, const char* path) {
    ENTER_CONTEXT
    std::ifstream file(path);
    return load(module, {std::istreambuf_iterator<char>(file), {}});
}

int cuModuleUnload(Module* module) {
    delete module;
    return Success;
}

int cuModuleGetFunction(Function** function, Module* module, const char* name) {
    ENTER_CONTEXT
    static std::map<const emu::Kernel*, Function> functions;
    if (!module->entries.count(name) || listed(setting("EMU_MISSING"), name)) return NotFound;
    const emu::Kernel* kernel = emu::find_kernel(name);
    if (!kernel) {
        fprintf(stderr, "cuda emulator: the PTX has %s, but no .cu that this library was built from does\n", name);
        return NotFound;
    }
    *function = &functions.try_emplace(kernel, Function{kernel}).first->second;
    return Success;
}

int cuModuleGetGlobal_v2(DevicePointer*, size_t*, Module*, const char*) {
    return NotFound;
}

}  // extern "C"
