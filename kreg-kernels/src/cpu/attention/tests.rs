//! What every level's attention must do.

use crate::Workspace;
use crate::args::{AttentionShape, SampleRng};
use crate::cpu::testing::{assert_close, uniform};
use crate::target::{Features, Target};

type Kernel = fn(&[f32], &[f32], &[f32], &[f32], &[f32], AttentionShape, &mut [f32], &mut Workspace);

/// The kernels that this CPU can run.
fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = vec![crate::cpu::portable::attention::attention];
    let found = Target::detected().features();
    #[cfg(target_arch = "x86_64")]
    if found.contains(Features::parse("avx2+fma+f16c")) {
        // SAFETY: the CPU has the features.
        kernels.push(|q, kc, vc, k, v, shape, out, ws| unsafe {
            crate::cpu::avx2::attention::attention(q, kc, vc, k, v, shape, out, ws)
        });
    }
    #[cfg(target_arch = "aarch64")]
    if found.contains(Features::parse("neon")) {
        // SAFETY: the CPU has the features.
        kernels.push(|q, kc, vc, k, v, shape, out, ws| unsafe {
            crate::cpu::neon::attention::attention(q, kc, vc, k, v, shape, out, ws)
        });
    }
    println!("{} kernels on a CPU with {found}", kernels.len());
    kernels
}

/// Random arguments; `q` is of the last positions.
struct Case {
    shape: AttentionShape,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
}

impl Case {
    /// `positions` of them, the last of which is the current one.
    fn new(heads: usize, kv_heads: usize, head_dim: usize, positions: usize) -> Self {
        let mut rng = SampleRng::new(7);
        let shape = AttentionShape { heads, kv_heads, head_dim, scale: 0.7, softcap: None };
        let n = positions * kv_heads * head_dim;
        let q = uniform(&mut rng, heads * head_dim).iter().map(|q| 4.0 * q).collect();
        Self { shape, q, k: uniform(&mut rng, n), v: uniform(&mut rng, n) }
    }

    fn run(&self, kernel: Kernel) -> Vec<f32> {
        let m = self.q.len() / (self.shape.heads * self.shape.head_dim);
        let kv_dim = m * self.shape.kv_heads * self.shape.head_dim;
        let (k_cache, k) = self.k.split_at(self.k.len() - kv_dim);
        let (v_cache, v) = self.v.split_at(self.v.len() - kv_dim);
        let mut out = vec![9.0; self.q.len()];
        kernel(&self.q, k_cache, v_cache, k, v, self.shape, &mut out, &mut Workspace::new());
        out
    }

    /// The same case with random queries at the last `m` positions.
    fn at_last(mut self, m: usize) -> Self {
        let n = m * self.shape.heads * self.shape.head_dim;
        self.q = uniform(&mut SampleRng::new(8), n).iter().map(|q| 4.0 * q).collect();
        self
    }

    /// One call per position.
    fn one_by_one(&self, kernel: Kernel) -> Vec<f32> {
        let AttentionShape { heads, kv_heads, head_dim, .. } = self.shape;
        let (wide, narrow) = (heads * head_dim, kv_heads * head_dim);
        let (m, positions) = (self.q.len() / wide, self.k.len() / narrow);
        let one = |(t, q): (usize, &[f32])| {
            let seen = (positions - m + t + 1) * narrow;
            let (k, v) = (self.k[..seen].to_vec(), self.v[..seen].to_vec());
            Case { shape: self.shape, q: q.to_vec(), k, v }.run(kernel)
        };
        self.q.chunks_exact(wide).enumerate().flat_map(one).collect()
    }

    /// The definition in f64.
    fn want(&self) -> Vec<f64> {
        let AttentionShape { heads, kv_heads, head_dim: d, scale, softcap } = self.shape;
        let mut out = vec![0.0; self.q.len()];
        for h in 0..heads {
            let at = |p: usize, e: usize| (p * kv_heads + h / (heads / kv_heads)) * d + e;
            let score = |p: usize| {
                let dot: f64 =
                    (0..d).map(|e| f64::from(self.q[h * d + e]) * f64::from(self.k[at(p, e)])).sum();
                let score = dot * f64::from(scale);
                softcap.map_or(score, |cap| f64::from(cap) * (score / f64::from(cap)).tanh())
            };
            let positions = self.k.len() / (kv_heads * d);
            let weights: Vec<f64> = (0..positions).map(|p| score(p).exp()).collect();
            let total: f64 = weights.iter().sum();
            for e in 0..d {
                let sum: f64 = (0..positions).map(|p| weights[p] * f64::from(self.v[at(p, e)])).sum();
                out[h * d + e] = sum / total;
            }
        }
        out
    }
}

