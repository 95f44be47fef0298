//! Matrix times activation rows.

/// The outputs of a product, `[M, rows]` each.
#[derive(Clone, Debug, PartialEq)]
pub struct Products {
    /// `y[i][r] = sum_k W[r][k] * x[i][k]`.
    pub y: Vec<f64>,
    /// `mag[i][r] = sum_k |W[r][k]| * |x[i][k]|`: what an error bound is a multiple of.
    pub mag: Vec<f64>,
}

/// `W x` for decoded weights `[rows, cols]` and activations `[M, cols]`, with its magnitude. Columns ascend.
///
/// # Panics
/// When a length is not a whole number of rows.
pub fn dot(weights: &[f32], cols: usize, x: &[f64]) -> Products {
    assert!(
        cols > 0 && weights.len().is_multiple_of(cols) && x.len().is_multiple_of(cols),
        "ragged rows of {cols}"
    );
    let mut out = Products { y: Vec::new(), mag: Vec::new() };
    for x in x.chunks(cols) {
        for w in weights.chunks(cols) {
            let (mut y, mut mag) = (0.0, 0.0);
            for k in 0..cols {
                let product = f64::from(w[k]) * x[k];
                y += product;
                mag += product.abs();
            }
            out.y.push(y);
            out.mag.push(mag);
        }
    }
    out
}
