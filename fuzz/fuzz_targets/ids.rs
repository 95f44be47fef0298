//! GGUF's type ids and shapes: every tensor is planned for a row or refused by name, and both doors agree.

#![no_main]

use kreg::{Backend, Op, QType, Target, Tensor, admit, plan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|tensors: Vec<(u32, u64, u64)>| {
    let tensors: Vec<Tensor<'_>> = tensors
        .iter()
        .map(|&(ggml_type, rows, cols)| Tensor { name: "t", ggml_type, rows, cols })
        .collect();
    let answer = plan(Backend::Cpu, None, &tensors, &Target::generic());
    assert_eq!(answer.tensors.len() + answer.refused.len(), tensors.len());
    for tensor in &tensors {
        match QType::from_ggml(tensor.ggml_type) {
            Ok(qtype) => {
                assert_eq!(qtype.ggml_type(), tensor.ggml_type);
                admit(Op::MatVec, Backend::Cpu, qtype).expect("the CPU has every type");
            }
            Err(refusal) => assert!(refusal.code().starts_with("KR-T")),
        }
    }
});
