//! What is refused, by name, with nothing recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kreg::kernels::Target;
use kreg::wgpu::wgpu::{self, Buffer, BufferDescriptor, BufferUsages, Instance, InstanceDescriptor, Limits};
use kreg::wgpu::{Device, Weights};
use kreg::{Backend, Features, Op, Path, QType, Refusal, admit};

use super::devices::{adapters, device, devices, raw};
use super::product::read;

fn path(qtype: QType) -> Path {
    admit(Op::Gemv, Backend::Wgpu, qtype).unwrap()
}

fn buffer(device: &Device, size: u64, usage: BufferUsages) -> Buffer {
    device.wgpu().create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

fn code<T>(result: Result<T, Refusal>) -> &'static str {
    result.map_or_else(|why| why.code(), |_| "none")
}

#[test]
fn no_adapter_is_a_refusal() {
    let none = wgpu::Backends::empty();
    let none = InstanceDescriptor { backends: none, ..InstanceDescriptor::new_without_display_handle() };
    let refused = pollster::block_on(Device::open(&Instance::new(none))).unwrap_err();
    assert_eq!(refused.code(), "KR-D01");
    assert!(refused.to_string().contains("no wgpu driver: wgpu finds no adapter"), "{refused}");
}

#[test]
fn a_device_of_its_own_has_the_adapters_limits() {
    if adapters().is_empty() {
        return;
    }
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let device = pollster::block_on(Device::open(&instance)).unwrap();
    let name = device.wgpu().adapter_info().name;
    let (_, same) = devices().iter().find(|(other, _)| *other == name).unwrap();
    assert_eq!(device.wgpu().limits(), same.wgpu().limits());
    assert!(device.target().features().contains(same.target().features()));
}

#[test]
fn a_device_with_too_little_is_refused_by_the_name_of_the_limit() {
    for adapter in adapters() {
        let small = Limits { max_compute_invocations_per_workgroup: 32, ..adapter.limits() };
        let (gpu, queue) = raw(adapter, small);
        let refused = Device::new(&gpu, &queue).unwrap_err();
        let limit = "max_compute_invocations_per_workgroup";
        assert_eq!(refused, Refusal::DeviceLimit { limit, need: 64, got: 32 });
    }
}

#[test]
fn a_feature_that_was_not_requested_cannot_be_described() {
    for adapter in adapters() {
        let plain = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (gpu, queue) = pollster::block_on(adapter.request_device(&plain)).unwrap();
        let device = Device::new(&gpu, &queue).unwrap();
        assert_eq!(device.target().features(), Features::NONE);
        let with = |arch, features| device.described(Target::new(arch, Features::parse(features)));
        assert_eq!(code(with("any", "SUBGROUP")), "KR-D12");
        assert_eq!(code(with("x86_64", "none")), "KR-D12");
        let w = device.upload(&[0; 144]).unwrap();
        let bound = Weights::bind(&device, path(QType::Q4_K), w.slice(..), 1, 256).unwrap();
        assert_eq!(bound.kernel().as_str(), "wgpu.gemv.q4_k");
    }
}

#[test]
fn unregistered_pairs_are_refused_by_name() {
    let refused = admit(Op::Gemv, Backend::Wgpu, QType::IQ2_XXS).unwrap_err();
    assert!(refused.to_string().contains("no `gemv` kernel is registered for IQ2_XXS on wgpu"), "{refused}");
}

