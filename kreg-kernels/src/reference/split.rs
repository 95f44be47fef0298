//! Separating interleaved query and gate.

/// Query and gate, both `[heads, head_dim]`, of `x` (`[heads, 2, head_dim]`: first the query, then the gate).
pub fn split_interleaved(x: &[f32], head_dim: usize) -> (Vec<f32>, Vec<f32>) {
    let part = |which| x.chunks(head_dim).skip(which).step_by(2).flatten().copied().collect();
    (part(0), part(1))
}
