//! Questions to the module that the starting document becomes.

use tables::{
    Backend, KernelId, Op, QType, ROWS, Target, Tensor, Trace, admit, kernel_by_label, plan,
    unregistered_dispatches,
};

fn main() {
    println!("rows {}, kernels {}", ROWS.len(), ROWS.iter().filter(|row| row.qtype.is_some()).count());
    let by_label = kernel_by_label(Backend::Cuda, "q4k_gemv@q4_k");
    println!("label {by_label:?}, on wgpu {:?}", kernel_by_label(Backend::Wgpu, "q4k_gemv@q4_k"));
    let path = admit(Op::Gemv, Backend::Wgpu, QType::Q4_K).unwrap();
    println!("wgpu Q4_K {:?} requires {}", path.rows(), path.rows()[0].row().requires);
    println!("wgpu Q8_0 {}", admit(Op::Gemv, Backend::Wgpu, QType::Q8_0).unwrap_err());

    let target = Target::generic();
    let tensor = |name, ggml_type| Tensor { name, ggml_type, rows: 8, cols: 256 };
    let tensors = [tensor("a", 12), tensor("b", 8), tensor("c", 39), tensor("d", 36), tensor("e", 77)];
    for family in ["qwen35", "llama"] {
        let plan = plan(Backend::Cuda, Some(family), &tensors, &target);
        let ids = |ids: Vec<KernelId>| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" ");
        println!("plan of {family}");
        println!("tensors: {}", ids(plan.tensors.iter().map(|served| served.kernel).collect()));
        println!("ops: {}", ids(plan.ops));
        for (what, why) in plan.refused {
            println!("refused: {what}: {why}");
        }
    }
    println!("trace {:?}", unregistered_dispatches(["cuda.gemv.q4_k", "cuda.gemv.Q4_K", "cpu.rmsnorm.f32"]));
    let mut trace = Trace::new();
    trace.record(KernelId::WgpuGemvF32);
    println!("ran {:?}", trace.iter().collect::<Vec<_>>());
}
