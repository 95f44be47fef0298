//! The readiness plan of a GGUF file: only its header is read.

use std::collections::BTreeMap;
use std::path::Path;

use gguf_file::File;
use kreg::{Backend, KernelId, Target, Tensor, plan};

use crate::Failure;

/// Prints which kernel would serve each tensor of the model at `path`, or every refusal.
pub(crate) fn print(path: &Path, target: &Target) -> Result<(), Failure> {
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let handle = std::fs::File::open(path).map_err(|e| at(&e))?;
    // SAFETY: the map is read-only and private to this run; a file that another program truncates meanwhile would end
    // this example with a signal, as any reader of a map accepts.
    let bytes = unsafe { memmap2::Mmap::map(&handle) }.map_err(|e| at(&e))?;
    let file = File::parse(&bytes).map_err(|e| at(&e))?;
    let family = file.metadata.get("general.architecture").and_then(|v| v.text());
    // Vectors are read by ops, as f32; matrices and stacks of matrices are weights.
    let (weights, vectors): (Vec<_>, Vec<_>) = file.tensors.iter().partition(|t| t.dims.len() > 1);
    let tensors: Vec<_> = weights
        .iter()
        .map(|t| Tensor { name: t.name, ggml_type: t.ggml_type, rows: t.rows(), cols: t.cols() })
        .collect();
    let plan = plan(Backend::Cpu, family, &tensors, target);

    println!("{}: family {}, on {target}", path.display(), family.unwrap_or("unknown"));
    let mut served: BTreeMap<KernelId, usize> = BTreeMap::new();
    for tensor in &plan.tensors {
        *served.entry(tensor.kernel).or_default() += 1;
    }
    for (kernel, count) in served {
        println!("{count:>6} tensors  {}", kernel.as_str());
    }
    println!("{:>6} vectors", vectors.len());
    println!(
        "{:>6} ops      {}",
        plan.ops.len(),
        plan.ops.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(" ")
    );
    for vector in vectors.iter().filter(|t| t.ggml_type != 0) {
        println!("  {}: ops read vectors as F32, this one has ggml type {}", vector.name, vector.ggml_type);
    }
    for (name, refusal) in &plan.refused {
        println!("  {name}: {refusal}");
    }
    if !plan.is_ready() {
        return Err(format!("not ready: {} refused", plan.refused.len()).into());
    }
    println!("ready");
    Ok(())
}
