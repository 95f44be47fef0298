//! Products of any weight format behind one function type: what a selector stores when it binds a matrix.

use crate::matrix::RawMatrix;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// A matvec kernel whose format is known at run time only.
///
/// It refuses a matrix of another format. Calling it is unsafe because the CPU must have the features that the kernel
/// is compiled for: a selector calls it for a [`Device`](super::Device) whose target fits the kernel's row.
pub type MatVec = unsafe fn(RawMatrix<'_>, &[f32], &mut [f32], &mut Workspace) -> Result<(), Refusal>;

/// Makes a [`cpu::MatVec`](crate::cpu::MatVec) of a matvec kernel; `unsafe` before the path of one with
/// `#[target_feature]`.
///
/// ```
/// use kreg_kernels::cpu::MatVec;
///
/// let kernel: MatVec = kreg_kernels::erased!(kreg_kernels::cpu::portable::matvec::q4_1::matvec);
/// # let _ = kernel;
/// ```
#[macro_export]
macro_rules! erased {
    (unsafe $kernel:path) => {
        |w, x, y, ws| {
            // SAFETY: whoever calls a `MatVec` vouches for the features of its kernel.
            unsafe { $kernel(w.typed()?, x, y, ws) };
            Ok(())
        }
    };
    ($kernel:path) => {
        |w, x, y, ws| {
            $kernel(w.typed()?, x, y, ws);
            Ok(())
        }
    };
}
