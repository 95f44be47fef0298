//! EM-DOT: products with a weight matrix.

use super::{Arithmetic, F64, Undefined};
use crate::reference::Products;

/// `gamma_k * mag` per output of a product over `k` columns, in any order of summation, plus the same for the float64
/// of the definition. `mag` belongs to the activations that the kernel multiplies: after quantisation, where it
/// quantises. Each product and the sum may lose the smallest number, and the smallest normal one where subnormals may be
/// `flushed`.
///
/// # Errors
/// When gamma is undefined.
pub fn dot(products: &Products, k: usize, sum: Arithmetic, flushed: bool) -> Result<Vec<f64>, Undefined> {
    let scale = sum.gamma(k)? + F64.gamma(k)?;
    let lost = (k + 1) as f64 * if flushed { sum.smallest_normal } else { sum.smallest };
    Ok(products.mag.iter().map(|mag| scale * mag + lost).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{F16, F32};
    use super::*;

    #[test]
    fn scales_with_the_magnitude_and_refuses() {
        let products = Products { y: vec![0.0, 1.0], mag: vec![0.0, 2.0] };
        let bound = dot(&products, 1024, F32, false).unwrap();
        assert!(bound[0] > 0.0 && bound[0] < 1e-40);
        assert!((bound[1] - 2.0 * 6.10e-5).abs() < 1e-7);
        assert_eq!(dot(&products, 1024, F32, true).unwrap()[0], 1025.0 * f64::from(f32::MIN_POSITIVE));
        assert!(dot(&products, 2048, F16, false).is_err());
    }
}
