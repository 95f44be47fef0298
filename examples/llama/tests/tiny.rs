//! A tiny model: what must hold for any model, and each way of refusing one.

mod common;

use common::{VOCAB, tiny};
use gguf_file::{File, NewTensor, Value, Writer};
use kreg::cpu::Device;
use kreg_example_llama::{Error, Model, Sampler, Sampling, Session, Tokenizer, generate};

fn load<'a>(file: &File<'a>) -> Result<Model<'a>, Error> {
    Model::load(file, Device::host()?)
}

/// Why the file that `change` makes of the tiny model is refused.
fn refused(change: impl FnOnce(&mut Writer)) -> String {
    let mut writer = tiny();
    change(&mut writer);
    let bytes = writer.to_bytes();
    let file = File::parse(&bytes).expect("the file itself is sound");
    load(&file).err().expect("a malformed model was loaded").to_string()
}

fn set(writer: &mut Writer, key: &str, value: Value<'static>) {
    writer.pairs.retain(|(k, _)| k != key);
    writer.pairs.push((key.into(), value));
}

fn tensor<'w>(writer: &'w mut Writer, name: &str) -> &'w mut NewTensor {
    writer.tensors.iter_mut().find(|t| t.name == name).expect("the tensor is there")
}

/// The bits of the logits after `tokens`, fed in the given pieces.
fn logits(model: &Model<'_>, pieces: &[&[u32]]) -> Vec<f32> {
    let mut session = Session::new(model, 256).unwrap();
    let mut last = Vec::new();
    for piece in pieces {
        last = session.feed(piece).unwrap().to_vec();
    }
    last
}

#[test]
fn a_prompt_at_once_is_a_prompt_token_by_token() {
    let bytes = tiny().to_bytes();
    let file = File::parse(&bytes).unwrap();
    let model = load(&file).unwrap();
    let prompt: Vec<u32> = (0..150).map(|i| i * 7 % VOCAB as u32).collect();
    let whole = logits(&model, &[&prompt]);
    let single = logits(&model, &prompt.chunks(1).collect::<Vec<_>>());
    let worst = whole.iter().zip(&single).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-4, "logits differ by {worst}");
    assert_ne!(whole, logits(&model, &[&prompt[1..]]), "the first token has no influence");
}

