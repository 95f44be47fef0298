//! One step of the gated delta rule.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Geometry, launch};
use crate::cuda::{Device, Source, check};
use crate::cuda_source;
use crate::refusal::Refusal;

/// The compiled kernel.
pub static SOURCE: Source = cuda_source!("delta_rule", ["delta_rule"]);

/// Rows of the state that a block takes: four in each of its four warps.
const ROWS: usize = 16;
const THREADS: u32 = 128;

/// The widest key: eight elements in each lane of a warp.
const WIDEST: usize = 256;

/// The most value heads, and the widest value: what a grid dimension may hold.
const MOST: usize = 65_535;

/// With S the state of a value head as `[dv, dk]`: `S *= exp(g)`, `S += beta (v - S k) k^T`, `out = S q / sqrt(dk)`.
///
/// `q` and `k` are `[key_heads, dk]`, `v` and `out` `[nv, dv]`, `beta` and `g` `[nv]`, `state` `[nv, dv, dk]` in place, zero
/// at the start of a sequence. Value head h reads key head `h mod key_heads`: GGUF files hold value heads in that order.
/// While the device's fault word is set nothing is written, so that a graph replayed past the capacity of a cache leaves
/// the state as it was.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`] for keys wider than 256, [`Refusal::Multiple`], [`Refusal::Length`], [`Refusal::OtherContext`] and those of a launch; nothing has been written then.
pub fn delta_rule(
    device: &Device,
    q: &CudaView<'_, f32>,
    k: &CudaView<'_, f32>,
    v: &CudaView<'_, f32>,
    beta: &CudaView<'_, f32>,
    g: &CudaView<'_, f32>,
    key_heads: usize,
    state: &mut CudaViewMut<'_, f32>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), Refusal> {
    let nk = check::index("key_heads", key_heads)?;
    check::not_empty("q (query)", q.len())?;
    check::multiple("q (query)", key_heads, q.len())?;
    check::length("k (key)", q.len(), k.len())?;
    let dk = check::at_most("key width", WIDEST, q.len() / key_heads)?;
    check::at_most("value heads", MOST, beta.len())?;
    check::multiple("value heads", key_heads, beta.len())?;
    check::length("g (decay)", beta.len(), g.len())?;
    check::not_empty("v (value)", v.len())?;
    check::multiple("v (value)", beta.len(), v.len())?;
    let dv = check::at_most("value width", MOST, v.len() / beta.len())?;
    check::length("out", v.len(), out.len())?;
    check::length("state", v.len() * dk as usize, state.len())?;

    let geometry = Geometry::over(dv as usize, ROWS, THREADS).by(beta.len());
    let (q, k, v) = (device.read("q", q)?, device.read("k", k)?, device.read("v", v)?);
    let (beta, g, fault) = (device.read("beta", beta)?, device.read("g", g)?, device.fault_word());
    let (state, out) = (device.write("state", state)?, device.write("out", out)?);
    let arguments = [
        q.arg(),
        k.arg(),
        v.arg(),
        beta.arg(),
        g.arg(),
        state.arg(),
        out.arg(),
        nk.into(),
        dk.into(),
        dv.into(),
        fault.arg(),
    ];
    // SAFETY: with the grid's nv heads, the kernel reads nk * dk values of q and k, nv * dv of v and nv of beta and g, and
    // writes nv * dv of out and nv * dv * dk of state.
    unsafe { launch(device, &SOURCE, 0, geometry, &arguments) }
}
