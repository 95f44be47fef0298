// Stream capture and graphs: a list of copied launches, copies and fills, run again in the order of capture.
#include "driver.h"

using namespace driver;

extern "C" {

int cuStreamBeginCapture_v2(void* handle, int mode) {
    ENTER_CONTEXT
    Stream* stream = stream_of(handle);
    if (!state.streams.count(stream)) return CaptureUnsupported;  // the default stream cannot capture
    if (stream->capture) return InvalidValue;
    stream->capture = std::make_shared<Capture>();
    stream->capture->mode = mode;
    stream->origin = true;
    return Success;
}

// Ends it for every stream that joined. No unjoined work can exist here: streams run at once.
int cuStreamEndCapture(void* handle, Graph** graph) {
    ENTER_CONTEXT
    Stream* stream = stream_of(handle);
    *graph = nullptr;
    if (!stream->capture) return InvalidValue;
    if (!stream->origin) return CaptureUnmatched;
    const auto capture = stream->capture;
    for (Stream* s : state.streams) {
        if (s->capture == capture) s->capture = nullptr;
    }
    stream->origin = false;
    if (!capture->valid) return CaptureInvalidated;
    *graph = new Graph{capture->nodes};
    return Success;
}

int cuStreamIsCapturing(void* handle, int* status) {
    ENTER_CONTEXT
    Stream* stream = stream_of(handle);
    *status = !stream->capture ? 0 : stream->capture->valid ? 1 : 2;
    return Success;
}

// Flags: 1 frees on launch, 2 uploads, 4 launches from the device, 8 uses node priorities. 1 and 4 exclude each other.
int cuGraphInstantiateWithFlags(Graph** exec, const Graph* graph, unsigned long long flags) {
    ENTER_CONTEXT
    if (flags > 15 || (flags & 5) == 5) return InvalidValue;
    *exec = new Graph(*graph);
    return Success;
}

// Into a stream that captures, the nodes become part of its graph.
int cuGraphLaunch(const Graph* exec, void* stream) {
    ENTER_CONTEXT
    state.counts["graph_launches"]++;
    for (const Work& work : exec->nodes) {
        if (int error = submit(stream_of(stream), work)) return error;
    }
    return Success;
}

int cuGraphUpload(const Graph*, void*) {
    ENTER_CONTEXT
    return Success;
}

int cuGraphGetNodes(const Graph* graph, void** nodes, size_t* count) {
    ENTER_CONTEXT
    if (nodes) return NotSupported;  // only the count
    *count = graph->nodes.size();
    return Success;
}

int cuGraphExecDestroy(Graph* exec) {
    delete exec;
    return Success;
}

int cuGraphDestroy(Graph* graph) {
    delete graph;
    return Success;
}

}  // extern "C"
