//! Shapes and weights that no model has.

use kreg::kernels::reference::workload::{Codes, Random, Scales};

use super::product::{Product, bytes_of, products, read};

/// Columns: one block, and numbers that leave lanes idle, fill them once and go round.
fn columns(product: &Product) -> Vec<usize> {
    match product.format.elems {
        1 => vec![1, 7, 64, 133, 1030],
        elems => vec![elems, 3 * elems, 2048 + elems],
    }
}

#[test]
fn every_shape_is_right() {
    let mut rng = Random::new(11);
    for product in products() {
        for cols in columns(&product) {
            for rows in [1, 3, 4, 66] {
                let bytes = product.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
                product.check(&format!("N {rows} K {cols}"), &bytes, rows, cols, &rng.activations(cols));
            }
        }
    }
}

#[test]
fn many_rows_of_one_block_are_right() {
    let mut rng = Random::new(12);
    for product in products() {
        let (rows, cols) = (65_537, product.format.elems);
        let bytes = product.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        product.check("N 65537", &bytes, rows, cols, &rng.activations(cols));
    }
}

#[test]
fn adversarial_blocks_are_right() {
    const CODES: [Codes; 7] = [
        Codes::Random,
        Codes::All(0x80),
        Codes::All(0x7f),
        Codes::All(0x00),
        Codes::All(0xff),
        Codes::Alternating(0x80, 0x7f),
        Codes::Alternating(0x0f, 0xf0),
    ];
    const SCALES: [Scales; 6] =
        [Scales::Sane, Scales::Zero, Scales::Subnormal, Scales::Largest, Scales::Nan, Scales::Infinite];
    let mut rng = Random::new(13);
    for product in products() {
        let (rows, cols) = (5, product.format.elems.max(31));
        for (codes, scales) in CODES.iter().flat_map(|c| SCALES.iter().map(move |s| (*c, *s))) {
            // Against the largest scales activations are so small that sums stay finite.
            let unit = if scales == Scales::Largest { 1e-6 / cols as f32 } else { 1.0 };
            let alternating = (0..cols).map(|i| if i % 2 == 0 { unit } else { -unit });
            let random = rng.activations(cols).iter().map(|x| x * unit).collect();
            let bytes = product.format.matrix(rows, cols, codes, scales, &mut rng);
            for x in [random, vec![unit; cols], alternating.collect()] {
                let what = format!("{codes:?} {scales:?}");
                let (got, exact) = product.check(&what, &bytes, rows, cols, &x);
                if scales != Scales::Infinite {
                    same_nans(&product, &what, &got, &exact.y);
                }
            }
        }
    }
}

/// WGSL leaves NaN and infinity to the driver; on every device so far they propagate.
#[test]
fn activations_that_are_not_finite_propagate() {
    let mut rng = Random::new(14);
    for product in products() {
        let (rows, cols) = (6, columns(&product)[1]);
        let bytes = product.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = rng.activations(cols);
            x[cols / 2] = bad;
            let (got, exact) = product.check(&format!("with {bad}"), &bytes, rows, cols, &x);
            if bad.is_nan() {
                same_nans(&product, "with NaN", &got, &exact.y);
            }
        }
    }
}

#[track_caller]
fn same_nans(product: &Product, what: &str, got: &[f32], exact: &[f64]) {
    for (i, (got, exact)) in got.iter().zip(exact).enumerate() {
        assert_eq!(got.is_nan(), exact.is_nan(), "{} {what}, output {i}: {got:e}", product.name());
    }
}

/// Each of the 65536 f16 numbers, subnormals included, arrives as the f32 of the same value, from either half of a word.
#[test]
fn every_f16_number_is_exact() {
    for product in products().into_iter().filter(|p| p.format.name == "F16") {
        for (cols, at) in [(1, 0), (2, 0), (2, 1)] {
            let mut bytes = vec![0; 65_536 * 2 * cols];
            for (bits, row) in (0..=u16::MAX).zip(bytes.chunks_exact_mut(2 * cols)) {
                row[2 * at..2 * at + 2].copy_from_slice(&bits.to_le_bytes());
            }
            let (got, exact) = product.check(&format!("K {cols}"), &bytes, 65_536, cols, &vec![1.0; cols]);
            let same =
                |(got, exact): (&f32, &f64)| f64::from(*got) == *exact || got.is_nan() && exact.is_nan();
            let wrong = got.iter().zip(&exact.y).position(|pair| !same(pair));
            assert_eq!(wrong, None, "{} half {at} of {cols}", product.name());
        }
    }
}

/// Products that feed each other, recorded into one encoder and submitted once: the step of a decoder.
#[test]
fn products_in_one_encoder_see_each_other() {
    let mut rng = Random::new(15);
    for product in products() {
        let (n, device) = (product.format.elems.max(64) * 2, &product.device);
        let upload = |bytes: &[u8]| device.upload(bytes).unwrap();
        let mut want = rng.activations(n);
        let vectors: Vec<_> = (0..4).map(|_| upload(&bytes_of(&want))).collect();
        let mut encoder = device.wgpu().create_command_encoder(&Default::default());
        for pair in vectors.windows(2) {
            let bytes = product.format.matrix(n, n, Codes::Random, Scales::Sane, &mut rng);
            want = product.run(&bytes, n, n, &want);
            let weights = upload(&bytes);
            let w = kreg::wgpu::Weights::bind(device, product.path, weights.slice(..), n, n).unwrap();
            w.gemv(device, &mut encoder, pair[0].slice(..), pair[1].slice(..)).unwrap();
        }
        device.queue().submit([encoder.finish()]);
        let bits = |y: &[f32]| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read(device, &vectors[3])), bits(&want), "{}", product.name());
    }
}
