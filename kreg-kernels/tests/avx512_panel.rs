//! The AVX-512 products with many activation rows against the float64 definitions.
#![cfg(all(target_arch = "x86_64", unix))]

use kreg_kernels::cpu::avx512::matvec;
use kreg_kernels::reference::decode::{Format, Order, format};
use kreg_kernels::reference::workload::{Codes, Random, Scales};
use kreg_kernels::reference::{Products, dot, gamma, quantised};
use kreg_kernels::{Matrix, Target, Workspace};

mod guard;
use guard::Guarded;

/// A kernel on plain bytes.
type Kernel = fn(&[u8], (usize, usize), &[f32], &mut [f32], &mut Workspace);

/// Activations as the kernel sees them.
#[derive(Clone, Copy)]
enum Activations {
    F32,
    Bf16,
    /// Quantised in blocks of 32 or 256.
    Q(usize),
}
use Activations::{Bf16, F32, Q};

macro_rules! kernels {
    ($($module:ident $marker:ident $activations:expr;)+) => {
        const KERNELS: &[(&str, Kernel, Activations)] = &[$((
            stringify!($marker),
            |bytes, (rows, cols), x, y, ws| {
                let w = Matrix::<kreg_kernels::format::$marker>::new(bytes, rows, cols).unwrap();
                // SAFETY: `kernels()` checks that the CPU has the level's features.
                unsafe { matvec::$module::matvec(w, x, y, ws) }
            },
            $activations,
        )),+];
    };
}

kernels! {
    apr_q4 APR_Q4 F32;
    apr_q8 APR_Q8 F32;
    f32 F32 F32;
    f16 F16 F32;
    bf16 BF16 Bf16;
    q4_0 Q4_0 Q(32);
    q4_1 Q4_1 Q(32);
    q5_0 Q5_0 Q(32);
    q5_1 Q5_1 Q(32);
    q8_0 Q8_0 Q(32);
    iq4_nl IQ4_NL Q(32);
    q2_k Q2_K Q(256);
    q3_k Q3_K Q(256);
    q4_k Q4_K Q(256);
    q5_k Q5_K Q(256);
    q6_k Q6_K Q(256);
    iq2_xxs IQ2_XXS Q(256);
    iq2_s IQ2_S Q(256);
    iq3_xxs IQ3_XXS Q(256);
    iq3_s IQ3_S Q(256);
    iq4_xs IQ4_XS Q(256);
}

/// The kernels that this CPU can run: all or, with a word on why, none.
fn kernels() -> impl Iterator<Item = (&'static Format, Kernel, Activations)> {
    let needs = kreg_kernels::target::Features::parse(
        "avx512f+avx512bw+avx512vl+avx512vnni+avx512vbmi+avx512bf16+gfni+bmi2",
    );
    let has = Target::detected().features().contains(needs);
    if !has {
        println!("skipped: this CPU lacks one of {needs}");
    }
    let table = if has { KERNELS } else { &[] };
    table.iter().map(|(name, kernel, activations)| (format(name).unwrap(), *kernel, *activations))
}

/// What an exact kernel would compute from these activations.
fn expected(
    format: &Format,
    bytes: &[u8],
    (rows, cols): (usize, usize),
    x: &[f32],
    seen: Activations,
) -> Products {
    let x: Vec<f64> = match seen {
        F32 => x.iter().map(|&x| x.into()).collect(),
        Bf16 => x.iter().map(|&x| half::bf16::from_f32(x).to_f64()).collect(),
        Q(block) => x.chunks(cols).flat_map(|row| quantised(row, block)).collect(),
    };
    dot(&format.decode(bytes, rows, cols), cols, &x)
}

fn assert_within(format: &Format, shape: [usize; 3], y: &[f32], want: &Products) {
    // A few roundings more than products: scales are multiplied before sums are.
    let bound = gamma(shape[2] + 8);
    for (i, &y) in y.iter().enumerate() {
        let (exact, mag) = (want.y[i], want.mag[i]);
        let error = (f64::from(y) - exact).abs();
        assert!(
            error <= bound * mag || (!y.is_finite() && !exact.is_finite()),
            "{} {shape:?} [{i}]: {y} not {exact}, magnitude {mag}",
            format.name
        );
    }
}

fn run(kernel: Kernel, bytes: &[u8], [m, rows, cols]: [usize; 3], x: &[f32], ws: &mut Workspace) -> Vec<f32> {
    let mut y = vec![f32::NAN; m * rows];
    kernel(bytes, (rows, cols), x, &mut y, ws);
    y
}

