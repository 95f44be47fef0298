//! Broken documents: each case is an edit of a document of two rows, with everything that loading and the rules about
//! rows report, in `fixtures/fail/<case>.txt`. `KREG_BLESS=1` writes those files.

use kreg_codegen::check::{self, Context};
use kreg_codegen::load;

const GOOD: &str = r#"{
"schema": "apr-kernel-registry/v1",
"kernels": [
{"kernel_id":"cpu.matvec.q4_k","op":"matvec","qtype":"Q4_K","ggml_type":12,"layout":"row_major","backend":"cpu",
 "arch":"any","isa_features":"none","requires":"none","block_elems":256,"accumulate":"i32_f32","precision":"q8_k",
 "error_model":"EM-DOT","determinism":"bounded","shape_class":"m_any","tolerance":"unmeasured",
 "source_file":"k/src/q4_k.rs","source_fn":"matvec","selector":"kreg::cpu::Weights::matvec","contract":"contracts/a.yaml"}
],
"ops": [
{"kernel_id":"cpu.gelu.f32","op":"gelu","backend":"cpu","arch":"any","isa_features":"none","requires":"none",
 "accumulate":"f32","precision":"f32","error_model":"EM-ELEM","determinism":"bounded","shape_class":"m1",
 "tolerance":"unmeasured","source_file":"k/src/gelu.rs","source_fn":"gelu","selector":"kreg::cpu::gelu",
 "contract":"contracts/b.yaml"}
]
}
"#;

/// Case, and what is replaced in [`GOOD`] by what; an empty `from` replaces all of it.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("empty", &[("", "")]),
    ("blank", &[("", " \n\n")]),
    ("not-an-object", &[("", "[1, 2]")]),
    ("malformed-comma", &[("\"Q4_K\",", "\"Q4_K\"")]),
    ("malformed-end", &[("]\n}\n", "]\n")]),
    ("malformed-trailing", &[("]\n}\n", "]\n}\n}\n")]),
    ("schema-missing", &[("\"schema\": \"apr-kernel-registry/v1\",\n", "")]),
    ("schema-wrong", &[("registry/v1", "registry/v2")]),
    ("schema-number", &[("\"apr-kernel-registry/v1\"", "1")]),
    ("kernels-missing", &[("\"kernels\"", "\"kernel\"")]),
    ("ops-missing", &[("\"ops\"", "\"note\"")]),
    ("kernels-object", &[("\"kernels\": [", "\"kernels\": {\"a\": ["), ("}\n],", "}\n]},")]),
    ("kernels-twice", &[("\"ops\": [", "\"kernels\": [],\n\"ops\": [")]),
    ("row-not-an-object", &[("\"ops\": [\n", "\"ops\": [\n7,\nnull,\n")]),
    ("lone-surrogate", &[("\"Q4_K\"", "\"\\ud800\"")]),
    ("field-unknown", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"speed\":1")]),
    ("field-missing", &[("\"precision\":\"f32\",", "")]),
    ("field-twice", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"op\":\"gelu\"")]),
    ("field-types", &[("\"op\":\"gelu\"", "\"op\":null"), ("\"ggml_type\":12", "\"ggml_type\":\"12\"")]),
    ("block-negative", &[("\"block_elems\":256", "\"block_elems\":-256")]),
    ("id-missing", &[("\"kernel_id\":\"cpu.gelu.f32\",", "")]),
    ("col-major", &[("row_major", "col_major")]),
    ("ggml-type-256", &[("\"ggml_type\":12", "\"ggml_type\":256")]),
    ("ggml-type-huge", &[("\"ggml_type\":12", "\"ggml_type\":99999999999")]),
    ("ggml-type-fraction", &[("\"ggml_type\":12", "\"ggml_type\":1.5")]),
    ("qtype-missing", &[("\"qtype\":\"Q4_K\",", "")]),
    ("qtype-unknown", &[("\"Q4_K\"", "\"Q4_Z\"")]),
    ("tolerance-typed", &[("\"tolerance\":\"unmeasured\"", "\"tolerance\":1e-3")]),
    ("error-model-missing", &[("\"error_model\":\"EM-ELEM\",", "")]),
    ("error-model-unknown", &[("EM-ELEM", "EM-GUESS")]),
    ("determinism-missing", &[("\"determinism\":\"bounded\",", "")]),
    ("determinism-unknown", &[("\"bounded\"", "\"mostly\"")]),
    ("requires-spaced", &[("\"requires\":\"none\"", "\"requires\":\"SHADER_F16 + SUBGROUP\"")]),
    ("requires-missing", &[("\"requires\":\"none\",", "")]),
    ("isa-repeated", &[("\"isa_features\":\"none\"", "\"isa_features\":\"avx2+avx2\"")]),
    ("isa-none-and-more", &[("\"isa_features\":\"none\"", "\"isa_features\":\"none+avx2\"")]),
    ("op-row-ggml-type", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"ggml_type\":12,\"qtype\":\"Q4_K\"")]),
    ("op-outside-set", &[("\"op\":\"gelu\"", "\"op\":\"matvec\"")]),
    ("op-missing", &[("\"op\":\"gelu\",", "")]),
    ("op-accumulate", &[("\"accumulate\":\"f32\"", "\"accumulate\":\"i32_f32\"")]),
    ("archs-spaced", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"archs\":[\"qwen 35\"]")]),
    ("archs-empty", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"archs\":[]")]),
    ("archs-null", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"archs\":null")]),
    ("archs-on-kernel", &[("\"op\":\"matvec\"", "\"op\":\"matvec\",\"archs\":[\"llama\"]")]),
    ("labels-empty", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"labels\":[]")]),
    ("labels-number", &[("\"op\":\"gelu\"", "\"op\":\"gelu\",\"labels\":[4]")]),
    ("arch-upper-case", &[("\"arch\":\"any\"", "\"arch\":\"X86\"")]),
    (
        "paths",
        &[
            ("k/src/gelu.rs", "../k/gelu.c"),
            ("contracts/b.yaml", "b.yml"),
            ("\"kreg::cpu::gelu\"", "\"gelu\""),
        ],
    ),
    ("source-fn", &[("\"source_fn\":\"gelu\"", "\"source_fn\":\"Gelu()\"")]),
    (
        "many",
        &[
            ("registry/v1", "registry/v9"),
            ("row_major", "tiled"),
            ("\"op\":\"gelu\",", ""),
            ("\"shape_class\":\"m_any\"", "\"shape\":\"m_any\""),
        ],
    ),
];

/// Everything about the document, one finding a paragraph.
fn report(text: &str) -> String {
    let (registry, mut findings) = load::registry("registry.json", text);
    findings.extend(check::run(&Context::new(&registry)));
    findings.sort();
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

#[test]
fn the_unbroken_document_has_no_finding() {
    assert_eq!(report(GOOD), "");
}

#[test]
fn each_broken_document_reports_all_of_it() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fail");
    let bless = std::env::var_os("KREG_BLESS").is_some();
    for (case, edits) in CASES {
        let text = edits.iter().fold(GOOD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{case}: {from:?}");
            if from.is_empty() { (*to).to_owned() } else { text.replace(from, to) }
        });
        let (file, got) = (folder.join(format!("{case}.txt")), report(&text));
        assert!(!got.is_empty(), "{case}: nothing was reported");
        if bless {
            std::fs::write(&file, &got).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
        assert_eq!(got, expected, "{case}; KREG_BLESS=1 rewrites {}", file.display());
    }
    let stored = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(stored, CASES.len(), "fixtures/fail holds a file that belongs to no case");
}
