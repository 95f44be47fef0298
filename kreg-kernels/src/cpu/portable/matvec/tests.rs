//! What every type promises, and blocks made by hand whose weights one can read off.

use crate::args::SampleRng;
use crate::cpu::testing::uniform;
use crate::format::*;
use crate::{Matrix, Workspace};

type Kernel<F> = fn(Matrix<'_, F>, &[f32], &mut [f32], &mut Workspace);

/// The product over raw bytes.
fn product<F: Format>(kernel: Kernel<F>, bytes: &[u8], cols: usize, x: &[f32]) -> Vec<f32> {
    let rows = (1..).find(|&rows| crate::matrix::byte_len::<F>(rows, cols).unwrap() >= bytes.len()).unwrap();
    let w = Matrix::<F>::new(bytes, rows, cols).unwrap();
    let mut y = vec![f32::NAN; x.len() / cols * rows];
    kernel(w, x, &mut y, &mut Workspace::new());
    y
}

/// The weights that a kernel sees: products with the columns of a unit matrix.
fn weights<F: Format>(kernel: Kernel<F>, bytes: &[u8], cols: usize) -> Vec<f32> {
    let unit: Vec<_> = (0..cols * cols).map(|i| if i / cols == i % cols { 1.0 } else { 0.0 }).collect();
    product(kernel, bytes, cols, &unit)
}

/// Same bits, or both NaN (whose bits the hardware chooses).
fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

/// Random blocks; more activation rows than share a decoded group, and work enough to be shared among threads.
fn one_row_many_rows_any_threads<F: Format>(kernel: Kernel<F>) {
    let (rows, cols, m) = (20, 512, 33);
    let mut rng = SampleRng::new(7);
    let len = crate::matrix::byte_len::<F>(rows, cols).unwrap();
    let mut bytes: Vec<u8> = uniform(&mut rng, len).iter().map(|v| (v * 128.0) as i8 as u8).collect();
    // The upper bytes of f16 scales lie at odd places: no Inf or NaN among them.
    bytes.iter_mut().skip(1).step_by(2).for_each(|b| *b &= 0xbf);
    let x = uniform(&mut rng, m * cols);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let serial = pool(1).install(|| product(kernel, &bytes, cols, &x));
    assert!(same(&serial, &pool(3).install(|| product(kernel, &bytes, cols, &x))), "{}: threads", F::NAME);
    for (x, y) in x.chunks(cols).zip(serial.chunks(rows)) {
        assert!(same(y, &product(kernel, &bytes, cols, x)), "{}: one row", F::NAME);
    }
    assert!(serial.iter().any(|y| y.is_finite()), "{}: nothing compared", F::NAME);
    assert!(product(kernel, &bytes, cols, &[]).is_empty());
}

macro_rules! every_type {
    ($($test:ident: $format:ident),+ $(,)?) => {
        $(#[test] fn $test() { one_row_many_rows_any_threads::<$format>(super::$test::matvec); })+
    };
}

every_type! {
    f32: F32, f16: F16, bf16: BF16, q4_0: Q4_0, q4_1: Q4_1, q5_0: Q5_0, q5_1: Q5_1, q8_0: Q8_0, q2_k: Q2_K,
    q3_k: Q3_K, q4_k: Q4_K, q5_k: Q5_K, q6_k: Q6_K, iq2_xxs: IQ2_XXS, iq2_s: IQ2_S, iq3_xxs: IQ3_XXS, iq3_s: IQ3_S,
    iq4_xs: IQ4_XS, iq4_nl: IQ4_NL, apr_q4: APR_Q4, apr_q8: APR_Q8,
}

/// Bytes of one value of f16.
fn half(v: f32) -> [u8; 2] {
    half::f16::from_f32(v).to_le_bytes()
}

/// Block bytes from parts.
fn block(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn nibbles_low_then_high() {
    let qs: [u8; 16] = std::array::from_fn(|i| i as u8 | (15 - i as u8) << 4);
    let expected =
        |f: fn(f32) -> f32| -> Vec<f32> { (0..16).chain((0..16).rev()).map(|q| f(q as f32)).collect() };
    let bytes = block(&[&half(0.5), &half(-3.0), &qs]);
    assert_eq!(weights::<Q4_1>(super::q4_1::matvec, &bytes, 32), expected(|q| 0.5 * q - 3.0));
    // Fifth bits of weights 0, 9 and 31.
    let qh = (1u32 | 1 << 9 | 1 << 31).to_le_bytes();
    let fifth = |mut w: Vec<f32>, by: f32| {
        [0, 9, 31].iter().for_each(|&i: &usize| w[i] += by);
        w
    };
    let bytes = block(&[&half(0.5), &half(-3.0), &qh, &qs]);
    assert_eq!(weights::<Q5_1>(super::q5_1::matvec, &bytes, 32), fifth(expected(|q| 0.5 * q - 3.0), 8.0));
    let bytes = block(&[&half(2.0), &qh, &qs]);
    assert_eq!(weights::<Q5_0>(super::q5_0::matvec, &bytes, 32), fifth(expected(|q| 2.0 * (q - 16.0)), 32.0));
    let bytes = block(&[&half(1.0), &qs]);
    let values = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
    let expected: Vec<f32> = values.iter().chain(values.iter().rev()).map(|&v| v as f32).collect();
    assert_eq!(weights::<IQ4_NL>(super::iq4_nl::matvec, &bytes, 32), expected);
}

#[test]
fn q6_k_order() {
    // All groups at scale 1; byte l of `ql` and `qh` of the first half lights weights l, l + 32, l + 64 and l + 96.
    let mut bytes = block(&[&[0; 128], &[0; 64], &[1; 16], &half(1.0)]);
    (bytes[5], bytes[32 + 5], bytes[128 + 5]) = (0x21, 0x43, 0b00_11_10_01);
    let w = weights::<Q6_K>(super::q6_k::matvec, &bytes, 256);
    let lit = [(5, 1 + 16), (37, 3 + 32), (69, 2 + 48), (101, 4)];
    for (i, w) in w.iter().enumerate() {
        let q = lit.iter().find(|lit| lit.0 == i).map_or(0, |lit| lit.1);
        assert_eq!(*w, q as f32 - 32.0, "{i}");
    }
}

#[test]
fn q3_k_scales_and_third_bits() {
    // Group g has scale g + 1; every low pair is 1; the third bit is set for the even weights.
    let mut scales = [0; 12];
    for g in 0..16 {
        let biased = 32 + 1 + g as u8;
        scales[g % 8] |= (biased & 15) << (4 * (g / 8));
        scales[8 + g % 4] |= (biased >> 4) << (2 * (g / 4));
    }
    let mask: [u8; 32] = std::array::from_fn(|i| if i % 2 == 0 { 0xff } else { 0 });
    let bytes = block(&[&mask, &[0b01_01_01_01; 64], &scales, &half(1.0)]);
    for (i, w) in weights::<Q3_K>(super::q3_k::matvec, &bytes, 256).into_iter().enumerate() {
        assert_eq!(w, (1 + i / 16) as f32 * if i % 2 == 0 { 1.0 } else { -3.0 }, "{i}");
    }
}

#[test]
fn signs_of_the_codebook_types() {
    // Entry 0 of every IQ2 and IQ3 book holds the smallest magnitude. Stored signs 0b000_0111 have an odd count, so
    // the eighth weight is negative too.
    let negative = |i: usize| [0, 1, 2, 7].contains(&(i % 8));
    let check = |w: Vec<f32>, magnitude: f32| {
        for (i, w) in w.into_iter().enumerate() {
            assert_eq!(w, if negative(i) { -magnitude } else { magnitude }, "{i}");
        }
    };
    let seven = (7u32 | 7 << 7 | 7 << 14 | 7 << 21 | 3 << 28).to_le_bytes();
    let group = [[0; 4], seven].concat();
    check(weights::<IQ2_XXS>(super::iq2_xxs::matvec, &block(&[&half(1.0), &group.repeat(8)]), 256), 7.0);
    let bytes = block(&[&half(1.0), &[0; 64], &seven.repeat(8)]);
    check(weights::<IQ3_XXS>(super::iq3_xxs::matvec, &bytes, 256), 7.0);
    let bytes = block(&[&half(1.0), &[0; 32], &[0b1000_0111; 32], &[0; 8], &[0x33; 8]]);
    check(weights::<IQ2_S>(super::iq2_s::matvec, &bytes, 256), 7.0);
    let bytes = block(&[&half(1.0), &[0; 64], &[0; 8], &[0b1000_0111; 32], &[0x33; 4]]);
    check(weights::<IQ3_S>(super::iq3_s::matvec, &bytes, 256), 7.0);
}

#[test]
fn apr_rows_start_inside_a_block() {
    // Weight i of the stream is i % 16 - 8 times its block's number; 300 columns are more than a group.
    let qs: [u8; 16] = std::array::from_fn(|t| (2 * t % 16 + (2 * t + 1) % 16 * 16) as u8);
    for (rows, cols) in [(3usize, 11usize), (5, 300)] {
        let blocks = (rows * cols).div_ceil(32);
        let bytes: Vec<u8> = (1..=blocks).flat_map(|b| block(&[&half(b as f32), &qs])).collect();
        let w = weights::<APR_Q4>(super::apr_q4::matvec, &bytes, cols);
        for (at, w) in w.into_iter().enumerate() {
            let i = at % rows * cols + at / rows;
            assert_eq!(w, (i / 32 + 1) as f32 * ((i % 16) as f32 - 8.0), "{rows} x {cols}: weight {i}");
        }
    }
    let bytes = block(&[&0.25f32.to_le_bytes(), &[0x80, 0xff, 1, 0x7f, 0, 2]]);
    assert_eq!(weights::<APR_Q8>(super::apr_q8::matvec, &bytes, 3), [-32.0, 31.75, -0.25, 0.0, 0.25, 0.5]);
}

#[test]
fn extreme_bytes_do_not_overflow() {
    // Case k: all -128 against activations of one sign; case j: amplitudes whose block sum exceeds f16.
    for (amplitude, w) in [(1.0f32, -128i8), (2047.0, 127), (65_536.0, -128)] {
        let bytes = block(&[&half(1.0), &[w as u8; 32]]).repeat(4);
        let y = product::<Q8_0>(super::q8_0::matvec, &bytes, 128, &[amplitude; 128]);
        let expected = 128.0 * amplitude * f32::from(w);
        assert!((y[0] - expected).abs() <= 1e-6 * expected.abs(), "{} for {expected}", y[0]);
    }
    // Q4_K at its largest: every scale 63, every code 15, minimums 0.
    let scales = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0x0f, 0x0f, 0x0f, 0x0f];
    let bytes = block(&[&half(1.0), &half(0.0), &scales, &[0xff; 128]]);
    let y = product::<Q4_K>(super::q4_k::matvec, &bytes, 256, &[-127.0; 256]);
    assert_eq!(y, [-127.0 * 63.0 * 15.0 * 256.0]);
}

#[test]
fn q4_k_terms_that_cancel() {
    // Every weight is 1000.5 - 1000; in f32 either sum would lose the half. Activations that quantise to themselves.
    let scales = [1, 1, 1, 1, 1, 1, 1, 1, 0x11, 0x11, 0x11, 0x11];
    let bytes = block(&[&half(1000.5), &half(1000.0), &scales, &[0x11; 128]]);
    let x: [f32; 256] = std::array::from_fn(|i| (i % 127 + 1) as f32);
    assert_eq!(
        product::<Q4_K>(super::q4_k::matvec, &bytes, 256, &x),
        [0.5 * (2.0 * 127.0 * 64.0 + 1.0 + 2.0)]
    );
}

#[test]
fn nan_and_inf_reach_their_outputs_only() {
    fn check<F: Format>(kernel: Kernel<F>, good: &[u8], nan: &[u8]) {
        let n = F::ELEMS.max(32);
        let bytes = [good, good, good, nan].concat();
        let y = product(kernel, &bytes, 2 * n, &vec![1.0; 2 * n]);
        assert!(y[0].is_finite() && y[1].is_nan(), "{}: weights {y:?}", F::NAME);
        for bad in [f32::NAN, f32::INFINITY] {
            let mut x = vec![1.0; 4 * n];
            x[n / 2] = bad;
            let y = product(kernel, &[good, good].concat(), 2 * n, &x);
            assert!(!y[0].is_finite() && y[1].is_finite(), "{}: activations {y:?}", F::NAME);
            assert!(bad.is_nan() || y[0] == f32::INFINITY, "{}: {y:?}", F::NAME);
        }
    }
    let positive = [0xff; 16];
    let q = |d: f32| block(&[&half(d), &positive]);
    check::<Q4_0>(super::q4_0::matvec, &q(1.0), &q(f32::NAN));
    check::<IQ4_NL>(super::iq4_nl::matvec, &q(1.0), &q(f32::NAN));
    let q = |d: f32| block(&[&half(d), &[1; 32]]);
    check::<Q8_0>(super::q8_0::matvec, &q(1.0), &q(f32::NAN));
    let q = |d: f32| block(&[&half(d), &half(0.0), &[1; 12], &[0x11; 128]]);
    check::<Q4_K>(super::q4_k::matvec, &q(1.0), &q(f32::NAN));
    let q = |v: f32| v.to_le_bytes().repeat(32);
    check::<F32>(super::f32::matvec, &q(1.0), &q(f32::NAN));
}

#[test]
fn a_ragged_end_has_no_foreign_lanes() {
    // Three groups and a bit: every weight meets its own activation.
    let values: Vec<f32> = (0..785).map(|i| i as f32).collect();
    assert_eq!(weights::<F32>(super::f32::matvec, bytemuck::cast_slice(&values), 785), values);
    // 17 columns: the last lies alone in its vector; Inf there and zeros elsewhere must stay Inf.
    let mut x = [0.0; 17];
    x[16] = f32::INFINITY;
    let bytes = 1.0f32.to_le_bytes().repeat(17);
    assert_eq!(product::<F32>(super::f32::matvec, &bytes, 17, &x), [f32::INFINITY]);
}
