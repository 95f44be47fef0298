//! Every kernel row against rows of a real model.

mod support;

use gguf_file::File;
use kreg::kernels::reference::Products;
use support::fixture;
use support::kernel::{Kernel, kernels};

/// What quantising activations to 8 bits may cost, as a share of the row's largest output.
const QUANTISED: f64 = 2e-2;

/// One matrix of the slice with its activations and answers.
struct Part {
    rows: usize,
    cols: usize,
    bytes: Vec<u8>,
    x: Vec<f32>,
    /// The float64 answers of another program, and its magnitudes where it gives them.
    y: Vec<f64>,
    mag: Option<Vec<f64>>,
}

fn part(file: &File<'_>, part: &str, kernel: &Kernel) -> Option<Part> {
    let named = |kind: &str| file.tensor(&format!("{kind}.{part}.{}", kernel.format.name));
    let (w, y, x) = (named("w")?, named("y")?, file.tensor(&format!("x.{part}"))?);
    let (rows, cols) = (y.cols() as usize, x.cols() as usize);
    Some(Part {
        rows,
        cols,
        bytes: w.bytes(kernel.format.byte_len(rows, cols)).unwrap().to_vec(),
        x: x.f32s().unwrap(),
        y: y.f64s().unwrap(),
        mag: named("mag").map(|mag| mag.f64s().unwrap()),
    })
}

#[test]
fn every_row_reproduces_the_slice() {
    let bytes = fixture::read("smollm2-slice.gguf");
    let file = File::parse(&bytes).unwrap();
    for kernel in kernels() {
        let parts: Vec<Part> = ["down", "q", "apr"].iter().filter_map(|p| part(&file, p, &kernel)).collect();
        assert!(!parts.is_empty(), "{}: the slice has no such weights", kernel.name());
        for part in parts {
            check(&kernel, &part);
        }
    }
}

fn check(kernel: &Kernel, part: &Part) {
    let got = kernel.run(&part.bytes, part.rows, part.cols, &part.x);
    let weights = kernel.format.decode(&part.bytes, part.rows, part.cols);
    let exact = kernel.exact(&weights, part.cols, &part.x);
    kernel.assert_within("", part.cols, &got, &exact);
    if kernel.row.precision == "f32" {
        let mag = part.mag.clone().unwrap_or(exact.mag);
        kernel.assert_within("", part.cols, &got, &Products { y: part.y.clone(), mag });
    } else {
        for (got, want) in got.chunks(part.rows).zip(part.y.chunks(part.rows)) {
            let max = want.iter().fold(0.0f64, |max, y| max.max(y.abs()));
            let worst =
                got.iter().zip(want).map(|(&got, want)| (f64::from(got) - want).abs()).fold(0.0, f64::max);
            assert!(worst <= QUANTISED * max, "{}: {worst} is over 2 % of {max}", kernel.name());
        }
    }
}
