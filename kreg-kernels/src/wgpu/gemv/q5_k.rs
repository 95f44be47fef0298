//! 5 bits a weight, eight scales and minimums for 256, in `q5_k.wgsl`.

use crate::format::Q5_K;
use crate::refusal::Refusal;
use crate::wgpu::entry::plain;
use crate::wgpu::pipeline::Kernel;
use crate::wgpu::{Device, Gemv, Matrix};

static KERNEL: Kernel =
    Kernel { name: module_path!(), weights: include_str!("q5_k.wgsl"), entry: plain::ENTRY };

/// Binds the kernel to a matrix.
///
/// # Errors
/// [`Refusal::TooLarge`] for a row over the device's binding size, [`Refusal::OtherContext`] for a buffer of another
/// device, [`Refusal::Driver`] when wgpu or the shader compiler reports an error.
pub fn gemv(device: &Device, w: &Matrix<'_, Q5_K>) -> Result<Gemv, Refusal> {
    KERNEL.bind(device, w)
}
