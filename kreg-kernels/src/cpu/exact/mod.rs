//! Rows for exact targets: types whose portable row quantises activations, with activations in f32. For any machine.

pub mod matvec;
