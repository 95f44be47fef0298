// The stand-in driver's own types. Handles are pointers to these structs; CUDA's C types are plain pointers here.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>
#include "cuda_emu.h"

namespace driver {

// CUresult, with the driver's numbers.
enum Result : int {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidImage = 200,
    InvalidContext = 201,
    NoBinaryForGpu = 209,
    InvalidPtx = 218,
    UnsupportedPtxVersion = 222,
    InvalidHandle = 400,
    NotFound = 500,
    NotReady = 600,
    LaunchOutOfResources = 701,
    LaunchFailed = 719,
    NotSupported = 801,
    CaptureUnsupported = 900,
    CaptureInvalidated = 901,
    CaptureMerge = 902,
    CaptureUnmatched = 903,
    CaptureUnjoined = 904,
    CaptureIsolation = 905,
    CapturedEvent = 907,
};

using DevicePointer = unsigned long long;

struct Context {
    int ordinal;
};

// A launch whose arguments have been copied, as cuLaunchKernel does.
struct Launch {
    const emu::Kernel* kernel;
    dim3 grid, block;
    size_t dynamic_shared;
    std::vector<std::vector<char>> arguments;
};
struct Copy {
    void* to;
    const void* from;
    size_t bytes;
};
struct Fill {
    void* to;
    std::vector<char> pattern;
    size_t times;
};
// What a stream runs, and what a graph holds. Streams run at once, so the order of capture is an order of execution.
using Work = std::variant<Launch, Copy, Fill>;

struct Capture {
    std::vector<Work> nodes;
    bool valid = true;
    int mode;  // 0 global, 1 of the thread, 2 relaxed
    std::thread::id thread = std::this_thread::get_id();  // that began it
};
struct Stream {
    Context* context;
    std::shared_ptr<Capture> capture;
    bool origin = false;  // where the capture began
};
struct Event {
    std::shared_ptr<Capture> capture;  // when last recorded in one
    bool recorded = false;
    double time = 0;
};
struct Graph {
    std::vector<Work> nodes;
};
struct Module {
    std::set<std::string> entries;
};
struct Function {
    const emu::Kernel* kernel;
    int max_dynamic_shared = 48 << 10;
};

struct Driver {
    std::recursive_mutex mutex;
    bool initialized = false;
    Result lost = Success;  // sticky, as after a fault on a device
    std::map<uintptr_t, size_t> memory;  // live allocations
    std::set<Stream*> streams;
    std::map<std::string, unsigned long long> counts;
};
extern Driver state;
extern thread_local Context* current;

// Environment switches; read at every use.
const char* setting(const char* name);
long long number(const char* name, long long otherwise);
int compute_capability();  // 80 for 8.0
int driver_version();

// Bytes of shared memory that a block can opt in to.
int shared_opt_in(int capability);

// Whether all of it lies in one live allocation.
bool in_device_memory(const void* p, size_t bytes);

// Runs the work, or adds it to the stream's capture.
Result submit(Stream* stream, Work work);
Result execute(const Work& work);

// The stream that a handle means; the null handles are one stream without capture.
Stream* stream_of(void* handle);

// What is not allowed during a capture (allocations, synchronous copies, loading) ends it, as CUDA does. A capture forbids it
// to the thread that began it, and a global one to every thread.
Result forbidden_in_capture();

// With EMU_RECORD: what a launch reads, to be replayed; see record.cpp.
class Recording {
  public:
    explicit Recording(const Launch& launch);
    void finish();

  private:
    struct Buffer {
        uintptr_t address;
        size_t size;
    };
    std::vector<Buffer> buffers;
    std::string path, bytes;
};

}  // namespace driver

// Opens every entry point: one caller at a time; a lost device answers nothing else.
#define ENTER                                                                   \
    std::lock_guard<std::recursive_mutex> guard(driver::state.mutex);           \
    if (!driver::state.initialized) return driver::NotInitialized;              \
    if (driver::state.lost) return driver::state.lost;
#define ENTER_CONTEXT \
    ENTER             \
    if (!driver::current) return driver::InvalidContext;
