//! Quantised LLM kernels behind one registry: an unregistered (backend, weight type) pair does not compile.
//!
//! `build.rs` reads `registry.json`, holds every row to its kernel's source, its contract and its receipt, and writes
//! this crate: enums, tables, selectors. A row is a hand-written kernel; what has no row is a compile error or a named
//! [`Refusal`], never a default and never a silent fallback.
//!
//! # A product
//!
//! Weights are borrowed as they lie in a GGUF file, row-major, at any address. One call decides everything; the next
//! ones only check lengths and run.
//!
//! ```
//! use kreg::{Backend, Op, QType, Workspace, admit, cpu};
//!
//! # let file = vec![0u8; 2 * 144]; // two rows of 256 weights
//! let device = cpu::Device::host()?; // this CPU, found once
//! let qtype = QType::from_ggml(12)?; // the id in the file
//! let path = admit(Op::MatVec, Backend::Cpu, qtype)?; // the proof that a row exists
//! let w = cpu::Weights::bind(&device, path, &file, 2, 256)?; // bytes and shape, checked; the kernel, chosen
//!
//! let (x, mut y) = ([1.0; 256], [0.0; 2]);
//! let ran = w.matvec(&x, &mut y, &mut Workspace::new())?; // y = W x, for any number of rows of x
//! assert!(ran.as_str().starts_with("cpu.matvec.q4_k"));
//! # Ok::<(), kreg::Refusal>(())
//! ```
//!
//! # Three doors
//!
//! Each leads to the same [`Path`], and there is no other way to one.
//!
//! ```
//! use kreg::{Backend, MatVecOn, Op, Path, QType, admit, on, qt};
//!
//! const TYPED: Path = <qt::Q4_K as MatVecOn<on::Cpu>>::PATH;
//! const CONST: Path = kreg::path!(MatVec, Cpu, Q4_K);
//! let run_time = admit(Op::MatVec, Backend::Cpu, QType::Q4_K)?;
//! assert!(TYPED == CONST && CONST == run_time);
//! # Ok::<(), kreg::Refusal>(())
//! ```
//!
//! A pair without a row stops at the first two with a compile error that says what is registered:
//!
//! ```compile_fail
//! const NO_ROW: kreg::Path = kreg::path!(Gemv, Metal, Q4_K);
//! ```
//!
//! ```compile_fail,E0277
//! const NO_ROW: kreg::Path = <kreg::qt::IQ2_XXS as kreg::GemvOn<kreg::on::Wgpu>>::PATH;
//! ```
//!
//! and at the third with a refusal that says the same. Each kind has a stable [`code`](Refusal::code):
//!
//! ```
//! use kreg::{Backend, Op, QType, admit};
//!
//! let refusal = admit(Op::Gemv, Backend::Metal, QType::Q4_K).unwrap_err();
//! assert_eq!(refusal.code(), "KR-P01");
//! assert!(refusal.to_string().contains("no `gemv` kernel is registered for Q4_K on metal"));
//!
//! assert_eq!(QType::from_ggml(39).unwrap_err().code(), "KR-T03"); // MXFP4: GGML has it, no row serves it
//! assert_eq!(QType::from_ggml(36).unwrap_err().code(), "KR-T02"); // GGML took it back
//! assert_eq!(QType::from_ggml(77).unwrap_err().code(), "KR-T01"); // there never was one
//! ```
//!
//! # The other ops
//!
//! One function each, named from the row's id, with the kernel's own arguments after the device. Arguments are checked
//! before anything is written; the answer is the row that ran.
//!
//! ```
//! use kreg::{KernelId, cpu};
//!
//! let device = cpu::Device::host()?;
//! let mut y = [0.0; 2];
//! assert_eq!(cpu::rmsnorm(&device, &[3.0, 4.0], &[1.0, 1.0], 1e-5, &mut y)?, KernelId::CpuRmsnormF32);
//! assert_eq!(cpu::argmax(&device, &[0.1, 0.9])?, (1, KernelId::CpuArgmaxF32));
//! # Ok::<(), kreg::Refusal>(())
//! ```
//!
//! # Which kernel runs
//!
//! A [`Target`] describes a machine; the most specific row that fits it is chosen. Any machine can be planned for, and
//! only what this process has found on its CPU can be bound. `KREG_ISA=portable|avx2|avx512|neon` restricts the host.
//!
//! ```
//! use kreg::{Backend, Features, KernelId, Target, Tensor, Trace, plan};
//!
//! let tensors = [
//!     Tensor { name: "blk.0.attn_q.weight", ggml_type: 12, rows: 2048, cols: 2048 },
//!     Tensor { name: "blk.0.ffn_up.weight", ggml_type: 39, rows: 8192, cols: 2048 },
//! ];
//! let answer = plan(Backend::Cpu, Some("llama"), &tensors, &Target::generic());
//! assert_eq!(answer.tensors[0].kernel, KernelId::CpuMatvecQ4_K);
//! assert_eq!(answer.refused[0].0, "blk.0.ffn_up.weight"); // before any byte was loaded
//!
//! let mut trace = Trace::new(); // one bit per row
//! trace.record(answer.tensors[0].kernel);
//! assert_eq!(trace.iter().map(KernelId::as_str).collect::<Vec<_>>(), ["cpu.matvec.q4_k"]);
//! # let _ = Features::NONE;
//! ```
//!
#![cfg_attr(feature = "cuda", doc = include_str!("../docs/cuda.md"))]
//!
#![cfg_attr(feature = "wgpu", doc = include_str!("../docs/wgpu.md"))]
//!
//! # What is registered
#![doc = include_str!(concat!(env!("OUT_DIR"), "/kreg.md"))]
//!
//! `activations` is the precision that `x` has inside the kernel: quantised activations cost accuracy, and
//! [`Target::exact`] keeps to rows that leave them in f32.
//!
//! The second table is what each row's receipt measured: its largest error as a share of the largest exact output, the
//! tolerance that a new measurement must keep, and the largest error as a share of the bound of its error model (at most 1).
//! `unmeasured` rows have no receipt; rows of GPUs stay so until a real device has measured them, because an emulator is not
//! the device.

pub use kreg_kernels as kernels;

include!(concat!(env!("OUT_DIR"), "/kreg.rs"));

/// The path of a registered pair as a constant: `path!(MatVec, Cpu, Q4_K)`.
///
/// A pair without a row does not compile, and the error says where the weight type is served instead.
///
/// ```
/// const PATH: kreg::Path = kreg::path!(MatVec, Cpu, Q4_K);
/// assert_eq!(PATH.qtype(), kreg::QType::Q4_K);
/// ```
#[macro_export]
macro_rules! path {
    ($op:ident, $backend:ident, $qtype:ident) => {{
        const PATH: $crate::Path =
            $crate::require($crate::Op::$op, $crate::Backend::$backend, $crate::QType::$qtype);
        PATH
    }};
}

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
