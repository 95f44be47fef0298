//! The CUDA driver as found on this machine: there, complete and new enough, or a refusal. cudarc panics where it is not.

use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DriverError, result};

use crate::refusal::Refusal;

/// The backend's name in refusals.
pub(super) const CUDA: &str = "cuda";

/// The oldest driver interface that reads the embedded PTX (ISA 8.0): that of CUDA 12.0, driver 525.
const OLDEST: i32 = 12_000;

/// Driver functions that this crate, or cudarc on its behalf, calls: each is looked for before any is called.
const SYMBOLS: [&str; 29] = [
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamIsCapturing",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Opens the driver, once per process.
///
/// # Errors
/// [`Refusal::NoDriver`] without `libcuda`, [`Refusal::MissingSymbol`] and [`Refusal::TooOld`] for a driver before 525.
pub fn open() -> Result<(), Refusal> {
    static DRIVER: OnceLock<Result<(), Refusal>> = OnceLock::new();
    DRIVER.get_or_init(look).clone()
}

fn look() -> Result<(), Refusal> {
    // SAFETY: opening the driver's library runs its initialisers, as every CUDA program does.
    if !unsafe { sys::is_culib_present() } {
        let need =
            "install the NVIDIA driver, version 525 or later (libcuda.so.1 or nvcuda.dll was not found)";
        return Err(Refusal::NoDriver { backend: CUDA, need });
    }
    // SAFETY: the library is there, so cudarc finds it again; nothing is called through the address.
    let has = |symbol: &str| unsafe { sys::culib().get::<unsafe extern "C" fn()>(symbol.as_bytes()).is_ok() };
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| !has(symbol)) {
        return Err(Refusal::MissingSymbol { of: "the CUDA driver", symbol: (*symbol).into() });
    }
    let mut version = 0;
    // SAFETY: the symbol was found, and `version` outlives the call.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }
        .result()
        .map_err(|e| refusal("the driver's version", e))?;
    if version < OLDEST {
        let (need, got) = (dotted(OLDEST), dotted(version));
        return Err(Refusal::TooOld { what: "the CUDA version of the driver", need, got });
    }
    Ok(())
}

/// The context of device `ordinal`, counted from 0: the device's primary one, shared with everything else in the
/// process that uses it.
///
/// For callers that have no context yet. Those of `CudaContext::new` serve as well; that function panics without a driver.
///
/// # Errors
/// As [`open`]; [`Refusal::NoDevice`] when there is no such device.
pub fn context(ordinal: usize) -> Result<Arc<CudaContext>, Refusal> {
    open()?;
    match result::init() {
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => {
            return Err(Refusal::NoDevice { backend: CUDA, wanted: ordinal as u64, found: 0 });
        }
        other => other.map_err(|e| refusal("starting the driver", e))?,
    }
    let found = CudaContext::device_count().map_err(|e| refusal("counting devices", e))?;
    if ordinal as u64 >= found.max(0) as u64 {
        return Err(Refusal::NoDevice { backend: CUDA, wanted: ordinal as u64, found: found.max(0) as u64 });
    }
    CudaContext::new(ordinal).map_err(|e| refusal("making a context", e))
}

/// 12040 -> 12.4
fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// What the driver's answer means to a caller.
pub(super) fn refusal(what: &'static str, error: DriverError) -> Refusal {
    use CUresult as E;
    let cause = match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => format!("{} ({})", text.to_string_lossy(), name.to_string_lossy()),
        _ => format!("CUDA error {}", error.0 as u32),
    };
    match error.0 {
        E::CUDA_ERROR_ILLEGAL_ADDRESS
        | E::CUDA_ERROR_LAUNCH_TIMEOUT
        | E::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | E::CUDA_ERROR_MISALIGNED_ADDRESS
        | E::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | E::CUDA_ERROR_INVALID_PC
        | E::CUDA_ERROR_HARDWARE_STACK_ERROR
        | E::CUDA_ERROR_LAUNCH_FAILED
        | E::CUDA_ERROR_ASSERT
        | E::CUDA_ERROR_ECC_UNCORRECTABLE
        | E::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | E::CUDA_ERROR_DEVICE_UNAVAILABLE
        | E::CUDA_ERROR_DEINITIALIZED => Refusal::Lost { backend: CUDA, cause },
        _ => Refusal::Driver { what, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_nvidia_writes_them() {
        assert_eq!(dotted(OLDEST), "12.0");
        assert_eq!(dotted(12_040), "12.4");
    }
}
