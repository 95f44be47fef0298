//! A kernel bound to a matrix, and how a product is recorded.

use std::num::NonZeroU64;

use ::wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindingResource, Buffer, BufferBinding,
    BufferSlice, BufferUsages, CommandEncoder, ComputePassDescriptor, ComputePipeline,
};

use super::catch::catch;
use super::device::Device;
use super::matrix::{Matrix, storage};
use super::part::{Part, parts};
use super::upload::filled;
use crate::format::Format;
use crate::refusal::Refusal;

/// A kernel, compiled, with the weights that it multiplies: all that a product needs besides its two vectors.
#[derive(Clone, Debug)]
pub struct Gemv {
    pipeline: ComputePipeline,
    device: ::wgpu::Device,
    weights: Buffer,
    rows: u32,
    cols: u32,
    /// One dispatch each: bindings and grid.
    parts: Vec<(BindGroup, [u32; 2])>,
}

/// Bytes of the uniform `Shape`, and the distance of two in a buffer: the largest alignment that a device may ask for.
const SHAPE: u64 = 16;
const STRIDE: u64 = 256;

impl Gemv {
    /// Binds a compiled kernel to a matrix, in as many parts as the device's limits demand.
    pub(super) fn new<F: Format>(
        device: &Device,
        pipeline: ComputePipeline,
        w: &Matrix<'_, F>,
    ) -> Result<Self, Refusal> {
        let plan = parts(device.limits(), w)?;
        let shapes = shapes(device, &plan)?;
        let bind = || {
            let bind = |(i, part): (usize, &Part)| {
                let weights = region(w.slice.buffer(), part.offset, part.size);
                let shape = region(&shapes, i as u64 * STRIDE, SHAPE);
                (group(device, &device.layouts().weights, [weights, shape]), part.grid)
            };
            plan.iter().enumerate().map(bind).collect()
        };
        let parts = catch(device.wgpu(), "binding weights", "weights", bind)?;
        let (device, weights) = (device.wgpu().clone(), w.slice.buffer().clone());
        Ok(Self { pipeline, device, weights, rows: w.rows, cols: w.cols, parts })
    }

    /// Number of outputs.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Number of inputs, K.
    pub fn cols(&self) -> usize {
        self.cols as usize
    }

    /// Records `y = W x`, one compute pass, into `encoder`. Nothing is submitted.
    ///
    /// `x` is `[cols]` f32 and `y` `[rows]` f32, in two buffers with usage `STORAGE`, each at an offset that is a multiple
    /// of the device's `min_storage_buffer_offset_alignment`. An encoder of another device is wgpu's to report, when it is
    /// finished.
    ///
    /// # Errors
    /// [`Refusal::OtherContext`] for a device other than the weights' or a buffer of another, [`Refusal::Length`],
    /// [`Refusal::Multiple`], [`Refusal::TooLarge`], [`Refusal::BufferUsage`] and [`Refusal::SharedBuffer`] for `x` and
    /// `y`, [`Refusal::Driver`] for anything else that wgpu reports. Nothing has been recorded then.
    pub fn record(
        &self,
        device: &Device,
        encoder: &mut CommandEncoder,
        x: BufferSlice<'_>,
        y: BufferSlice<'_>,
    ) -> Result<(), Refusal> {
        if *device.wgpu() != self.device {
            return Err(Refusal::OtherContext { what: "device" });
        }
        vector(device, "bytes of x (activations)", "offset of x in its buffer", x, self.cols)?;
        vector(device, "bytes of y (outputs)", "offset of y in its buffer", y, self.rows)?;
        // wgpu tracks whole buffers: one that is written can have no other use in the same dispatch.
        for (what, other) in [("x and y", x.buffer()), ("weights and y", &self.weights)] {
            if other == y.buffer() {
                return Err(Refusal::SharedBuffer { what });
            }
        }
        let vectors = catch(&self.device, "binding x and y", "x or y", || {
            let [x, y] = [x, y].map(|v| region(v.buffer(), v.offset(), v.size()));
            group(device, &device.layouts().vectors, [x, y])
        })?;
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &vectors, &[]);
        for (weights, [width, height]) in &self.parts {
            pass.set_bind_group(0, weights, &[]);
            pass.dispatch_workgroups(*width, *height, 1);
        }
        Ok(())
    }
}

/// Checks one of the two vectors. Lengths are told in bytes: a slice need not be whole floats.
fn vector(
    device: &Device,
    what: &'static str,
    place: &'static str,
    slice: BufferSlice<'_>,
    n: u32,
) -> Result<(), Refusal> {
    let (bytes, limits) = (u64::from(n) * 4, device.limits());
    if slice.size() != bytes {
        return Err(Refusal::Length { what, expected: bytes, got: slice.size() });
    }
    let limit = limits.max_storage_buffer_binding_size;
    if bytes > limit {
        return Err(Refusal::TooLarge { what, limit, got: bytes });
    }
    let of = u64::from(limits.min_storage_buffer_offset_alignment);
    if !slice.offset().is_multiple_of(of) {
        return Err(Refusal::Multiple { what: place, of, got: slice.offset() });
    }
    storage(what, slice)
}

/// The shapes of all parts, `STRIDE` apart.
fn shapes(device: &Device, parts: &[Part]) -> Result<Buffer, Refusal> {
    let size = parts.len() as u64 * STRIDE;
    let mut bytes = vec![0; size as usize];
    for (part, slot) in parts.iter().zip(bytes.chunks_exact_mut(STRIDE as usize)) {
        for (field, word) in part.shape.iter().zip(slot.chunks_exact_mut(4)) {
            word.copy_from_slice(&field.to_le_bytes());
        }
    }
    filled(device.wgpu(), "writing shapes", "kreg shapes", BufferUsages::UNIFORM, size, &bytes)
}

/// A range of a buffer; sizes here are never 0.
fn region(buffer: &Buffer, offset: u64, size: u64) -> BindingResource<'_> {
    BindingResource::Buffer(BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
}

fn group(device: &Device, layout: &BindGroupLayout, bindings: [BindingResource<'_>; 2]) -> BindGroup {
    let mut binding = 0;
    let entries = bindings.map(|resource| {
        binding += 1;
        BindGroupEntry { binding: binding - 1, resource }
    });
    device.wgpu().create_bind_group(&BindGroupDescriptor { label: Some("kreg"), layout, entries: &entries })
}
