//! The kernels that kreg's generated dispatch calls, and the small run-time part that it stands on.
//!
//! Nothing here chooses a kernel: [`cpu`] holds one module per instruction-set level, op and weight type, each with
//! one public function, and a generated selector (crate `kreg`, or your own through `kreg-codegen`) calls it.
//!
//! | module | holds |
//! |---|---|
//! | [`mod@format`] | the weight formats: block structs, sizes, one marker type each |
//! | [`matrix`] | [`Matrix`] and [`RawMatrix`]: weight bytes whose shape has been checked |
//! | [`target`] | [`Target`]: the machine that a kernel is chosen for |
//! | [`registry`] | the generated table's row type, and what is computed from it |
//! | [`args`] | argument types of ops beyond slices and numbers |
//! | [`cpu`] | CPU kernels by level, the argument checks of each op |
//! | `cuda` | CUDA kernels and their host wrappers; feature `cuda` |
//! | `wgpu` | WGSL kernels and their host side; feature `wgpu` |
//! | [`mod@reference`] | slow float64 definitions; never selectable |

pub mod args;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod format;
pub mod matrix;
pub mod reference;
pub mod refusal;
pub mod registry;
pub mod target;
#[cfg(feature = "wgpu")]
pub mod wgpu;
pub mod workspace;

pub use matrix::{Matrix, RawMatrix};
pub use refusal::Refusal;
pub use target::Target;
pub use workspace::Workspace;
