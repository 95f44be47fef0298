//! What each op demands of its arguments, whoever implements it: one file per op, the same arguments as the kernel
//! without the workspace. A refusal means that nothing was written.

mod matvec;

pub use matvec::matvec;
