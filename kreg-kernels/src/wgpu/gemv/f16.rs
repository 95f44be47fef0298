//! Half-precision weights, in `f16.wgsl`.

use crate::format::F16;
use crate::refusal::Refusal;
use crate::wgpu::entry::plain;
use crate::wgpu::pipeline::Kernel;
use crate::wgpu::{Device, Gemv, Matrix};

static KERNEL: Kernel =
    Kernel { name: module_path!(), weights: include_str!("f16.wgsl"), entry: plain::ENTRY };

/// Binds the kernel to a matrix.
///
/// # Errors
/// [`Refusal::TooLarge`] for a row over the device's binding size, [`Refusal::OtherContext`] for a buffer of another
/// device, [`Refusal::Driver`] when wgpu or the shader compiler reports an error.
pub fn gemv(device: &Device, w: &Matrix<'_, F16>) -> Result<Gemv, Refusal> {
    KERNEL.bind(device, w)
}
