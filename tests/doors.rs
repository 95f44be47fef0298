//! The run-time door on device backends, the same with the features that serve them and without. (`tests/ui` has the typed
//! and the const one.)

use kreg::{Backend, Op, QType, admit};

#[test]
fn a_pair_without_a_row_is_refused_by_name() {
    for (backend, qtype, words) in [
        (
            Backend::Cuda,
            QType::APR_Q8,
            "no `gemv` kernel is registered for APR_Q8 on cuda; APR_Q8 is served by: cpu.matvec",
        ),
        (
            Backend::Wgpu,
            QType::IQ2_XXS,
            "no `gemv` kernel is registered for IQ2_XXS on wgpu; IQ2_XXS is served by: cpu.matvec",
        ),
    ] {
        let refusal = admit(Op::Gemv, backend, qtype).unwrap_err();
        assert_eq!(refusal.code(), "KR-P01");
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
}

#[test]
fn a_pair_with_a_row_is_admitted_whatever_this_build_can_run() {
    let path = admit(Op::Gemv, Backend::Cuda, QType::Q8_0).unwrap();
    assert_eq!(path.rows().iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["cuda.gemv.q8_0"]);
}
