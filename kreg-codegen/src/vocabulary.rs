//! The closed sets of schema `apr-kernel-registry/v1`, each a table: registry spelling, Rust variant, meaning.
//!
//! A field whose value is outside its set is a finding; each set becomes an exhaustive enum in the generated module.

/// One value of a closed set.
#[derive(Debug)]
pub struct Term {
    /// Spelling in `registry.json`.
    pub name: &'static str,
    /// Variant of the generated enum.
    pub variant: &'static str,
    /// One sentence for the generated docs.
    pub doc: &'static str,
}

/// A closed set: the field that it belongs to and the enum that it becomes.
#[derive(Debug)]
pub struct Set {
    /// Field in `registry.json`.
    pub field: &'static str,
    /// Name of the generated enum.
    pub enum_name: &'static str,
    /// One sentence for the generated docs.
    pub doc: &'static str,
    /// The values, in declaration order.
    pub terms: &'static [Term],
}

impl Set {
    /// The term with this registry spelling.
    pub fn get(&self, name: &str) -> Option<&'static Term> {
        self.terms.iter().find(|t| t.name == name)
    }

    /// All spellings, for messages.
    pub fn names(&self) -> String {
        self.terms.iter().map(|t| t.name).collect::<Vec<_>>().join(", ")
    }
}

/// The one feature of a target that no machine has: activations stay in f32.
pub const EXACT: &str = "exact";

/// Declares a set as a `static`.
macro_rules! set {
    ($(#[$doc:meta])* $id:ident, $field:literal, $enum_name:literal, $edoc:literal,
     [$(($name:literal, $variant:literal, $tdoc:literal)),+ $(,)?]) => {
        $(#[$doc])*
        pub static $id: Set = Set {
            field: $field,
            enum_name: $enum_name,
            doc: $edoc,
            terms: &[$(Term { name: $name, variant: $variant, doc: $tdoc }),+],
        };
    };
}

set! { /** Run times. */ BACKEND, "backend", "Backend", "A run time that kernels are dispatched to.", [
    ("cpu", "Cpu", "The host's own cores."),
    ("cuda", "Cuda", "NVIDIA GPUs through the CUDA driver."),
    ("wgpu", "Wgpu", "Any GPU through wgpu and WGSL."),
    ("metal", "Metal", "Apple GPUs through Metal; admissible, no row yet."),
] }

set! { /** Ops of kernel rows: products with a weight matrix. */ KERNEL_OP, "op", "Op",
    "What a row computes.", [
    ("matvec", "MatVec", "Weight matrix times any number of activation rows."),
    ("gemv", "Gemv", "Weight matrix times one activation row, on a device."),
] }

set! { /** Ops of op rows: everything else in a forward pass. */ OP_OP, "op", "Op", "What a row computes.", [
    ("embed", "Embed", "Copies one row of the embedding table."),
    ("rmsnorm", "RmsNorm", "Root-mean-square normalisation."),
    ("layernorm", "LayerNorm", "Mean and variance normalisation."),
    ("rope", "Rope", "Rotary position embedding."),
    ("attention", "Attention", "One query position against a key-value cache."),
    ("kv_write", "KvWrite", "Stores one position's keys and values in the cache."),
    ("swiglu", "SwiGlu", "SiLU of the gate times the up projection."),
    ("gelu", "Gelu", "Gaussian error linear unit, tanh form."),
    ("residual_add", "ResidualAdd", "Adds a branch to the residual stream."),
    ("argmax", "ArgMax", "Index of the largest logit."),
    ("conv1d", "Conv1d", "One step of a causal depthwise convolution."),
    ("l2norm", "L2Norm", "Euclidean normalisation."),
    ("gdn_gates", "GdnGates", "Decay and write gates of the gated delta net."),
    ("delta_rule", "DeltaRule", "One step of the gated delta rule."),
    ("sigmoid_gate", "SigmoidGate", "Multiplies by the sigmoid of a gate."),
    ("split", "Split", "Separates interleaved query and gate."),
    ("elementwise_mul", "ElementwiseMul", "Product of two vectors, element by element."),
    ("sample", "Sample", "Draws a token from the logits."),
    ("route_topk", "RouteTopK", "Chooses experts and their weights."),
    ("repeat_penalty", "RepeatPenalty", "Lowers the logits of tokens that occurred before."),
] }

set! { /** Inner accumulators. */ ACCUMULATE, "accumulate", "Accumulate", "The inner accumulator.", [
    ("f32", "F32", "f32 products, f32 sums."),
    ("i32_f32", "I32F32", "Exact i32 sums within a block, f32 across blocks."),
    ("profile_selected", "ProfileSelected", "Chosen at run time by the device's profile."),
] }

set! { /** Precision of the activation inside the kernel. */ PRECISION, "precision", "Precision",
    "The precision that the activation has inside the kernel.", [
    ("f32", "F32", "As given."),
    ("f16", "F16", "Rounded to f16."),
    ("bf16", "Bf16", "Rounded to bf16."),
    ("q8_0", "Q8_0", "8 bits with one f32 scale per 32 values."),
    ("q8_k", "Q8_K", "8 bits with one f32 scale per 256 values."),
    ("profile_selected", "ProfileSelected", "Chosen at run time by the device's profile."),
] }

set! { /** Families of error bounds. */ ERROR_MODEL, "error_model", "ErrorModel",
    "The family of bounds that the result stays inside.", [
    ("EM-DOT", "Dot", "Dot products: gamma_K times the sum of magnitudes."),
    ("EM-DEQ", "Deq", "Dequantisation: exact."),
    ("EM-ELEM", "Elem", "Element-wise functions: the functions' own bounds, composed."),
    ("EM-RED", "Red", "Reductions and norms: EM-DOT with K the length."),
    ("EM-SMX", "Smx", "Softmax: exp and sum, relative per row."),
    ("EM-ATT", "Att", "Attention: dot, softmax, dot."),
    ("EM-ROPE", "Rope", "Rotary embedding: sine and cosine of a rounded angle."),
    ("EM-NONDET", "NonDet", "Atomics: the deterministic form's bound, bits that vary."),
] }

set! { /** What repeats between runs. */ DETERMINISM, "determinism", "Determinism", "What repeats between runs.", [
    ("bitwise", "Bitwise", "The same bits on every run, equal to the definition."),
    ("bounded", "Bounded", "Within the error model."),
] }

set! { /** How many activation rows. */ SHAPE_CLASS, "shape_class", "ShapeClass", "How many activation rows a call takes.", [
    ("m1", "M1", "One token."),
    ("m_any", "MAny", "Any number of rows."),
] }

set! { /** Weight storage orders. */ LAYOUT, "layout", "Layout", "The storage order of weights.", [
    ("row_major", "RowMajor", "Outputs slowest, inputs fastest, as GGUF stores them."),
] }
