//! A real file, and damaged ones.

use gguf_file::{File, Value};

fn slice() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/smollm2-slice.gguf")).unwrap()
}

/// The shortest valid file: one tensor of a type that does not exist, one metadata pair.
fn tiny() -> Vec<u8> {
    let text = |s: &str| [&(s.len() as u64).to_le_bytes()[..], s.as_bytes()].concat();
    let mut b = [&b"GGUF"[..], &3u32.to_le_bytes(), &1u64.to_le_bytes(), &1u64.to_le_bytes()].concat();
    b.extend([text("general.alignment"), 4u32.to_le_bytes().into(), 8u32.to_le_bytes().into()].concat());
    b.extend([text("w"), 1u32.to_le_bytes().into(), 5u64.to_le_bytes().into()].concat());
    b.extend([&777u32.to_le_bytes()[..], &0u64.to_le_bytes()].concat());
    b.resize(b.len().next_multiple_of(8), 0);
    b.extend([1, 2, 3, 4, 5]);
    b
}

#[test]
fn a_real_file_reads() {
    let bytes = slice();
    let file = File::parse(&bytes).unwrap();
    assert_eq!(file.metadata["general.architecture"], Value::Text("kreg-fixture"));
    let x = file.tensor("x.down").unwrap();
    assert_eq!((x.cols(), x.rows(), x.f32s().unwrap().len()), (1536, 3, 4608));
    assert_eq!(file.tensor("w.down.MXFP4").unwrap().ggml_type, 39);
    assert!(x.f64s().is_err());
    assert!(file.tensors.iter().all(|t| !t.data.is_empty()));
}

#[test]
fn an_unknown_type_id_stays_a_number() {
    let bytes = tiny();
    let file = File::parse(&bytes).unwrap();
    assert_eq!((file.tensors[0].ggml_type, file.tensors[0].data), (777, &[1, 2, 3, 4, 5][..]));
    assert!(file.tensors[0].bytes(6).is_err());
}

#[test]
fn every_truncation_is_an_error_or_short_data() {
    let bytes = tiny();
    for len in 0..bytes.len() {
        if let Ok(file) = File::parse(&bytes[..len]) {
            assert!(file.tensors[0].bytes(5).is_err(), "{len} bytes");
        }
    }
}

#[test]
fn damage_is_an_error() {
    let mut counts = tiny();
    counts[8..16].fill(0xff);
    let mut magic = tiny();
    magic[0] = b'x';
    let mut version = tiny();
    version[4] = 1;
    for bytes in [counts, magic, version] {
        assert!(File::parse(&bytes).is_err());
    }
}
