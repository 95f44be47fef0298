//! Whether a result may stand.

use kreg::kernels::reference::{Products, gamma};

/// Holds every output of a product over `k` columns to the bound `gamma_k * mag` (EM-DOT), `k` at least 4: a
/// kernel that takes a scale out of the sum rounds once or twice more than there are columns. Where the exact value is
/// NaN, infinite or too large for f32, the result must not be finite: a kernel that takes an infinite scale out of the
/// sum may answer infinity where the sum of the products would be NaN. Each
/// product and the sum may also lose `smallest`, the smallest number that the kernel's arithmetic keeps.
///
/// # Panics
/// On the first output that is off, naming it with `what`.
#[track_caller]
pub fn assert_within(what: &str, k: usize, smallest: f64, got: &[f32], want: &Products) {
    assert_eq!(got.len(), want.y.len(), "{what}: number of outputs");
    for (i, (&got, (&want, mag))) in got.iter().zip(want.y.iter().zip(&want.mag)).enumerate() {
        let bound = gamma(k.max(4)) * mag + (k + 1) as f64 * smallest;
        let representable = want.abs() <= f64::from(f32::MAX);
        let right = if representable { (f64::from(got) - want).abs() <= bound } else { !got.is_finite() };
        assert!(right, "{what}, output {i}: got {got:e}, exact {want:e}, bound {bound:e}");
    }
}
