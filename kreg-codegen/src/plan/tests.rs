use super::*;

fn row(id: &str, weight: Option<(&str, u32)>, arch: &str, isa: &[&str]) -> Row {
    let mut parts = id.split('.');
    let (backend, op) = (parts.next().unwrap(), parts.next().unwrap());
    let set = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
    Row {
        line: 1,
        id: id.into(),
        op: op.into(),
        weight: weight.map(|(qtype, ggml_type)| Weight {
            qtype: qtype.into(),
            ggml_type,
            layout: "row_major".into(),
            block_elems: 256,
        }),
        backend: backend.into(),
        arch: arch.into(),
        isa_features: set(isa),
        requires: set(&[]),
        accumulate: "f32".into(),
        precision: "f32".into(),
        error_model: "EM-DOT".into(),
        determinism: "bounded".into(),
        shape_class: "m_any".into(),
        tolerance: "unmeasured".into(),
        source_file: "k/src/a.rs".into(),
        source_fn: "f".into(),
        selector: "kreg::cpu".into(),
        contract: "contracts/a.yaml".into(),
        archs: None,
        labels: vec![],
    }
}

fn registry(rows: Vec<Row>) -> Registry {
    Registry { name: "registry.json".into(), rows, unread: 0 }
}

#[test]
fn variants_read_like_their_ids() {
    let q4_k = Some(("Q4_K", 12));
    let rows = registry(vec![
        row("cpu.matvec.q4_k", q4_k, "any", &[]),
        row("cpu.matvec.q4_k.x86_64.avx2+fma", q4_k, "x86_64", &["avx2", "fma"]),
        row("cuda.gemv.q4_k.sm_89", q4_k, "sm_89", &[]),
        row("cuda.rope.partial_neox.f32", None, "any", &[]),
        row("cpu.rmsnorm.f32", None, "any", &[]),
        row("cpu.rmsnorm.f32.aarch64.neon", None, "aarch64", &["neon"]),
    ]);
    let plan = Plan::new(&rows).unwrap();
    let names: Vec<&str> = plan.rows.iter().map(|e| e.variant.as_str()).collect();
    assert_eq!(
        names,
        [
            "CpuMatvecQ4_K",
            "CpuMatvecQ4_K_X86_64_Avx2Fma",
            "CpuRmsnormF32",
            "CpuRmsnormF32_Aarch64_Neon",
            "CudaGemvQ4_K_Sm_89",
            "CudaRopePartialNeoxF32",
        ]
    );
}

#[test]
fn names_that_would_clash_are_numbered() {
    let rows = registry(vec![
        row("cpu.gelu.f32.x86_64.a+b", None, "x86_64", &["a", "b"]),
        row("cpu.gelu.f32.x86_64.a_b", None, "x86_64", &["a_b"]),
    ]);
    let plan = Plan::new(&rows).unwrap();
    assert_eq!(plan.rows[0].variant, "CpuGeluF32_X86_64_AB");
    assert_eq!(plan.rows[1].variant, "CpuGeluF32_X86_64_AB_2");
}

#[test]
fn candidates_go_from_the_most_specific_to_the_baseline() {
    let q4_k = Some(("Q4_K", 12));
    let rows = registry(vec![
        row("cpu.matvec.q4_k", q4_k, "any", &[]),
        row("cpu.matvec.q4_k.any.avx2", q4_k, "any", &["avx2"]),
        row("cpu.matvec.q4_k.x86_64", q4_k, "x86_64", &[]),
        row("cpu.matvec.q4_k.x86_64.avx2+fma", q4_k, "x86_64", &["avx2", "fma"]),
    ]);
    let plan = Plan::new(&rows).unwrap();
    let ids: Vec<&str> =
        plan.candidates("cpu", "matvec", "Q4_K").iter().map(|&i| plan.rows[i].row.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "cpu.matvec.q4_k.x86_64.avx2+fma",
            "cpu.matvec.q4_k.x86_64",
            "cpu.matvec.q4_k.any.avx2",
            "cpu.matvec.q4_k"
        ]
    );
    let baseline = plan.candidates("cpu", "matvec", "Q4_K").iter().map(|&i| plan.rows[i].is_baseline());
    assert_eq!(baseline.collect::<Vec<_>>(), [false, false, false, true]);
    assert_eq!(plan.candidates("cuda", "gemv", "Q4_K"), &[] as &[usize]);
    assert_eq!(plan.served_by("Q4_K"), ["cpu.matvec"]);
}

#[test]
fn what_the_checks_would_refuse_is_a_finding_here_too() {
    assert!(Plan::new(&registry(vec![])).unwrap_err()[0].cause.contains("no row"));
    let mut bad = row("cpu.gelu.f32", None, "any", &[]);
    bad.error_model = "EM-WISH".into();
    assert!(Plan::new(&registry(vec![bad])).unwrap_err()[0].cause.contains("EM-WISH"));
}
