//! The model's definition in float64, written from the layers' formulas: nothing of kreg is called.

use super::model::*;

/// What is carried from step to step.
pub struct State {
    conv: Vec<Vec<f64>>,
    /// `[NV][DV][DK]`
    delta: Vec<f64>,
    k: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
}

impl State {
    pub fn new() -> Self {
        Self {
            conv: vec![vec![0.0; CHANNELS]; TAPS - 1],
            delta: vec![0.0; NV * DV * DK],
            k: vec![],
            v: vec![],
        }
    }

    /// The logits after `token`, which is the next one.
    pub fn step(&mut self, model: &Model, token: usize) -> Vec<f64> {
        let mut h: Vec<f64> =
            model.embedding[token * WIDTH..][..WIDTH].iter().map(|&x| f64::from(x)).collect();
        let branch = self.net(&model.net, &h);
        add(&mut h, &branch);
        add_ffn(&model.ffn[0], &mut h);
        let branch = self.attention(&model.attention, &h);
        add(&mut h, &branch);
        add_ffn(&model.ffn[1], &mut h);
        product(&model.head, &norm(&h, &model.norm))
    }

    fn net(&mut self, w: &Net, h: &[f64]) -> Vec<f64> {
        let x = norm(h, &w.norm);
        let qkv = self.convolved(w, product(&w.qkv, &x));
        let (z, alpha, beta) = (product(&w.z, &x), product(&w.alpha, &x), product(&w.beta, &x));
        let unit = |head: &[f64]| {
            let length = (head.iter().map(|x| x * x).sum::<f64>() + f64::from(EPS)).sqrt();
            head.iter().map(|x| x / length).collect::<Vec<_>>()
        };
        let mut out = Vec::new();
        for h in 0..NV {
            let key_head = h % NK;
            let q = unit(&qkv[key_head * DK..][..DK]);
            let k = unit(&qkv[(NK + key_head) * DK..][..DK]);
            let decay = ((alpha[h] + f64::from(w.dt_bias[h])).exp().ln_1p() * f64::from(w.a[h])).exp();
            let rate = sigmoid(beta[h]);
            let mut read = Vec::new();
            for j in 0..DV {
                let s = &mut self.delta[(h * DV + j) * DK..][..DK];
                s.iter_mut().for_each(|s| *s *= decay);
                let delta = (qkv[2 * NK * DK + h * DV + j] - dot(s, &k)) * rate;
                s.iter_mut().zip(&k).for_each(|(s, k)| *s += delta * k);
                read.push(dot(s, &q) / (DK as f64).sqrt());
            }
            let gate = z[h * DV..][..DV].iter().map(|z| z * sigmoid(*z));
            out.extend(norm(&read, &w.out_norm).iter().zip(gate).map(|(y, z)| y * z));
        }
        product(&w.out, &out)
    }

    fn convolved(&mut self, w: &Net, x: Vec<f64>) -> Vec<f64> {
        self.conv.push(x);
        let sum =
            |c: usize| -> f64 { (0..TAPS).map(|t| self.conv[t][c] * f64::from(w.conv[c * TAPS + t])).sum() };
        let out = (0..CHANNELS).map(sum).map(|y| y * sigmoid(y)).collect();
        self.conv.remove(0);
        out
    }

    fn attention(&mut self, w: &Attention, h: &[f64]) -> Vec<f64> {
        let (x, pos) = (norm(h, &w.norm), self.k.len());
        let query_gate = product(&w.query_gate, &x);
        let k: Vec<f64> = product(&w.k, &x).chunks(D).flat_map(|k| turned(norm(k, &w.k_norm), pos)).collect();
        self.k.push(k);
        self.v.push(product(&w.v, &x));
        let mut out = Vec::new();
        for (h, head) in query_gate.chunks(2 * D).enumerate() {
            let q = turned(norm(&head[..D], &w.q_norm), pos);
            let kv = h / (HEADS / KV_HEADS) * D..(h / (HEADS / KV_HEADS) + 1) * D;
            let weights: Vec<f64> =
                self.k.iter().map(|k| (dot(&q, &k[kv.clone()]) / (D as f64).sqrt()).exp()).collect();
            let total: f64 = weights.iter().sum();
            for (e, gate) in kv.zip(&head[D..]) {
                let sum: f64 = weights.iter().zip(&self.v).map(|(w, v)| w * v[e]).sum();
                out.push(sum / total * sigmoid(*gate));
            }
        }
        product(&w.out, &out)
    }
}

/// Partial neox RoPE by its closed formula.
fn turned(mut head: Vec<f64>, pos: usize) -> Vec<f64> {
    for j in 0..N_ROT / 2 {
        let angle = pos as f64 * f64::from(THETA).powf(-2.0 * j as f64 / N_ROT as f64);
        let (a, b) = (head[j], head[j + N_ROT / 2]);
        head[j] = a * angle.cos() - b * angle.sin();
        head[j + N_ROT / 2] = a * angle.sin() + b * angle.cos();
    }
    head
}

fn add_ffn(w: &FeedForward, h: &mut [f64]) {
    let x = norm(h, &w.norm);
    let gate = product(&w.gate, &x).into_iter().map(|g| g * sigmoid(g));
    let inner: Vec<f64> = gate.zip(product(&w.up, &x)).map(|(g, u)| g * u).collect();
    add(h, &product(&w.down, &inner));
}

fn add(h: &mut [f64], branch: &[f64]) {
    h.iter_mut().zip(branch).for_each(|(h, b)| *h += b);
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64], w: &[f32]) -> Vec<f64> {
    let root = (dot(x, x) / x.len() as f64 + f64::from(EPS)).sqrt();
    x.iter().zip(w).map(|(x, w)| x / root * f64::from(*w)).collect()
}

fn product(w: &[f32], x: &[f64]) -> Vec<f64> {
    let row = |row: &[f32]| row.iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum();
    w.chunks_exact(x.len()).map(row).collect()
}
