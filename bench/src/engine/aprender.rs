//! aprender-serve, the system whose registry kreg started from: its products of one activation row, through its public
//! functions. Rows that it serves by expanding a whole tensor first have no product of their own, and are left out.

use kreg::QType;
use realizar::quantize;

use super::{Budget, Engine, Matrix};
use crate::Error;

/// A product: weights, activations, columns, rows.
type Product = fn(&[u8], &[f32], usize, usize) -> realizar::error::Result<Vec<f32>>;

/// aprender-serve, which takes its threads from the pool that it is called in.
pub struct Aprender<'p> {
    pool: &'p rayon::ThreadPool,
    product: Product,
    what: &'static str,
    rows: usize,
    cols: usize,
    copies: Vec<Vec<u8>>,
    next: usize,
    output: Vec<f32>,
}

impl<'p> Aprender<'p> {
    /// None when it has no product for this type.
    pub fn new(pool: &'p rayon::ThreadPool, matrix: &Matrix) -> Option<Self> {
        let (what, product) = product(matrix.qtype)?;
        let copies = vec![matrix.bytes.clone(); matrix.copies];
        let (rows, cols) = (matrix.rows, matrix.cols);
        Some(Self { pool, product, what, rows, cols, copies, next: 0, output: Vec::new() })
    }
}

impl Engine for Aprender<'_> {
    fn name(&self) -> &'static str {
        "aprender"
    }

    fn what(&self) -> String {
        self.what.into()
    }

    fn takes(&self, m: usize) -> bool {
        m == 1
    }

    fn turn(&mut self, x: &[f32], budget: &Budget) -> Result<Vec<f64>, Error> {
        let mut call = || {
            let weights = &self.copies[self.next % self.copies.len()];
            self.next += 1;
            self.output = (self.product)(weights, x, self.cols, self.rows).map_err(|why| why.to_string())?;
            Ok(())
        };
        let turn = || budget.sample(&mut call).map_err(|why| why.to_string());
        Ok(self.pool.install(turn)?)
    }

    fn output(&self) -> Result<Vec<f32>, Error> {
        Ok(self.output.clone())
    }
}

/// The product for codebook types, by GGML's number of the type.
fn iq<const TYPE: u32>(w: &[u8], x: &[f32], cols: usize, rows: usize) -> realizar::error::Result<Vec<f32>> {
    let mut y = vec![0.0; rows];
    quantize::iq_parallel_matvec_into(TYPE, w, x, cols, rows, &mut y)?;
    Ok(y)
}

/// What its registry names for a type, where that multiplies.
fn product(qtype: QType) -> Option<(&'static str, Product)> {
    Some(match qtype {
        QType::Q4_0 => ("fused_q4_0_q8_0_parallel_matvec", quantize::fused_q4_0_q8_0_parallel_matvec),
        QType::Q8_0 => ("fused_q8_0_q8_0_parallel_matvec", quantize::fused_q8_0_q8_0_parallel_matvec),
        QType::Q4_K => ("fused_q4k_parallel_matvec", quantize::fused_q4k_parallel_matvec),
        QType::Q5_K => ("fused_q5k_parallel_matvec", quantize::fused_q5k_parallel_matvec),
        QType::Q6_K => ("fused_q6k_parallel_matvec", quantize::fused_q6k_parallel_matvec),
        QType::IQ2_XXS => ("iq_parallel_matvec_into", iq::<16>),
        QType::IQ3_XXS => ("iq_parallel_matvec_into", iq::<18>),
        QType::IQ4_NL => ("iq_parallel_matvec_into", iq::<20>),
        QType::IQ3_S => ("iq_parallel_matvec_into", iq::<21>),
        QType::IQ2_S => ("iq_parallel_matvec_into", iq::<22>),
        QType::IQ4_XS => ("iq_parallel_matvec_into", iq::<23>),
        _ => return None,
    })
}
