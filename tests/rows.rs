//! Every kernel row over shapes, threads and weights that no model has.

mod support;

use kreg::kernels::Workspace;
use kreg::kernels::reference::decode::Order;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use support::kernel::{Kernel, kernels};

/// Numbers of activation rows: none, one, a few, more than a tile and odd.
const M: [usize; 4] = [0, 1, 3, 17];
/// Numbers of weight rows.
const N: [usize; 3] = [1, 3, 65];

/// Columns: one block, and a few that leave tails wherever the format allows any.
fn columns(kernel: &Kernel) -> Vec<usize> {
    match (kernel.format.order, kernel.format.elems) {
        (Order::Flat(_), _) => vec![1, 31, 50, 64],
        (Order::Rows, 1) => vec![1, 7, 64, 133],
        (Order::Rows, elems) => vec![elems, 3 * elems],
    }
}

#[test]
fn every_shape_is_right_at_any_address() {
    let mut rng = Random::new(1);
    for kernel in kernels() {
        for cols in columns(&kernel) {
            for rows in N {
                let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
                let weights = kernel.format.decode(&bytes, rows, cols);
                for m in M {
                    let x = rng.activations(m * cols);
                    let got = kernel.run(&bytes, rows, cols, &x);
                    let what = format!("M {m} N {rows} K {cols}");
                    kernel.assert_within(&what, cols, &got, &kernel.exact(&weights, cols, &x));
                }
            }
        }
    }
}

/// Activation rows do not see each other: at the portable level, many at once give the bits that each gives alone.
/// (Other levels have a product of their own for one row, which sums in another order within the same bound.)
#[test]
fn many_rows_are_single_rows() {
    let mut rng = Random::new(2);
    for kernel in kernels().iter().filter(|kernel| kernel.row.arch == "any") {
        let (rows, cols) = (19, columns(kernel)[1]);
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        for m in [2, 3, 17, 40] {
            let x = rng.activations(m * cols);
            let together = kernel.run(&bytes, rows, cols, &x);
            let alone: Vec<f32> = x.chunks(cols).flat_map(|x| kernel.run(&bytes, rows, cols, x)).collect();
            assert_eq!(bits(&together), bits(&alone), "{} M {m}", kernel.name());
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let mut rng = Random::new(3);
    let pools = [1, 2, 3, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for kernel in kernels() {
        // Over 128 KiB in the smallest format: enough to be divided.
        let (rows, cols) = (515, 1024);
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        for m in [1, 3] {
            let x = rng.activations(m * cols);
            let results =
                pools.each_ref().map(|pool| pool.install(|| bits(&kernel.run(&bytes, rows, cols, &x))));
            for result in &results[1..] {
                assert_eq!(*result, results[0], "{} M {m}", kernel.name());
            }
        }
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
    let mut rng = Random::new(4);
    for kernel in kernels() {
        let cols = columns(&kernel)[0].max(31);
        for (codes, scales) in CODES.iter().flat_map(|c| SCALES.iter().map(move |s| (*c, *s))) {
            for rows in [1, 3] {
                let bytes = kernel.format.matrix(rows, cols, codes, scales, &mut rng);
                let weights = kernel.format.decode(&bytes, rows, cols);
                for x in inputs(cols, scales, &mut rng) {
                    let got = kernel.run(&bytes, rows, cols, &x);
                    let what = format!("{codes:?} {scales:?} N {rows}");
                    let exact = kernel.exact(&weights, cols, &x);
                    kernel.assert_within(&what, cols, &got, &exact);
                    if scales != Scales::Infinite {
                        kernel.assert_nan(&what, &got, &exact);
                    }
                }
            }
        }
    }
}

/// Activations of both signs, of one sign, and of alternating signs. Against the largest scales they are so small
/// that sums stay finite.
fn inputs(cols: usize, scales: Scales, rng: &mut Random) -> [Vec<f32>; 4] {
    let unit = if scales == Scales::Largest { 1e-6 / cols as f32 } else { 1.0 };
    let alternating = |i: usize| if i.is_multiple_of(2) { unit } else { -unit };
    [
        rng.activations(cols).iter().map(|x| x * unit).collect(),
        vec![unit; cols],
        vec![-unit; cols],
        (0..cols).map(alternating).collect(),
    ]
}

/// NaN and infinity in the activations reach exactly the rows that they belong to.
#[test]
fn activations_that_are_not_finite_propagate() {
    let mut rng = Random::new(5);
    for kernel in kernels() {
        let (rows, cols) = (3, columns(&kernel)[1]);
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let weights = kernel.format.decode(&bytes, rows, cols);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = rng.activations(3 * cols);
            x[cols + cols / 2] = bad;
            let got = kernel.run(&bytes, rows, cols, &x);
            let what = format!("with {bad}");
            let exact = kernel.exact(&weights, cols, &x);
            kernel.assert_within(&what, cols, &got, &exact);
            if bad.is_nan() {
                kernel.assert_nan(&what, &got, &exact);
            }
        }
    }
}

/// A workspace that another product has used and left full changes nothing.
#[test]
fn a_used_workspace_is_as_good_as_a_new_one() {
    let mut rng = Random::new(6);
    let mut ws = Workspace::new();
    for kernel in kernels() {
        let (rows, cols) = (5, columns(&kernel)[1]);
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let x = rng.activations(3 * cols);
        let mut y = vec![f32::NAN; 3 * rows];
        kernel.bind(&bytes, rows, cols).matvec(&x, &mut y, &mut ws).unwrap();
        assert_eq!(bits(&y), bits(&kernel.run(&bytes, rows, cols, &x)), "{}", kernel.name());
    }
}

fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}
