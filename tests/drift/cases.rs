//! The cases: a name, and what is done to the tree. `expected/<name>.txt` is everything that is printed.

use crate::tree::Edit::{self, *};

const GELU: &str = "kreg-kernels/src/cpu/portable/gelu.rs";
const MODULES: &str = "kreg-kernels/src/cpu/portable/mod.rs";
const CONTRACT: &str = "contracts/gelu-kernel-v1.yaml";
const RECEIPT: &str = "evidence/kreg/parity/cpu.gelu.f32.json";
const Q4_1: &str = "kreg-kernels/src/cpu/portable/matvec/q4_1.rs";
const AVX2_RS: &str = "kreg-kernels/src/cpu/avx2/matvec/q4_1.rs";
const AVX2: &str = "cpu.matvec.q4_1.x86_64.avx2+f16c+fma";

/// A case whose name ends in `-warns` does not deny stale receipts.
pub(crate) const CASES: &[(&str, &[Edit])] = &[
    ("nothing", &[]),
    // Rows against sources.
    ("row-deleted", &[Drop("cpu.gelu.f32")]),
    ("portable-row-deleted", &[Drop("cpu.matvec.q4_1")]),
    ("function-renamed", &[File(GELU, "pub fn gelu(", "pub fn gelo(")]),
    ("function-private", &[File(GELU, "pub fn gelu(", "fn gelu(")]),
    ("module-private", &[File(MODULES, "pub mod gelu;", "mod gelu;")]),
    ("module-dropped", &[File(MODULES, "pub mod gelu;", "")]),
    ("source-deleted", &[Remove(GELU), File(MODULES, "pub mod gelu;", "")]),
    ("cuda-kernel-deleted", &[Remove("kreg-kernels/src/cuda/rope/neox.cu")]),
    (
        "cuda-kernel-edited",
        &[File("kreg-kernels/src/cuda/gemv/q4_1.cu", "scale_and_add(", "scale_and_add (")],
    ),
    ("source-not-rust", &[File(GELU, "pub fn gelu(", "pub fn gelu((")]),
    (
        "signature-changed",
        &[File(GELU, "pub fn gelu(x: &mut [f32]", "pub fn gelu(x: &mut [f32], scale: f32")],
    ),
    ("marker-changed", &[File(Q4_1, "Matrix<'_, Q4_1>", "Matrix<'_, Q4_0>")]),
    ("feature-claimed", &[File(GELU, "pub fn gelu(", "#[target_feature(enable = \"avx2\")]\npub fn gelu(")]),
    ("feature-enabled", &[File(AVX2_RS, "enable = \"avx2", "enable = \"avx512f,avx2")]),
    ("feature-unknown", &[Row("cpu.gelu.f32", "\"requires\": \"none\"", "\"requires\": \"mmx9\"")]),
    (
        "feature-dropped",
        &[Row(AVX2, "\"isa_features\": \"avx2+f16c+fma\"", "\"isa_features\": \"avx2+fma\"")],
    ),
    (
        "kernel-without-row",
        &[
            Add("kreg-kernels/src/cpu/portable/fast.rs", "//! New.\npub fn gelu(x: &mut [f32]) {}\n"),
            File(MODULES, "pub mod gelu;", "pub mod fast;\npub mod gelu;"),
        ],
    ),
    ("file-without-mod", &[Add("kreg-kernels/src/cpu/portable/fast.rs", "pub fn gelu(x: &mut [f32]) {}\n")]),
    ("other-crate", &[Row("cpu.gelu.f32", "kreg-kernels/src/cpu/portable/gelu.rs", "engine/src/gelu.rs")]),
    ("wrong-level", &[Row(AVX2, "\"arch\": \"x86_64\"", "\"arch\": \"aarch64\"")]),
    // Rows against GGML and each other.
    ("type-id-changed", &[Row("cpu.matvec.q4_1", "\"ggml_type\": 3", "\"ggml_type\": 2")]),
    ("block-changed", &[Row("cpu.matvec.q4_1", "\"block_elems\": 32", "\"block_elems\": 256")]),
    ("wrong-product", &[Row("cpu.matvec.q4_1", "\"op\": \"matvec\"", "\"op\": \"gemv\"")]),
    ("wrong-selector", &[Row("cpu.gelu.f32", "kreg::cpu::gelu", "kreg::cpu::gelu_tanh")]),
    ("id-grammar", &[Row("cpu.gelu.f32", "\"cpu.gelu.f32\"", "\"cpu.gElu.f32\"")]),
    ("id-differs", &[Row("cpu.gelu.f32", "\"cpu.gelu.f32\"", "\"cpu.gelu.f16\"")]),
    ("id-twice", &[Copy("cpu.gelu.f32", &[])]),
    (
        "exact-and-quantised",
        &[Copy(
            "cpu.matvec.q4_1",
            &[
                ("\"cpu.matvec.q4_1\"", "\"cpu.matvec.q4_1.any.exact\""),
                ("\"requires\": \"none\"", "\"requires\": \"exact\""),
                ("\"precision\": \"f32\"", "\"precision\": \"q8_0\""),
            ],
        )],
    ),
    (
        "tie",
        &[Copy(
            AVX2,
            &[
                ("cpu.matvec.q4_1.x86_64.avx2+f16c+fma", "cpu.matvec.q4_1.x86_64.avx2+bmi2+fma"),
                ("\"isa_features\": \"avx2+f16c+fma\"", "\"isa_features\": \"avx2+bmi2+fma\""),
            ],
        )],
    ),
    (
        "nondet-bitwise",
        &[Row("cpu.gelu.f32", "EM-ELEM", "EM-NONDET"), Row("cpu.gelu.f32", "\"bounded\"", "\"bitwise\"")],
    ),
    ("op-in-integers", &[Row("cpu.gelu.f32", "\"accumulate\": \"f32\"", "\"accumulate\": \"i32_f32\"")]),
    (
        "label-twice",
        &[
            Row("cpu.gelu.f32", "\"op\": \"gelu\"", "\"op\": \"gelu\", \"labels\": [\"act@f32\"]"),
            Row("cpu.swiglu.f32", "\"op\": \"swiglu\"", "\"op\": \"swiglu\", \"labels\": [\"act@f32\"]"),
        ],
    ),
    (
        "archs-repeated",
        &[Row("cpu.gelu.f32", "\"op\": \"gelu\"", "\"op\": \"gelu\", \"archs\": [\"bert\", \"bert\"]")],
    ),
    // The document.
    ("col-major", &[Row("cpu.matvec.q4_1", "row_major", "col_major")]),
    ("field-unknown", &[Row("cpu.gelu.f32", "\"op\": \"gelu\"", "\"op\": \"gelu\", \"speed\": 11")]),
    ("field-missing", &[Row("cpu.gelu.f32", "\"requires\": \"none\", ", "")]),
    ("field-twice", &[Row("cpu.gelu.f32", "\"op\": \"gelu\"", "\"op\": \"gelu\", \"op\": \"gelu\"")]),
    ("field-type", &[Row("cpu.matvec.q4_1", "\"ggml_type\": 3", "\"ggml_type\": \"3\"")]),
    ("field-pattern", &[Row("cpu.gelu.f32", "\"requires\": \"none\"", "\"requires\": \"A + B\"")]),
    ("outside-set", &[Row("cpu.gelu.f32", "EM-ELEM", "EM-GUESS")]),
    ("not-json", &[Row("cpu.gelu.f32", "\"op\": \"gelu\",", "\"op\": \"gelu\"")]),
    ("other-schema", &[File("registry.json", "apr-kernel-registry/v1", "apr-kernel-registry/v2")]),
    ("archs-empty", &[Row("cpu.gelu.f32", "\"op\": \"gelu\"", "\"op\": \"gelu\", \"archs\": []")]),
    (
        "archs-on-a-kernel",
        &[Row("cpu.matvec.q4_1", "\"op\": \"matvec\"", "\"op\": \"matvec\", \"archs\": [\"llama\"]")],
    ),
    ("no-ops", &[File("registry.json", "\"ops\"", "\"opps\"")]),
    // Rows against contracts and receipts.
    ("contract-deleted", &[Remove(CONTRACT)]),
    ("contract-differs", &[File(CONTRACT, "error_model: EM-ELEM", "error_model: EM-RED")]),
    ("contract-of-another-op", &[Row("cpu.gelu.f32", CONTRACT, "contracts/rmsnorm-kernel-v1.yaml")]),
    ("contract-renamed", &[File(CONTRACT, "contract: gelu-kernel-v1", "contract: gelu-kernel-v2")]),
    ("contract-malformed", &[File(CONTRACT, "summary:", "sumary:")]),
    ("tolerance-typed", &[Row("cpu.gelu.f32", "\"tolerance\": \"unmeasured\"", "\"tolerance\": \"2e-7\"")]),
    ("tolerance-number", &[Row("cpu.gelu.f32", "\"tolerance\": \"unmeasured\"", "\"tolerance\": 2e-7")]),
    (
        "tolerance-elsewhere",
        &[Row("cpu.gelu.f32", "\"tolerance\": \"unmeasured\"", "\"tolerance\": \"evidence/../gelu.json\"")],
    ),
    ("receipt-good", &[Measure("cpu.gelu.f32")]),
    ("receipt-deleted", &[Measure("cpu.gelu.f32"), Remove(RECEIPT)]),
    (
        "receipt-malformed",
        &[Measure("cpu.gelu.f32"), File(RECEIPT, "\"tolerance_rel\": 2e-7", "\"tolerance_rel\": -1.0")],
    ),
    (
        "receipt-of-another",
        &[
            Measure("cpu.gelu.f32"),
            File(RECEIPT, "\"kernel_id\": \"cpu.gelu.f32\"", "\"kernel_id\": \"cpu.gelu.f16\""),
        ],
    ),
    (
        "receipt-of-another-precision",
        &[
            Measure("cpu.gelu.f32"),
            File(RECEIPT, "\"registry_precision\": \"f32\"", "\"registry_precision\": \"q8_0\""),
        ],
    ),
    (
        "receipt-edited",
        &[Measure("cpu.gelu.f32"), File(RECEIPT, "\"driver\": \"none\"", "\"driver\": \"550\"")],
    ),
    (
        "receipt-of-an-older-row",
        &[
            Measure("cpu.gelu.f32"),
            Row("cpu.gelu.f32", "\"shape_class\": \"m1\"", "\"shape_class\": \"m_any\""),
        ],
    ),
    ("receipt-stale", &[Measure("cpu.gelu.f32"), File(GELU, "pub fn gelu(", "// Faster.\npub fn gelu(")]),
    (
        "receipt-stale-warns",
        &[Measure("cpu.gelu.f32"), File(GELU, "pub fn gelu(", "// Faster.\npub fn gelu(")],
    ),
    // All findings of one run.
    (
        "many",
        &[
            Drop("cpu.swiglu.f32"),
            Row("cpu.matvec.q4_1", "\"ggml_type\": 3", "\"ggml_type\": 2"),
            File(GELU, "pub fn gelu(", "pub fn gelo("),
            Remove("contracts/rope-kernel-v1.yaml"),
        ],
    ),
];