#[test]
fn weights_that_do_not_fit_their_shape_are_refused() {
    for (_, device) in devices() {
        let all = device.upload(&[0; 1024]).unwrap();
        let bind = |path, from: u64, to: u64, rows, cols| {
            code(Weights::bind(device, path, all.slice(from..to), rows, cols))
        };
        let (q4_k, q8_0) = (path(QType::Q4_K), path(QType::Q8_0));
        for (got, want) in [
            (bind(q4_k, 0, 288, 2, 256), "none"),
            (bind(q4_k, 16, 304, 2, 256), "none"),
            (bind(q8_0, 0, 34, 1, 32), "none"),
            (bind(q8_0, 0, 36, 1, 32), "none"),
            (bind(q8_0, 0, 32, 1, 32), "KR-S01"),
            (bind(q4_k, 0, 144, 2, 256), "KR-S01"),
            (bind(q4_k, 0, 292, 2, 256), "KR-S01"),
            (bind(q4_k, 4, 292, 2, 256), "KR-S03"),
            (bind(q4_k, 0, 288, 2, 250), "KR-S03"),
            (bind(q4_k, 0, 288, 0, 256), "KR-S02"),
            (bind(q4_k, 0, 288, 2, 0), "KR-S02"),
            (bind(q4_k, 0, 288, usize::MAX / 2 / 144, 256), "KR-S01"),
            (bind(q4_k, 0, 288, usize::MAX, 256), "KR-S04"),
            (bind(kreg::path!(MatVec, Cpu, Q4_K), 0, 288, 2, 256), "KR-P03"),
        ] {
            assert_eq!(got, want);
        }
        // The last word of the buffer is cut off.
        let short = buffer(device, 34, BufferUsages::STORAGE);
        assert_eq!(code(Weights::bind(device, q8_0, short.slice(..), 1, 32)), "KR-S01");
        let other = buffer(device, 144, BufferUsages::COPY_DST);
        assert_eq!(code(Weights::bind(device, q4_k, other.slice(..), 1, 256)), "KR-D13");
        assert_eq!(code(device.upload(&[])), "KR-S02");
    }
}

#[test]
fn vectors_that_do_not_fit_are_refused_and_nothing_is_recorded() {
    for (_, device) in devices() {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let w = device.upload(&[0; 4 * 64]).unwrap();
        let bound = Weights::bind(device, path(QType::F32), w.slice(..), 8, 8).unwrap();
        let (x, y) = (buffer(device, 1024, storage), buffer(device, 1024, storage));
        let plain = buffer(device, 32, BufferUsages::COPY_DST);
        let mut encoder = device.wgpu().create_command_encoder(&Default::default());
        let mut gemv = |x, y| code(bound.gemv(device, &mut encoder, x, y));
        assert_eq!(gemv(x.slice(..28), y.slice(..32)), "KR-S01");
        assert_eq!(gemv(x.slice(..36), y.slice(..32)), "KR-S01");
        assert_eq!(gemv(x.slice(..32), y.slice(..)), "KR-S01");
        assert_eq!(gemv(x.slice(4..36), y.slice(..32)), "KR-S03");
        assert_eq!(gemv(x.slice(..32), y.slice(8..40)), "KR-S03");
        assert_eq!(gemv(plain.slice(..), y.slice(..32)), "KR-D13");
        assert_eq!(gemv(x.slice(..32), plain.slice(..)), "KR-D13");
        assert_eq!(gemv(x.slice(..32), x.slice(512..544)), "KR-D14");
        assert_eq!(gemv(x.slice(..32), w.slice(..32)), "KR-D14");
        // Seven bytes are no whole number of floats, and said as they are.
        let seven = bound.gemv(device, &mut encoder, x.slice(..7), y.slice(..32));
        assert_eq!(seven, Err(Refusal::Length { what: "bytes of x (activations)", expected: 32, got: 7 }));
        // An encoder with a recorded error would report it here, and wgpu would panic.
        device.queue().submit([encoder.finish()]);
    }
}

