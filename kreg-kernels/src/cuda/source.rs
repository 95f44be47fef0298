//! The compiled text of one `.cu` file, and what the driver makes of it.

use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cudarc::driver::{CudaContext, result, sys};

use super::driver::refusal;
use crate::refusal::Refusal;

/// The PTX of one `.cu` file and the names of its kernels. Made by [`cuda_source!`](crate::cuda_source) in the wrapper
/// beside the file, once per file.
#[derive(Debug)]
pub struct Source {
    /// Stem of the file, for messages.
    pub(super) name: &'static str,
    ptx: &'static str,
    kernels: &'static [&'static str],
    /// Where a device keeps the loaded module: the number of sources that were used before this one.
    slot: OnceLock<usize>,
}

/// A module in a context, with its kernels in the order of their names.
#[derive(Debug)]
pub(super) struct Loaded {
    module: sys::CUmodule,
    kernels: Vec<sys::CUfunction>,
    context: Arc<CudaContext>,
}

// SAFETY: module and function handles belong to a context, not to a thread; every use binds the context first.
unsafe impl Send for Loaded {}
// SAFETY: as above; nothing in it changes after it is made.
unsafe impl Sync for Loaded {}

impl Source {
    /// For [`cuda_source!`](crate::cuda_source): `ptx` ends with a zero byte.
    #[doc(hidden)]
    pub const fn new(name: &'static str, ptx: &'static str, kernels: &'static [&'static str]) -> Self {
        Self { name, ptx, kernels, slot: OnceLock::new() }
    }

    /// The PTX, as it was compiled ahead of time.
    pub fn ptx(&self) -> &'static str {
        self.ptx.trim_end_matches('\0')
    }

    /// The names of its kernels.
    pub const fn kernels(&self) -> &'static [&'static str] {
        self.kernels
    }

    /// Its place in every device's table: given on first use, the same ever after.
    pub(super) fn slot(&self) -> usize {
        static USED: AtomicUsize = AtomicUsize::new(0);
        *self.slot.get_or_init(|| USED.fetch_add(1, Ordering::Relaxed))
    }

    /// Loads the module and finds every kernel in it.
    pub(super) fn load(&self, context: &Arc<CudaContext>) -> Result<Loaded, Refusal> {
        let text = CStr::from_bytes_with_nul(self.ptx.as_bytes())
            .map_err(|_| Refusal::MissingSymbol { of: "an embedded PTX", symbol: "its end".into() })?;
        context.bind_to_thread().map_err(|e| refusal("binding the context", e))?;
        // SAFETY: the image is a string that ends with a zero byte and outlives the call.
        let module = unsafe { result::module::load_data(text.as_ptr().cast::<c_void>()) }
            .map_err(|e| refusal("loading a module", e))?;
        // From here on the module is unloaded when something fails.
        let mut loaded = Loaded { module, kernels: Vec::new(), context: context.clone() };
        for kernel in self.kernels {
            let missing = || Refusal::MissingSymbol { of: self.name, symbol: (*kernel).into() };
            let name = CString::new(*kernel).map_err(|_| missing())?;
            // SAFETY: the module was just loaded.
            let found = unsafe { result::module::get_function(module, name) }.map_err(|e| match e.0 {
                sys::CUresult::CUDA_ERROR_NOT_FOUND => missing(),
                _ => refusal("finding a kernel", e),
            })?;
            loaded.kernels.push(found);
        }
        Ok(loaded)
    }
}

impl Loaded {
    /// The kernel at a position of the source's list.
    pub(super) fn kernel(&self, index: usize) -> Option<sys::CUfunction> {
        self.kernels.get(index).copied()
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // Whatever fails here is reported by the context's next call, as cudarc does for its own types.
        self.context.record_err(self.context.bind_to_thread());
        // SAFETY: the module is of this context, and its functions go with this value.
        self.context.record_err(unsafe { result::module::unload(self.module) });
    }
}

/// Embeds the PTX beside the file that says it: `cuda_source!("q8_0", ["gemv_q8_0"])` for `q8_0.ptx` and the kernels
/// in it. The result is named `SOURCE`: generated code preloads it by that name.
#[macro_export]
macro_rules! cuda_source {
    ($stem:literal, [$($kernel:literal),+ $(,)?]) => {
        $crate::cuda::Source::new(
            concat!($stem, ".ptx"),
            concat!(include_str!(concat!($stem, ".ptx")), "\0"),
            &[$($kernel),+],
        )
    };
}
