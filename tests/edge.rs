//! Inputs that broke other inference engines, one test for each, under the letters of `docs/cases.md`.

mod support;

use std::io::Write;

use gguf_file::File;
use kreg::cpu::{Device, Weights};
use kreg::kernels::format::{APR_Q4, APR_Q8, F32, Format as _, Q4_K, Q8_0};
use kreg::kernels::matrix::byte_len;
use kreg::kernels::reference::decode::{Format, Order};
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::registry::Tensor;
use kreg::kernels::{Refusal, Target, Workspace};
use kreg::{Backend, KernelId, Op, QType};
use support::fixture;
use support::kernel::kernels;

/// GGML ids that once meant a weight type and no longer do.
const REMOVED: [u32; 8] = [4, 5, 31, 32, 33, 36, 37, 38];

/// Case a: ids that other engines meet as a bare number. Each has a kernel, or a refusal that names the type and what
/// is served instead.
#[test]
fn a_type_ids_are_served_or_refused_by_name() {
    for (id, name) in [(20, "IQ4_NL"), (21, "IQ3_S"), (23, "IQ4_XS"), (30, "BF16")] {
        let qtype = QType::from_ggml(id).unwrap();
        assert_eq!((qtype.name(), qtype.ggml_type()), (name, id));
        kreg::admit(Op::MatVec, Backend::Cpu, qtype).unwrap();
    }
    let refusal = QType::from_ggml(39).unwrap_err();
    assert_eq!(refusal.code(), "KR-T03");
    let message = refusal.to_string();
    assert!(message.contains("MXFP4") && message.contains("39") && message.contains("IQ4_XS"), "{message}");
}

/// Case a, the whole kind: of every tensor in a real file, the plan says which kernel serves it or why none does.
#[test]
fn a_every_tensor_of_a_file_is_planned() {
    let bytes = fixture::read("smollm2-slice.gguf");
    let file = File::parse(&bytes).unwrap();
    let tensors: Vec<Tensor<'_>> =
        file.tensors.iter().filter(|t| t.name.starts_with("w.")).map(tensor).collect();
    let plan = kreg::plan(Backend::Cpu, None, &tensors, Device::host().unwrap().target());
    assert_eq!(plan.tensors.len() + plan.refused.len(), tensors.len());
    for (name, why) in &plan.refused {
        let qtype = name.rsplit('.').next().unwrap();
        // The APR formats have no GGUF id of their own: the file stores them as I8.
        let named = if qtype.starts_with("APR") { "I8" } else { qtype };
        assert!(matches!(why, Refusal::UnregisteredType { name, .. } if *name == named), "{name}: {why}");
    }
    assert_eq!(plan.refused.len(), 9, "{:?}", plan.refused);
}

/// Case b: a removed type is refused as such, before its block size can confuse a shape check.
#[test]
fn b_removed_types_say_that_they_were_removed() {
    for id in REMOVED {
        let refusal = QType::from_ggml(id).unwrap_err();
        assert!(matches!(refusal, Refusal::RemovedType { .. }), "{id}: {refusal}");
        let tensor = Tensor { name: "w", ggml_type: id, rows: 7, cols: 33 };
        let plan = kreg::plan(Backend::Cpu, None, &[tensor], &Target::generic());
        assert!(plan.tensors.is_empty() && plan.refused.contains(&("w".into(), refusal)));
    }
}

/// Case b, the whole kind: every id is served, or refused in one of three ways that tell it apart.
#[test]
fn b_every_id_has_one_answer() {
    for id in 0..1000 {
        match QType::from_ggml(id) {
            Ok(qtype) => assert_eq!(qtype.ggml_type(), id),
            Err(Refusal::RemovedType { id: named, .. }) => assert!(named == id && REMOVED.contains(&id)),
            Err(Refusal::UnregisteredType { id: named, name, .. }) => {
                assert!(named == id && !name.is_empty())
            }
            Err(Refusal::UnknownType { id: named }) => assert!(named == id && id > 38),
            Err(other) => panic!("{id}: {other}"),
        }
    }
}

