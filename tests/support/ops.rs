//! One call of each op, over buffers that live on, with its definition: what the tests of all op rows iterate.

use kreg::args::{AttentionShape, RopeStyle, SampleRng};
use kreg::cpu::{self, Device};
use kreg::kernels::reference::sample::{Generator, breakpoints, draw};
use kreg::kernels::reference::workload::Random;
use kreg::kernels::reference::{self, rope};
use kreg::kernels::{Refusal, Workspace};
use kreg::{Backend, KernelId};

/// Model width, width of keys and values, head width, and cache length of the calls.
const N: usize = 896;
const KV: usize = 128;
const D: usize = 64;
const CACHED: usize = 100;
const SHAPE: AttentionShape =
    AttentionShape { heads: N / D, kv_heads: KV / D, head_dim: D, scale: 0.125, softcap: Some(30.0) };
const EPS: f32 = 1e-5;

/// Everything that a call reads or writes.
pub struct Buffers {
    pub device: Device,
    pub x: Vec<f32>,
    pub w: Vec<f32>,
    pub y: Vec<f32>,
    pub k: Vec<f32>,
    pub v: Vec<f32>,
    pub k_cache: Vec<f32>,
    pub v_cache: Vec<f32>,
    pub context: Vec<u32>,
    pub token: u32,
    pub seed: u64,
    pub rng: SampleRng,
    pub ws: Workspace,
}

impl Buffers {
    /// Nearly normal values from `seed`, for calls on `device`.
    pub fn new(seed: u64, device: Device) -> Self {
        let mut random = Random::new(seed);
        let mut vec = |n| random.activations(n);
        Self {
            device,
            x: vec(N),
            w: vec(N),
            y: vec(N),
            k: vec(KV),
            v: vec(KV),
            k_cache: vec(CACHED * KV),
            v_cache: vec(CACHED * KV),
            context: (0..100).map(|i| i * i % (N as u32 + 7)).collect(),
            token: 0,
            seed,
            rng: SampleRng::new(seed),
            ws: Workspace::new(),
        }
    }

    /// Keeps the token that a call returned.
    fn keep(&mut self, (token, id): (u32, KernelId)) -> KernelId {
        self.token = token;
        id
    }
}

/// One call of one op.
pub struct Call {
    pub run: fn(&mut Buffers) -> Result<KernelId, Refusal>,
    /// The float64 definition, from the buffers before the call.
    pub exact: fn(&Buffers) -> Vec<f64>,
    /// The result, from the buffers after it.
    pub got: fn(&Buffers) -> Vec<f32>,
    /// Largest error allowed, as a share of the largest exact value; 0 means the same bits.
    pub tolerance: f64,
}

/// A call of every op that kreg has on the CPU.
pub const CALLS: [Call; 14] = [
    Call {
        run: |b| cpu::rmsnorm(&b.device, &b.x, &b.w, EPS, &mut b.y),
        exact: |b| reference::rmsnorm(&b.x, &b.w, EPS),
        got: |b| b.y.clone(),
        tolerance: 3e-7,
    },
    Call {
        run: |b| cpu::layernorm(&b.device, &b.x, &b.w, Some(&b.w), EPS, &mut b.y),
        exact: |b| reference::layernorm(&b.x, &b.w, Some(&b.w), EPS),
        got: |b| b.y.clone(),
        tolerance: 2e-6,
    },
    Call {
        run: |b| cpu::rope(&b.device, &mut b.x, D, 32_767, 1e6, RopeStyle::Adjacent),
        exact: |b| rope::adjacent(&b.x, D, 32_767, 1e6),
        got: |b| b.x.clone(),
        tolerance: 3e-7,
    },
    Call {
        run: |b| cpu::rope(&b.device, &mut b.x, D, 32_767, 1e6, RopeStyle::Neox),
        exact: |b| rope::neox(&b.x, D, 32_767, 1e6),
        got: |b| b.x.clone(),
        tolerance: 3e-7,
    },
    Call {
        run: |b| {
            cpu::attention(&b.device, &b.x, &b.k_cache, &b.v_cache, &b.k, &b.v, SHAPE, &mut b.y, &mut b.ws)
        },
        exact: |b| {
            let AttentionShape { heads, kv_heads, scale, softcap, .. } = SHAPE;
            reference::attention(&b.x, &b.k_cache, &b.v_cache, &b.k, &b.v, heads, kv_heads, scale, softcap)
        },
        got: |b| b.y.clone(),
        tolerance: 2e-6,
    },
    Call {
        run: |b| cpu::swiglu(&b.device, &mut b.x, &b.w),
        exact: |b| reference::swiglu(&b.x, &b.w),
        got: |b| b.x.clone(),
        tolerance: 3e-7,
    },
    Call {
        run: |b| cpu::gelu(&b.device, &mut b.x),
        exact: |b| reference::gelu(&b.x),
        got: |b| b.x.clone(),
        tolerance: 2e-7,
    },
    Call {
        run: |b| cpu::embed(&b.device, &b.k_cache, 17, &mut b.k),
        exact: |b| widen(&reference::embed(&b.k_cache, 17, KV).unwrap()),
        got: |b| b.k.clone(),
        tolerance: 0.0,
    },
    Call {
        run: |b| cpu::kv_write(&b.device, &b.k, &b.v, 5, &mut b.k_cache, &mut b.v_cache),
        exact: |b| {
            let stored = |cache: &[f32], row: &[f32]| widen(&reference::kv_write(cache, row, 5).unwrap());
            [stored(&b.k_cache, &b.k), stored(&b.v_cache, &b.v)].concat()
        },
        got: |b| [&b.k_cache[..], &b.v_cache].concat(),
        tolerance: 0.0,
    },
    Call {
        run: |b| cpu::residual_add(&b.device, &mut b.x, &b.w),
        exact: |b| widen(&reference::residual_add(&b.x, &b.w)),
        got: |b| b.x.clone(),
        tolerance: 0.0,
    },
    Call {
        run: |b| cpu::argmax(&b.device, &b.x).map(|out| b.keep(out)),
        exact: |b| vec![reference::argmax(&b.x).into()],
        got: |b| vec![b.token as f32],
        tolerance: 0.0,
    },
    Call {
        run: |b| cpu::sample::topk(&b.device, &b.x, 0.7, 40, 0.61, &mut b.ws).map(|out| b.keep(out)),
        exact: |b| vec![draw(&breakpoints(&b.x, 0.7, 40, 1.0), 0.61).into()],
        got: |b| vec![b.token as f32],
        tolerance: 0.0,
    },
    Call {
        run: |b| {
            cpu::sample::seeded(&b.device, &b.x, 0.7, 40, 0.9, &mut b.rng, &mut b.ws).map(|out| b.keep(out))
        },
        exact: |b| vec![draw(&breakpoints(&b.x, 0.7, 40, 0.9), Generator::new(b.seed).draw()).into()],
        got: |b| vec![b.token as f32],
        tolerance: 0.0,
    },
    Call {
        run: |b| cpu::repeat_penalty(&b.device, &mut b.x, &b.context, 64, 1.3, &mut b.ws),
        exact: |b| widen(&reference::repeat_penalty(&b.x, &b.context, 64, 1.3)),
        got: |b| b.x.clone(),
        tolerance: 0.0,
    },
];

/// Every op row that this machine can run, with the device on which it is selected.
pub fn op_devices() -> Vec<(KernelId, Device)> {
    let ids = KernelId::ALL.into_iter().filter(|id| id.backend() == Backend::Cpu && id.qtype().is_none());
    ids.filter_map(|id| Some((id, super::kernel::device_of(id)?))).collect()
}

fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}
