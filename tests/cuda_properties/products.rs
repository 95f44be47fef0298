//! The weight rows; those with precision `profile_selected` in each of their ways.

use kreg::cuda::{Device, Products, Weights};
use kreg::kernels::reference::decode::format;
use kreg::kernels::reference::workload::Random;
use kreg::{Backend, KernelId};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::gpu::gpu;
use crate::laws::{Product, config};

/// Every weight row in turn, with whether it leaves activations in f32.
fn each(mut law: impl FnMut(&Product<'_>, bool) -> Result<(), TestCaseError>) -> Result<(), TestCaseError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let mut seen = 0;
    for id in KernelId::ALL {
        let (Some(qtype), Backend::Cuda) = (id.qtype(), id.backend()) else { continue };
        let path = kreg::admit(id.op(), id.backend(), qtype).unwrap();
        for products in [Products::F32, Products::Dp4a] {
            if products == Products::Dp4a && id.row().precision != "profile_selected" {
                continue;
            }
            let device = Device::builder(&gpu.stream).products(products).build().unwrap();
            let run = |bytes: &[u8], (rows, cols): (usize, usize), x: &[f32]| {
                let (w, x, mut y) = (gpu.up(bytes), gpu.up(x), gpu.fresh(rows));
                let w = Weights::bind(&device, path, w.as_view(), rows, cols).unwrap();
                assert_eq!(w.gemv(&device, &x.as_view(), &mut y.as_view_mut()).unwrap().kernel, id);
                gpu.down(&y)
            };
            let name = format!("{id} {products:?}");
            law(
                &Product { name, format: format(qtype.name()).unwrap(), run: &run },
                products == Products::F32,
            )?;
            seen += 1;
        }
    }
    assert!(seen >= 20, "18 weight types, two of them in two ways");
    Ok(())
}

proptest! {
    #![proptest_config(config(8))]

    #[test]
    fn products_are_linear_and_split(seed: u64, rows in 1usize..9, blocks in 2usize..5, a in -2.0f32..2.0, b in -2.0f32..2.0) {
        let mut rng = Random::new(seed);
        each(|product, in_f32| match in_f32 {
            true => product.is_linear_and_splits(rows, blocks, (a, b), &mut rng),
            false => Ok(()),
        })?;
    }

    #[test]
    fn rows_permute_and_scale(seed: u64, rows in 2usize..40, blocks in 1usize..4, exponent in -3i32..4) {
        let mut rng = Random::new(seed);
        each(|product, _| product.permutes_and_scales(rows, blocks, exponent, &mut rng))?;
    }
}