#[test]
fn golden() {
    for kernel in kernels() {
        let shape = AttentionShape {
            heads: 2,
            kv_heads: 1,
            head_dim: 2,
            scale: std::f32::consts::FRAC_1_SQRT_2,
            softcap: None,
        };
        let mut case = Case { shape, q: vec![1.0, 0.0, 0.0, 2.0], k: vec![1.0, 1.0, 2.0, 0.0], v: vec![] };
        case.v = vec![1.0, 2.0, 3.0, 4.0];
        assert_close(&case.run(kernel), &[2.3395231, 3.3395231, 1.39114063, 2.39114063], 1e-7);
    }
}

#[test]
fn agrees_with_the_definition() {
    for kernel in kernels() {
        for (heads, kv_heads, d, positions) in
            [(1, 1, 1, 2), (9, 3, 64, 33), (8, 8, 80, 5), (6, 2, 5, 100), (4, 1, 300, 7), (2, 1, 64, 4097)]
        {
            let case = Case::new(heads, kv_heads, d, positions);
            assert_close(&case.run(kernel), &case.want(), 2e-6);
        }
    }
}

#[test]
fn an_empty_cache_gives_v() {
    for kernel in kernels() {
        let mut case = Case::new(6, 2, 5, 1);
        case.v[3] = -0.0;
        let want: Vec<u32> = (0..30).map(|i| case.v[i / 5 / 3 * 5 + i % 5].to_bits()).collect();
        assert_eq!(case.run(kernel).iter().map(|x| x.to_bits()).collect::<Vec<_>>(), want);
    }
}

#[test]
fn caps_scores() {
    for kernel in kernels() {
        let mut case = Case::new(4, 2, 16, 9);
        let plain = case.run(kernel);
        for off in [Some(0.0), Some(-1.0), Some(f32::INFINITY)] {
            case.shape.softcap = off;
            assert_eq!(case.run(kernel), plain);
        }
        case.shape.softcap = Some(0.5);
        assert_close(&case.run(kernel), &case.want(), 2e-6);
        assert!(case.run(kernel) != plain);
    }
}

#[test]
fn huge_scores_stay_finite() {
    for kernel in kernels() {
        let mut case = Case::new(2, 1, 4, 3);
        case.k = [[1e4; 4], [1e5; 4], [-1e5; 4]].concat();
        case.q = vec![1e3; 8];
        assert_eq!(case.run(kernel), [&case.v[4..8], &case.v[4..8]].concat());
    }
}

#[test]
fn nan_reaches_the_heads_that_read_it() {
    for kernel in kernels() {
        let mut case = Case::new(4, 2, 8, 6);
        case.k[2 * 16] = f32::NAN;
        let out = case.run(kernel);
        assert!(out[..16].iter().all(|x| x.is_nan()) && out[16..].iter().all(|x| x.is_finite()));
        let mut case = Case::new(4, 2, 8, 6);
        case.v[2 * 16 + 8] = f32::NAN;
        let out = case.run(kernel);
        let places: Vec<usize> = (0..32).filter(|&i| out[i].is_nan()).collect();
        assert_eq!(places, [16, 24]);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for kernel in kernels() {
        for case in [Case::new(7, 7, 64, 700), Case::new(12, 2, 64, 400), Case::new(8, 1, 64, 600)] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| case.run(kernel)).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(run(1), run(2));
            assert_eq!(run(1), run(5));
        }
    }
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn several_positions_are_each_their_own_to_the_bit() {
    for kernel in kernels() {
        for (heads, kv_heads, d, positions, m) in [
            (9, 3, 64, 100, 100),
            (9, 3, 64, 70, 13),
            (6, 2, 5, 41, 9),
            (4, 4, 80, 33, 32),
            (8, 1, 33, 140, 7),
            (3, 1, 1, 3, 2),
        ] {
            let mut case = Case::new(heads, kv_heads, d, positions).at_last(m);
            for softcap in [None, Some(3.0)] {
                case.shape.softcap = softcap;
                let want = bits(&case.one_by_one(kernel));
                for threads in [1, 2, 5] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let got = pool.install(|| crate::cpu::step(|| case.run(kernel)));
                    assert_eq!(bits(&got), want, "{heads} {kv_heads} {d} {positions} {m}, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn a_position_sees_none_behind_it() {
    for kernel in kernels() {
        let clean = Case::new(4, 2, 8, 40).at_last(30).run(kernel);
        for values in [false, true] {
            let mut case = Case::new(4, 2, 8, 40).at_last(30);
            // Position 25, the query of row 15, element 3 of the second key head.
            let at = 25 * 16 + 8 + 3;
            if values {
                case.v[at] = f32::NAN
            } else {
                case.k[at] = f32::NAN
            }
            let out = case.run(kernel);
            assert_eq!(bits(&out[..15 * 32]), bits(&clean[..15 * 32]));
            for (row, out) in out.chunks_exact(32).enumerate().skip(15) {
                for (i, x) in out.iter().enumerate() {
                    assert_eq!(x.is_nan(), i >= 16 && (!values || i % 8 == 3), "{row} {i}");
                }
            }
        }
    }
}
