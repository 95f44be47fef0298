//! The AVX-512 products with one activation row against the float64 definitions.
#![cfg(all(target_arch = "x86_64", unix))]

use kreg_kernels::cpu::avx512::matvec;
use kreg_kernels::reference::decode::{Format, Order, format};
use kreg_kernels::reference::workload::{Codes, Random, Scales};
use kreg_kernels::reference::{Products, dot, gamma, quantised, rounded_to_bf16};
use kreg_kernels::target::Features;
use kreg_kernels::{Matrix, Target, Workspace};

mod guard;
use guard::Guarded;

/// A kernel on plain bytes.
type Kernel = fn(&[u8], (usize, usize), &[f32], &mut [f32], &mut Workspace);

/// One weight type.
struct Case {
    format: &'static Format,
    kernel: Kernel,
    /// Activations are quantised in blocks of this many, or stay in f32.
    block: Option<usize>,
}

/// The types that this CPU can run, with a word on each that it cannot.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! cases {
        ($($module:ident $marker:ident $block:expr, $($extra:literal)?;)+) => {$(
            let needs = const { Features::parse(concat!("avx512f+avx512bw+avx512vl+avx512vnni", $($extra)?)) };
            if Target::detected().features().contains(needs) {
                let kernel: Kernel = |bytes, (rows, cols), x, y, ws| {
                    let w = Matrix::<kreg_kernels::format::$marker>::new(bytes, rows, cols).unwrap();
                    // SAFETY: the CPU has what the kernel needs: asked above.
                    unsafe { matvec::$module::matvec(w, x, y, ws) }
                };
                cases.push(Case { format: format(stringify!($marker)).unwrap(), kernel, block: $block });
            } else {
                println!("skipped {}: this CPU lacks one of {needs}", stringify!($marker));
            }
        )+};
    }
    cases! {
        apr_q4 APR_Q4 None, ;
        apr_q8 APR_Q8 None, ;
        f32 F32 None, ;
        f16 F16 None, ;
        bf16 BF16 None, "+avx512bf16";
        q4_0 Q4_0 Some(32), "+avx512vbmi";
        q4_1 Q4_1 Some(32), ;
        q5_0 Q5_0 Some(32), "+avx512vbmi";
        q5_1 Q5_1 Some(32), "+avx512vbmi";
        q8_0 Q8_0 Some(32), ;
        iq4_nl IQ4_NL Some(32), "+avx512vbmi";
        q2_k Q2_K Some(256), ;
        q3_k Q3_K Some(256), "+avx512vbmi+gfni";
        q4_k Q4_K Some(256), ;
        q5_k Q5_K Some(256), ;
        q6_k Q6_K Some(256), ;
        iq2_xxs IQ2_XXS Some(256), "+avx512vbmi+gfni";
        iq2_s IQ2_S Some(256), "+avx512vbmi+bmi2";
        iq3_xxs IQ3_XXS Some(256), "+avx512vbmi+gfni";
        iq3_s IQ3_S Some(256), "+avx512vbmi";
        iq4_xs IQ4_XS Some(256), "+avx512vbmi";
    }
    cases
}

impl Case {
    fn run(&self, bytes: &[u8], (rows, cols): (usize, usize), x: &[f32], ws: &mut Workspace) -> Vec<f32> {
        let mut y = vec![f32::NAN; rows];
        (self.kernel)(bytes, (rows, cols), x, &mut y, ws);
        y
    }

    /// What an exact kernel computes from the activations as this one sees them.
    fn expected(&self, bytes: &[u8], (rows, cols): (usize, usize), x: &[f32]) -> Products {
        let seen = match self.block {
            Some(block) => quantised(x, block),
            None if self.format.name == "BF16" => rounded_to_bf16(x),
            None => x.iter().map(|&x| x.into()).collect(),
        };
        dot(&self.format.decode(bytes, rows, cols), cols, &seen)
    }

