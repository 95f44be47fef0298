//! What a product keeps on any backend, whatever its weights: checked here once, called by the property tests of each.

use kreg::kernels::reference::decode::{Format, Order};
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::reference::{dot, gamma};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Bytes of weights, their shape and activations to outputs.
pub type Run<'a> = dyn Fn(&[u8], (usize, usize), &[f32]) -> Vec<f32> + 'a;

/// A row, as a function of weights, their shape (rows and columns) and activations.
pub struct Product<'a> {
    /// For messages.
    pub name: String,
    /// The weight type.
    pub format: &'a Format,
    /// `W x`.
    pub run: &'a Run<'a>,
}

/// So many cases, and no file of those that failed.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}

/// Columns of a matrix of about this many blocks.
pub fn columns(format: &Format, blocks: usize) -> usize {
    match (format.order, format.elems) {
        (Order::Flat(_), _) | (Order::Rows, 1) => 29 * blocks + 3,
        (Order::Rows, elems) => elems * blocks,
    }
}

/// How far each output may be off.
fn slack(weights: &[f32], cols: usize, x: &[f32]) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|&x| x.into()).collect();
    let lost = (cols + 1) as f64 * f64::from(f32::MIN_POSITIVE);
    dot(weights, cols, &x).mag.iter().map(|mag| gamma(cols + 8) * mag + lost).collect()
}

impl Product<'_> {
    fn matrix(&self, rows: usize, cols: usize, rng: &mut Random) -> Vec<u8> {
        self.format.matrix(rows, cols, Codes::Random, Scales::Sane, rng)
    }

    /// In f32, `W (a x + b z)` is `a W x + b W z`, and a sum over columns is the sum of the sums over its parts, each
    /// within the bounds of the products that are compared.
    pub fn is_linear_and_splits(
        &self,
        rows: usize,
        blocks: usize,
        (a, b): (f32, f32),
        rng: &mut Random,
    ) -> Result<(), TestCaseError> {
        let cols = columns(self.format, blocks);
        let bytes = self.matrix(rows, cols, rng);
        let weights = self.format.decode(&bytes, rows, cols);
        let (x, z) = (rng.activations(cols), rng.activations(cols));
        let mixed: Vec<f32> = x.iter().zip(&z).map(|(x, z)| a * x + b * z).collect();
        let run = |x: &[f32]| (self.run)(&bytes, (rows, cols), x);
        let (wx, wz, wm) = (run(&x), run(&z), run(&mixed));
        let (sx, sz) = (slack(&weights, cols, &x), slack(&weights, cols, &z));
        for r in 0..rows {
            let want = f64::from(a) * f64::from(wx[r]) + f64::from(b) * f64::from(wz[r]);
            // Twice: mixing the activations rounds each of them.
            let may = 2.0 * (f64::from(a.abs()) * sx[r] + f64::from(b.abs()) * sz[r] + 1e-37);
            prop_assert!((f64::from(wm[r]) - want).abs() <= may, "{} row {r}", self.name);
        }
        // Zeros elsewhere leave a part of the sum; the cut lies between blocks.
        let elems = self.format.elems;
        let cut = if elems == 1 { cols / 3 } else { cols / elems / 2 * elems };
        let part = |keep: std::ops::Range<usize>| -> Vec<f32> {
            (0..cols).map(|k| if keep.contains(&k) { x[k] } else { 0.0 }).collect()
        };
        let (head, tail) = (run(&part(0..cut)), run(&part(cut..cols)));
        for r in 0..rows {
            let sum = f64::from(head[r]) + f64::from(tail[r]);
            prop_assert!((sum - f64::from(wx[r])).abs() <= 2.0 * sx[r], "{} row {r}", self.name);
        }
        Ok(())
    }

    /// Rows of weights in another order give the outputs in that order, and a power of two on the activations is one on
    /// the outputs, bit for bit.
    pub fn permutes_and_scales(
        &self,
        rows: usize,
        blocks: usize,
        exponent: i32,
        rng: &mut Random,
    ) -> Result<(), TestCaseError> {
        let cols = columns(self.format, blocks);
        let bytes = self.matrix(rows, cols, rng);
        let x = rng.activations(cols);
        let y = (self.run)(&bytes, (rows, cols), &x);
        let factor = 2f32.powi(exponent);
        let scaled: Vec<f32> = x.iter().map(|x| x * factor).collect();
        let want: Vec<f32> = y.iter().map(|y| y * factor).collect();
        prop_assert_eq!(bits(&(self.run)(&bytes, (rows, cols), &scaled)), bits(&want), "{}", &self.name);
        if self.format.order == Order::Rows {
            let (turned, row) = (rng.bits() as usize % rows, bytes.len() / rows);
            let rotated = [&bytes[turned * row..], &bytes[..turned * row]].concat();
            let want = [&y[turned..], &y[..turned]].concat();
            prop_assert_eq!(bits(&(self.run)(&rotated, (rows, cols), &x)), bits(&want), "{}", &self.name);
        }
        Ok(())
    }
}
