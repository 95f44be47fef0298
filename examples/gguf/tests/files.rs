//! A real file; a sound file reads back as written; each way of damaging one is named.

use gguf_file::{Error, File, NewTensor, Value, Writer};

/// Two tensors, one of a type that nobody knows, and every kind of value.
fn sound() -> Writer {
    let pair = |key: &str, value| (key.to_string(), value);
    let tensor = |name: &str, dims: &[u64], ggml_type, len| NewTensor {
        name: name.into(),
        dims: dims.into(),
        ggml_type,
        bytes: (0..len).collect(),
    };
    Writer {
        alignment: 64,
        pairs: vec![
            pair("a.count", Value::Unsigned(7)),
            pair("a.wide", Value::Unsigned(1 << 40)),
            pair("a.signed", Value::Signed(-3)),
            pair("a.scale", Value::Float(0.5)),
            pair("a.precise", Value::Float(0.1)),
            pair("a.flag", Value::Bool(true)),
            pair("a.name", Value::Text("smol")),
            pair("a.list", Value::List(vec![Value::Text("x"), Value::Text("yz")])),
        ],
        tensors: vec![tensor("w", &[3, 2], 0, 24), tensor("odd", &[5], 4711, 5)],
    }
}

/// The file with `bytes` at the place where `mark` begins, `skip` bytes further.
fn patched(mark: &str, skip: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = sound().to_bytes();
    let at = file.windows(mark.len()).position(|w| w == mark.as_bytes()).expect("the mark is in the file");
    let at = at + mark.len() + skip;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn refused(file: &[u8]) -> String {
    File::parse(file).expect_err("a damaged file was accepted").to_string()
}

/// Rows of a real model; made by gguf-py.
fn slice() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/smollm2-slice.gguf")).unwrap()
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
fn a_sound_file_reads_back() {
    let (writer, file) = (sound(), sound().to_bytes());
    let read = File::parse(&file).unwrap();
    for (key, value) in &writer.pairs {
        assert_eq!(read.metadata.get(key.as_str()), Some(value), "{key}");
    }
    assert_eq!(read.metadata.len(), writer.pairs.len() + 1);
    for tensor in &writer.tensors {
        let found = read.tensor(&tensor.name).unwrap();
        assert_eq!((found.ggml_type, &found.dims), (tensor.ggml_type, &tensor.dims));
        assert_eq!(found.bytes(tensor.bytes.len()).unwrap(), tensor.bytes);
    }
    let w = read.tensor("w").unwrap();
    assert_eq!((w.cols(), w.rows()), (3, 2));
    let odd = read.tensor("odd").unwrap();
    assert_eq!(odd.f32s(), Err(Error::TensorType { tensor: "odd".into(), want: 0, found: 4711 }));
}

#[test]
fn look_ups_name_what_is_missing_or_of_another_type() {
    let file = sound().to_bytes();
    let read = File::parse(&file).unwrap();
    assert_eq!(read.required("a.count", "a number", Value::unsigned), Ok(7));
    assert_eq!(read.required("a.scale", "a float", Value::float), Ok(0.5));
    assert_eq!(read.required("a.name", "text", Value::text), Ok("smol"));
    assert_eq!(read.optional("a.none", "text", Value::text), Ok(None));
    let text = |key| read.required(key, "text", Value::text).unwrap_err().to_string();
    assert_eq!(text("a.none"), "the file has no `a.none`");
    assert_eq!(text("a.flag"), "`a.flag` must be text, and is a truth value");
}

#[test]
fn every_prefix_is_refused_by_name() {
    let file = sound().to_bytes();
    for len in 0..file.len() - 64 {
        let why = refused(&file[..len]);
        assert!(
            why.contains("ends too early") || why.contains("can hold") || why.contains("file ends after"),
            "{why}"
        );
    }
    // Within the last tensor's padding and bytes only `bytes` can tell, since only a kernel knows the size.
    let cut = &file[..file.len() - 60];
    let read = File::parse(cut).unwrap();
    let odd = read.tensor("odd").unwrap();
    assert_eq!(odd.bytes(5), Err(Error::Short { tensor: "odd".into(), need: 5, found: 4 }));
    let w = read.tensor("w").unwrap();
    assert!(w.bytes(65).is_err(), "a tensor may not reach into the next one");
}

#[test]
fn damage_is_named() {
    let mut file = sound().to_bytes();
    file[0] = b'X';
    assert_eq!(refused(&file), "not a GGUF file: it starts with `XGUF`");
    let cases: &[(&[u8], &str)] = &[
        (&patched("GGUF", 0, &[1, 0, 0, 0]), "GGUF version 1: only 2 and 3 are read"),
        (&patched("GGUF", 0, &[0, 0, 0, 3]), "a big-endian GGUF file: only little-endian ones are read"),
        (&patched("GGUF", 4, &[0xff; 8]), "the file claims 18446744073709551615 tensors, more than"),
        (&patched("GGUF", 12, &[0xff; 8]), "the file claims 18446744073709551615 metadata pairs, more than"),
        (&patched("a.list", 8, &[0xff; 8]), "the file claims 18446744073709551615 list elements, more than"),
        (&patched("a.name", 4, &[0xff; 8]), "the file ends too early: metadata value at byte"),
        (&patched("a.name", 12, &[0xff]), "metadata value at byte"),
        (&patched("a.name", 0, &[13]), "`a.name` has value type 13, which GGUF does not define"),
        (&patched("a.flag", 4, &[2]), "`a.flag` is a truth value of 2"),
        (&patched("general.alignment", 4, &[63]), "general.alignment is 63, not a power of two"),
        (&patched("general.alignment", 4, &[0]), "general.alignment is 0, not a power of two"),
        (
            &patched("general.alignment", 0, &[6]),
            "`general.alignment` must be an unsigned integer, and is a float",
        ),
        (&patched("odd", 0, &[5]), "tensor `odd` has 5 dimensions: at most four are possible"),
        (&patched("odd", 4, &[0]), "tensor `odd` has shape [0]: empty, or more than 2^64 values"),
        (&patched("odd", 16, &[65]), "tensor `odd` starts at 65, which is not a multiple of 64"),
        (
            &patched("odd", 16, &[0, 1]),
            "tensor `odd` starts at 256, and the file ends after 128 bytes of tensor data",
        ),
        (&patched("odd", 16, &[0]), "starts at 0, as another one does"),
    ];
    for (file, message) in cases {
        let why = refused(file);
        assert!(why.contains(message), "expected `{message}`, got `{why}`");
    }
}

#[test]
fn repeated_names_are_refused() {
    let mut writer = sound();
    writer.tensors[1].name = "w".into();
    assert_eq!(refused(&writer.to_bytes()), "tensor `w` occurs twice");
    let mut writer = sound();
    writer.pairs[1].0 = "a.count".into();
    assert_eq!(refused(&writer.to_bytes()), "metadata key `a.count` occurs twice");
}

#[test]
fn a_list_of_lists_is_refused() {
    let mut writer = sound();
    writer.pairs[0].1 = Value::List(vec![Value::List(vec![Value::Unsigned(1)])]);
    assert_eq!(refused(&writer.to_bytes()), "`a.count` is a list of lists, which no GGUF writer makes");
}

#[test]
fn a_shape_of_more_than_64_bits_is_refused() {
    let mut writer = sound();
    writer.tensors[0].dims = vec![1 << 33, 1 << 33];
    assert!(
        refused(&writer.to_bytes())
            .starts_with("tensor `w` has shape [8589934592, 8589934592]: empty, or more")
    );
}
