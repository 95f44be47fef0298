//! attention and attention.gdn_decode: every length, width and grouping, against the definition.

use kreg::args::AttentionShape;
use kreg::cuda::{self, Position};
use kreg::kernels::reference;
use kreg::kernels::reference::workload::Random;

use crate::gpu::{Gpu, UNTOUCHED, close, gpu};

/// One step, its caches as the definition has them: `[positions, kv_heads, d]`.
struct Case {
    heads: usize,
    kv_heads: usize,
    d: usize,
    max_len: usize,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    softcap: Option<f32>,
}

impl Case {
    fn new([heads, kv_heads, d]: [usize; 3], length: usize, max_len: usize) -> Self {
        let mut random = Random::new((heads * d + length) as u64);
        let q = random.activations(heads * d).iter().map(|q| 2.0 * q).collect();
        let n = length * kv_heads * d;
        let (k, v) = (random.activations(n), random.activations(n));
        Self { heads, kv_heads, d, max_len, q, k, v, softcap: None }
    }

    fn scale(&self) -> f32 {
        (1.0 / (self.d as f64).sqrt()) as f32
    }

    fn exact(&self) -> Vec<f64> {
        let last = self.k.len() - self.kv_heads * self.d;
        let ((k_cache, k), (v_cache, v)) = (self.k.split_at(last), self.v.split_at(last));
        let (heads, kv_heads, scale) = (self.heads, self.kv_heads, self.scale());
        reference::attention(&self.q, k_cache, v_cache, k, v, heads, kv_heads, scale, self.softcap)
    }

    /// A cache of `max_len` positions, NaN where nothing has been stored, with row p of head h at `at(h, p)`.
    fn cache(&self, rows: &[f32], at: impl Fn(usize, usize) -> usize) -> Vec<f32> {
        let mut cache = vec![f32::NAN; self.max_len * self.kv_heads * self.d];
        for (i, row) in rows.chunks(self.d).enumerate() {
            cache[at(i % self.kv_heads, i / self.kv_heads) * self.d..][..self.d].copy_from_slice(row);
        }
        cache
    }

    fn head_major(&self, rows: &[f32]) -> Vec<f32> {
        self.cache(rows, |h, p| h * self.max_len + p)
    }

    fn attention(&self, gpu: &Gpu, pos: Position<'_>) -> Vec<f32> {
        let (k, v) = (gpu.up(&self.head_major(&self.k)), gpu.up(&self.head_major(&self.v)));
        let (q, mut out) = (gpu.up(&self.q), gpu.fresh(self.q.len()));
        let Self { heads, kv_heads, d: head_dim, softcap, .. } = *self;
        let shape = AttentionShape { heads, kv_heads, head_dim, scale: self.scale(), softcap };
        let (q, k, v, y) = (q.as_view(), k.as_view(), v.as_view(), &mut out.as_view_mut());
        let id = cuda::attention(&gpu.device, &q, &k, &v, pos, shape, y).unwrap();
        assert_eq!(id.as_str(), "cuda.attention.f32");
        gpu.down(&out)
    }

    fn gdn_decode(&self, gpu: &Gpu, pos: Position<'_>) -> Vec<f32> {
        let cache = |rows| gpu.up(&self.cache(rows, |h, p| p * self.kv_heads + h));
        let (k, v, q, mut out) = (cache(&self.k), cache(&self.v), gpu.up(&self.q), gpu.fresh(self.q.len()));
        let (q, k, v, y) = (q.as_view(), k.as_view(), v.as_view(), &mut out.as_view_mut());
        let id = cuda::attention::gdn_decode(&gpu.device, &q, &k, &v, pos, self.kv_heads, self.d, y).unwrap();
        assert_eq!(id.as_str(), "cuda.attention.gdn_decode.f32");
        gpu.down(&out)
    }

    #[track_caller]
    fn check(&self, gpu: &Gpu) {
        let length = self.k.len() / self.kv_heads / self.d;
        let at = gpu.up(&[length as u32 - 1]);
        let what =
            format!("{} of {} heads of {}, {length}/{}", self.heads, self.kv_heads, self.d, self.max_len);
        let exact = self.exact();
        close(&what, &self.attention(gpu, Position::Value(length - 1)), &exact, 2e-6);
        close(&what, &self.attention(gpu, Position::At(&at.as_view())), &exact, 2e-6);
        if self.softcap.is_none() {
            close(&what, &self.gdn_decode(gpu, Position::Value(length - 1)), &exact, 2e-6);
            close(&what, &self.gdn_decode(gpu, Position::At(&at.as_view())), &exact, 2e-6);
        }
    }
}

