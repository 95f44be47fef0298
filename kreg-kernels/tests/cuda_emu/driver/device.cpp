// Initialisation, devices, contexts, error texts.
#include <cstdio>
#include "driver.h"

using namespace driver;

namespace {

constexpr int MAX_DEVICES = 8;
Context contexts[MAX_DEVICES] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};

int devices() {
    if (setting("EMU_NO_DEVICE")) return 0;
    return static_cast<int>(std::min<long long>(number("EMU_DEVICES", 1), MAX_DEVICES));
}

int attribute(int which) {
    const int capability = compute_capability();
    switch (which) {
        case 1: return 1024;                      // threads per block
        case 2: case 3: return 1024;              // block x, y
        case 4: return 64;                        // block z
        case 5: return 2147483647;                // grid x
        case 6: case 7: return 65535;             // grid y, z
        case 8: return 48 << 10;                  // shared memory per block
        case 9: return 64 << 10;                  // constant memory
        case 10: return 32;                       // warp size
        case 12: return 65536;                    // registers per block
        case 16: return static_cast<int>(number("EMU_MULTIPROCESSORS", 2));
        case 36: case 13: return 1000000;         // clock rates
        case 37: return 128;                      // memory bus width
        case 38: return 4 << 20;                  // L2 cache
        case 39: return 2048;                     // threads per multiprocessor
        case 41: return 1;                        // unified addressing
        case 75: return capability / 10;
        case 76: return capability % 10;
        case 81: return 100 << 10;                // shared memory per multiprocessor
        case 97: return shared_opt_in(capability);
        case 115: return number("EMU_POOLS", 1) != 0;  // cuMemAllocAsync
        default: return 0;
    }
}

struct Text {
    int code;
    const char *name, *text;
};
constexpr Text TEXTS[] = {
    {Success, "CUDA_SUCCESS", "no error"},
    {InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {InvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {InvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {UnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {InvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {CaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {CaptureMerge, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
    {CaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {CaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {CaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {CapturedEvent, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
};

const Text* find(int code) {
    for (const Text& t : TEXTS) {
        if (t.code == code) return &t;
    }
    return nullptr;
}

}  // namespace

namespace driver {

int shared_opt_in(int capability) {
    switch (capability) {
        case 70: case 72: return 96 << 10;
        case 75: return 64 << 10;
        case 80: case 87: return 163 << 10;
        case 86: case 89: case 120: case 121: return 99 << 10;
        default: return capability >= 90 ? 227 << 10 : 48 << 10;
    }
}

}  // namespace driver

extern "C" {

int cuInit(unsigned) {
    std::lock_guard<std::recursive_mutex> guard(state.mutex);
    if (!devices()) return NoDevice;
    state.initialized = true;
    return Success;
}

int cuDriverGetVersion(int* version) {
    *version = driver_version();
    return Success;
}

int cuDeviceGetCount(int* count) {
    ENTER
    *count = devices();
    return Success;
}

int cuDeviceGet(int* device, int ordinal) {
    ENTER
    if (ordinal < 0 || ordinal >= devices()) return InvalidDevice;
    *device = ordinal;
    return Success;
}

int cuDeviceGetName(char* name, int length, int) {
    ENTER
    snprintf(name, static_cast<size_t>(length), "kreg CUDA emulator");
    return Success;
}

int cuDeviceTotalMem_v2(size_t* bytes, int) {
    ENTER
    *bytes = size_t{1} << 32;
    return Success;
}

int cuDeviceGetUuid(char* uuid, int device) {
    ENTER
    memset(uuid, 7 + device, 16);
    return Success;
}

int cuDeviceGetUuid_v2(char* uuid, int device) {
    return cuDeviceGetUuid(uuid, device);
}

int cuDeviceGetAttribute(int* value, int which, int device) {
    ENTER
    if (device < 0 || device >= devices()) return InvalidDevice;
    *value = attribute(which);
    return Success;
}

int cuDevicePrimaryCtxRetain(Context** context, int device) {
    ENTER
    if (device < 0 || device >= devices()) return InvalidDevice;
    *context = &contexts[device];
    return Success;
}

int cuDevicePrimaryCtxRelease_v2(int) {
    return Success;
}

int cuCtxSetCurrent(Context* context) {
    ENTER
    current = context;
    return Success;
}

int cuCtxGetCurrent(Context** context) {
    if (!state.initialized) return NotInitialized;
    *context = current;
    return Success;
}

int cuCtxGetDevice(int* device) {
    ENTER_CONTEXT
    *device = current->ordinal;
    return Success;
}

int cuCtxSynchronize() {
    ENTER_CONTEXT
    state.counts["synchronisations"]++;
    return forbidden_in_capture();
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return Success;
}

int cuGetErrorString(int code, const char** text) {
    const Text* t = find(code);
    *text = t ? t->text : nullptr;
    return t ? Success : InvalidValue;
}

int cuGetErrorName(int code, const char** name) {
    const Text* t = find(code);
    *name = t ? t->name : nullptr;
    return t ? Success : InvalidValue;
}

// NVRTC in the same process asks for these; without them it crashes.
int cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return NotSupported;
}

int cuGetProcAddress(const char*, void** function, int, unsigned long long) {
    *function = nullptr;
    return NotFound;
}

int cuGetProcAddress_v2(const char*, void** function, int, unsigned long long, int* status) {
    *function = nullptr;
    if (status) *status = 1;
    return NotFound;
}

}  // extern "C"
