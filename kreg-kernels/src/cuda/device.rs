//! A stream, and what kernels need there.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, sys,
};

use super::driver::{self, CUDA, refusal};
use super::fault;
use super::launch::Pointer;
use super::products::Products;
use super::source::{Loaded, Source};
use crate::refusal::Refusal;
use crate::target::{FEATURE_NAMES, Features, Target};

/// Sources that a process can use.
const SLOTS: usize = 512;

/// Sizes of scratch: powers of two.
const SIZES: usize = 40;

/// The oldest compute capability that the embedded PTX is for.
const OLDEST: (i32, i32) = (7, 0);

/// The caller's stream on a CUDA device, with everything that kernels need there: loaded functions, scratch and the
/// fault word. It creates no context and no stream.
///
/// One per stream. Calls on it are ordered as the stream orders them. It may be shared between threads, as the stream may.
///
/// A captured graph holds the addresses of a device's kernels, scratch and fault word: the device must outlive the graph's
/// last replay, as the weights and buffers of the step must.
pub struct Device {
    stream: Arc<CudaStream>,
    functions: Arc<Functions>,
    /// The fault word, and what was taken from it.
    fault: Mutex<CudaSlice<u32>>,
    fault_address: u64,
    scratch: [OnceLock<CudaSlice<u8>>; SIZES],
    together: Mutex<()>,
    target: Target,
    products: Products,
}

/// The modules that were loaded into a context.
struct Functions {
    loaded: [OnceLock<Loaded>; SLOTS],
    loading: Mutex<()>,
}

/// What a [`Device`] may be told. Made by [`Device::builder`].
#[derive(Debug)]
pub struct Builder<'a> {
    stream: &'a Arc<CudaStream>,
    sibling: Option<&'a Device>,
    products: Option<Products>,
}

impl<'a> Builder<'a> {
    /// How rows with precision `profile_selected` multiply, instead of what is fastest on the device.
    #[must_use]
    pub const fn products(mut self, products: Products) -> Self {
        self.products = Some(products);
        self
    }

    /// Shares the loaded kernels of a device of the same context, for another stream of it.
    #[must_use]
    pub const fn beside(mut self, device: &'a Device) -> Self {
        self.sibling = Some(device);
        self
    }

    /// Makes the device. It allocates the fault word: not while the stream captures.
    ///
    /// # Errors
    /// [`Refusal::NoDriver`], [`Refusal::MissingSymbol`], [`Refusal::TooOld`] for a driver before 525 or a compute
    /// capability below 7.0, [`Refusal::OtherContext`] for a sibling of another context, [`Refusal::Capturing`],
    /// [`Refusal::Lost`], [`Refusal::Driver`].
    pub fn build(self) -> Result<Device, Refusal> {
        driver::open()?;
        let (stream, context) = (self.stream, self.stream.context());
        let capability = context.compute_capability().map_err(|e| refusal("asking the device", e))?;
        if capability < OLDEST {
            let dotted = |(major, minor): (i32, i32)| format!("{major}.{minor}");
            let (need, got) = (dotted(OLDEST), dotted(capability));
            return Err(Refusal::TooOld { what: "the compute capability of the device", need, got });
        }
        let functions = match self.sibling {
            Some(sibling) if sibling.stream.context() != context => {
                return Err(Refusal::OtherContext { what: "the sibling device" });
            }
            Some(sibling) => sibling.functions.clone(),
            None => {
                Arc::new(Functions { loaded: [const { OnceLock::new() }; SLOTS], loading: Mutex::new(()) })
            }
        };
        may_allocate(stream, "the fault word")?;
        let fault = stream.alloc_zeros::<u32>(2).map_err(|e| refusal("allocating the fault word", e))?;
        let fault_address = fault.device_ptr(stream).0;
        Ok(Device {
            stream: stream.clone(),
            functions,
            fault: Mutex::new(fault),
            fault_address,
            scratch: [const { OnceLock::new() }; SIZES],
            together: Mutex::new(()),
            target: target(capability),
            products: self.products.unwrap_or_else(|| Products::of_capability(capability.0, capability.1)),
        })
    }
}

