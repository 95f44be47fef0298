//! Arguments of `matvec`.

use crate::matrix::RawMatrix;
use crate::refusal::Refusal;

/// `x` must be `[M, cols]` for a whole number M of rows (0 is a whole number), `y` the matching `[M, rows]`.
///
/// # Errors
/// [`Refusal::Multiple`] for a ragged `x`, [`Refusal::Length`] for any other length of `y`.
pub fn matvec(w: &RawMatrix<'_>, x: &[f32], y: &[f32]) -> Result<(), Refusal> {
    if !x.len().is_multiple_of(w.cols()) {
        return Err(Refusal::Multiple { what: "x (activations)", of: w.cols() as u64, got: x.len() as u64 });
    }
    let expected = (x.len() / w.cols()) as u64 * w.rows() as u64;
    if y.len() as u64 != expected {
        return Err(Refusal::Length { what: "y (outputs)", expected, got: y.len() as u64 });
    }
    Ok(())
}
