//! How fast each wgpu row multiplies on each device of this machine:
//!
//!   cargo run --release --features wgpu --example wgpu [ROWS COLS]
//!
//! Weight bytes per second of products submitted together, beside a copy within the device (bytes read and written), and
//! what recording one product costs the host.

use std::error::Error;
use std::time::Instant;

use kreg::kernels::Target;
use kreg::wgpu::wgpu::{Backends, BufferUsages, CommandEncoder, Instance, InstanceDescriptor, PollType};
use kreg::wgpu::{Device, Weights, wgpu};
use kreg::{Backend, KernelId, admit};

/// Products of one submission.
const TIMES: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<usize> = std::env::args().skip(1).map(|n| n.parse()).collect::<Result<_, _>>()?;
    let (rows, cols) = if let [rows, cols] = given[..] { (rows, cols) } else { (4096, 4096) };
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    for adapter in pollster::block_on(instance.enumerate_adapters(Backends::all())) {
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features() & wgpu::Features::SUBGROUP,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (gpu, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        println!("{}, [{rows}, {cols}]", adapter.get_info().name);
        run(&Device::new(&gpu, &queue)?, rows, cols)?;
    }
    Ok(())
}

fn run(device: &Device, rows: usize, cols: usize) -> Result<(), Box<dyn Error>> {
    let size = (rows * cols) as u64;
    let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let buffers = [(), ()].map(|()| {
        let of = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        device.wgpu().create_buffer(&of)
    });
    let (copy, _) = time(device, |encoder| {
        encoder.copy_buffer_to_buffer(&buffers[0], 0, &buffers[1], 0, size);
        Ok(())
    })?;
    println!("  {:<32}{:>8.1} GB/s", "copy", 2.0 * size as f64 / copy / 1e9);
    for id in KernelId::ALL.into_iter().filter(|id| id.backend() == Backend::Wgpu) {
        let (Some(qtype), target) = (id.qtype(), Target::new("any", id.row().requires)) else { continue };
        let Ok(device) = device.described(target) else { continue };
        let bytes = qtype.byte_len(rows, cols)?;
        let weights = device.upload(&vec![0x11; bytes])?;
        let (x, y) = (device.upload(&vec![0; 4 * cols])?, device.upload(&vec![0; 4 * rows])?);
        let path = admit(id.op(), id.backend(), qtype)?;
        let w = Weights::bind(&device, path, weights.slice(..), rows, cols)?;
        let (seconds, recording) = time(&device, |encoder| {
            w.gemv(&device, encoder, x.slice(..), y.slice(..)).map(|_| ()).map_err(Into::into)
        })?;
        let (gb, host) = (bytes as f64 / seconds / 1e9, recording * 1e6);
        println!("  {:<32}{gb:>8.1} GB/s{host:>8.1} us to record", id.as_str());
    }
    Ok(())
}

/// Seconds on the device of one of what `record` records, the best of three, and seconds of recording it.
fn time(
    device: &Device,
    record: impl Fn(&mut CommandEncoder) -> Result<(), Box<dyn Error>>,
) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut best, mut recording) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..4 {
        let start = Instant::now();
        let mut encoder = device.wgpu().create_command_encoder(&Default::default());
        (0..TIMES).try_for_each(|_| record(&mut encoder))?;
        recording = recording.min(start.elapsed().as_secs_f64() / f64::from(TIMES));
        let commands = encoder.finish();
        let start = Instant::now();
        device.queue().submit([commands]);
        device.wgpu().poll(PollType::wait_indefinitely())?;
        best = best.min(start.elapsed().as_secs_f64() / f64::from(TIMES));
    }
    Ok((best, recording))
}
