// Streams and events. Work runs when it is submitted, on the caller's thread.
#include <chrono>
#include "driver.h"

using namespace driver;

namespace {

Stream default_stream{nullptr, nullptr, false};

double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// A wait for the device: an error, and the end of the capture, in a stream that captures.
int synchronize(Stream* stream) {
    state.counts["synchronisations"]++;
    if (!stream->capture) return Success;
    stream->capture->valid = false;
    return CaptureUnsupported;
}

}  // namespace

namespace driver {

Stream* stream_of(void* handle) {
    const auto value = reinterpret_cast<uintptr_t>(handle);
    return value <= 2 ? &default_stream : static_cast<Stream*>(handle);
}

Result forbidden_in_capture() {
    Result result = Success;
    for (Stream* s : state.streams) {
        if (!s->capture || s->capture->mode == 2) continue;
        if (s->capture->mode == 1 && s->capture->thread != std::this_thread::get_id()) continue;
        s->capture->valid = false;
        result = CaptureUnsupported;
    }
    return result;
}

Result submit(Stream* stream, Work work) {
    if (!stream->capture) return execute(work);
    if (!stream->capture->valid) return CaptureInvalidated;
    stream->capture->nodes.push_back(std::move(work));
    return Success;
}

}  // namespace driver

extern "C" {

int cuStreamCreate(Stream** stream, unsigned) {
    ENTER_CONTEXT
    *stream = new Stream{current, nullptr, false};
    state.streams.insert(*stream);
    return Success;
}
int cuStreamCreateWithPriority(Stream** stream, unsigned flags, int) {
    return cuStreamCreate(stream, flags);
}
int cuStreamDestroy_v2(Stream* stream) {
    ENTER
    if (!state.streams.erase(stream)) return InvalidHandle;
    delete stream;
    return Success;
}
int cuStreamSynchronize(void* stream) {
    ENTER_CONTEXT
    return synchronize(stream_of(stream));
}
int cuStreamQuery(void* stream) {
    ENTER_CONTEXT
    Stream* s = stream_of(stream);
    if (!s->capture) return Success;
    s->capture->valid = false;
    return CaptureUnsupported;
}
int cuStreamGetCtx(void* stream, Context** context) {
    ENTER_CONTEXT
    Stream* s = stream_of(stream);
    *context = s->context ? s->context : current;
    return Success;
}
// An event of the same capture makes this stream part of it; one from outside breaks it.
int cuStreamWaitEvent(void* stream, Event* event, unsigned) {
    ENTER_CONTEXT
    Stream* s = stream_of(stream);
    if (event->capture && !s->capture) s->capture = event->capture;
    if (s->capture && event->recorded && event->capture != s->capture) {
        s->capture->valid = false;
        return event->capture ? CaptureMerge : CaptureIsolation;
    }
    return Success;
}
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    ENTER_CONTEXT
    if (stream_of(stream)->capture) return NotSupported;
    function(data);
    return Success;
}

int cuEventCreate(Event** event, unsigned) {
    ENTER_CONTEXT
    *event = new Event;
    return Success;
}
int cuEventDestroy_v2(Event* event) {
    delete event;
    return Success;
}
int cuEventRecord(Event* event, void* stream) {
    ENTER_CONTEXT
    event->capture = stream_of(stream)->capture;
    event->recorded = true;
    event->time = now_ms();
    return Success;
}
int cuEventSynchronize(Event* event) {
    ENTER_CONTEXT
    state.counts["synchronisations"]++;
    return event->capture ? CapturedEvent : Success;
}
int cuEventQuery(Event* event) {
    ENTER_CONTEXT
    return event->capture ? CapturedEvent : Success;
}
int cuEventElapsedTime(float* ms, Event* start, Event* end) {
    ENTER_CONTEXT
    if (!start->recorded || !end->recorded) return InvalidHandle;
    if (start->capture || end->capture) return CapturedEvent;
    *ms = static_cast<float>(end->time - start->time);
    return Success;
}
int cuEventElapsedTime_v2(float* ms, Event* start, Event* end) {
    return cuEventElapsedTime(ms, start, end);
}

}  // extern "C"
