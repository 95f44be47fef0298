//! The model on the device: every op through kreg's generated dispatch, on one stream, without a wait.

use kreg::cuda::cudarc::driver::CudaSlice;
use kreg::cuda::{self, CudaView, CudaViewMut, Device, Position, Weights};

use super::model::*;
use crate::gpu::Gpu;

/// A Q8_0 matrix in device memory.
struct Matrix {
    bytes: CudaSlice<u8>,
    rows: usize,
    cols: usize,
}

impl Matrix {
    fn new(gpu: &Gpu, w: &[f32], cols: usize) -> Self {
        // The f16 2^-9, then 32 multiples of it.
        let block = |w: &[f32]| {
            [&[0x00, 0x18], &w.iter().map(|w| (w / STEP) as i8 as u8).collect::<Vec<_>>()[..]].concat()
        };
        let bytes: Vec<u8> = w.chunks_exact(32).flat_map(block).collect();
        Self { bytes: gpu.up(&bytes), rows: w.len() / cols, cols }
    }

    fn product(&self, device: &Device, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) {
        let path = kreg::path!(Gemv, Cuda, Q8_0);
        let weights = Weights::bind(device, path, self.bytes.as_view(), self.rows, self.cols).unwrap();
        weights.gemv(device, &x.as_view(), &mut y.as_view_mut()).unwrap();
    }
}

struct DeviceNet {
    norm: CudaSlice<f32>,
    qkv: Matrix,
    z: Matrix,
    alpha: Matrix,
    beta: Matrix,
    conv: CudaSlice<f32>,
    dt_bias: CudaSlice<f32>,
    a: CudaSlice<f32>,
    out_norm: CudaSlice<f32>,
    out: Matrix,
}

struct DeviceAttention {
    norm: CudaSlice<f32>,
    query_gate: Matrix,
    k: Matrix,
    v: Matrix,
    q_norm: CudaSlice<f32>,
    k_norm: CudaSlice<f32>,
    out: Matrix,
}

struct DeviceFeedForward {
    norm: CudaSlice<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

/// Weights, what is carried from step to step, and what a step needs in between.
pub struct Engine {
    embedding: CudaSlice<f32>,
    net: DeviceNet,
    attention: DeviceAttention,
    ffn: [DeviceFeedForward; 2],
    norm: CudaSlice<f32>,
    head: Matrix,
    /// The convolution's and the delta rule's state, and the caches of keys and values.
    pub states: [CudaSlice<f32>; 4],
    max_len: usize,
    h: CudaSlice<f32>,
    next: CudaSlice<f32>,
    x: CudaSlice<f32>,
    branch: CudaSlice<f32>,
    pub logits: CudaSlice<f32>,
    pub token: CudaSlice<u32>,
    scratch: Scratch,
}

/// Intermediate results by the width they have.
struct Scratch {
    qkv: CudaSlice<f32>,
    mixed: CudaSlice<f32>,
    values: [CudaSlice<f32>; 3],
    gates: [CudaSlice<f32>; 4],
    query_gate: CudaSlice<f32>,
    heads: [CudaSlice<f32>; 3],
    kv: [CudaSlice<f32>; 3],
    hidden: [CudaSlice<f32>; 3],
}

impl Engine {
    pub fn new(gpu: &Gpu, model: &Model, max_len: usize) -> Self {
        let matrix = |w: &[f32], cols| Matrix::new(gpu, w, cols);
        let (net, attention) = (&model.net, &model.attention);
        Self {
            embedding: gpu.up(&model.embedding),
            net: DeviceNet {
                norm: gpu.up(&net.norm),
                qkv: matrix(&net.qkv, WIDTH),
                z: matrix(&net.z, WIDTH),
                alpha: matrix(&net.alpha, WIDTH),
                beta: matrix(&net.beta, WIDTH),
                conv: gpu.up(&net.conv),
                dt_bias: gpu.up(&net.dt_bias),
                a: gpu.up(&net.a),
                out_norm: gpu.up(&net.out_norm),
                out: matrix(&net.out, NV * DV),
            },
            attention: DeviceAttention {
                norm: gpu.up(&attention.norm),
                query_gate: matrix(&attention.query_gate, WIDTH),
                k: matrix(&attention.k, WIDTH),
                v: matrix(&attention.v, WIDTH),
                q_norm: gpu.up(&attention.q_norm),
                k_norm: gpu.up(&attention.k_norm),
                out: matrix(&attention.out, HEADS * D),
            },
            ffn: [0, 1].map(|i| DeviceFeedForward {
                norm: gpu.up(&model.ffn[i].norm),
                gate: matrix(&model.ffn[i].gate, WIDTH),
                up: matrix(&model.ffn[i].up, WIDTH),
                down: matrix(&model.ffn[i].down, HIDDEN),
            }),
            norm: gpu.up(&model.norm),
            head: matrix(&model.head, WIDTH),
            states: Self::start(max_len).map(|x| gpu.up(&x)),
            max_len,
            h: gpu.fresh(WIDTH),
            next: gpu.fresh(WIDTH),
            x: gpu.fresh(WIDTH),
            branch: gpu.fresh(WIDTH),
            logits: gpu.fresh(VOCABULARY),
            token: gpu.up(&[u32::MAX]),
            scratch: Scratch::new(gpu),
        }
    }

