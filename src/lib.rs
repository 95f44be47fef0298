//! Quantised LLM kernels behind one registry: an unregistered (backend, weight type) pair does not compile.

pub use kreg_kernels as kernels;

include!(concat!(env!("OUT_DIR"), "/kreg.rs"));

/// The path of a registered pair as a constant: `path!(MatVec, Cpu, Q4_K)`.
///
/// A pair without a row does not compile, and the error says where the weight type is served instead.
///
/// ```
/// const PATH: kreg::Path = kreg::path!(MatVec, Cpu, Q4_K);
/// assert_eq!(PATH.rows(), [kreg::KernelId::CpuMatvecQ4_K]);
/// ```
#[macro_export]
macro_rules! path {
    ($op:ident, $backend:ident, $qtype:ident) => {{
        const PATH: $crate::Path =
            $crate::require($crate::Op::$op, $crate::Backend::$backend, $crate::QType::$qtype);
        PATH
    }};
}