    #[track_caller]
    fn assert_within(&self, (rows, cols): (usize, usize), y: &[f32], want: &Products, what: &str) {
        // A few roundings more than products: scales are multiplied before sums are.
        let bound = gamma(cols + 8);
        // bf16 arithmetic takes each subnormal weight and sum for zero; no activation here that meets such is above 4.
        let flushed = if self.format.name == "BF16" { 4 * cols } else { 1 };
        let least = flushed as f64 * f64::from(f32::MIN_POSITIVE);
        assert_eq!(y.len(), rows);
        for (i, &y) in y.iter().enumerate() {
            let (exact, mag) = (want.y[i], want.mag[i]);
            let close = (f64::from(y) - exact).abs() <= bound * mag + least;
            assert!(
                if exact.is_finite() { close } else { !y.is_finite() },
                "{} {rows} x {cols}, {what}, row {i}: {y} not {exact}, magnitude {mag}",
                self.format.name
            );
        }
    }

    /// Row lengths: one block, odd numbers of blocks, those of real models; any number where rows may have any.
    fn lengths(&self) -> Vec<usize> {
        let any = self.format.order != Order::Rows || self.format.elems == 1;
        let unit = if any { 1 } else { self.format.elems };
        let mut lengths: Vec<_> = (1..=9).chain([12, 15]).map(|n| n * unit).collect();
        lengths.extend([31, 33, 50, 63, 65, 576, 577, 1536, 4096_usize].iter().filter(|k| *k % unit == 0));
        lengths
    }
}

fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}

#[test]
fn every_shape_is_within_the_bound() {
    let mut rng = Random::new(30);
    let mut ws = Workspace::new();
    for case in cases() {
        for cols in case.lengths() {
            for rows in [1, 2, 3, 17, 50] {
                let shape = (rows, cols);
                let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
                let x = rng.activations(cols);
                let y = case.run(&bytes, shape, &x, &mut ws);
                case.assert_within(shape, &y, &case.expected(&bytes, shape, &x), "random");
            }
        }
    }
}

/// The last byte of the weights is the last one of its page, and the next page is not readable. So most rows start at
/// odd addresses.
#[test]
fn nothing_past_the_weights_is_read() {
    let mut rng = Random::new(31);
    let mut ws = Workspace::new();
    for case in cases() {
        for cols in case.lengths() {
            for rows in [1, 3] {
                let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
                let guarded = Guarded::new(&bytes);
                let odd: Vec<u8> = [0].into_iter().chain(bytes.iter().copied()).collect();
                let x = rng.activations(cols);
                let y = bits(&case.run(&bytes, (rows, cols), &x, &mut ws));
                for bytes in [guarded.bytes(), &odd[1..]] {
                    let same = bits(&case.run(bytes, (rows, cols), &x, &mut ws));
                    assert_eq!(y, same, "{} {rows} x {cols}", case.format.name);
                }
            }
        }
    }
}

/// A row has the same bits alone, in any company and on any number of threads. The matrix is large enough for rows to
/// go in pairs and for threads to share it.
#[test]
fn company_and_threads_do_not_change_a_bit() {
    let mut rng = Random::new(32);
    for case in cases() {
        let cols = if case.format.order == Order::Rows { 1536 } else { 1535 };
        for rows in [600, 601] {
            let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(cols);
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(&case.run(&bytes, (rows, cols), &x, &mut Workspace::new())))
            };
            let all = on(1);
            assert_eq!(all, on(3), "{} on 3 threads", case.format.name);
            if case.format.order == Order::Rows {
                let row = bytes.len() / rows;
                for r in (0..rows).step_by(7) {
                    let y = case.run(&bytes[r * row..][..row], (1, cols), &x, &mut Workspace::new());
                    assert_eq!(bits(&y), all[r..r + 1], "{} row {r} alone", case.format.name);
                }
            }
        }
    }
}

/// An activation row has the same bits alone and with up to fifteen others, for the types that take them together.
#[test]
fn other_activation_rows_do_not_change_a_bit() {
    let mut rng = Random::new(37);
    for case in cases().iter().filter(|c| ["F32", "F16", "BF16", "APR_Q8"].contains(&c.format.name)) {
        for [rows, cols] in [[601, 1535], [7, 33], [2, 1]] {
            let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(16 * cols);
            for m in 2..=16 {
                let (mut y, mut ws) = (vec![f32::NAN; m * rows], Workspace::new());
                (case.kernel)(&bytes, (rows, cols), &x[..m * cols], &mut y, &mut ws);
                for (i, y) in y.chunks_exact(rows).enumerate() {
                    let alone = case.run(&bytes, (rows, cols), &x[i * cols..][..cols], &mut ws);
                    assert_eq!(bits(y), bits(&alone), "{} {i} of {m}, {rows} x {cols}", case.format.name);
                }
            }
        }
    }
}

