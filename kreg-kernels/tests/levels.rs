//! The products of each instruction-set level against the float64 definitions, for every weight type that it has.
//!
//! Levels are rows of a table; what a CPU lacks is skipped with a word on why.
#![cfg(unix)]

use kreg_kernels::reference::decode::{Format, format};
use kreg_kernels::reference::workload::{Codes, Random, Scales};
use kreg_kernels::reference::{Products, dot, gamma, quantised};
use kreg_kernels::target::Features;
use kreg_kernels::{Matrix, Target, Workspace};

mod counting;
mod guard;
use guard::Guarded;

/// A kernel on plain bytes, of a matrix of so many rows and columns.
type Kernel = fn(&[u8], (usize, usize), &[f32], &mut [f32], &mut Workspace);

/// One kernel.
#[derive(Clone, Copy)]
struct Case {
    level: &'static str,
    format: &'static Format,
    kernel: Kernel,
    /// Activations are quantised in blocks of so many, or not at all.
    block: Option<usize>,
}

/// The activation blocks of the levels that quantise wherever weights are quantised.
fn block_of(format: &Format) -> Option<usize> {
    (format.elems > 1 && format.name != "APR_Q4").then_some(format.elems)
}

/// The activation blocks of the portable level.
fn portable_block_of(format: &Format) -> Option<usize> {
    block_of(format).filter(|_| ["Q4_0", "Q8_0", "Q4_K"].contains(&format.name))
}

/// Adds the kernels of `$level`, when this CPU has `$features`, to `$cases`.
macro_rules! level {
    ($cases:ident, $level:ident, $features:literal, $block:expr) => {
        level!($cases, $level, $features, $block;
            f32 F32, f16 F16, bf16 BF16, q4_0 Q4_0, q4_1 Q4_1, q5_0 Q5_0, q5_1 Q5_1, q8_0 Q8_0, q2_k Q2_K, q3_k Q3_K,
            q4_k Q4_K, q5_k Q5_K, q6_k Q6_K, iq2_xxs IQ2_XXS, iq2_s IQ2_S, iq3_xxs IQ3_XXS, iq3_s IQ3_S,
            iq4_nl IQ4_NL, iq4_xs IQ4_XS, apr_q4 APR_Q4, apr_q8 APR_Q8)
    };
    ($cases:ident, $level:ident, $features:literal, $block:expr; $($module:ident $marker:ident),+) => {
        let needs = Features::parse($features);
        if Target::detected().features().contains(needs) {
            $($cases.push(Case {
                level: stringify!($level),
                format: format(stringify!($marker)).unwrap(),
                kernel: |bytes, (rows, cols), x, y, ws| {
                    let w = Matrix::<kreg_kernels::format::$marker>::new(bytes, rows, cols).unwrap();
                    // SAFETY: the CPU has the level's features.
                    #[allow(unused_unsafe, reason = "the portable level needs none")]
                    unsafe { kreg_kernels::cpu::$level::matvec::$module::matvec(w, x, y, ws) }
                },
                block: $block(format(stringify!($marker)).unwrap()),
            });)+
        } else {
            println!("{} skipped: this CPU lacks one of {needs}", stringify!($level));
        }
    };
}

/// The kernels that this CPU can run.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    level!(cases, portable, "none", portable_block_of);
    level!(cases, exact, "none", |_| None; q4_0 Q4_0, q8_0 Q8_0, q4_k Q4_K);
    #[cfg(target_arch = "x86_64")]
    {
        level!(cases, avx2, "avx2+fma+f16c", block_of);
    }
    #[cfg(target_arch = "aarch64")]
    {
        level!(cases, neon, "neon", block_of);
        level!(cases, neon_dotprod, "neon+dotprod", block_of);
    }
    if let Ok(level) = std::env::var("KREG_TEST_LEVEL") {
        cases.retain(|case| case.level == level);
        assert!(!cases.is_empty(), "this CPU does not have the level {level}");
    }
    cases
}

impl Case {
    /// What an exact kernel would compute from these activations.
    fn expected(&self, bytes: &[u8], (rows, cols): (usize, usize), x: &[f32]) -> Products {
        let x: Vec<f64> = match self.block {
            None => x.iter().map(|&x| x.into()).collect(),
            Some(block) => x.chunks(cols).flat_map(|row| quantised(row, block)).collect(),
        };
        dot(&self.format.decode(bytes, rows, cols), cols, &x)
    }