#[test]
fn threads_change_no_bit() {
    let bytes = tiny().to_bytes();
    let file = File::parse(&bytes).unwrap();
    let model = load(&file).unwrap();
    let prompt: Vec<u32> = (0..100).collect();
    let with = |n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| logits(&model, &[&prompt]).into_iter().map(f32::to_bits).collect::<Vec<_>>())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_seed_repeats_its_text() {
    let bytes = tiny().to_bytes();
    let file = File::parse(&bytes).unwrap();
    let model = load(&file).unwrap();
    let text = |seed| {
        let settings = Sampling {
            temperature: 1.0,
            top_k: 40,
            top_p: 0.95,
            seed,
            repeat_penalty: 1.1,
            ..Sampling::default()
        };
        let mut sampler = Sampler::new(settings, Device::host().unwrap());
        let mut session = Session::new(&model, 64).unwrap();
        let mut tokens = Vec::new();
        let stats = generate(&mut session, &mut sampler, &[72, 101], 32, |token| {
            tokens.push(token);
            Ok(true)
        });
        assert_eq!(stats.unwrap().generated.0, 32);
        tokens
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn text_becomes_tokens_and_back() {
    let bytes = tiny().to_bytes();
    let tokenizer = Tokenizer::from_gguf(&File::parse(&bytes).unwrap()).unwrap();
    let ids = |text: &str| tokenizer.encode(text).unwrap();
    let (h, e, o) = (u32::from(b'h'), u32::from(b'e'), u32::from(b'o'));
    assert_eq!(ids("hhe"), [h, 1], "`he` is merged");
    assert_eq!(ids("h e"), [h, u32::from(b' '), e], "nothing is merged across a space");
    assert_eq!(ids("o<end>o"), [o, 0, o], "a control token is one token");
    let text = "Zoë ate 12 £ of \u{1f9c0}\n";
    assert_eq!(tokenizer.decode(&ids(text)).unwrap(), text);
    let mut stream = tokenizer.stream();
    let pieces: Vec<_> = ids("ë").into_iter().map(|id| stream(id).unwrap()).collect();
    assert_eq!(pieces, [None, Some("ë".into())], "half a character is no text yet");
    assert!(tokenizer.is_end(0) && !tokenizer.is_end(1));
}

#[test]
fn what_the_model_needs_is_named() {
    let missing = refused(|w| w.tensors.retain(|t| t.name != "blk.1.ffn_up.weight"));
    assert_eq!(missing, "the file has no tensor `blk.1.ffn_up.weight`");
    let key = refused(|w| w.pairs.retain(|(k, _)| k != "llama.embedding_length"));
    assert_eq!(key, "the file has no `llama.embedding_length`");
    let kind = refused(|w| set(w, "llama.block_count", Value::Text("two")));
    assert_eq!(kind, "`llama.block_count` must be an unsigned integer, and is text");
    let shape = refused(|w| tensor(w, "blk.0.attn_k.weight").dims = vec![16, 32]);
    assert_eq!(shape, "tensor `blk.0.attn_k.weight` has dimensions [16, 32]: the metadata implies [32, 16]");
    let short = refused(|w| tensor(w, "output_norm.weight").bytes.truncate(20));
    assert!(short.starts_with("tensor `output_norm.weight` needs 128 bytes, and 32 are there"), "{short}");
    let norm = refused(|w| tensor(w, "blk.0.ffn_norm.weight").ggml_type = 1);
    assert_eq!(norm, "tensor `blk.0.ffn_norm.weight` has type 1, and type 0 was asked for");
}

#[test]
fn a_truncated_file_is_refused() {
    let bytes = tiny().to_bytes();
    for len in [bytes.len() - 1, bytes.len() - 5000] {
        let why = File::parse(&bytes[..len])
            .map_err(Error::from)
            .and_then(|file| load(&file).map(drop))
            .unwrap_err();
        let why = why.to_string();
        assert!(why.contains("needs") || why.contains("file ends after"), "{why}");
    }
}

#[test]
fn what_would_be_computed_wrongly_is_refused() {
    let architecture = refused(|w| set(w, "general.architecture", Value::Text("qwen3")));
    assert_eq!(architecture, "general.architecture is `qwen3`: this engine runs `llama` only");
    let extra =
        NewTensor { name: "rope_freqs.weight".into(), dims: vec![8], ggml_type: 0, bytes: vec![0; 32] };
    let unused = refused(|w| w.tensors.push(extra));
    assert!(unused.starts_with("the file has a tensor `rope_freqs.weight`, which this engine does not know"));
    let cases = [
        ("rope.dimension_count", Value::Unsigned(8), "must be 16, and is 8"),
        ("rope.scaling.type", Value::Text("yarn"), "must be none, and is yarn"),
        ("expert_count", Value::Unsigned(4), "must be 0, and is 4"),
        ("attention.value_length", Value::Unsigned(8), "must be 16, and is 8"),
        ("attention.head_count", Value::Unsigned(0), "must be from 1 to 2^31 - 1, and is 0"),
        ("attention.head_count_kv", Value::Unsigned(3), "must be a divisor of the 2 query heads, and is 3"),
        ("attention.layer_norm_rms_epsilon", Value::Float(-1.0), "must be finite and above 0, and is -1"),
        ("rope.freq_base", Value::Float(f64::INFINITY), "must be finite and above 0, and is inf"),
    ];
    for (key, value, why) in cases {
        let key = format!("llama.{key}");
        assert_eq!(refused(|w| set(w, &key, value)), format!("`{key}` {why}"));
    }
}

/// All refusals at once, although the bytes of such tensors are not even there.
#[test]
fn an_unserved_model_is_refused_before_its_weights_are_touched() {
    let why = refused(|w| {
        for (name, ggml_type) in
            [("blk.0.ffn_up.weight", 39), ("blk.1.ffn_up.weight", 4), ("blk.1.attn_q.weight", 99)]
        {
            let tensor = tensor(w, name);
            tensor.ggml_type = ggml_type;
            tensor.bytes.truncate(1);
        }
    });
    let lines: Vec<&str> = why.lines().collect();
    assert_eq!(lines.len(), 4, "{why}");
    assert_eq!(lines[0], "3 of the model's tensors and ops have no kernel:");
    assert!(lines[1].starts_with("  blk.0.ffn_up.weight: KR-T03: MXFP4 (ggml type 39) has no row"), "{why}");
    assert!(lines[2].starts_with("  blk.1.attn_q.weight: KR-T01: ggml type 99 does not exist"), "{why}");
    assert!(lines[3].starts_with("  blk.1.ffn_up.weight: KR-T02: ggml type 4"), "{why}");
}

#[test]
fn bad_tokens_and_lengths_are_refused() {
    let bytes = tiny().to_bytes();
    let file = File::parse(&bytes).unwrap();
    let model = load(&file).unwrap();
    assert!(matches!(Session::new(&model, 257), Err(Error::Context { need: 257, limit: 256 })));
    let mut session = Session::new(&model, 4).unwrap();
    assert!(matches!(session.feed(&[]), Err(Error::EmptyPrompt)));
    assert!(matches!(session.feed(&[1; 5]), Err(Error::Context { need: 5, limit: 4 })));
    assert_eq!(
        session.feed(&[VOCAB as u32]).unwrap_err().to_string(),
        "KR-S05: token 256 is out of range: it must be below 256"
    );
    let mut sampler =
        Sampler::new(Sampling { temperature: -1.0, ..Sampling::default() }, Device::host().unwrap());
    let refused = generate(&mut session, &mut sampler, &[1], 1, |_| Ok(true)).unwrap_err();
    assert!(refused.to_string().starts_with("KR-S06"), "{refused}");
}

#[test]
fn a_damaged_vocabulary_is_refused() {
    let refused = |change: &dyn Fn(&mut Writer)| {
        let mut writer = tiny();
        change(&mut writer);
        let bytes = writer.to_bytes();
        Tokenizer::from_gguf(&File::parse(&bytes).unwrap()).err().expect("it was accepted").to_string()
    };
    let set = |key: &'static str, value: Value<'static>| {
        refused(&move |w| set(w, &format!("tokenizer.ggml.{key}"), value.clone()))
    };
    assert_eq!(set("model", Value::Text("llama")), "tokenizer: model `llama` is not `gpt2` (byte-level BPE)");
    assert!(set("pre", Value::Text("qwen2")).contains("pre-tokenizer `qwen2` is not `smollm` or `gpt-2`"));
    assert!(
        set("merges", Value::List(vec![Value::Text("he")])).contains("a merge is not two tokens and a space")
    );
    assert!(set("merges", Value::List(vec![Value::Text("h xyz")])).contains("xyz"));
    assert!(set("tokens", Value::List(vec![Value::Text("a"); 2])).contains("names a token twice"));
    assert!(set("token_type", Value::List(vec![Value::Signed(1)])).contains("1 token types for 256 tokens"));
    assert!(set("eos_token_id", Value::Unsigned(256)).contains("is 256, outside the vocabulary"));
    assert_eq!(
        refused(&|w| w.pairs.retain(|(k, _)| !k.ends_with("tokens"))),
        "the file has no `tokenizer.ggml.tokens`"
    );
}
