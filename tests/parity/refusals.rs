//! What `kreg parity` refuses, and in which words.

use kreg_codegen::digest;

use crate::tree::{Tree, assert_says};

const GELU: &str = "cpu.gelu.f32";
const Q4_K: &str = "cpu.matvec.q4_k";
const FOLDER: &str = "evidence/kreg/oracle/Q4_K";

/// Runs on a tree that is then as it was: `from` in `file` reads `to` meanwhile.
#[track_caller]
fn with(tree: &Tree, (file, from, to): (&str, &str, &str), arguments: &[&str], says: &str) {
    let before = tree.read(file);
    tree.replace(file, from, to);
    assert_says(tree.parity(arguments), false, &[says]);
    std::fs::write(tree.path(file), before).unwrap();
}

#[test]
fn an_oracle_that_is_not_whole_is_named() {
    let tree = Tree::new();
    let meta = format!("{FOLDER}/meta.json");
    for (from, to, says) in [
        ("{", "", "meta.json: "),
        ("\"in_dim\"", "\"width\"", "meta.json has no in_dim"),
        ("\"out_dim\": 32", "\"out_dim\": 0", "bytes are no [0, 1024] matrix"),
        ("\"out_dim\": 32", "\"out_dim\": 33", "bytes are no [33, 1024] matrix"),
        (
            "\"decoded_sha256\": \"2",
            "\"decoded_sha256\": \"3",
            "the reference decoder of Q4_K gives other weights",
        ),
        ("\"x.bin\": \"1", "\"x.bin\": \"2", "x.bin is not the file that meta.json describes"),
    ] {
        with(&tree, (&meta, from, to), &[Q4_K], says);
    }
    // Fewer answers than outputs, under their own digest; then none.
    let answers = tree.path(&format!("{FOLDER}/ref.bin"));
    let whole = std::fs::read(&answers).unwrap();
    std::fs::write(&answers, &whole[8..]).unwrap();
    with(
        &tree,
        (&meta, &digest::bytes(&whole), &digest::bytes(&whole[8..])),
        &[Q4_K],
        "not one answer per output",
    );
    std::fs::remove_file(&answers).unwrap();
    assert_says(tree.parity(&[Q4_K]), false, &["ref.bin: ", "0 rows hold, 1 do not"]);
    assert!(!tree.path("evidence/kreg/parity/cpu.matvec.q4_k.json").exists());
}

/// `--check` says of a receipt what does not hold, whatever it is.
#[test]
fn a_receipt_that_does_not_hold_is_named() {
    let tree = Tree::new();
    assert_says(tree.parity(&["--register", GELU, Q4_K]), true, &["2 rows hold, 0 do not"]);
    let receipt = |id: &str| format!("evidence/kreg/parity/{id}.json");
    let check = |id: &'static str, edit: &dyn Fn(&mut serde_json::Value), says: &str| {
        let path = tree.path(&receipt(id));
        let before = std::fs::read_to_string(&path).unwrap();
        let mut document = serde_json::from_str(&before).unwrap();
        edit(&mut document);
        std::fs::write(&path, document.to_string()).unwrap();
        assert_says(tree.parity(&["--check", id]), false, &["DOES NOT HOLD", says]);
        std::fs::write(&path, before).unwrap();
    };
    check(GELU, &|r| r["kernel_id"] = "cpu.gelu.f16".into(), "not this row's, or of another precision");
    check(GELU, &|r| r["registry_precision"] = "f16".into(), "not this row's, or of another precision");
    check(GELU, &|r| r["tolerance_rel"] = 1e-30.into(), "not from 0 to its tolerance_rel");
    let both = |r: &mut serde_json::Value| {
        r["tolerance_rel"] = 1e-30.into();
        r["served"]["max_rel_err"] = 1e-31.into();
    };
    check(GELU, &both, "the error is over the tolerance");
    check(GELU, &|r| r["margin"]["verdict"] = "fail".into(), "its verdict is");
    check(GELU, &|r| r["served"]["max_rel_err"] = "small".into(), "invalid type");
    check(Q4_K, &|r| r["quantized_activation_oracle"]["tolerance_rel"] = 1e-30.into(), "over its tolerance");
    check(Q4_K, &|r| r["quantized_activation_oracle"] = serde_json::Value::Null, "over its tolerance");
    check(GELU, &|r| r["input_set"]["oracle"] = "another".into(), "input_set_hash, oracle");
    check(GELU, &|r| r["schema"] = "v0".into(), "cpu.gelu.f32.json: ");
    std::fs::write(tree.path(&receipt(GELU)), "{").unwrap();
    assert_says(tree.parity(&["--check", GELU]), false, &["DOES NOT HOLD", "cpu.gelu.f32.json: "]);
    std::fs::remove_file(tree.path(&receipt(GELU))).unwrap();
    assert_says(tree.parity(&["--check", GELU]), false, &["DOES NOT HOLD", "cpu.gelu.f32.json: "]);
}

/// Rows for which there is nothing to measure by, or nothing to measure.
#[test]
fn a_row_without_oracle_or_source_is_named() {
    let tree = Tree::new();
    let line = |id: &str| {
        let text = tree.read("registry.json");
        text.lines().find(|line| line.contains(&format!("\"{id}\""))).unwrap().to_owned()
    };
    let (gelu, q4_k) = (line(GELU), line(Q4_K));
    for (row, from, to, id, says) in [
        (
            &gelu,
            "\"precision\": \"f32\"",
            "\"precision\": \"f16\"",
            GELU,
            "there is no oracle for gelu in f16",
        ),
        (&gelu, "\"op\": \"gelu\"", "\"op\": \"l2norm\"", GELU, "there is no oracle for"),
        (
            &q4_k,
            "\"precision\": \"q8_k\"",
            "\"precision\": \"f16\"",
            Q4_K,
            "no oracle for activations in f16",
        ),
        (
            &gelu,
            "portable/gelu.rs",
            "portable/gela.rs",
            GELU,
            "kreg-kernels/src/cpu/portable/gela.rs is not there",
        ),
        (
            &gelu,
            GELU,
            "cpu.gelu.mine.f32",
            "cpu.gelu.mine.f32",
            "this program was built from a registry without it",
        ),
    ] {
        with(&tree, ("registry.json", row, &row.replacen(from, to, 1)), &[id], says);
    }
    // The line of a row whose tolerance is written in another way is not edited by guess.
    let spaced = gelu.replacen(
        "\"tolerance\": \"evidence/kreg/parity/cpu.gelu.f32.json\"",
        "\"tolerance\" : \"unmeasured\"",
        1,
    );
    with(&tree, ("registry.json", &gelu, &spaced), &["--register", GELU], "has no tolerance");
    with(&tree, ("kreg-kernels/src/cpu/portable/gelu.rs", "pub fn", "pub fn fn"), &[GELU], "[source-syntax]");
    with(&tree, ("registry.json", "\"kernels\"", "\"kernel\""), &[GELU], "[document-shape]");
}

/// What is skipped is a failure where nobody reads the output, and rows of devices are for their own tests.
#[test]
fn a_skip_fails_in_ci() {
    let tree = Tree::new();
    let arguments = [GELU, "cuda.argmax.f32"];
    let says = ["1 rows hold, 0 do not, 1 skipped", "cuda devices are measured by their own tests"];
    assert_says(tree.parity(&arguments), true, &says);
    let status = tree.command(&arguments).env("CI", "true").output().unwrap().status;
    assert!(!status.success());
    std::fs::remove_file(tree.path("registry.json")).unwrap();
    assert_says(tree.parity(&[GELU]), false, &["registry.json: "]);
}