/// Extreme codes and scales. Scales that are not finite spoil their own rows and no other.
#[test]
fn extremes_stay_where_they_belong() {
    let mut rng = Random::new(33);
    let mut ws = Workspace::new();
    let codes =
        [Codes::Random, Codes::All(0x80), Codes::All(0x7f), Codes::All(0xff), Codes::Alternating(0x7f, 0x80)];
    let scales =
        [Scales::Sane, Scales::Zero, Scales::Subnormal, Scales::Largest, Scales::Nan, Scales::Infinite];
    for case in cases() {
        for codes in codes {
            for scales in scales {
                // Sums of the largest f32 numbers overflow as f32 sums do.
                if scales == Scales::Largest && case.format.name.ends_with("F32") {
                    continue;
                }
                if scales == Scales::Largest && ["BF16", "APR_Q8"].contains(&case.format.name) {
                    continue;
                }
                for blocks in [1, 5] {
                    let shape @ (rows, cols) = (20, case.format.elems.max(13) * blocks);
                    let bytes = case.format.matrix(rows, cols, codes, scales, &mut rng);
                    let x: Vec<f32> = match codes {
                        Codes::Random => rng.activations(cols),
                        // The largest sums of either sign.
                        _ => (0..cols).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect(),
                    };
                    for x in [x.clone(), vec![1.0; cols]] {
                        let y = case.run(&bytes, shape, &x, &mut ws);
                        let want = case.expected(&bytes, shape, &x);
                        case.assert_within(shape, &y, &want, &format!("{codes:?}, {scales:?}"));
                    }
                }
            }
        }
    }
}

/// In a stream of blocks an infinite scale spoils the rows that have a part in its block, and no other.
#[test]
fn a_shared_block_spoils_its_rows_only() {
    let mut rng = Random::new(34);
    for case in cases().iter().filter(|c| c.format.name == "APR_Q4") {
        for cols in [7, 33, 50] {
            let shape = (30, cols);
            let mut bytes = case.format.matrix(30, cols, Codes::Random, Scales::Sane, &mut rng);
            bytes[18 * 3..18 * 3 + 2].copy_from_slice(&0x7c00u16.to_le_bytes());
            let x = rng.activations(cols);
            let want = case.expected(&bytes, shape, &x);
            assert!(want.y.iter().any(|y| y.is_finite()) && want.y.iter().any(|y| !y.is_finite()));
            let y = case.run(&bytes, shape, &x, &mut Workspace::new());
            case.assert_within(shape, &y, &want, "one infinite block");
        }
    }
}

/// Activations that are not finite survive; the largest and the smallest are as good as any.
#[test]
fn activations_of_every_kind() {
    let mut rng = Random::new(35);
    let mut ws = Workspace::new();
    for case in cases() {
        let shape @ (rows, cols) = (18, case.format.elems.max(64) * 3);
        let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let usual = rng.activations(cols);
        for at in [0, 15, 16, 31, cols / 2 + 5, cols - 1] {
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut x = usual.clone();
                x[at] = bad;
                let y = case.run(&bytes, shape, &x, &mut ws);
                let want = case.expected(&bytes, shape, &x);
                case.assert_within(shape, &y, &want, &format!("x[{at}] = {bad}"));
            }
        }
        for factor in [0.0, 1e-45, 1e-39, 1e-37, 1e-30, 1e30] {
            let x: Vec<f32> = usual.iter().map(|x| x * factor).collect();
            let y = case.run(&bytes, shape, &x, &mut ws);
            case.assert_within(shape, &y, &case.expected(&bytes, shape, &x), &format!("x times {factor}"));
        }
    }
}
