//! The device, and how things on it are timed.

use std::sync::Arc;
use std::time::Instant;

use kreg::Refusal;
use kreg::cuda::cudarc::driver::{CudaSlice, DeviceRepr, DriverError, result, sys};
use kreg::cuda::{CudaStream, Device, context};

/// The first GPU, with a stream of this program.
pub(crate) struct Gpu {
    pub(crate) device: Device,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) name: String,
    pub(crate) driver: String,
    /// Whether the driver is the stand-in of the tests.
    pub(crate) emulated: bool,
    /// Whether everything is to be as small as that needs.
    pub(crate) small: bool,
    /// Bytes of the weights of a timed product.
    pub(crate) bytes: usize,
    /// Calls that are timed together.
    pub(crate) calls: u32,
}

/// What a driver call answers, as a refusal.
pub(crate) fn driver(error: DriverError) -> Refusal {
    Refusal::Driver { what: "gpu_check", cause: error.to_string() }
}

impl Gpu {
    /// Opens it; `small` makes everything as small as an emulator needs.
    pub(crate) fn open(small: bool) -> Result<Self, Refusal> {
        let context = context(0)?;
        // SAFETY: this program uses one stream only, and frees nothing while the stream works.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(driver)?;
        let mut version = 0;
        // SAFETY: the driver has been opened, and `version` outlives the call.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver)?;
        result::init().map_err(driver)?;
        Ok(Self {
            device: Device::new(&stream)?,
            name: context.name().map_err(driver)?,
            driver: format!("cuda {}.{}", version / 1000, version % 1000 / 10),
            stream,
            // SAFETY: nothing is called through the address: only the stand-in has the name.
            emulated: unsafe { sys::culib().get::<unsafe extern "C" fn()>(b"emu_count") }.is_ok(),
            small,
            // More than any cache holds, so that every call reads memory.
            bytes: if small { 1 << 18 } else { 512 << 20 },
            calls: if small { 2 } else { 50 },
        })
    }

    /// Copies to the device.
    pub(crate) fn up<T: DeviceRepr>(&self, x: &[T]) -> Result<CudaSlice<T>, Refusal> {
        self.stream.clone_htod(x).map_err(driver)
    }

    /// Copies from the device.
    pub(crate) fn down<T: DeviceRepr + Clone + Default>(&self, x: &CudaSlice<T>) -> Result<Vec<T>, Refusal> {
        self.stream.clone_dtoh(x).map_err(driver)
    }

    /// Seconds of one call: the first is not counted, and many are enqueued before the clock stops.
    pub(crate) fn seconds(&self, mut call: impl FnMut() -> Result<(), Refusal>) -> Result<f64, Refusal> {
        call()?;
        self.stream.synchronize().map_err(driver)?;
        let start = Instant::now();
        for _ in 0..self.calls {
            call()?;
        }
        self.stream.synchronize().map_err(driver)?;
        Ok(start.elapsed().as_secs_f64() / f64::from(self.calls))
    }

    /// GB/s of a copy within the device: what is read and what is written, together.
    pub(crate) fn copy_speed(&self) -> Result<f64, Refusal> {
        let from = self.stream.alloc_zeros::<u8>(self.bytes).map_err(driver)?;
        let mut to = self.stream.alloc_zeros::<u8>(self.bytes).map_err(driver)?;
        let seconds = self.seconds(|| self.stream.memcpy_dtod(&from, &mut to).map_err(driver))?;
        Ok(2.0 * self.bytes as f64 / seconds / 1e9)
    }
}
