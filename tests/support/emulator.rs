//! A CUDA device for tests: the emulator of `kreg-kernels/tests/cuda_emu` under its stand-in driver, or, with
//! `KREG_CUDA=device`, the machine's own GPU. `KREG_EMU=asan` takes the emulator's build with sanitizers (its README says
//! what the process then needs).

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use kreg::cuda::{CudaContext, context};

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
}

/// `RTLD_NOW`.
const NOW: c_int = 2;

/// The context of the first device; `None` as [`built`] says.
pub fn device() -> Option<Arc<CudaContext>> {
    static LOADED: OnceLock<bool> = OnceLock::new();
    LOADED.get_or_init(load).then(|| context(0).unwrap_or_else(|why| panic!("no device: {why}")))
}

/// Whether the machine's own GPU is to be tested.
pub fn is_own_gpu() -> bool {
    std::env::var("KREG_CUDA").is_ok_and(|which| which == "device")
}

/// Makes the driver that cudarc will find by name the emulator's, unless the machine's own is wanted.
pub fn load() -> bool {
    if is_own_gpu() {
        return true;
    }
    let Some(folder) = folder() else { return false };
    let library = folder.join("libcuda.so.1");
    let path = CString::new(library.to_str().expect("a UTF-8 path")).expect("a path without zeros");
    // SAFETY: the library was built for this; its initialisers fill a list of kernels.
    let handle = unsafe { dlopen(path.as_ptr(), NOW) };
    assert!(!handle.is_null(), "{} does not load", library.display());
    true
}

/// The folder of the stand-in that is under test; `None` for the machine's own GPU, and as [`built`] says.
pub fn folder() -> Option<PathBuf> {
    if is_own_gpu() {
        return None;
    }
    let variant = std::env::var("KREG_EMU").unwrap_or_else(|_| "plain".into());
    built(&[&variant]).map(|out| out.join(variant))
}

/// Builds what is out of date of these variants, and returns the folder that has one for each. `None` without a compiler:
/// under `CI=true` that fails.
pub fn built(variants: &[&str]) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda_emu");
    // A sanitizer that is preloaded here is not for the compiler.
    let run = Command::new(root.join("kreg-kernels/tests/cuda_emu/build.sh"))
        .arg(&out)
        .args(variants)
        .env_remove("LD_PRELOAD")
        .output()
        .expect("bash runs");
    let text = String::from_utf8_lossy(&run.stderr);
    match run.status.code() {
        Some(0) => Some(out),
        Some(3) => {
            assert!(std::env::var_os("CI").is_none(), "no CUDA emulator under CI: {text}");
            eprintln!("CUDA tests skipped: {text}");
            None
        }
        _ => panic!("the CUDA emulator does not build:\n{text}"),
    }
}