    /// The states before the first step: zeros, and caches that nothing may read.
    pub fn start(max_len: usize) -> [Vec<f32>; 4] {
        let cache = vec![f32::NAN; max_len * KV_DIM];
        [vec![0.0; CHANNELS * (TAPS - 1)], vec![0.0; NV * DV * DK], cache.clone(), cache]
    }

    /// One decode step: logits, and their largest as `self.token`.
    pub fn step(&mut self, d: &Device, token: Position<'_>, pos: Position<'_>) {
        cuda::admit(d, pos, self.max_len).unwrap();
        cuda::embed(d, &self.embedding.as_view(), token, &mut self.h.as_view_mut()).unwrap();
        self.net(d);
        self.add(d);
        self.feed_forward(d, 0);
        self.attention(d, pos);
        self.add(d);
        self.feed_forward(d, 1);
        normalise(d, &self.h, &self.norm, &mut self.x);
        self.head.product(d, &self.x, &mut self.logits);
        cuda::argmax(d, &self.logits.as_view(), &mut self.token.as_view_mut()).unwrap();
    }

    /// Adds the branch to the stream.
    fn add(&mut self, d: &Device) {
        let (h, branch) = (self.h.as_view(), self.branch.as_view());
        cuda::residual_add(d, &h, &branch, &mut self.next.as_view_mut()).unwrap();
        std::mem::swap(&mut self.h, &mut self.next);
    }

    fn net(&mut self, d: &Device) {
        let (w, s) = (&self.net, &mut self.scratch);
        normalise(d, &self.h, &w.norm, &mut self.x);
        w.qkv.product(d, &self.x, &mut s.qkv);
        let [z, read, gated] = &mut s.values;
        let [alpha, beta_raw, g, beta] = &mut s.gates;
        w.z.product(d, &self.x, z);
        w.alpha.product(d, &self.x, alpha);
        w.beta.product(d, &self.x, beta_raw);
        let (conv, delta) = self.states.split_at_mut(1);
        let (state, mixed) = (&mut conv[0].as_view_mut(), &mut s.mixed);
        cuda::conv1d::silu(d, &s.qkv.as_view(), state, &w.conv.as_view(), &mut mixed.as_view_mut()).unwrap();
        // Queries and keys lie side by side: their heads are normalised in one call.
        let keys = NK * DK;
        cuda::l2norm::per_head(d, &mut mixed.slice_mut(..2 * keys), DK, EPS).unwrap();
        let (g, beta) = (g, beta);
        let (bias, a) = (w.dt_bias.as_view(), w.a.as_view());
        let (gv, bv) = (&mut g.as_view_mut(), &mut beta.as_view_mut());
        cuda::gdn_gates(d, &alpha.as_view(), &bias, &a, &beta_raw.as_view(), gv, bv).unwrap();
        let (q, k, v) = (mixed.slice(..keys), mixed.slice(keys..2 * keys), mixed.slice(2 * keys..));
        let (state, out) = (&mut delta[0].as_view_mut(), &mut read.as_view_mut());
        cuda::delta_rule(d, &q, &k, &v, &beta.as_view(), &g.as_view(), NK, state, out).unwrap();
        let (norm, out) = (w.out_norm.as_view(), &mut gated.as_view_mut());
        cuda::rmsnorm::gated(d, &read.as_view(), &z.as_view(), &norm, EPS, out).unwrap();
        w.out.product(d, gated, &mut self.branch);
    }

