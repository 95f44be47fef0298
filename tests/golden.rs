//! `fixtures/golden.json`: small vectors that can be worked out by hand, through kreg's dispatch.

mod support;

use kreg::args::{AttentionShape, RopeStyle, SampleRng};
use kreg::cpu::{self, Device};
use kreg::kernels::{Refusal, Workspace};
use serde_json::Value;
use support::fixture;

/// The cases of one op, each with the f32 arrays and numbers that `Case` reads.
fn cases(op: &str) -> Vec<Case> {
    let golden: Value = serde_json::from_slice(&fixture::read("golden.json")).unwrap();
    let cases: Vec<Case> = golden[op].as_array().unwrap().iter().cloned().map(Case).collect();
    assert!(!cases.is_empty());
    cases
}

struct Case(Value);

impl Case {
    /// A vector; `"NaN"` stands for what JSON cannot say.
    fn vec(&self, key: &str) -> Vec<f32> {
        let number = |v: &Value| v.as_f64().unwrap_or_else(|| v.as_str().unwrap().parse().unwrap()) as f32;
        self.0[key].as_array().unwrap().iter().map(number).collect()
    }

    fn float(&self, key: &str) -> f32 {
        self.0[key].as_f64().unwrap() as f32
    }

    fn int(&self, key: &str) -> usize {
        self.0[key].as_u64().unwrap() as usize
    }

    /// Holds `got` to the stored `y`: a few f32 roundings and the ninth digit of the file.
    #[track_caller]
    fn check(&self, got: &[f32]) {
        let want = self.vec("y");
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() <= 3e-7 * want.abs(), "{:?}: got {got}, want {want}", self.0);
        }
    }
}

fn device() -> Device {
    Device::host().unwrap()
}

#[test]
fn rmsnorm() {
    for case in cases("rmsnorm") {
        let mut y = [0.0; 4];
        cpu::rmsnorm(&device(), &case.vec("x"), &case.vec("w"), case.float("eps"), &mut y).unwrap();
        case.check(&y);
    }
}

#[test]
fn layernorm() {
    for case in cases("layernorm") {
        let mut y = [0.0; 4];
        let b = case.vec("b");
        cpu::layernorm(&device(), &case.vec("x"), &case.vec("w"), Some(&b), case.float("eps"), &mut y)
            .unwrap();
        case.check(&y);
    }
}

#[test]
fn gelu() {
    for case in cases("gelu") {
        let mut x = case.vec("x");
        cpu::gelu(&device(), &mut x).unwrap();
        case.check(&x);
    }
}

#[test]
fn swiglu() {
    for case in cases("swiglu") {
        let mut gate = case.vec("gate");
        cpu::swiglu(&device(), &mut gate, &case.vec("up")).unwrap();
        case.check(&gate);
    }
}

#[test]
fn rope() {
    for case in cases("rope") {
        let style = match case.0["style"].as_str() {
            Some("adjacent") => RopeStyle::Adjacent,
            Some("neox") => RopeStyle::Neox,
            other => panic!("no style {other:?}"),
        };
        let mut x = case.vec("x");
        cpu::rope(&device(), &mut x, case.int("head_dim"), case.int("pos"), case.float("theta"), style)
            .unwrap();
        case.check(&x);
    }
}

#[test]
fn attention() {
    for case in cases("attention") {
        let head_dim = case.int("head_dim");
        let shape = AttentionShape {
            heads: case.int("heads"),
            kv_heads: case.int("kv_heads"),
            head_dim,
            scale: 1.0 / (head_dim as f32).sqrt(),
            softcap: None,
        };
        let (q, k, v) = (case.vec("q"), case.vec("k"), case.vec("v"));
        let (k_cache, v_cache) = (case.vec("k_cache"), case.vec("v_cache"));
        let mut out = vec![0.0; q.len()];
        let mut ws = Workspace::new();
        cpu::attention(&device(), &q, &k_cache, &v_cache, &k, &v, shape, &mut out, &mut ws).unwrap();
        case.check(&out);
    }
}

/// The dispatcher refuses empty logits; the kernel itself answers 0, as the vector has it.
#[test]
fn argmax() {
    for case in cases("argmax") {
        let x = case.vec("x");
        let index = match cpu::argmax(&device(), &x) {
            Ok((index, _)) => index,
            Err(Refusal::Empty { .. }) if x.is_empty() => kreg::kernels::cpu::portable::argmax::argmax(&x),
            Err(why) => panic!("{why}"),
        };
        assert_eq!(index as usize, case.int("index"), "{:?}", case.0);
    }
}

/// The draw without top-p is the topk row's; both rows draw alike, which the seeded row shows in `generator`.
#[test]
fn draw() {
    let mut ws = Workspace::new();
    for case in cases("draw").iter().filter(|case| case.float("top_p") == 1.0) {
        let (logits, r) = (case.vec("logits"), case.float("r"));
        let (token, _) = cpu::sample::topk(&device(), &logits, 1.0, case.int("top_k"), r, &mut ws).unwrap();
        assert_eq!(token as usize, case.int("index"), "{:?}", case.0);
    }
}

/// The seeded row cannot be given its `r`, so it draws until the generator has come near every case's.
#[test]
fn seeded_draw() {
    let mut ws = Workspace::new();
    for case in cases("draw") {
        let (logits, want) = (case.vec("logits"), case.float("r"));
        let mut rng = SampleRng::new(7);
        let near = std::iter::repeat_with(|| {
            let r = rng.clone().next_f32();
            let (top_k, top_p) = (case.int("top_k"), case.float("top_p"));
            let (token, _) =
                cpu::sample::seeded(&device(), &logits, 1.0, top_k, top_p, &mut rng, &mut ws).unwrap();
            (r, token)
        });
        let (_, token) = near.take(100_000).find(|(r, _)| (r - want).abs() < 1e-3).expect("100,000 draws");
        assert_eq!(token as usize, case.int("index"), "{:?}", case.0);
    }
}

#[test]
fn generator() {
    for case in cases("generator") {
        let mut rng = SampleRng::new(case.int("seed") as u64);
        for r24 in case.vec("r24") {
            assert_eq!(rng.next_f32() * (1 << 24) as f32, r24);
        }
    }
}

#[test]
fn repeat_penalty() {
    for case in cases("repeat_penalty") {
        let mut logits = case.vec("logits");
        let context: Vec<u32> = case.vec("context").iter().map(|&t| t as u32).collect();
        let mut ws = Workspace::new();
        cpu::repeat_penalty(&device(), &mut logits, &context, 64, case.float("penalty"), &mut ws).unwrap();
        assert_eq!(logits, case.vec("y"));
    }
}
