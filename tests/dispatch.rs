//! The three doors, binding, the op functions and their refusals, on the real registry.

use kreg::{Backend, KernelId, MatVecOn, Op, Path, QType, Refusal, Target, Workspace, admit, cpu, on, qt};

const CONST_DOOR: Path = kreg::path!(MatVec, Cpu, Q4_K);
const TYPED_DOOR: Path = <qt::Q4_K as MatVecOn<on::Cpu>>::PATH;

/// Two rows of 256 weights, all `d * (1 - 8)`.
fn q4_0() -> Vec<u8> {
    // f16 1.0, then nibbles of 1.
    let block: Vec<u8> = [0x00, 0x3c].into_iter().chain([0x11; 16]).collect();
    block.repeat(16)
}

#[test]
fn the_three_doors_lead_to_the_same_path() {
    let run_time = admit(Op::MatVec, Backend::Cpu, QType::from_ggml(12).unwrap()).unwrap();
    assert_eq!(run_time, CONST_DOOR);
    assert_eq!(run_time, TYPED_DOOR);
    assert_eq!(
        (run_time.op(), run_time.backend(), run_time.qtype()),
        (Op::MatVec, Backend::Cpu, QType::Q4_K)
    );
}

#[test]
fn a_bound_matrix_computes_and_says_what_ran() {
    let portable = cpu::Device::new(Target::generic()).unwrap();
    let bytes = q4_0();
    let path = admit(Op::MatVec, Backend::Cpu, QType::Q4_0).unwrap();
    let w = cpu::Weights::bind(&portable, path, &bytes, 2, 256).unwrap();
    assert_eq!((w.rows(), w.cols(), w.kernel()), (2, 256, KernelId::CpuMatvecQ4_0));

    let (x, mut y) = (vec![0.5; 3 * 256], vec![0.0; 3 * 2]);
    assert_eq!(w.matvec(&x, &mut y, &mut Workspace::new()), Ok(KernelId::CpuMatvecQ4_0));
    assert_eq!(y, [-896.0; 6]);

    let host = cpu::Device::host().unwrap();
    let w = cpu::Weights::bind(&host, path, &bytes, 2, 256).unwrap();
    let ran = w.matvec(&x, &mut y, &mut Workspace::new()).unwrap();
    assert_eq!(ran, path.select(host.target()).unwrap());
    assert!(y.iter().all(|y| (y + 896.0).abs() < 1e-2), "{y:?}");
}

#[test]
fn bind_refuses_what_does_not_fit() {
    let device = cpu::Device::host().unwrap();
    let bytes = q4_0();
    let path = admit(Op::MatVec, Backend::Cpu, QType::Q4_0).unwrap();
    let bind = |bytes: &[u8], rows, cols| {
        cpu::Weights::bind(&device, path, bytes, rows, cols).map(|_| ()).unwrap_err()
    };
    let length = |got| Refusal::Length { what: "weight bytes", expected: 288, got };
    assert_eq!(bind(&bytes[1..], 2, 256), length(287));
    assert_eq!(bind(&[&bytes[..], &[0]].concat(), 2, 256), length(289));
    assert_eq!(bind(&bytes, 0, 256), Refusal::Empty { what: "rows" });
    assert_eq!(bind(&bytes, 2, 0), Refusal::Empty { what: "cols" });
    assert_eq!(bind(&bytes, 2, 250), Refusal::Multiple { what: "cols", of: 32, got: 250 });
    assert_eq!(bind(&bytes, usize::MAX / 16, 256).code(), "KR-S04");
}

#[test]
fn matvec_refuses_other_lengths_and_writes_nothing() {
    let device = cpu::Device::host().unwrap();
    let bytes = q4_0();
    let path = admit(Op::MatVec, Backend::Cpu, QType::Q4_0).unwrap();
    let w = cpu::Weights::bind(&device, path, &bytes, 2, 256).unwrap();
    let mut y = [7.0; 2];
    let ws = &mut Workspace::new();
    assert_eq!(w.matvec(&[1.0; 255], &mut y, ws).unwrap_err().code(), "KR-S03");
    assert_eq!(w.matvec(&[1.0; 512], &mut y, ws).unwrap_err().code(), "KR-S01");
    assert_eq!(y, [7.0; 2]);
    assert!(w.matvec(&[], &mut [], ws).is_ok(), "no row of x is a whole number of rows");
}

#[test]
fn three_kinds_of_unknown_ids_are_three_refusals() {
    assert_eq!(QType::from_ggml(12), Ok(QType::Q4_K));
    assert_eq!(QType::from_ggml(99), Err(Refusal::UnknownType { id: 99 }));
    assert_eq!(QType::from_ggml(36), Err(Refusal::RemovedType { id: 36, was: "IQ4_NL_4_4" }));
    let Err(Refusal::UnregisteredType { id, name, registered }) = QType::from_ggml(39) else { panic!() };
    assert_eq!((id, name), (39, "MXFP4"));
    assert_eq!(registered, QType::ALL.map(QType::name));
}

#[test]
fn an_unregistered_pair_says_where_the_type_is_served() {
    let refusal = admit(Op::Gemv, Backend::Cuda, QType::APR_Q8).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "KR-P01: no `gemv` kernel is registered for APR_Q8 on cuda; APR_Q8 is served by: cpu.matvec"
    );
    assert_eq!(admit(Op::Gemv, Backend::Wgpu, QType::IQ2_XXS).unwrap_err().code(), "KR-P01");
    // An op without weights has no path at all.
    assert_eq!(admit(Op::RmsNorm, Backend::Cpu, QType::F32).unwrap_err().code(), "KR-P01");
}

#[test]
fn an_op_checks_computes_and_says_what_ran() {
    let device = cpu::Device::host().unwrap();
    let mut y = [9.0; 2];
    let ran = cpu::rmsnorm(&device, &[3.0, 4.0], &[1.0, 2.0], 0.0, &mut y);
    assert_eq!(ran, Ok(KernelId::CpuRmsnormF32));
    assert!((y[0] - 0.848_528_1).abs() < 1e-6 && (y[1] - 2.262_741_7).abs() < 1e-6, "{y:?}");

    assert_eq!(cpu::argmax(&device, &[1.0, 3.0, 2.0]), Ok((1, KernelId::CpuArgmaxF32)));
    let ws = &mut Workspace::new();
    let drawn = cpu::sample::topk(&device, &[1.0, 3.0, 2.0], 0.01, 40, 0.5, ws);
    assert_eq!(drawn, Ok((1, KernelId::CpuSampleTopkF32)));

    let mut kept = [9.0; 3];
    let refused = cpu::rmsnorm(&device, &[3.0, 4.0], &[1.0, 2.0], 0.0, &mut kept).unwrap_err();
    assert_eq!((refused.code(), kept), ("KR-S01", [9.0; 3]));
}