#[test]
fn every_length() {
    let Some(gpu) = gpu() else { return };
    for length in [1, 2, 31, 32, 33, 127, 128, 129, 300] {
        for d in [64, 128, 256] {
            Case::new([6, 2, d], length, 300).check(&gpu);
        }
        Case::new([6, 2, 64], length, length).check(&gpu);
    }
    Case::new([14, 2, 64], 4097, 4097).check(&gpu);
    Case::new([4, 1, 128], 4097, 5000).check(&gpu);
    Case::new([2, 2, 256], 4097, 40_000).check(&gpu);
}

#[test]
fn every_width_and_grouping() {
    let Some(gpu) = gpu() else { return };
    for d in [1, 2, 3, 5, 32, 36, 80, 96, 100, 130, 255] {
        Case::new([4, 2, d], 200, 256).check(&gpu);
    }
    for (heads, kv_heads) in [(1, 1), (8, 8), (8, 1), (9, 1), (20, 2), (32, 1), (15, 5)] {
        Case::new([heads, kv_heads, 32], 150, 160).check(&gpu);
    }
}

/// A view that starts between two 16-byte steps takes the kernels' narrow loads.
#[test]
fn any_alignment() {
    let Some(gpu) = gpu() else { return };
    let case = Case::new([4, 2, 64], 50, 50);
    let shifted = |x: Vec<f32>| gpu.up(&[&[f32::NAN], &x[..]].concat());
    let (q, k, v) =
        (shifted(case.q.clone()), shifted(case.head_major(&case.k)), shifted(case.head_major(&case.v)));
    let (q, k, v) = (q.slice(1..), k.slice(1..), v.slice(1..));
    let shape = AttentionShape { heads: 4, kv_heads: 2, head_dim: 64, scale: case.scale(), softcap: None };
    let mut out = gpu.fresh(257);
    let mut y = out.slice_mut(1..);
    cuda::attention(&gpu.device, &q, &k, &v, Position::Value(49), shape, &mut y).unwrap();
    let got = gpu.down(&out);
    assert_eq!(got[0], UNTOUCHED);
    close("shifted", &got[1..], &case.exact(), 2e-6);
}

#[test]
fn soft_cap() {
    let Some(gpu) = gpu() else { return };
    let mut case = Case::new([4, 2, 64], 200, 256);
    let plain = case.attention(&gpu, Position::Value(199));
    case.softcap = Some(0.5);
    case.check(&gpu);
    for off in [0.0, -1.0, f32::INFINITY] {
        case.softcap = Some(off);
        assert_eq!(case.attention(&gpu, Position::Value(199)), plain);
    }
}

#[test]
fn nan_and_infinity_reach_the_heads_that_read_them() {
    let Some(gpu) = gpu() else { return };
    let nan_heads =
        |got: &[f32]| got.chunks(64).map(|head| head.iter().all(|y| y.is_nan())).collect::<Vec<_>>();
    for bad in [f32::NAN, f32::INFINITY] {
        let mut case = Case::new([4, 2, 64], 200, 256);
        case.k[2 * 64 * 150] = bad;
        case.q[0] = 1.0;
        case.q[64] = 1.0;
        let got = case.attention(&gpu, Position::Value(199));
        assert_eq!(nan_heads(&got), [true, true, false, false], "{bad}");
        assert!(got[128..].iter().all(|y| y.is_finite()));
    }
    // A position that is masked out weighs nothing, also where a whole tile is.
    let mut case = Case::new([2, 1, 64], 200, 256);
    for p in 0..64 {
        case.k[p * 64..][..64].fill(0.0);
        case.k[p * 64] = f32::NEG_INFINITY;
    }
    (case.q[0], case.q[64]) = (1.0, 1.0);
    close("masked", &case.attention(&gpu, Position::Value(199)), &case.exact(), 2e-6);
    // Scores far beyond the range of exp.
    let mut case = Case::new([2, 1, 64], 200, 256);
    case.q.iter_mut().for_each(|q| *q *= 1e4);
    close("huge", &case.attention(&gpu, Position::Value(199)), &case.exact(), 1e-5);
}