    #[track_caller]
    fn assert_within(&self, shape: [usize; 3], y: &[f32], want: &Products) {
        // A few roundings more than products: scales are multiplied before sums are.
        let bound = gamma(shape[2] + 8);
        for (i, &y) in y.iter().enumerate() {
            let (exact, mag) = (want.y[i], want.mag[i]);
            let error = (f64::from(y) - exact).abs();
            assert!(
                error <= bound * mag || (!y.is_finite() && !exact.is_finite()),
                "{} {} {shape:?} [{i}]: {y} not {exact}, magnitude {mag}",
                self.level,
                self.format.name
            );
        }
    }

    fn run(&self, bytes: &[u8], [m, rows, cols]: [usize; 3], x: &[f32], ws: &mut Workspace) -> Vec<f32> {
        let mut y = vec![f32::NAN; m * rows];
        (self.kernel)(bytes, (rows, cols), x, &mut y, ws);
        y
    }

    /// Shapes around every edge: a block, a step, a tile, a pair of rows; flat formats with rows that start anywhere.
    fn shapes(&self) -> Vec<[usize; 3]> {
        let mut shapes = Vec::new();
        for m in [0, 1, 2, 3, 5, 21] {
            shapes.extend([1, 2, 5].map(|k| [m, 3, k * self.format.elems]));
            if block_of(self.format).is_none() {
                shapes.extend([31, 40, 65, 191].map(|k| [m, 3, k]));
            }
        }
        shapes.extend([1, 2, 8].map(|n| [1, n, 3 * self.format.elems]));
        // Flat rows need not be whole blocks.
        if self.format.name == "APR_Q4" {
            shapes.extend([[1, 7, 1], [2, 40, 3], [1, 3, 33]]);
        }
        // Far enough apart to go in pairs, odd numbers of rows and blocks; several blocks of weight rows.
        shapes.extend([[1, 75, 17 * 256], [3, 130, 17 * 256]]);
        shapes
    }
}

fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}

#[test]
fn every_shape_is_within_the_bound() {
    let mut rng = Random::new(3);
    let mut ws = Workspace::new();
    for case in cases() {
        for shape @ [m, n, k] in case.shapes() {
            let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(m * k);
            let y = case.run(&bytes, shape, &x, &mut ws);
            case.assert_within(shape, &y, &case.expected(&bytes, (n, k), &x));
        }
    }
}

/// One block a row, in an allocation that ends with the weights, at an even and an odd address: what Miri has time for
/// (scripts/miri.sh).
#[test]
fn the_smallest_matrices() {
    let mut rng = Random::new(10);
    let mut ws = Workspace::new();
    for case in cases() {
        let k = block_of(case.format).unwrap_or(33);
        for (m, n, before) in [(1, 2, 1), (2, 1, 0)] {
            let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            let placed = [vec![0; before], bytes].concat();
            let x = rng.activations(m * k);
            let y = case.run(&placed[before..], [m, n, k], &x, &mut ws);
            case.assert_within([m, n, k], &y, &case.expected(&placed[before..], (n, k), &x));
        }
    }
}

/// The last byte of the weights is the last of its page, the next page is not readable; the start is at an odd address
/// for most shapes.
#[test]
fn nothing_past_the_weights_is_read() {
    let mut rng = Random::new(4);
    let mut ws = Workspace::new();
    for case in cases() {
        for shape @ [m, n, k] in case.shapes().into_iter().filter(|s| [1, 5].contains(&s[0])) {
            let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            let guarded = Guarded::new(&bytes);
            let x = rng.activations(m * k);
            let y = case.run(guarded.bytes(), shape, &x, &mut ws);
            let same = case.run(&bytes, shape, &x, &mut Workspace::new());
            assert_eq!(bits(&y), bits(&same), "{} {} {shape:?}", case.level, case.format.name);
        }
    }
}

/// Each activation row gets the bits that it gets in any other company, on any number of threads. Levels that have another
/// order of sums for few activation rows give, up to some number of them, the bits that a row gets alone, and from there
/// on those that it gets among many. At the portable level these are the same.
#[test]
fn rows_and_threads_do_not_change_a_bit() {
    let mut rng = Random::new(5);
    for case in cases() {
        let [m, n, k] = [67, 61, 1280.max(5 * case.format.elems)];
        let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
        let x = rng.activations(m * k);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.run(&bytes, [m, n, k], &x, &mut Workspace::new()))
        };
        let all = on(1);
        for threads in [2, 7] {
            assert_eq!(bits(&on(threads)), bits(&all), "{} {} on {threads}", case.level, case.format.name);
        }
        let some = |i, few| case.run(&bytes, [few, n, k], &x[i * k..(i + few) * k], &mut Workspace::new());
        let alone: Vec<f32> = (0..m).flat_map(|i| some(i, 1)).collect();
        let mut as_alone = true;
        for (few, i) in (1..=11).zip((0..m - 11).step_by(5)) {
            let (got, rows) = (bits(&some(i, few)), i * n..(i + few) * n);
            as_alone &= got == bits(&alone[rows.clone()]);
            let what = format!("{} {} {few} from {i}", case.level, case.format.name);
            assert!(as_alone || got == bits(&all[rows]), "{what}");
        }
        let never = ["portable", "exact"].contains(&case.level);
        assert!(!as_alone || never, "{} {}: no number of rows shares a panel", case.level, case.format.name);
    }
}

