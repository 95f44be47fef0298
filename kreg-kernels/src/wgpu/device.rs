//! The caller's wgpu device, with what kreg keeps for it: layouts and compiled kernels.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ::wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType,
    ComputePipeline, DeviceDescriptor, Instance, Limits, PipelineLayout, PipelineLayoutDescriptor,
    PowerPreference, Queue, RequestAdapterOptions, ShaderStages,
};

use super::catch::catch;
use super::pipeline::LANES;
use crate::refusal::Refusal;
use crate::target::{Features, Target};

/// Features that rows may require, by their names in the registry.
const FEATURES: [(&str, ::wgpu::Features); 4] = [
    ("SHADER_F16", ::wgpu::Features::SHADER_F16),
    ("SUBGROUP", ::wgpu::Features::SUBGROUP),
    ("SHADER_INT64", ::wgpu::Features::SHADER_INT64),
    ("TIMESTAMP_QUERY", ::wgpu::Features::TIMESTAMP_QUERY),
];

/// A wgpu device that can run kernels: the proof that it was created with the limits that they need, and the features
/// that it was created with. Clones share everything.
#[derive(Clone, Debug)]
pub struct Device {
    shared: Arc<Shared>,
    target: Target,
}

#[derive(Debug)]
struct Shared {
    device: ::wgpu::Device,
    queue: Queue,
    limits: Limits,
    found: Features,
    layouts: Layouts,
    /// Compiled kernels by name.
    pipelines: Mutex<BTreeMap<&'static str, ComputePipeline>>,
}

/// The bindings of every kernel: the same for all, so that a bind group fits whichever was chosen.
#[derive(Debug)]
pub(super) struct Layouts {
    /// Group 0: weights and shape.
    pub(super) weights: BindGroupLayout,
    /// Group 1: activations and outputs.
    pub(super) vectors: BindGroupLayout,
    pub(super) pipeline: PipelineLayout,
}

impl Device {
    /// The caller's device and its queue. Nothing is created but a few descriptions; kernels are compiled when weights
    /// are first bound to them, once per device.
    ///
    /// A device has the features and limits that it was *created* with. Ask for `adapter.limits()`: wgpu's default
    /// limits cut weights into pieces of 128 MiB. Ask for `Features::SUBGROUP` where the adapter has it.
    ///
    /// The queue is kept for the caller alone ([`Device::queue`]): nothing here writes or submits to it. wgpu does not
    /// tell whose a queue is, and what is submitted to another device's is that device's to report.
    ///
    /// # Errors
    /// [`Refusal::DeviceLimit`] when the device was created with less than every kernel needs, [`Refusal::Driver`] when
    /// wgpu raises an error.
    pub fn new(device: &::wgpu::Device, queue: &Queue) -> Result<Self, Refusal> {
        let limits = device.limits();
        for (limit, need, got) in needs(&limits) {
            if got < need {
                return Err(Refusal::DeviceLimit { limit, need, got });
            }
        }
        let mut found = Features::NONE;
        for (name, feature) in FEATURES {
            if device.features().contains(feature) {
                found = found.union(Features::parse(name));
            }
        }
        let layouts = catch(device, "describing the bindings of kernels", "", || layouts(device))?;
        let (device, queue, pipelines) = (device.clone(), queue.clone(), Mutex::default());
        let shared = Shared { device, queue, limits, found, layouts, pipelines };
        Ok(Self { shared: Arc::new(shared), target: Target::new("any", found) })
    }

    /// A device of its own on the fastest adapter, with everything that the adapter has of what kernels can use.
    /// For programs that have no wgpu device yet: [`Device::wgpu`] and [`Device::queue`] are then theirs to use.
    ///
    /// # Errors
    /// [`Refusal::NoDriver`] when there is no adapter, [`Refusal::Driver`] when the adapter gives no device, and those of
    /// [`Device::new`].
    pub async fn open(instance: &Instance) -> Result<Self, Refusal> {
        let fastest = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let adapter = instance.request_adapter(&fastest).await.map_err(|_| Refusal::NoDriver {
            backend: "wgpu",
            need: "wgpu finds no adapter; install one for Vulkan, Metal or Direct3D 12, or use the cpu",
        })?;
        let wanted = FEATURES.into_iter().fold(::wgpu::Features::empty(), |all, (_, feature)| all | feature);
        let descriptor = DeviceDescriptor {
            label: Some("kreg"),
            required_features: wanted & adapter.features(),
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|e| Refusal::Driver {
            what: "requesting a device from the adapter",
            cause: e.to_string(),
        })?;
        Self::new(&device, &queue)
    }

    /// This device as `target` describes it, to force a row or exact activations. It shares everything else.
    ///
    /// # Errors
    /// [`Refusal::DeviceFeatures`] when the target is another architecture than `any` or names a feature that the device
    /// was not created with.
    pub fn described(&self, target: Target) -> Result<Self, Refusal> {
        let missing = target.features().difference(self.shared.found);
        let missing = match target.arch() {
            "any" if missing.is_empty() => return Ok(Self { shared: self.shared.clone(), target }),
            "any" => missing.to_string(),
            arch => arch.into(),
        };
        Err(Refusal::DeviceFeatures { missing })
    }

    /// What this device may run.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The wgpu device.
    pub fn wgpu(&self) -> &::wgpu::Device {
        &self.shared.device
    }

    /// Its queue.
    pub fn queue(&self) -> &Queue {
        &self.shared.queue
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    pub(super) fn layouts(&self) -> &Layouts {
        &self.shared.layouts
    }

    /// The compiled kernel of this name; `compile` makes it the first time.
    pub(super) fn pipeline(
        &self,
        name: &'static str,
        compile: impl FnOnce() -> Result<ComputePipeline, Refusal>,
    ) -> Result<ComputePipeline, Refusal> {
        // A panic elsewhere leaves whole entries behind: poison says nothing here.
        let mut all = self.shared.pipelines.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(pipeline) = all.get(name) {
            return Ok(pipeline.clone());
        }
        let pipeline = compile()?;
        all.insert(name, pipeline.clone());
        Ok(pipeline)
    }
}

/// What every kernel needs: name of the limit, least value, the device's value.
fn needs(limits: &Limits) -> [(&'static str, u64, u64); 6] {
    let sums = u64::from(LANES) * 16;
    [
        (
            "max_compute_invocations_per_workgroup",
            LANES.into(),
            limits.max_compute_invocations_per_workgroup.into(),
        ),
        ("max_compute_workgroup_size_x", LANES.into(), limits.max_compute_workgroup_size_x.into()),
        ("max_compute_workgroup_storage_size", sums, limits.max_compute_workgroup_storage_size.into()),
        ("max_compute_workgroups_per_dimension", 1, limits.max_compute_workgroups_per_dimension.into()),
        ("max_storage_buffers_per_shader_stage", 3, limits.max_storage_buffers_per_shader_stage.into()),
        ("max_bind_groups", 2, limits.max_bind_groups.into()),
    ]
}

fn layouts(device: &::wgpu::Device) -> Layouts {
    let group = |label, kinds: [BufferBindingType; 2]| {
        let entries = [0, 1].map(|binding| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: kinds[binding as usize],
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        });
        device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
    };
    let storage = |read_only| BufferBindingType::Storage { read_only };
    let weights = group("kreg weights", [storage(true), BufferBindingType::Uniform]);
    let vectors = group("kreg vectors", [storage(true), storage(false)]);
    let pipeline = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some("kreg"),
        bind_group_layouts: &[Some(&weights), Some(&vectors)],
        immediate_size: 0,
    });
    Layouts { weights, vectors, pipeline }
}
