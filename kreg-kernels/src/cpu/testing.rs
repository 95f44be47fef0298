//! Small helpers of the kernels' own tests.

use crate::args::SampleRng;

/// Asserts equal lengths and differences of at most `rel` times the largest expected magnitude.
#[track_caller]
pub(crate) fn assert_close(got: &[f32], want: &[f64], rel: f64) {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(error <= rel * largest, "[{i}]: got {got}, want {want}, largest {largest}");
    }
}

/// `n` numbers, uniform in `[-1, 1)`.
pub(crate) fn uniform(rng: &mut SampleRng, n: usize) -> Vec<f32> {
    (0..n).map(|_| 2.0 * rng.next_f32() - 1.0).collect()
}