impl Device {
    /// A device on the caller's stream, with the choices that fit the hardware.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn new(stream: &Arc<CudaStream>) -> Result<Self, Refusal> {
        Self::builder(stream).build()
    }

    /// A device on the caller's stream, with choices of the caller's.
    pub const fn builder(stream: &Arc<CudaStream>) -> Builder<'_> {
        Builder { stream, sibling: None, products: None }
    }

    /// The stream that everything runs on.
    pub const fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// What this device may run: its compute capability, and those before it.
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// How rows with precision `profile_selected` multiply here.
    pub const fn products(&self) -> Products {
        self.products
    }

    /// Loads a source now, instead of with the first launch of one of its kernels.
    ///
    /// # Errors
    /// [`Refusal::Capturing`] while the stream captures; [`Refusal::MissingSymbol`], [`Refusal::Driver`].
    pub fn preload(&self, source: &'static Source) -> Result<(), Refusal> {
        self.loaded(source).map(|_| ())
    }

    /// What kernels have found wrong with values in device memory since this was last asked: a position past the end of
    /// a cache, a token id outside the table. Waits for the stream, and forgets what it reports, and only that: a fault
    /// that is found meanwhile, by another thread's calls or a graph on another stream, is reported now or the next time.
    ///
    /// # Errors
    /// [`Refusal::Fault`]; [`Refusal::Capturing`] while the stream captures; [`Refusal::Lost`] when the device stopped.
    pub fn fault(&self) -> Result<(), Refusal> {
        may_allocate(&self.stream, "the fault word")?;
        // What one caller takes no other may take before it is read.
        let words = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = words.slice(1..);
        fault::take(self, &Pointer::new(self.fault_address + size_of::<u32>() as u64, None))?;
        let mut word = [0];
        self.stream.memcpy_dtoh(&taken, &mut word).map_err(|e| refusal("reading the fault word", e))?;
        self.stream.synchronize().map_err(|e| refusal("waiting for the stream", e))?;
        fault::refusal(word[0])
    }

    /// The fault word, for a launch: kernels set bits of it with `atomicOr`.
    pub const fn fault_word(&self) -> Pointer<'_> {
        Pointer::new(self.fault_address, None)
    }

    /// Bytes for intermediate results of one call, allocated when a call first needs that many and kept for the next
    /// ones: the stream's order keeps calls apart. The address is a multiple of 256 and stays the same; none, for 0 bytes,
    /// is a null pointer.
    ///
    /// # Errors
    /// [`Refusal::Capturing`] when they would have to be allocated while the stream captures; [`Refusal::TooLarge`],
    /// [`Refusal::Driver`].
    pub fn scratch(&self, bytes: usize) -> Result<Pointer<'_>, Refusal> {
        if bytes == 0 {
            return Ok(Pointer::new(0, None));
        }
        let limit = 1 << (SIZES - 1);
        let size = bytes.max(256).checked_next_power_of_two();
        let cell = size.and_then(|size| self.scratch.get(size.trailing_zeros() as usize).zip(Some(size)));
        let Some((cell, size)) = cell else {
            return Err(Refusal::TooLarge { what: "scratch", limit, got: bytes as u64 });
        };
        if cell.get().is_none() {
            let _one = self.functions.loading.lock().unwrap_or_else(PoisonError::into_inner);
            if cell.get().is_none() {
                may_allocate(&self.stream, "scratch")?;
                // SAFETY: kernels write what they read of it.
                let slice =
                    unsafe { self.stream.alloc::<u8>(size) }.map_err(|e| refusal("allocating scratch", e))?;
                _ = cell.set(slice);
            }
        }
        let Some(slice) = cell.get() else { return Err(Refusal::Empty { what: "scratch" }) };
        Ok(Pointer::new(slice.device_ptr(&self.stream).0, None))
    }

    /// For a call that launches several kernels around one piece of scratch: while the guard lives, no other such call
    /// puts its launches between.
    pub(super) fn together(&self) -> MutexGuard<'_, ()> {
        self.together.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A buffer that a launch reads.
    ///
    /// # Errors
    /// [`Refusal::OtherContext`]; [`Refusal::Misaligned`] when its address is no multiple of the element.
    pub fn read<'a, T>(
        &'a self,
        what: &'static str,
        view: &'a CudaView<'_, T>,
    ) -> Result<Pointer<'a>, Refusal> {
        self.mine(what, view)?;
        let (address, guard) = view.device_ptr(&self.stream);
        aligned::<T>(what, address)?;
        Ok(Pointer::new(address, Some(guard)))
    }

    /// A buffer that a launch writes.
    ///
    /// # Errors
    /// As [`Device::read`].
    pub fn write<'a, T>(
        &'a self,
        what: &'static str,
        view: &'a mut CudaViewMut<'_, T>,
    ) -> Result<Pointer<'a>, Refusal> {
        self.mine(what, view)?;
        let (address, guard) = view.device_ptr_mut(&self.stream);
        aligned::<T>(what, address)?;
        Ok(Pointer::new(address, Some(guard)))
    }

    /// Refuses a buffer of another context.
    fn mine<T>(&self, what: &'static str, buffer: &impl DeviceSlice<T>) -> Result<(), Refusal> {
        let (ours, theirs) = (self.stream.context(), buffer.stream().context());
        if Arc::ptr_eq(ours, theirs) || ours == theirs { Ok(()) } else { Err(Refusal::OtherContext { what }) }
    }

    /// A kernel of a source, loaded when it was not.
    pub(super) fn function(
        &self,
        source: &'static Source,
        kernel: usize,
    ) -> Result<sys::CUfunction, Refusal> {
        let missing =
            || Refusal::MissingSymbol { of: source.name, symbol: format!("kernel number {kernel}") };
        self.loaded(source)?.kernel(kernel).ok_or_else(missing)
    }

    fn loaded(&self, source: &'static Source) -> Result<&Loaded, Refusal> {
        let slot = source.slot();
        let too_many = Refusal::TooLarge { what: "CUDA sources", limit: SLOTS as u64, got: slot as u64 + 1 };
        let cell = self.functions.loaded.get(slot).ok_or_else(|| too_many.clone())?;
        if let Some(loaded) = cell.get() {
            return Ok(loaded);
        }
        let _one = self.functions.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if cell.get().is_none() {
            may_allocate(&self.stream, source.name)?;
            _ = cell.set(source.load(self.stream.context())?);
        }
        cell.get().ok_or(too_many)
    }
}