    fn attention(&mut self, d: &Device, pos: Position<'_>) {
        let (w, s) = (&self.attention, &mut self.scratch);
        let [query, gate, normed] = &mut s.heads;
        let [k, v, k_normed] = &mut s.kv;
        normalise(d, &self.h, &w.norm, &mut self.x);
        w.query_gate.product(d, &self.x, &mut s.query_gate);
        w.k.product(d, &self.x, k);
        w.v.product(d, &self.x, v);
        let (q, g) = (&mut query.as_view_mut(), &mut gate.as_view_mut());
        cuda::split::interleaved(d, &s.query_gate.as_view(), D, q, g).unwrap();
        for (x, norm, y) in [(&*query, &w.q_norm, &mut *normed), (&*k, &w.k_norm, &mut *k_normed)] {
            let y = &mut y.as_view_mut();
            cuda::rmsnorm::per_head(d, &x.as_view(), &norm.as_view(), EPS, y).unwrap();
            cuda::rope::partial_neox(d, y, D, N_ROT, pos, THETA).unwrap();
        }
        let [_, _, k_cache, v_cache] = &mut self.states;
        let (kc, vc) = (&mut k_cache.as_view_mut(), &mut v_cache.as_view_mut());
        cuda::kv_write(d, &k_normed.as_view(), &v.as_view(), pos, KV_DIM, kc, vc).unwrap();
        let (kc, vc, out) = (k_cache.as_view(), v_cache.as_view(), &mut query.as_view_mut());
        cuda::attention::gdn_decode(d, &normed.as_view(), &kc, &vc, pos, KV_HEADS, D, out).unwrap();
        cuda::sigmoid_gate(d, out, &gate.as_view()).unwrap();
        w.out.product(d, query, &mut self.branch);
    }

    fn feed_forward(&mut self, d: &Device, layer: usize) {
        let (w, [gate, up, inner]) = (&self.ffn[layer], &mut self.scratch.hidden);
        normalise(d, &self.h, &w.norm, &mut self.x);
        w.gate.product(d, &self.x, gate);
        w.up.product(d, &self.x, up);
        cuda::swiglu(d, &gate.as_view(), &up.as_view(), &mut inner.as_view_mut()).unwrap();
        w.down.product(d, inner, &mut self.branch);
        self.add(d);
    }
}

fn normalise(d: &Device, x: &CudaSlice<f32>, w: &CudaSlice<f32>, y: &mut CudaSlice<f32>) {
    let (x, w): (CudaView<'_, f32>, CudaView<'_, f32>) = (x.as_view(), w.as_view());
    let y: &mut CudaViewMut<'_, f32> = &mut y.as_view_mut();
    cuda::rmsnorm(d, &x, &w, EPS, y).unwrap();
}

impl Scratch {
    fn new(gpu: &Gpu) -> Self {
        Self {
            qkv: gpu.fresh(CHANNELS),
            mixed: gpu.fresh(CHANNELS),
            values: [(); 3].map(|()| gpu.fresh(NV * DV)),
            gates: [(); 4].map(|()| gpu.fresh(NV)),
            query_gate: gpu.fresh(HEADS * 2 * D),
            heads: [(); 3].map(|()| gpu.fresh(HEADS * D)),
            kv: [(); 3].map(|()| gpu.fresh(KV_DIM)),
            hidden: [(); 3].map(|()| gpu.fresh(HIDDEN)),
        }
    }
}
