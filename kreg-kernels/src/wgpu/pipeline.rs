//! A kernel's text, and how it is compiled.

use std::borrow::Cow;

use ::wgpu::{
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource,
};

use super::bind::Gemv;
use super::catch::catch;
use super::device::Device;
use super::matrix::Matrix;
use crate::format::Format;
use crate::refusal::Refusal;

/// Invocations of a workgroup: `LANES` in `entry/rows.wgsl`.
pub(super) const LANES: u32 = 64;
/// Weight rows of a workgroup: `ROWS` in `entry/rows.wgsl`.
pub(super) const ROWS: u32 = 4;

/// One kernel: its name on the device, and its WGSL.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    /// How the bytes of a weight type are multiplied. Stands first, so that lines of errors are this file's.
    pub(super) weights: &'static str,
    /// One of `entry/`.
    pub(super) entry: [&'static str; 2],
}

impl Kernel {
    /// Binds this kernel to a matrix, compiling it for the device if it has not been.
    pub(super) fn bind<F: Format>(&self, device: &Device, w: &Matrix<'_, F>) -> Result<Gemv, Refusal> {
        Gemv::new(device, device.pipeline(self.name, || self.compile(device))?, w)
    }

    fn compile(&self, device: &Device) -> Result<ComputePipeline, Refusal> {
        // Bounds are checked; nothing else that could be turned off occurs in these shaders.
        let checks = ShaderRuntimeChecks { force_loop_bounding: false, ..ShaderRuntimeChecks::checked() };
        let (label, gpu) = (Some(self.name), device.wgpu());
        catch(gpu, "compiling a kernel", "", || {
            let source =
                ShaderSource::Wgsl(Cow::Owned([self.weights, self.entry[0], self.entry[1]].concat()));
            // SAFETY: the text is this crate's own, and each of its loops counts up to a number that it read before, or
            // halves one down to zero: none is infinite, which is all that is left unchecked.
            let module =
                unsafe { gpu.create_shader_module_trusted(ShaderModuleDescriptor { label, source }, checks) };
            gpu.create_compute_pipeline(&ComputePipelineDescriptor {
                label,
                layout: Some(&device.layouts().pipeline),
                module: &module,
                entry_point: Some("gemv"),
                // Every entry writes its workgroup's memory before it reads it.
                compilation_options: PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use ::wgpu::{Instance, InstanceDescriptor};

    use super::*;
    use crate::format::F32;
    use crate::wgpu::catch::ready;
    use crate::wgpu::entry::plain;

    /// A shader that does not compile is a refusal that says where, each time, and other kernels go on working.
    #[test]
    fn a_shader_error_is_a_refusal() {
        let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
        let device = match ready(Device::open(&instance)).expect("wgpu answers at once") {
            Ok(device) => device,
            Err(why) => {
                assert!(std::env::var("CI").is_err(), "{why}; see scripts/vulkan-devices.sh");
                eprintln!("skipped: {why}; see scripts/vulkan-devices.sh");
                return;
            }
        };
        let broken =
            Kernel { name: "broken", weights: "// first line\n@compute fn gemv( {}", entry: plain::ENTRY };
        let buffer = device.upload(&1f32.to_le_bytes()).unwrap();
        let w = Matrix::<F32>::new(buffer.slice(..), 1, 1).unwrap();
        for _ in 0..2 {
            let refused = broken.bind(&device, &w).unwrap_err();
            assert!(refused.to_string().starts_with("KR-D10: compiling a kernel: "), "{refused}");
            assert!(refused.to_string().contains(":2:"), "{refused}");
        }
        assert!(crate::wgpu::gemv::f32::gemv(&device, &w).is_ok());
    }
}