/// Refuses when the stream captures a graph: loading and allocating would break it.
fn may_allocate(stream: &CudaStream, what: &'static str) -> Result<(), Refusal> {
    match stream.capture_status().map_err(|e| refusal("asking the stream", e))? {
        sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(()),
        _ => Err(Refusal::Capturing { what }),
    }
}

fn aligned<T>(what: &'static str, address: u64) -> Result<(), Refusal> {
    let need = align_of::<T>() as u64;
    if address.is_multiple_of(need) { Ok(()) } else { Err(Refusal::Misaligned { what, need, address }) }
}

/// Compute capability 8.6 as a target: arch `sm_86`, with the features `sm_61` to `sm_86`.
fn target((major, minor): (i32, i32)) -> Target {
    let own = major * 10 + minor;
    let number = |name: &&str| name.strip_prefix("sm_").and_then(|n| n.parse::<i32>().ok());
    let known = || FEATURE_NAMES.iter().filter(|name| number(name).is_some_and(|n| n <= own));
    let features = known().fold(Features::NONE, |all, name| all.union(Features::parse(name)));
    let arch = known().find(|name| number(name) == Some(own));
    Target::new(arch.unwrap_or(&"any"), features)
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("backend", &CUDA)
            .field("stream", &self.stream)
            .field("target", &self.target)
            .field("products", &self.products)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_includes_those_before_it() {
        let ampere = target((8, 6));
        assert_eq!(ampere.arch(), "sm_86");
        assert_eq!(ampere.features().to_string(), "sm_61+sm_70+sm_75+sm_80+sm_86");
        let unknown = target((9, 9));
        assert_eq!(unknown.arch(), "any");
        assert!(unknown.features().contains(Features::parse("sm_90")));
    }
}