/// Case c: query and dispatch are one list. What is admitted binds and runs as the kernel that the plan named; what is
/// not admitted has no row.
#[test]
fn c_what_is_admitted_runs() {
    let device = Device::host().unwrap();
    for op in Op::ALL {
        for (backend, qtype) in
            Backend::ALL.into_iter().flat_map(|b| QType::ALL.into_iter().map(move |q| (b, q)))
        {
            let of_cell = |id: &KernelId| (id.op(), id.backend(), id.qtype()) == (op, backend, Some(qtype));
            let registered = KernelId::ALL.iter().any(of_cell);
            match kreg::admit(op, backend, qtype) {
                Ok(_) => assert!(registered),
                Err(Refusal::Unregistered { .. }) => assert!(!registered),
                Err(other) => panic!("{other}"),
            }
        }
    }
    for qtype in QType::ALL {
        let (rows, cols) = (2, 256);
        let Ok(path) = kreg::admit(Op::MatVec, Backend::Cpu, qtype) else { continue };
        let tensor = Tensor { name: "w", ggml_type: qtype.ggml_type(), rows: 2, cols: 256 };
        let planned = kreg::plan(Backend::Cpu, None, &[tensor], device.target()).tensors[0].kernel;
        let bytes = vec![0; format(qtype).byte_len(rows, cols)];
        let weights = Weights::bind(&device, path, &bytes, rows, cols).unwrap();
        let ran = weights.matvec(&[1.0; 256], &mut [0.0; 2], &mut Workspace::new()).unwrap();
        assert_eq!((weights.kernel(), ran), (planned, planned));
    }
}

