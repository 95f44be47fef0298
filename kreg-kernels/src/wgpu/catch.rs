//! Errors of wgpu as refusals: without a scope they reach the device's handler, which panics unless the caller set one.

use std::fmt::Display;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use ::wgpu::{Device, ErrorFilter};

use crate::refusal::Refusal;

/// Runs `action` and turns the first error that wgpu raises meanwhile on this thread into a refusal. `what` is being
/// tried, with the caller's `buffers`.
pub(super) fn catch<T>(
    device: &Device,
    what: &'static str,
    buffers: &'static str,
    action: impl FnOnce() -> T,
) -> Result<T, Refusal> {
    let scopes = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let value = action();
    let mut first = None;
    for scope in scopes.into_iter().rev() {
        first = first.or(ready(scope.pop()).flatten());
    }
    first.map_or(Ok(value), |error| Err(refusal(what, buffers, &error)))
}

/// wgpu has one kind of error for all mistakes; the two that are no mistake of kreg's are told by their words.
pub(super) fn refusal(what: &'static str, buffers: &'static str, error: &dyn Display) -> Refusal {
    let cause = error.to_string().trim_end().to_owned();
    if cause.contains("doesn't match") {
        return Refusal::OtherContext { what: buffers };
    }
    // What kreg has just made is only invalid on a device that is gone.
    if cause.contains("with 'kreg") && cause.contains("is invalid") {
        return Refusal::Lost { backend: "wgpu", cause };
    }
    Refusal::Driver { what, cause }
}

/// The value of a future that has it at once, as all of wgpu's do outside of browsers.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
