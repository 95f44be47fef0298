//! The float64 definitions against answers that other programs computed.

use gguf_file::File;
use kreg_kernels::reference::decode::{Order, format};
use kreg_kernels::reference::{dot, quantised};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Decoding every matrix of the slice gives the products and magnitudes that gguf-py's decoder gives.
#[test]
fn every_format_decodes_as_gguf_py_does() {
    let bytes = fixture("smollm2-slice.gguf");
    let file = File::parse(&bytes).unwrap();
    let mut checked = 0;
    for tensor in &file.tensors {
        let [kind, part, qtype] = tensor.name.split('.').collect::<Vec<_>>()[..] else { continue };
        let ("w", Some(format)) = (kind, format(qtype)) else { continue };
        let x = file.tensor(&format!("x.{part}")).unwrap();
        let answer = |what: &str| {
            file.tensor(&format!("{what}.{part}.{qtype}")).map(|t| (t.cols(), t.f64s().unwrap()))
        };
        let (rows, y) = answer("y").unwrap();
        let (rows, cols) = (rows as usize, x.cols() as usize);

        let len = format.byte_len(rows, cols);
        if format.order == Order::Rows {
            assert_eq!((rows as u64, cols as u64), (tensor.rows(), tensor.cols()), "{}", tensor.name);
        }
        let weights = format.decode(tensor.bytes(len).unwrap(), rows, cols);
        let got = dot(&weights, cols, &x.f32s().unwrap().iter().map(|&x| x.into()).collect::<Vec<_>>());
        let mag = answer("mag").map_or(got.mag.clone(), |mag| mag.1);
        for i in 0..y.len() {
            assert!(
                (got.y[i] - y[i]).abs() <= 1e-13 * mag[i],
                "{} [{i}]: {} not {}",
                tensor.name,
                got.y[i],
                y[i]
            );
            assert!((got.mag[i] - mag[i]).abs() <= 1e-13 * mag[i], "{} |{i}|", tensor.name);
        }
        checked += 1;
    }
    // 19 types on the wide part, 9 of them on the narrow one, 2 APR formats.
    assert_eq!(checked, 30);
}

/// Quantising activations costs what 8 bits cost, and no more.
#[test]
fn quantised_activations_are_close() {
    let bytes = fixture("smollm2-slice.gguf");
    let x = File::parse(&bytes).unwrap().tensor("x.down").unwrap().f32s().unwrap();
    for block in [32, 256] {
        for (x, q) in x.chunks(block).zip(quantised(&x, block).chunks(block)) {
            let amax = x.iter().fold(0.0f32, |m, x| m.max(x.abs()));
            let half_step = f64::from(amax) / 127.0 * 0.5 * 1.0001;
            assert!(x.iter().zip(q).all(|(&x, q)| (f64::from(x) - q).abs() <= half_step));
        }
    }
}
