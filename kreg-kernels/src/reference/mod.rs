//! Slow, obvious float64 definitions of every format and op, to judge kernels by. Never selectable.
//!
//! Nothing here shares code or tables with the kernels: formats are decoded from the raw bytes by other code.
