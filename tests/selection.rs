//! Which row is chosen for which machine, on a registry made for it: `kreg-codegen/fixtures/pass/selection`. Targets are
//! described, so every case runs on every host.

/// The expectation of kreg-codegen's own tests, compiled.
#[allow(dead_code, unused_imports, unreachable_pub, reason = "a whole module, of which the tests use a part")]
mod fixture {
    include!("../kreg-codegen/fixtures/pass/selection/expected.rs");
}

/// A registry without a weight type.
#[allow(dead_code, unused_imports, unreachable_pub, reason = "a whole module, of which the tests use a part")]
mod ops_only {
    include!("../kreg-codegen/fixtures/pass/ops-only/expected.rs");
}

use fixture::{
    Accumulate, Backend, Features, GemvOn, KernelId, MatVecOn, Op, Path, Precision, QType, ROWS, Refusal,
    Row, TABLE, Table, Target, Tensor, Trace, admit, kernel_by_label, on, plan, qt, require,
    unregistered_dispatches,
};

// Tables and doors are constants.
const FIRST: Row = TABLE.rows[0];
const WHOLE: Table = TABLE;
const TYPED: Path = <qt::Q4_K as MatVecOn<on::Cpu>>::PATH;
const REQUIRED: Path = require(Op::Gemv, Backend::Wgpu, QType::F16);
const ID: &str = KernelId::CpuMatvecQ4_K.as_str();

fn path(op: Op, backend: Backend, qtype: QType) -> Path {
    admit(op, backend, qtype).unwrap()
}