/// Extreme codes and scales, and weights that are not finite: these spoil their own rows and no other.
#[test]
fn extremes_stay_where_they_belong() {
    let mut rng = Random::new(6);
    let mut ws = Workspace::new();
    let codes =
        [Codes::Random, Codes::All(0x80), Codes::All(0x7f), Codes::All(0xff), Codes::Alternating(0x7f, 0x80)];
    let scales =
        [Scales::Sane, Scales::Zero, Scales::Subnormal, Scales::Largest, Scales::Nan, Scales::Infinite];
    for case in cases() {
        for codes in codes {
            for scales in scales {
                // Sums of the largest floats overflow in one order and not in another.
                if case.format.elems == 1 && scales == Scales::Largest {
                    continue;
                }
                let shape @ [_, n, k] =
                    [3, 20, case.format.elems * if case.format.elems == 1 { 64 } else { 2 }];
                let bytes = case.format.matrix(n, k, codes, scales, &mut rng);
                for x in [rng.activations(3 * k), vec![1.0; 3 * k], [1.0, -1.0].repeat(3 * k / 2)] {
                    let y = case.run(&bytes, shape, &x, &mut ws);
                    case.assert_within(shape, &y, &case.expected(&bytes, (n, k), &x));
                }
            }
        }
    }
}

/// Activations that are not finite spoil their own row and no other; the largest and smallest are as good as any.
#[test]
fn activations_that_are_not_finite() {
    let mut rng = Random::new(7);
    let mut ws = Workspace::new();
    for case in cases() {
        let [m, n, k] = [4, 18, case.format.elems.max(64) * 2];
        let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = rng.activations(m * k);
            x[k + k / 2 + 5] = bad;
            for x in &mut x[2 * k..3 * k] {
                *x *= 1e-37;
            }
            for x in &mut x[3 * k..] {
                *x *= 1e30;
            }
            let y = case.run(&bytes, [m, n, k], &x, &mut ws);
            assert!(y[n..2 * n].iter().all(|y| !y.is_finite()), "{} {} {bad}", case.level, case.format.name);
            let finite = |y: &[f32]| [&y[..n], &y[3 * n..]].concat();
            let want = case.expected(&bytes, (n, k), &[&x[..k], &x[3 * k..]].concat());
            case.assert_within([2, n, k], &finite(&y), &want);
            assert!(y[2 * n..3 * n].iter().all(|y| y.abs() < 1e-30), "{} {}", case.level, case.format.name);
        }
    }
}

/// After the first call of the largest shape, no call allocates.
#[test]
fn the_steady_state_allocates_nothing() {
    let mut rng = Random::new(8);
    for case in cases() {
        let (n, k) = (9, 2 * case.format.elems.max(32));
        let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
        let (x, mut y, mut ws) = (rng.activations(5 * k), vec![0.0; 5 * n], Workspace::new());
        (case.kernel)(&bytes, (n, k), &x, &mut y, &mut ws);
        let before = counting::allocations();
        for m in [5, 1, 4] {
            (case.kernel)(&bytes, (n, k), &x[..m * k], &mut y[..m * n], &mut ws);
        }
        assert_eq!(counting::allocations(), before, "{} {}", case.level, case.format.name);
    }
}

/// The levels whose registers hold eight floats share their code and the order of every sum: this number is the same on
/// each of them. To be written down anew when that code changes.
#[test]
fn levels_agree_to_the_bit() {
    const AGREED: u64 = 0xe6a0_90b1_252b_e942;
    for level in ["avx2", "neon", "neon_dotprod"] {
        let mut rng = Random::new(9);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for case in cases().into_iter().filter(|case| case.level == level) {
            let [n, k] = [30, 5 * case.format.elems.max(64)];
            let bytes = case.format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            for m in [1, 2, 11] {
                let y = case.run(&bytes, [m, n, k], &rng.activations(m * k), &mut Workspace::new());
                for y in bits(&y) {
                    hash = (hash ^ u64::from(y)).wrapping_mul(0x100_0000_01b3);
                }
            }
        }
        if cases().iter().any(|case| case.level == level) {
            assert_eq!(hash, AGREED, "{level}: {hash:#018x}");
        }
    }
}
