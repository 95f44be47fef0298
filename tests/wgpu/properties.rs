//! What holds of every row on every device for any input: inputs and shapes are drawn at random, and the smallest that fails
//! is reported.

use kreg::kernels::reference::workload::Random;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::product::products;
use super::support::laws::{Product, config};

/// Every row on every device in turn.
fn each(mut law: impl FnMut(&Product<'_>) -> Result<(), TestCaseError>) -> Result<(), TestCaseError> {
    for product in products() {
        let run = |bytes: &[u8], (rows, cols), x: &[f32]| product.run(bytes, rows, cols, x);
        law(&Product { name: product.name(), format: product.format, run: &run })?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(8))]

    #[test]
    fn products_are_linear_and_split(seed: u64, rows in 1usize..9, blocks in 2usize..5, a in -2.0f32..2.0, b in -2.0f32..2.0) {
        let mut rng = Random::new(seed);
        each(|product| product.is_linear_and_splits(rows, blocks, (a, b), &mut rng))?;
    }

    #[test]
    fn rows_permute_and_scale(seed: u64, rows in 2usize..40, blocks in 1usize..4, exponent in -3i32..4) {
        let mut rng = Random::new(seed);
        each(|product| product.permutes_and_scales(rows, blocks, exponent, &mut rng))?;
    }
}