#[test]
fn buffers_and_devices_do_not_mix() {
    for adapter in adapters() {
        let [ours, other] = [(), ()].map(|()| device(adapter, adapter.limits()));
        let foreign = other.upload(&[0; 144]).unwrap();
        let refused = Weights::bind(&ours, path(QType::Q4_K), foreign.slice(..), 1, 256).unwrap_err();
        assert_eq!(refused, Refusal::OtherContext { what: "weights" });

        let w = ours.upload(&[0; 144]).unwrap();
        let bound = Weights::bind(&ours, path(QType::Q4_K), w.slice(..), 1, 256).unwrap();
        let (x, y) = (ours.upload(&[0; 1024]).unwrap(), ours.upload(&[0; 4]).unwrap());
        let elsewhere = other.upload(&[0; 1024]).unwrap();
        let mut encoder = ours.wgpu().create_command_encoder(&Default::default());
        let mixed = bound.gemv(&ours, &mut encoder, elsewhere.slice(..), y.slice(..));
        assert_eq!(mixed, Err(Refusal::OtherContext { what: "x or y" }));
        let mixed = bound.gemv(&other, &mut encoder, x.slice(..), y.slice(..));
        assert_eq!(mixed, Err(Refusal::OtherContext { what: "device" }));
        ours.queue().submit([encoder.finish()]);
    }
}

/// wgpu does not tell whose a queue is, so nothing is written through the one that came with the device: bytes reach their
/// buffer, and no device has an error to report.
#[test]
fn a_queue_of_another_device_is_not_used() {
    for adapter in adapters() {
        let [(ours, right), (other, wrong)] = [(), ()].map(|()| raw(adapter, adapter.limits()));
        let reported = Arc::new(AtomicUsize::new(0));
        for device in [&ours, &other] {
            let reported = reported.clone();
            device.on_uncaptured_error(Arc::new(move |_| _ = reported.fetch_add(1, Ordering::Relaxed)));
        }
        let device = Device::new(&ours, &wrong).unwrap();
        let w = device.upload(&2.5f32.to_le_bytes()).unwrap();
        let x = device.upload(&4.0f32.to_le_bytes()).unwrap();
        let y = device.upload(&[0; 4]).unwrap();
        let bound = Weights::bind(&device, path(QType::F32), w.slice(..), 1, 1).unwrap();
        let mut encoder = ours.create_command_encoder(&Default::default());
        bound.gemv(&device, &mut encoder, x.slice(..), y.slice(..)).unwrap();
        right.submit([encoder.finish()]);
        let rightly = Device::new(&ours, &right).unwrap();
        assert_eq!(read(&rightly, &y), [10.0]);
        assert_eq!(reported.load(Ordering::Relaxed), 0);
    }
}

/// Memory that runs out is a refusal, and so is more than one buffer may have.
#[test]
fn a_row_or_buffer_over_the_limits_is_refused() {
    for adapter in adapters() {
        let small =
            Limits { max_storage_buffer_binding_size: 1 << 10, max_buffer_size: 1 << 20, ..adapter.limits() };
        let device = device(adapter, small);
        assert_eq!(code(device.upload(&vec![0; (1 << 20) + 1])), "KR-S04");
        let w = device.upload(&[0; 2 * 1152]).unwrap();
        assert_eq!(code(Weights::bind(&device, path(QType::Q4_K), w.slice(..), 2, 2048)), "KR-S04");
    }
}

/// What is made on a device that is gone is refused; what is recorded for it does nothing and raises nothing.
#[test]
fn a_lost_device_is_refused_by_name() {
    for adapter in adapters() {
        let device = device(adapter, adapter.limits());
        let upload = |n| device.upload(&vec![0; n]);
        let (w, x, y) = (upload(144).unwrap(), upload(1024).unwrap(), upload(4).unwrap());
        let bind = || Weights::bind(&device, path(QType::Q4_K), w.slice(..), 1, 256);
        let bound = bind().unwrap();
        device.wgpu().destroy();
        assert_eq!(code(upload(4)), "KR-D09");
        assert_eq!(code(bind()), "KR-D09");
        let mut encoder = device.wgpu().create_command_encoder(&Default::default());
        assert_eq!(bound.gemv(&device, &mut encoder, x.slice(..), y.slice(..)), Ok(bound.kernel()));
        device.queue().submit([encoder.finish()]);
    }
}
