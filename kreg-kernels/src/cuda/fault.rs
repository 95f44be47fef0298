//! What a kernel can find wrong with values that only the device has read.

use super::launch::{Geometry, Pointer, launch};
use super::{Device, Source};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
static SOURCE: Source = cuda_source!("fault", ["fault_take"]);

/// What each value of the fault word says; value 0 says nothing. Headers of the kernels name the bits.
const FAULTS: [&str; 3] = [
    "a position at or past the capacity of the cache",
    "a token id outside the table",
    "a position at or past the capacity of the cache, and a token id outside the table",
];

/// Moves the fault word to `taken` and leaves 0, in the stream's order.
///
/// # Errors
/// Those of a launch.
pub(super) fn take(device: &Device, taken: &Pointer<'_>) -> Result<(), Refusal> {
    let arguments = [device.fault_word().arg(), taken.arg()];
    // SAFETY: the kernel reads and writes the fault word, and writes one u32 that is the caller's.
    unsafe { launch(device, &SOURCE, 0, Geometry::over(1, 1, 1), &arguments) }
}

/// The refusal that a fault word stands for.
pub(super) fn refusal(word: u32) -> Result<(), Refusal> {
    let Some(index) = word.checked_sub(1) else { return Ok(()) };
    let known = FAULTS.get(index as usize).copied();
    Err(Refusal::Fault { what: known.unwrap_or("a value that no kernel of this version refuses") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_says_all_that_was_found() {
        assert_eq!(refusal(0), Ok(()));
        let said: std::collections::BTreeSet<_> =
            [1, 2, 3, 4].map(|word| refusal(word).unwrap_err().to_string()).into();
        assert_eq!(said.len(), 4);
        for word in [1, 2] {
            let (one, both) = (refusal(word).unwrap_err(), refusal(3).unwrap_err());
            let Refusal::Fault { what } = one else { panic!("{one}") };
            assert!(both.to_string().contains(what), "{both}");
        }
    }
}