fn chosen(path: Path, arch: &'static str, features: &str) -> Result<&'static str, Refusal> {
    path.select(&Target::new(arch, Features::parse(features))).map(KernelId::as_str)
}

#[test]
fn constants_hold() {
    assert_eq!((FIRST.id, WHOLE.rows.len(), ID), (ROWS[0].id, ROWS.len(), "cpu.matvec.q4_k"));
    assert_eq!(TYPED, path(Op::MatVec, Backend::Cpu, QType::Q4_K));
    assert_eq!(REQUIRED, <qt::F16 as GemvOn<on::Wgpu>>::PATH);
    for (i, id) in KernelId::ALL.into_iter().enumerate() {
        assert_eq!((id as usize, id.row().id), (i, ROWS[i].id));
        assert_eq!(KernelId::from_name(id.as_str()), Some(id));
        assert_eq!(id.op().name(), ROWS[i].op);
        assert_eq!(id.qtype().map(QType::name), ROWS[i].qtype);
    }
    let quantised = KernelId::CpuMatvecQ6_K_X86_64_Avx2;
    assert_eq!((quantised.accumulate(), quantised.precision()), (Accumulate::I32F32, Precision::Q8_K));
}

#[test]
fn the_most_specific_row_that_fits_is_chosen() {
    let q4_k = path(Op::MatVec, Backend::Cpu, QType::Q4_K);
    for (arch, features, row) in [
        ("x86_64", "avx2+fma", "cpu.matvec.q4_k.x86_64.avx2+fma"),
        ("x86_64", "fma+avx2+avx512bw", "cpu.matvec.q4_k.x86_64.avx2+fma"),
        ("x86_64", "avx2", "cpu.matvec.q4_k"),
        ("x86_64", "avx512f", "cpu.matvec.q4_k.x86_64.avx512f"),
        ("x86_64", "avx2+fma+avx512f", "cpu.matvec.q4_k.x86_64.avx2+fma"),
        ("aarch64", "neon", "cpu.matvec.q4_k.aarch64.neon"),
        ("aarch64", "none", "cpu.matvec.q4_k"),
        ("riscv64", "none", "cpu.matvec.q4_k"),
        ("any", "none", "cpu.matvec.q4_k"),
        // Another architecture's features are not this one's.
        ("aarch64", "avx2+fma", "cpu.matvec.q4_k"),
    ] {
        assert_eq!(chosen(q4_k, arch, features), Ok(row), "{arch}/{features}");
    }
}

#[test]
fn a_named_architecture_beats_any_number_of_features() {
    let q8_0 = path(Op::MatVec, Backend::Cpu, QType::Q8_0);
    assert_eq!(chosen(q8_0, "x86_64", "avx2"), Ok("cpu.matvec.q8_0.x86_64"));
    assert_eq!(chosen(q8_0, "riscv64", "avx2"), Ok("cpu.matvec.q8_0.any.avx2"));
    assert_eq!(chosen(q8_0, "riscv64", "none"), Ok("cpu.matvec.q8_0"));
    let q4_k = path(Op::Gemv, Backend::Cuda, QType::Q4_K);
    assert_eq!(chosen(q4_k, "sm_89", "none"), Ok("cuda.gemv.q4_k.sm_89"));
    assert_eq!(chosen(q4_k, "sm_75", "none"), Ok("cuda.gemv.q4_k"));
}

#[test]
fn device_features_are_required_not_decoration() {
    assert_eq!(chosen(REQUIRED, "any", "SHADER_F16"), Ok("wgpu.gemv.f16.any.shader_f16"));
    assert_eq!(
        chosen(REQUIRED, "any", "SUBGROUP"),
        Err(Refusal::NoRowForTarget { cell: "wgpu.gemv.f16", target: "any/SUBGROUP".into() })
    );
}

#[test]
fn an_exact_target_keeps_activations_in_f32() {
    let q6_k = path(Op::MatVec, Backend::Cpu, QType::Q6_K);
    let target = Target::new("x86_64", Features::parse("avx2"));
    assert_eq!(q6_k.select(&target), Ok(KernelId::CpuMatvecQ6_K_X86_64_Avx2));
    assert_eq!(q6_k.select(&target.exact()), Ok(KernelId::CpuMatvecQ6_K));
    // Where the portable row quantises, a row that requires the demand itself serves it, on any machine.
    let q4_0 = path(Op::MatVec, Backend::Cpu, QType::Q4_0);
    assert_eq!(q4_0.select(&target), Ok(KernelId::CpuMatvecQ4_0));
    assert_eq!(q4_0.select(&target.exact()), Ok(KernelId::CpuMatvecQ4_0_Any_Exact));
    assert_eq!(q4_0.select(&Target::generic().exact()), Ok(KernelId::CpuMatvecQ4_0_Any_Exact));
    let q8_0 = path(Op::MatVec, Backend::Cpu, QType::Q8_0);
    assert_eq!(
        q8_0.select(&target.exact()).unwrap_err().to_string(),
        "KR-P02: every row of cpu.matvec.q8_0 that fits x86_64/avx2, exact quantises its activations; drop `exact` to \
         accept that"
    );
}

#[test]
fn ids_of_a_narrower_registry_are_refused_by_kind() {
    assert_eq!(QType::from_ggml(12), Ok(QType::Q4_K));
    let registered: &[&str] = &["F16", "Q4_0", "Q8_0", "Q4_K", "Q6_K"];
    assert_eq!(QType::from_ggml(3), Err(Refusal::UnregisteredType { id: 3, name: "Q4_1", registered }));
    assert_eq!(QType::from_ggml(4), Err(Refusal::RemovedType { id: 4, was: "Q4_2" }));
    assert_eq!(QType::from_ggml(200), Err(Refusal::UnknownType { id: 200 }));
    assert_eq!(
        admit(Op::Gemv, Backend::Cuda, QType::Q6_K).unwrap_err().to_string(),
        "KR-P01: no `gemv` kernel is registered for Q6_K on cuda; Q6_K is served by: cpu.matvec"
    );
    assert_eq!(QType::Q4_K.served_by(), ["cpu.matvec", "cuda.gemv"]);
}

#[test]
fn a_plan_answers_for_every_tensor_and_op_at_once() {
    let tensor = |name, ggml_type, rows, cols| Tensor { name, ggml_type, rows, cols };
    let tensors = [
        tensor("good", 12, 4, 512),
        tensor("ragged", 12, 4, 300),
        tensor("empty", 12, 0, 512),
        tensor("elsewhere", 14, 4, 512),
        tensor("removed", 36, 4, 512),
        tensor("last", 12, 8, 256),
    ];
    let ids = |ops: &[KernelId]| ops.iter().map(|id| id.as_str()).collect::<Vec<_>>();
    let llama = plan(Backend::Cuda, Some("llama"), &tensors, &Target::new("sm_89", Features::NONE));
    let served: Vec<_> = llama.tensors.iter().map(|t| (t.name.as_str(), t.kernel)).collect();
    assert_eq!(served, [("good", KernelId::CudaGemvQ4_K_Sm_89), ("last", KernelId::CudaGemvQ4_K_Sm_89)]);
    let refused: Vec<_> = llama.refused.iter().map(|(name, why)| (name.as_str(), why.code())).collect();
    assert_eq!(
        refused,
        [("ragged", "KR-S03"), ("empty", "KR-S02"), ("elsewhere", "KR-P01"), ("removed", "KR-T02")]
    );
    assert_eq!(ids(&llama.ops), ["cuda.rope.f32"]);

    let qwen = plan(Backend::Cuda, Some("qwen35"), &tensors[..1], &Target::generic());
    assert!(qwen.is_ready());
    let all = ["cuda.conv1d.silu.f32", "cuda.rope.f32", "cuda.rope.partial_neox.f32"];
    assert_eq!(ids(&qwen.ops), all);
    assert_eq!(
        ids(&plan(Backend::Cuda, None, &[], &Target::generic()).ops),
        all,
        "an unknown family is charged all"
    );
}

#[test]
fn labels_and_traces_know_rows_by_their_exact_names() {
    assert_eq!(kernel_by_label(Backend::Cuda, "q4k_gemv@q4_k"), Some(KernelId::CudaGemvQ4_K));
    assert_eq!(kernel_by_label(Backend::Cpu, "q4k_gemv@q4_k"), None);
    let trace = ["cpu.matvec.q4_k", "q4k_gemv@q4_k", "CPU.matvec.q4_k", "cuda.rope.f32", "q4k_gemv@q4_k"];
    assert_eq!(unregistered_dispatches(trace), ["CPU.matvec.q4_k", "q4k_gemv@q4_k"]);

    let mut ran = Trace::new();
    ran.extend([KernelId::CudaRopeF32, KernelId::CpuMatvecQ4_K, KernelId::CudaRopeF32]);
    assert!(ran.contains(KernelId::CudaRopeF32) && !ran.contains(KernelId::CudaGemvQ4_K));
    assert_eq!(ran.iter().collect::<Vec<_>>(), [KernelId::CpuMatvecQ4_K, KernelId::CudaRopeF32]);
    assert_eq!(unregistered_dispatches(ran.iter().map(KernelId::as_str)), [] as [&str; 0]);
}

#[test]
fn a_registry_of_ops_alone_has_no_weight_type() {
    let refused = ops_only::QType::from_ggml(12).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "KR-T03: Q4_K (ggml type 12) has no row in registry.json; registered: nothing"
    );
    assert_eq!(ops_only::KernelId::ALL, [ops_only::KernelId::CpuRmsnormF32]);
    assert!(ops_only::plan(ops_only::Backend::Cpu, None, &[], &Target::generic()).is_ready());
}
