//! A real model against a float64 forward pass over gguf-py's decoding of the same file: SmolLM2-135M, whose path
//! `scripts/fetch-smollm2.sh` prints. Set `KREG_SMOLLM2` to it; under `CI=true` an unset variable is a failure.

use std::env;
use std::fs;

use gguf_file::File;
use kreg::Target;
use kreg::cpu::Device;
use kreg_example_llama::{Model, Sampler, Sampling, Session, Tokenizer, generate};
use serde_json::Value;

/// The file's bytes, or `None` where the model is not at hand.
fn model_file() -> Option<Vec<u8>> {
    match env::var("KREG_SMOLLM2") {
        Ok(path) => Some(fs::read(&path).unwrap_or_else(|why| panic!("KREG_SMOLLM2={path}: {why}"))),
        Err(_) if env::var("CI").is_ok_and(|ci| ci == "true") => {
            panic!("KREG_SMOLLM2 must be set where CI=true")
        }
        Err(_) => {
            eprintln!("skipped: KREG_SMOLLM2 is not set; KREG_SMOLLM2=$(scripts/fetch-smollm2.sh) runs this");
            None
        }
    }
}

/// One case of the float64 reference.
struct Case {
    prompt: Vec<u32>,
    /// The ten largest logits after the prompt.
    first: Vec<(usize, f64)>,
    /// What follows, and by how much each choice led the second.
    greedy: Vec<u32>,
    gaps: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/smollm2-greedy.json");
    let json: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let list = |v: &Value| v.as_array().unwrap().clone();
    let ids = |v: &Value| list(v).iter().map(|id| id.as_u64().unwrap() as u32).collect();
    let case = |v: &Value| Case {
        prompt: ids(&v["prompt_ids"]),
        first: list(&v["first_top10"])
            .iter()
            .map(|pair| (pair[0].as_u64().unwrap() as usize, pair[1].as_f64().unwrap()))
            .collect(),
        greedy: ids(&v["greedy"]),
        gaps: list(&v["greedy_gap"]).iter().map(|gap| gap.as_f64().unwrap()).collect(),
    };
    list(&json["cases"]).iter().map(case).collect()
}

/// Compares each case with the reference: the ten logits within `bound`, and the first `steps(case)` tokens.
fn compare(device: Device, bound: f64, steps: impl Fn(&Case) -> usize) {
    let Some(bytes) = model_file() else { return };
    let file = File::parse(&bytes).unwrap();
    let model = Model::load(&file, device).unwrap();
    for case in cases() {
        let mut session = Session::new(&model, case.prompt.len()).unwrap();
        let logits = session.feed(&case.prompt).unwrap();
        let error = |&(token, logit): &(usize, f64)| (f64::from(logits[token]) - logit).abs();
        let worst = case.first.iter().map(error).fold(0.0, f64::max);
        let n = steps(&case);
        println!("{} prompt tokens, {n} more: ten first logits within {worst:.1e}", case.prompt.len());
        assert!(worst <= bound, "a first logit differs by {worst}, more than {bound}");

        let mut session = Session::new(&model, case.prompt.len() + n).unwrap();
        let mut sampler = Sampler::new(Sampling::default(), device);
        let mut tokens = Vec::new();
        let stats = generate(&mut session, &mut sampler, &case.prompt, n, |token| {
            tokens.push(token);
            Ok(true)
        });
        assert_eq!(tokens, case.greedy[..n]);
        assert_eq!(stats.unwrap().generated.0, n);

        let trace = session.trace().iter().chain(sampler.trace().iter());
        let ran: Vec<&str> = trace.map(kreg::KernelId::as_str).collect();
        assert!(kreg::unregistered_dispatches(ran.iter().copied()).is_empty());
        for op in ["rmsnorm", "rope", "attention", "kv_write", "swiglu", "residual_add", "argmax", "matvec"] {
            assert!(ran.iter().any(|id| id.starts_with(&format!("cpu.{op}."))), "{op} did not run: {ran:?}");
        }
    }
}

#[test]
fn with_exact_products_the_text_is_the_reference() {
    let device = Device::new(Target::host().unwrap().exact()).unwrap();
    compare(device, 5e-3, |case| case.greedy.len());
}

/// Levels that a CPU of this architecture may have.
const LEVELS: &[&str] =
    if cfg!(target_arch = "aarch64") { &["portable", "neon"] } else { &["portable", "avx2", "avx512"] };

/// A choice that led by less than this may fall the other way when activations have eight bits.
const CLOSE: f64 = 0.3;

/// How far eight bits move a logit. Any one kind of matrix whose activations are rounded (attention's, the feed-forward
/// layer's first two, its last) moves one by 0.14 to 0.23, all 211 together by 0.2 to 0.5, whatever computes the sums;
/// with a thousand steps in place of 127 it would be 0.06.
const MOVED: f64 = 0.6;

/// The levels run the same text on every row that this CPU has for it.
#[test]
fn with_quantised_activations_the_text_holds_until_a_close_choice() {
    let close = |case: &Case| case.gaps.iter().position(|&gap| gap < CLOSE).unwrap_or(case.gaps.len());
    let mut served = Vec::new();
    for level in LEVELS {
        let device = Device::new(Target::detected().level(level).unwrap()).unwrap();
        let row = kreg::path!(MatVec, Cpu, Q4_1).select(device.target()).unwrap();
        if served.contains(&row) {
            println!("{level}: this CPU lacks it, and {row} would run again");
            continue;
        }
        println!("{level}: {row}");
        served.push(row);
        compare(device, MOVED, close);
    }
}

#[test]
fn the_tokenizer_agrees_with_the_model() {
    let Some(bytes) = model_file() else { return };
    let tokenizer = Tokenizer::from_gguf(&File::parse(&bytes).unwrap()).unwrap();
    let [capital, chat] = &cases()[..] else { panic!("two cases") };
    assert_eq!(tokenizer.encode("The capital of France is").unwrap(), capital.prompt);
    // A chat prompt: special tokens, newlines, a question mark.
    let text = tokenizer.decode(&chat.prompt).unwrap();
    assert!(text.starts_with("<|im_start|>user\n") && text.ends_with("<|im_start|>assistant\n"), "{text}");
    assert_eq!(tokenizer.encode(&text).unwrap(), chat.prompt);
    // What the model itself writes, digit by digit.
    for case in [capital, chat] {
        let text = tokenizer.decode(&case.greedy).unwrap();
        assert_eq!(tokenizer.encode(&text).unwrap(), case.greedy, "{text}");
    }
}
