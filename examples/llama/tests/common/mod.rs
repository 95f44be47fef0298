//! A tiny model in memory.

use gguf_file::{NewTensor, Value, Writer};

/// Width of the residual stream, of the feed-forward layer and of all queries.
pub(crate) const WIDTH: u64 = 32;
/// Width of the keys: one head of the two that the queries have.
const KV: u64 = 16;
/// Tokens: one per byte.
pub(crate) const VOCAB: u64 = 256;

/// Two layers of f32 weights between -0.25 and 0.25, one token per byte.
pub(crate) fn tiny() -> Writer {
    let unsigned = |key: &str, n| (format!("llama.{key}"), Value::Unsigned(n));
    let mut pairs = vec![
        ("general.architecture".to_string(), Value::Text("llama")),
        unsigned("block_count", 2),
        unsigned("context_length", 256),
        unsigned("embedding_length", WIDTH),
        unsigned("feed_forward_length", WIDTH),
        unsigned("attention.head_count", 2),
        unsigned("attention.head_count_kv", 1),
        ("llama.attention.layer_norm_rms_epsilon".to_string(), Value::Float(1e-5f32.into())),
    ];
    pairs.extend(vocabulary());
    let mut state = 1;
    let mut tensor = |name: String, dims: &[u64]| {
        let n: u64 = dims.iter().product();
        let bytes = (0..n).flat_map(|_| weight(&mut state).to_le_bytes()).collect();
        NewTensor { name, dims: dims.into(), ggml_type: 0, bytes }
    };
    let mut tensors = vec![tensor("token_embd.weight".into(), &[WIDTH, VOCAB])];
    for layer in 0..2 {
        let mut add =
            |part: &str, dims: &[u64]| tensors.push(tensor(format!("blk.{layer}.{part}.weight"), dims));
        add("attn_norm", &[WIDTH]);
        add("attn_q", &[WIDTH, WIDTH]);
        add("attn_k", &[WIDTH, KV]);
        add("attn_v", &[WIDTH, KV]);
        add("attn_output", &[WIDTH, WIDTH]);
        add("ffn_norm", &[WIDTH]);
        add("ffn_gate", &[WIDTH, WIDTH]);
        add("ffn_up", &[WIDTH, WIDTH]);
        add("ffn_down", &[WIDTH, WIDTH]);
    }
    tensors.push(tensor("output_norm.weight".into(), &[WIDTH]));
    Writer { alignment: 32, pairs, tensors }
}

/// A pseudo-random weight (xorshift).
fn weight(state: &mut u32) -> f32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    (*state >> 8) as f32 / (1 << 25) as f32 - 0.25
}

/// A byte-level vocabulary: GPT-2's printable character for each byte, `he` merged, token 0 special.
fn vocabulary() -> Vec<(String, Value<'static>)> {
    let printable = |b: u32| matches!(b, 33..=126 | 161..=172 | 174..=255);
    let mut moved = (256..).filter_map(char::from_u32);
    let mut tokens: Vec<String> = (0..256u32)
        .map(|b| char::from_u32(b).filter(|_| printable(b)).unwrap_or_else(|| moved.next().unwrap()).into())
        .collect();
    // Bytes 0 and 1 never occur in the tests' texts.
    tokens[0] = "<end>".into();
    tokens[1] = "he".into();
    let text = |s: String| Value::Text(s.leak());
    let kinds = (0..256).map(|id| Value::Signed(if id == 0 { 3 } else { 1 })).collect();
    let key = |key: &str| format!("tokenizer.ggml.{key}");
    vec![
        (key("model"), Value::Text("gpt2")),
        (key("pre"), Value::Text("smollm")),
        (key("tokens"), Value::List(tokens.into_iter().map(text).collect())),
        (key("token_type"), Value::List(kinds)),
        (key("merges"), Value::List(vec![Value::Text("h e")])),
        (key("eos_token_id"), Value::Unsigned(0)),
    ]
}
