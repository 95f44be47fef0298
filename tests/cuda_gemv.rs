//! Every CUDA weight row against the float64 definition, through the generated dispatch, on the emulator (or a GPU).
#![cfg(feature = "cuda")]

mod support;

use std::sync::Arc;

use gguf_file::File;
use kreg::cuda::{CudaContext, Device, Products, Weights};
use kreg::kernels::reference::decode::{Format, format};
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::reference::{Products as Exact, dot, gamma, quantised};
use kreg::{Backend, KernelId, Path, Refusal};
use support::{emulator, fixture};

/// One row, formed in one way.
struct Case {
    id: KernelId,
    path: Path,
    format: &'static Format,
    device: Device,
    context: Arc<CudaContext>,
}

/// Every weight row of the backend; those with precision `profile_selected` once for each choice.
fn cases() -> Vec<Case> {
    let Some(context) = emulator::device() else { return Vec::new() };
    let mut cases = Vec::new();
    for id in KernelId::ALL {
        let (Some(qtype), Backend::Cuda) = (id.qtype(), id.backend()) else { continue };
        let choices: &[Products] = match id.row().precision {
            "profile_selected" => &[Products::F32, Products::Dp4a],
            _ => &[Products::F32],
        };
        for &products in choices {
            cases.push(Case {
                id,
                path: kreg::admit(id.op(), id.backend(), qtype).unwrap(),
                format: format(qtype.name()).unwrap(),
                device: Device::builder(&context.default_stream()).products(products).build().unwrap(),
                context: context.clone(),
            });
        }
    }
    assert_eq!(cases.len(), 20, "18 weight types, two of them in two ways");
    cases
}

impl Case {
    fn name(&self) -> String {
        format!("{} {:?}", self.id, self.products())
    }

    fn products(&self) -> Products {
        if self.id.row().precision == "profile_selected" { self.device.products() } else { Products::F32 }
    }

    /// `W x` by the row, with `x` so many floats into its buffer and traps around it and `y`.
    fn run(&self, bytes: &[u8], (rows, cols): (usize, usize), x: &[f32], offset: usize) -> Vec<f32> {
        let stream = self.context.default_stream();
        let weights = stream.clone_htod(bytes).unwrap();
        let input = [&vec![f32::NAN; offset], x, &[f32::NAN; 3]].concat();
        let input = stream.clone_htod(&input).unwrap();
        let mut output = stream.clone_htod(&vec![7.0f32; rows + 2]).unwrap();
        let bound = Weights::bind(&self.device, self.path, weights.slice(..), rows, cols).unwrap();
        let (x, mut y) = (input.slice(offset..offset + cols), output.slice_mut(1..=rows));
        let ran = bound.gemv(&self.device, &x, &mut y).unwrap();
        assert_eq!((ran.kernel, ran.products), (self.id, self.products()));
        let all = stream.clone_dtoh(&output).unwrap();
        assert_eq!((all[0], all[rows + 1]), (7.0, 7.0), "{}: wrote past y", self.name());
        all[1..=rows].to_vec()
    }

    /// What an exact kernel would compute from what this one multiplies.
    fn exact(&self, bytes: &[u8], (rows, cols): (usize, usize), x: &[f32]) -> Exact {
        let x = match self.products() {
            Products::F32 => x.iter().map(|&x| x.into()).collect(),
            Products::Dp4a => quantised(x, 32),
        };
        dot(&self.format.decode(bytes, rows, cols), cols, &x)
    }

    #[track_caller]
    fn assert_within(&self, what: &str, cols: usize, y: &[f32], want: &Exact) {
        let bound = gamma(cols + 8);
        for (i, (&y, (&exact, &mag))) in y.iter().zip(want.y.iter().zip(&want.mag)).enumerate() {
            let fits = (f64::from(y) - exact).abs() <= bound * mag || (!y.is_finite() && !exact.is_finite());
            assert!(fits, "{} {what} [{i}]: {y} not {exact}, magnitude {mag}", self.name());
        }
    }

    fn check(&self, what: &str, shape: (usize, usize), offset: usize, rng: &mut Random) {
        let bytes = self.format.matrix(shape.0, shape.1, Codes::Random, Scales::Sane, rng);
        let x = rng.activations(shape.1);
        let y = self.run(&bytes, shape, &x, offset);
        let what = format!("{what} {shape:?}, x from {offset}");
        self.assert_within(&what, shape.1, &y, &self.exact(&bytes, shape, &x));
    }
}

#[test]
fn every_shape_is_within_the_bound() {
    let mut rng = Random::new(31);
    for case in cases() {
        let block = case.format.elems;
        let mut shapes =
            vec![(1, block), (3, 2 * block), (2, 5 * block), (301, block), (5, 17 * 256), (8193, 1024)];
        if block == 1 {
            shapes.extend([(3, 7), (5, 31), (4, 40), (6, 65), (3, 191), (7, 1032), (2, 4097)]);
        }
        if block < 256 {
            shapes.push((65_537, 2 * block));
        }
        for shape in shapes {
            // 8193 rows of 1024 take the path of many rows; a float64 sum of them all takes a second.
            let shape = if shape == (8193, 1024) && block == 256 { (8193, 256) } else { shape };
            for offset in if shape.0 < 1000 { 0..2 } else { 0..1 } {
                case.check("shape", shape, offset, &mut rng);
            }
        }
    }
}