/// Case e: widths of real models that 256 does not divide, and one that nothing divides.
#[test]
fn e_awkward_widths_are_right_or_refused() {
    let mut rng = Random::new(5);
    for kernel in kernels() {
        let f = kernel.format;
        for cols in [4544, 49954, 2880, 576] {
            if f.order == Order::Rows && cols % f.elems != 0 {
                let path = kreg::admit(kernel.id.op(), Backend::Cpu, kernel.id.qtype().unwrap()).unwrap();
                let bytes = vec![0; f.byte_len(1, cols)];
                let refusal = Weights::bind(&kernel.device, path, &bytes, 1, cols).err();
                let expected = Refusal::Multiple { what: "cols", of: f.elems as u64, got: cols as u64 };
                assert_eq!(refusal, Some(expected), "{}", kernel.name());
                continue;
            }
            let bytes = f.matrix(3, cols, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(cols);
            let got = kernel.run(&bytes, 3, cols, &x);
            let exact = kernel.exact(&f.decode(&bytes, 3, cols), cols, &x);
            kernel.assert_within(&format!("K {cols}"), cols, &got, &exact);
        }
    }
}

/// Case f: as many activation rows as fill no tile, with NaN right behind them; a ragged last row is refused.
#[test]
fn f_activation_rows_that_fill_no_tile() {
    let mut rng = Random::new(6);
    for kernel in kernels() {
        let (rows, cols) = (2, 256);
        let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
        let decoded = kernel.format.decode(&bytes, rows, cols);
        for m in [1, 3, 17, 2040] {
            let x = rng.activations(m * cols);
            // `run` puts NaN behind `x` and watches what lies behind `y`.
            let got = kernel.run(&bytes, rows, cols, &x);
            kernel.assert_within(&format!("M {m}"), cols, &got, &kernel.exact(&decoded, cols, &x));
        }
        let mut y = [7.0; 4];
        let ragged = kernel.bind(&bytes, rows, cols).matvec(&[1.0; 300], &mut y, &mut Workspace::new());
        let expected = Refusal::Multiple { what: "x (activations)", of: 256, got: 300 };
        assert_eq!((ragged, y), (Err(expected), [7.0; 4]));
    }
}

/// Case g: more than 2^31 elements. Sizes are exact, plans hold, and the last row lies where it must.
#[test]
fn g_more_than_two_to_the_31_elements() {
    let (rows, cols) = (600_000, 8192);
    assert!(rows as u64 * cols as u64 > 1 << 32);
    assert_eq!(byte_len::<Q4_K>(rows, cols), Ok(rows * (cols / 256) * 144));
    assert_eq!(byte_len::<Q8_0>(rows, cols), Ok(rows * (cols / 32) * 34));
    assert_eq!(byte_len::<APR_Q4>(rows, cols), Ok(rows * cols / 32 * 18));
    assert_eq!(byte_len::<APR_Q8>(rows, cols), Ok(rows * cols + 4));
    let too_large = |refusal: Result<usize, Refusal>| matches!(refusal, Err(Refusal::TooLarge { .. }));
    assert!(too_large(byte_len::<F32>(usize::MAX / 2, 3)));
    assert!(too_large(byte_len::<APR_Q8>(usize::MAX, usize::MAX)));
    assert!(too_large(byte_len::<Q4_K>(usize::MAX / 256, 512)));

    let tensor = Tensor { name: "w", ggml_type: Q4_K::GGML_TYPE, rows: rows as u64, cols: cols as u64 };
    assert_eq!(kreg::plan(Backend::Cpu, None, &[tensor], &Target::generic()).tensors.len(), 1);
}

/// Case g, run: products over more than 2^31 weights and bytes, a map of zeros but for the first row, those around the
/// 2^31st weight, and the last.
#[test]
fn g_a_product_over_more_than_two_to_the_31_weights() {
    let (rows, cols) = (262_144 + 1000, 8192);
    assert!(rows as u64 * cols as u64 > 1 << 31);
    let x = Random::new(10).activations(cols);
    // One stream of bytes, so that element and byte offsets both pass 2^31. Pages that nothing writes take no memory.
    for kernel in kernels().iter().filter(|kernel| kernel.format.name == APR_Q8::NAME) {
        let one = kernel.format.matrix(1, cols, Codes::Random, Scales::Sane, &mut Random::new(11));
        let (scale, row) = one.split_at(4);
        let mut map = memmap2::MmapMut::map_anon(kernel.format.byte_len(rows, cols)).unwrap();
        map[..4].copy_from_slice(scale);
        let written = [0, 262_143, 262_144, rows - 1];
        for r in written {
            map[4 + r * cols..][..cols].copy_from_slice(row);
        }
        let mut y = vec![f32::NAN; rows];
        kernel.bind(&map, rows, cols).matvec(&x, &mut y, &mut Workspace::new()).unwrap();
        let exact = kernel.exact(&kernel.format.decode(&one, 1, cols), cols, &x);
        for r in written {
            kernel.assert_within(&format!("row {r}"), cols, &y[r..=r], &exact);
        }
        let others = y.iter().enumerate().filter(|(r, _)| !written.contains(r));
        assert!(others.into_iter().all(|(_, y)| *y == 0.0), "{}", kernel.name());
    }
}

/// Case i: a mapped file whose tensors lie at odd addresses.
#[test]
fn i_a_mapped_file_at_an_odd_address() {
    let mut copy = tempfile::tempfile().unwrap();
    copy.write_all(&[&[0], &fixture::read("smollm2-slice.gguf")[..]].concat()).unwrap();
    // SAFETY: the file is this test's own and nobody writes to it while it is mapped.
    let map = unsafe { memmap2::Mmap::map(&copy) }.unwrap();
    let file = File::parse(&map[1..]).unwrap();
    for kernel in kernels() {
        let Some(w) = file.tensor(&format!("w.down.{}", kernel.format.name)) else { continue };
        let (rows, cols) = (w.rows() as usize, w.cols() as usize);
        let bytes = w.bytes(kernel.format.byte_len(rows, cols)).unwrap();
        assert_eq!(bytes.as_ptr() as usize % 2, 1);
        let x = file.tensor("x.down").unwrap().f32s().unwrap();
        let mut y = vec![0.0; 3 * rows];
        kernel.bind(bytes, rows, cols).matvec(&x, &mut y, &mut Workspace::new()).unwrap();
        let exact = kernel.exact(&kernel.format.decode(bytes, rows, cols), cols, &x);
        kernel.assert_within("", cols, &y, &exact);
    }
}

/// Case i: bytes that the shape does not account for, either way; and shapes with nothing in them.
#[test]
fn i_wrong_byte_counts_and_empty_shapes_are_refused() {
    for kernel in kernels() {
        let path = kreg::admit(kernel.id.op(), Backend::Cpu, kernel.id.qtype().unwrap()).unwrap();
        let bind = |bytes: &[u8], rows, cols| Weights::bind(&kernel.device, path, bytes, rows, cols).err();
        let (rows, cols) = (3, 256);
        let expected = kernel.format.byte_len(rows, cols);
        let bytes = vec![0; expected + 1];
        for got in [0, expected - 1, expected + 1] {
            let refusal =
                Refusal::Length { what: "weight bytes", expected: expected as u64, got: got as u64 };
            assert_eq!(bind(&bytes[..got], rows, cols), Some(refusal), "{}", kernel.name());
        }
        assert_eq!(bind(&[], 0, cols), Some(Refusal::Empty { what: "rows" }));
        assert_eq!(bind(&[], rows, 0), Some(Refusal::Empty { what: "cols" }));
        assert!(
            matches!(bind(&bytes, usize::MAX / 2, 4096), Some(Refusal::TooLarge { .. })),
            "{}",
            kernel.name()
        );
    }
}

/// Case j: activations of one sign whose block sums pass the largest f16, and amplitudes up to 2^16.
#[test]
fn j_large_activations_of_one_sign() {
    let mut rng = Random::new(7);
    check_inputs(&[Codes::Random], |cols| {
        vec![
            (0..cols).map(|_| rng.between(2040.0, 2050.0) as f32).collect(),
            (0..cols).map(|_| -rng.between(2040.0, 2050.0) as f32).collect(),
            vec![65536.0; cols],
            (0..cols).map(|_| rng.between(-65536.0, 65536.0) as f32).collect(),
        ]
    });
}

/// Case k: the codes at which pairs of byte products pass 32767, with activations that quantise to 127 and -127.
#[test]
fn k_extreme_codes_do_not_saturate() {
    let codes = [
        Codes::All(0x80),
        Codes::All(0x7f),
        Codes::All(0xff),
        Codes::All(0x00),
        Codes::Alternating(0x80, 0x7f),
        Codes::Alternating(0xff, 0x00),
    ];
    check_inputs(&codes, |cols| {
        let alternating = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        vec![vec![1.0; cols], vec![-1.0; cols], (0..cols).map(alternating).collect()]
    });
}

/// Case l: engine threads times pool threads. Any number of callers in any number of pools get the same bits.
#[test]
fn l_callers_and_pools_do_not_change_results() {
    let mut rng = Random::new(8);
    for kernel in kernels() {
        // One product that is divided among threads, one that is too small to be.
        for (rows, cols) in [(515, 1024), (16, 256)] {
            let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
            let x = rng.activations(cols);
            let alone = bits(&kernel.run(&bytes, rows, cols, &x));
            let in_pool = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| bits(&kernel.run(&bytes, rows, cols, &x)))
            };
            std::thread::scope(|scope| {
                let callers = [1, 2, 4].map(|threads| scope.spawn(move || in_pool(threads)));
                for caller in callers {
                    assert_eq!(caller.join().unwrap(), alone, "{}", kernel.name());
                }
            });
        }
    }
}

/// Runs every kernel over weights with these codes and over all these inputs, and holds each to its bound.
fn check_inputs(codes: &[Codes], mut inputs: impl FnMut(usize) -> Vec<Vec<f32>>) {
    let mut rng = Random::new(9);
    for kernel in kernels() {
        let (rows, cols) = (3, 512);
        for codes in codes {
            let bytes = kernel.format.matrix(rows, cols, *codes, Scales::Sane, &mut rng);
            let decoded = kernel.format.decode(&bytes, rows, cols);
            for x in inputs(cols) {
                let got = kernel.run(&bytes, rows, cols, &x);
                let what = format!("{codes:?} x {:?}...", &x[..2]);
                kernel.assert_within(&what, cols, &got, &kernel.exact(&decoded, cols, &x));
            }
        }
    }
}

fn tensor<'a>(t: &gguf_file::Tensor<'a>) -> Tensor<'a> {
    Tensor { name: t.name, ggml_type: t.ggml_type, rows: t.rows(), cols: t.cols() }
}

fn format(qtype: QType) -> &'static Format {
    kreg::kernels::reference::decode::format(qtype.name()).unwrap()
}

fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| y.to_bits()).collect()
}