/// Shapes around every edge: a lane, a panel, a tile, a chunk, few and many activation rows.
fn shapes(format: &Format) -> Vec<[usize; 3]> {
    // Rows of a flat stream, and of single weights, have any length.
    let unit = if format.order == Order::Rows { format.elems } else { 1 };
    let [k, longer, longest] = if unit == 1 { [1, 39, 64] } else { [unit, 2 * unit, 5 * unit] };
    let mut shapes = Vec::new();
    // One row is another kernel: tests/avx512_row.rs. Two are that kernel or this one, by type.
    for m in [0, 2, 3, 12, 13, 17, 65] {
        for n in [1, 3, 16, 17, 50] {
            shapes.push([m, n, k]);
        }
        shapes.extend([[m, 17, longer], [m, 3, longest]]);
    }
    // Several chunks and blocks of K.
    shapes.extend([[2, 17, 5 * 1024], [65, 3, 9 * 1024]]);
    shapes
}

#[test]
fn every_shape_is_within_the_bound() {
    let mut rng = Random::new(3);
    let mut ws = Workspace::new();
    for (format, kernel, seen) in kernels() {
        for shape @ [m, n, k] in shapes(format) {
            let bytes = format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(m * k);
            let y = run(kernel, &bytes, shape, &x, &mut ws);
            assert_within(format, shape, &y, &expected(format, &bytes, (n, k), &x, seen));
        }
    }
}

/// The last byte of the weights is the last of its page, the next page is not readable; the start is at an odd address
/// for most shapes.
#[test]
fn nothing_past_the_weights_is_read() {
    let mut rng = Random::new(4);
    let mut ws = Workspace::new();
    for (format, kernel, _) in kernels() {
        for shape @ [m, n, k] in shapes(format).into_iter().filter(|s| [3, 13].contains(&s[0])) {
            let bytes = format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
            let guarded = Guarded::new(&bytes);
            let x = rng.activations(m * k);
            let y = run(kernel, guarded.bytes(), shape, &x, &mut ws);
            let same = run(kernel, &bytes, shape, &x, &mut Workspace::new());
            assert_eq!(bits(&y), bits(&same), "{} {shape:?}", format.name);
        }
    }
}

fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}

/// From 17 activation rows on, each gets the bits that it gets in any other company, on any number of threads.
#[test]
fn rows_and_threads_do_not_change_a_bit() {
    let mut rng = Random::new(5);
    for (format, kernel, _) in kernels() {
        let [m, n, k] = [67, 150, 1280];
        let bytes = format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
        let x = rng.activations(m * k);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(kernel, &bytes, [m, n, k], &x, &mut Workspace::new()))
        };
        let all = on(1);
        for threads in [2, 3, 7] {
            assert_eq!(bits(&on(threads)), bits(&all), "{} on {threads} threads", format.name);
        }
        for i in (0..m - 16).step_by(13) {
            let few = run(kernel, &bytes, [17, n, k], &x[i * k..(i + 17) * k], &mut Workspace::new());
            assert_eq!(bits(&few), bits(&all[i * n..(i + 17) * n]), "{} rows from {i}", format.name);
        }
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
    for (format, kernel, seen) in kernels() {
        for codes in codes {
            for scales in scales {
                // bf16 arithmetic takes subnormal weights for zero, and its float sums overflow as f32 sums do.
                if format.elems == 1 && matches!(scales, Scales::Subnormal | Scales::Largest) {
                    continue;
                }
                let shape @ [_, n, k] = [3, 20, format.elems * if format.elems == 1 { 64 } else { 2 }];
                let bytes = format.matrix(n, k, codes, scales, &mut rng);
                let x = rng.activations(3 * k);
                let y = run(kernel, &bytes, shape, &x, &mut ws);
                let want = expected(format, &bytes, (n, k), &x, seen);
                assert_within(format, shape, &y, &want);
            }
        }
    }
}

/// Activations that are not finite spoil their own row and no other; the largest and smallest are as good as any.
#[test]
fn activations_that_are_not_finite() {
    let mut rng = Random::new(7);
    let mut ws = Workspace::new();
    for (format, kernel, seen) in kernels() {
        let [m, n, k] = [4, 18, format.elems.max(64) * 2];
        let bytes = format.matrix(n, k, Codes::Random, Scales::Sane, &mut rng);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = rng.activations(m * k);
            x[k + k / 2 + 5] = bad;
            for x in &mut x[2 * k..3 * k] {
                *x *= 1e-37;
            }
            for x in &mut x[3 * k..] {
                *x *= 1e30;
            }
            let y = run(kernel, &bytes, [m, n, k], &x, &mut ws);
            assert!(y[n..2 * n].iter().all(|y| !y.is_finite()), "{} {bad}", format.name);
            let finite = |y: &[f32]| [&y[..n], &y[3 * n..]].concat();
            let want = expected(format, &bytes, (n, k), &[&x[..k], &x[3 * k..]].concat(), seen);
            assert_within(format, [2, n, k], &finite(&y), &want);
            assert!(y[2 * n..3 * n].iter().all(|y| y.abs() < 1e-30), "{}", format.name);
        }
    }
}