/// More rows than a grid's first dimension has blocks of groups, in the type with the smallest rows.
#[test]
fn rows_beyond_the_grid_are_reached() {
    let mut rng = Random::new(32);
    for case in cases().iter().filter(|case| ["BF16", "F16"].contains(&case.format.name)) {
        case.check("many rows", (2 * 4 * 65_535 + 3, 1), 0, &mut rng);
    }
}

#[test]
fn extremes_stay_where_they_belong() {
    let mut rng = Random::new(33);
    let codes =
        [Codes::Random, Codes::All(0x80), Codes::All(0x7f), Codes::All(0xff), Codes::Alternating(0x7f, 0x80)];
    let scales =
        [Scales::Sane, Scales::Zero, Scales::Subnormal, Scales::Largest, Scales::Nan, Scales::Infinite];
    for case in cases() {
        let shape @ (rows, cols) = (20, case.format.elems * if case.format.elems == 1 { 64 } else { 2 });
        for (codes, scales) in codes.iter().flat_map(|&c| scales.map(|s| (c, s))) {
            // Sums of the largest floats overflow in one order and not in another.
            if case.format.elems == 1 && scales == Scales::Largest {
                continue;
            }
            let bytes = case.format.matrix(rows, cols, codes, scales, &mut rng);
            for x in [rng.activations(cols), vec![1.0; cols], [1.0, -1.0].repeat(cols / 2)] {
                let y = case.run(&bytes, shape, &x, 0);
                case.assert_within(
                    &format!("{codes:?} {scales:?}"),
                    cols,
                    &y,
                    &case.exact(&bytes, shape, &x),
                );
            }
        }
    }
}

#[test]
fn activations_that_are_large_small_or_not_finite() {
    let mut rng = Random::new(34);
    for case in cases() {
        let shape @ (rows, cols) = (18, case.format.elems.max(64) * 2);
        let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut x = rng.activations(cols);
            x[cols / 2 + 5] = bad;
            let y = case.run(&bytes, shape, &x, 0);
            assert!(y.iter().all(|y| !y.is_finite()), "{} {bad}: {y:?}", case.name());
        }
        let large: Vec<f32> = rng.activations(cols).iter().map(|x| x * 1e30).collect();
        let y = case.run(&bytes, shape, &large, 0);
        case.assert_within("large", cols, &y, &case.exact(&bytes, shape, &large));
        let small: Vec<f32> = rng.activations(cols).iter().map(|x| x * 1e-37).collect();
        assert!(case.run(&bytes, shape, &small, 0).iter().all(|y| y.abs() < 1e-30), "{}", case.name());
    }
}

/// A real model's rows, against answers of another program.
#[test]
fn the_slice_is_reproduced() {
    let bytes = fixture::read("smollm2-slice.gguf");
    let file = File::parse(&bytes).unwrap();
    for case in cases() {
        let mut seen = 0;
        for part in ["down", "q"] {
            let named = |kind: &str| file.tensor(&format!("{kind}.{part}.{}", case.format.name));
            let (Some(w), Some(y), Some(x)) = (named("w"), named("y"), file.tensor(&format!("x.{part}")))
            else {
                continue;
            };
            seen += 1;
            let shape @ (rows, cols) = (y.cols() as usize, x.cols() as usize);
            let weights = w.bytes(case.format.byte_len(rows, cols)).unwrap();
            for (x, want) in x.f32s().unwrap().chunks(cols).zip(y.f64s().unwrap().chunks(rows)) {
                let got = case.run(weights, shape, x, 0);
                let exact = case.exact(weights, shape, x);
                case.assert_within(part, cols, &got, &exact);
                if case.products() == Products::F32 {
                    let want = Exact { y: want.to_vec(), mag: exact.mag };
                    case.assert_within(part, cols, &got, &want);
                }
            }
        }
        assert!(seen > 0, "{}: the slice has no such weights", case.name());
    }
}

#[test]
fn other_lengths_and_addresses_are_refused_and_nothing_is_written() {
    let mut rng = Random::new(35);
    for case in cases() {
        let (rows, cols) = (3, case.format.elems.max(32) * 2);
        let stream = case.context.default_stream();
        let bytes = case.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let weights = stream.clone_htod(&[&bytes[..], &[0; 32]].concat()).unwrap();
        let bind = |from: usize, len: usize, rows, cols| {
            Weights::bind(&case.device, case.path, weights.slice(from..from + len), rows, cols).map(|_| ())
        };
        let n = bytes.len();
        let code = |refused: Result<(), Refusal>| refused.unwrap_err().code();
        assert_eq!(code(bind(0, n - 1, rows, cols)), "KR-S01", "{}", case.name());
        assert_eq!(code(bind(0, n + 1, rows, cols)), "KR-S01");
        assert!(matches!(bind(2, n, rows, cols), Err(Refusal::Misaligned { .. })));
        assert!(matches!(bind(0, 0, 0, cols), Err(Refusal::Empty { .. })));
        let bound = Weights::bind(&case.device, case.path, weights.slice(..n), rows, cols).unwrap();
        let x = stream.clone_htod(&vec![1.0f32; cols + 1]).unwrap();
        let mut y = stream.clone_htod(&vec![7.0f32; rows + 1]).unwrap();
        for (x_len, y_len) in [(cols - 1, rows), (cols + 1, rows), (cols, rows - 1), (cols, rows + 1)] {
            let refused = bound.gemv(&case.device, &x.slice(..x_len), &mut y.slice_mut(..y_len));
            assert_eq!(refused.unwrap_err().code(), "KR-S01", "{}", case.name());
        }
        assert_eq!(stream.clone_dtoh(&y).unwrap(), vec![7.0; rows + 1]);
    }
}
