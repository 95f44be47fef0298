//! A device of [`emulator`], and what the tests of ops do with it.

#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use std::sync::Arc;

use kreg::cuda::cudarc::driver::{CudaSlice, DeviceRepr};
use kreg::cuda::{CudaStream, Device};

#[path = "emulator.rs"]
pub mod emulator;

/// A device on a stream of its own, and buffers there.
pub struct Gpu {
    pub device: Device,
    pub stream: Arc<CudaStream>,
}

/// A device, or `None` after saying why there is none, which is a failure under `CI=true`.
pub fn gpu() -> Option<Gpu> {
    let context = emulator::device()?;
    // SAFETY: each test keeps to the one stream that it makes here.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    Some(Gpu { device: Device::new(&stream).unwrap(), stream })
}

impl Gpu {
    /// Copies to the device.
    pub fn up<T: DeviceRepr>(&self, x: &[T]) -> CudaSlice<T> {
        self.stream.clone_htod(x).unwrap()
    }

    /// Copies from the device.
    pub fn down<T: DeviceRepr + Clone + Default>(&self, x: &CudaSlice<T>) -> Vec<T> {
        self.stream.clone_dtoh(x).unwrap()
    }

    /// `n` numbers that no kernel writes.
    pub fn fresh(&self, n: usize) -> CudaSlice<f32> {
        self.up(&vec![UNTOUCHED; n])
    }
}

/// What fresh buffers hold.
pub const UNTOUCHED: f32 = 777.25;

/// Holds every output to its exact value: within `share` of the largest finite one, or with the same bits for 0; NaN and
/// infinities where the exact values have them and nowhere else.
#[track_caller]
pub fn close(what: &str, got: &[f32], exact: &[f64], share: f64) {
    assert_eq!(got.len(), exact.len(), "{what}");
    let max = exact.iter().filter(|y| y.is_finite()).fold(0.0f64, |max, y| max.max(y.abs()));
    for (i, (&got, &exact)) in got.iter().zip(exact).enumerate() {
        let right = if exact.is_nan() {
            got.is_nan()
        } else if share == 0.0 || exact.is_infinite() {
            got.to_bits() == (exact as f32).to_bits()
        } else {
            (f64::from(got) - exact).abs() <= share * max
        };
        assert!(right, "{what}, output {i}: got {got:e}, exact {exact:e}");
    }
}

/// f32 values as float64.
pub fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}
