//! The devices of this machine.

use std::sync::OnceLock;

use kreg::wgpu::Device;
use kreg::wgpu::wgpu::{self, Adapter, DeviceDescriptor, Features, Instance, InstanceDescriptor, Limits};

/// Everything that kreg has rows for.
const WANTED: Features = Features::SUBGROUP.union(Features::SHADER_F16);

/// Every adapter of this machine. None at all is a reason to skip, and under `CI=true` a failure.
pub fn adapters() -> &'static [Adapter] {
    static FOUND: OnceLock<Vec<Adapter>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
        let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        for adapter in &found {
            let info = adapter.get_info();
            eprintln!("{} ({}, {})", info.name, info.driver, info.driver_info);
        }
        found
    });
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        assert!(found.len() >= 2, "two kinds of device are needed: scripts/vulkan-devices.sh installs them");
    } else if found.is_empty() {
        eprintln!("skipped: wgpu finds no adapter; see scripts/vulkan-devices.sh");
    }
    found
}

/// A device of each adapter, with all of its limits and features, made once. The name is for messages.
pub fn devices() -> &'static [(String, Device)] {
    static MADE: OnceLock<Vec<(String, Device)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let make = |adapter: &Adapter| (adapter.get_info().name, device(adapter, adapter.limits()));
        adapters().iter().map(make).collect()
    })
}

/// A new device with these limits and every feature that rows may require.
pub fn device(adapter: &Adapter, required_limits: Limits) -> Device {
    let (device, queue) = raw(adapter, required_limits);
    Device::new(&device, &queue).unwrap()
}

/// As [`device`], before kreg has seen it.
pub fn raw(adapter: &Adapter, required_limits: Limits) -> (wgpu::Device, wgpu::Queue) {
    let required_features = adapter.features() & WANTED;
    let descriptor = DeviceDescriptor { required_features, required_limits, ..DeviceDescriptor::default() };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}
