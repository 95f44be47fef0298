//! A small random model of the Qwen3.5 kind: one gated-delta-net layer and one gated attention layer.

use kreg::kernels::reference::workload::Random;

pub const WIDTH: usize = 64;
pub const VOCABULARY: usize = 50;
pub const EPS: f32 = 1e-6;
pub const THETA: f32 = 1e7;

/// Of the gated-delta-net layer: key heads, value heads, widths, and taps of the convolution.
pub const NK: usize = 2;
pub const NV: usize = 6;
pub const DK: usize = 16;
pub const DV: usize = 32;
pub const TAPS: usize = 4;
/// Queries, keys and values, in this order, as the convolution sees them.
pub const CHANNELS: usize = 2 * NK * DK + NV * DV;

/// Of the attention layer: heads, key heads, width, and how much of it turns.
pub const HEADS: usize = 8;
pub const KV_HEADS: usize = 2;
pub const D: usize = 64;
pub const N_ROT: usize = 16;
pub const KV_DIM: usize = KV_HEADS * D;

/// Of the feed-forward part.
pub const HIDDEN: usize = 96;

/// The scale of every Q8_0 block.
pub const STEP: f32 = 1.0 / 512.0;

/// Weights. Matrices are `[outputs, inputs]`, and multiples of [`STEP`] that Q8_0 holds exactly.
pub struct Model {
    pub embedding: Vec<f32>,
    pub net: Net,
    pub attention: Attention,
    pub ffn: [FeedForward; 2],
    pub norm: Vec<f32>,
    pub head: Vec<f32>,
}

pub struct Net {
    pub norm: Vec<f32>,
    pub qkv: Vec<f32>,
    pub z: Vec<f32>,
    pub alpha: Vec<f32>,
    pub beta: Vec<f32>,
    pub conv: Vec<f32>,
    pub dt_bias: Vec<f32>,
    pub a: Vec<f32>,
    pub out_norm: Vec<f32>,
    pub out: Vec<f32>,
}

pub struct Attention {
    pub norm: Vec<f32>,
    pub query_gate: Vec<f32>,
    pub k: Vec<f32>,
    pub v: Vec<f32>,
    pub q_norm: Vec<f32>,
    pub k_norm: Vec<f32>,
    pub out: Vec<f32>,
}

pub struct FeedForward {
    pub norm: Vec<f32>,
    pub gate: Vec<f32>,
    pub up: Vec<f32>,
    pub down: Vec<f32>,
}

impl Model {
    pub fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let mut matrix = |outputs: usize, inputs: usize| {
            let scale = 1.0 / (inputs as f32).sqrt();
            let rounded = |w: &f32| (w * scale / STEP).round().clamp(-127.0, 127.0) * STEP;
            random.activations(outputs * inputs).iter().map(rounded).collect::<Vec<_>>()
        };
        let ones = |noise: Vec<f32>| noise.iter().map(|w| 1.0 + 0.3 * w).collect::<Vec<_>>();
        let net = Net {
            norm: ones(matrix(WIDTH, 1)),
            qkv: matrix(CHANNELS, WIDTH),
            z: matrix(NV * DV, WIDTH),
            alpha: matrix(NV, WIDTH),
            beta: matrix(NV, WIDTH),
            conv: matrix(CHANNELS, TAPS),
            dt_bias: matrix(NV, 1),
            a: matrix(NV, 1).iter().map(|a| -a.abs()).collect(),
            out_norm: ones(matrix(DV, 1)),
            out: matrix(WIDTH, NV * DV),
        };
        let attention = Attention {
            norm: ones(matrix(WIDTH, 1)),
            query_gate: matrix(HEADS * 2 * D, WIDTH),
            k: matrix(KV_DIM, WIDTH),
            v: matrix(KV_DIM, WIDTH),
            q_norm: ones(matrix(D, 1)),
            k_norm: ones(matrix(D, 1)),
            out: matrix(WIDTH, HEADS * D),
        };
        let ffn = [(); 2].map(|()| FeedForward {
            norm: ones(matrix(WIDTH, 1)),
            gate: matrix(HIDDEN, WIDTH),
            up: matrix(HIDDEN, WIDTH),
            down: matrix(WIDTH, HIDDEN),
        });
        let (embedding, norm) = (matrix(VOCABULARY * WIDTH, 1), ones(matrix(WIDTH, 1)));
        Self { embedding, net, attention, ffn, norm, head: matrix(VOCABULARY, WIDTH) }
    }
}
