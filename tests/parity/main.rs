//! The program `kreg parity` on a copy of the project: what it writes, and what turns `--check` red.

mod refusals;
mod tree;

use kreg::{Backend, KernelId};
use kreg_codegen::load::receipt;
use tree::{Tree, assert_says};

/// Rows that any machine runs: an op, a product in f32, one with quantised activations, one of a flat format.
const ROWS: [&str; 4] = ["cpu.gelu.f32", "cpu.matvec.iq2_xxs", "cpu.matvec.q4_k", "cpu.matvec.apr_q4"];

#[test]
fn what_is_written_holds_and_each_change_turns_it_red() {
    let tree = Tree::new();
    let all = |first: &'static str| -> Vec<&str> { [&[first][..], &ROWS].concat() };
    assert_says(tree.parity(&all("--register")), true, &["4 rows hold, 0 do not"]);
    for id in ROWS {
        let path = format!("evidence/kreg/parity/{id}.json");
        let receipt = receipt::parse(&tree.read(&path)).unwrap();
        assert!(receipt.kernel_id == id && receipt.margin.unwrap().max_margin.unwrap() <= 1.0);
        assert!(tree.read("registry.json").contains(&format!("\"tolerance\": \"{path}\"")));
    }
    assert_says(tree.parity(&all("--check")), true, &["4 rows hold, 0 do not"]);

    // One byte of a fixture.
    let weights = tree.path("evidence/kreg/oracle/IQ2_XXS/weights.bin");
    let good = std::fs::read(&weights).unwrap();
    let mut bytes = good.clone();
    bytes[100] ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    assert_says(
        tree.parity(&["--check", "cpu.matvec.iq2_xxs"]),
        false,
        &["weights.bin is not the file that meta.json describes"],
    );
    std::fs::write(&weights, good).unwrap();

    // One declared precision, either way.
    tree.row("cpu.matvec.q4_k", "\"precision\": \"q8_k\"", "\"precision\": \"f32\"");
    let says = ["it declares f32 activations and serves q8_k"];
    assert_says(tree.parity(&["--check", "cpu.matvec.q4_k"]), false, &says);
    tree.row("cpu.matvec.iq2_xxs", "\"precision\": \"f32\"", "\"precision\": \"q8_k\"");
    let says = ["it declares q8_k activations and serves f32"];
    assert_says(tree.parity(&["--check", "cpu.matvec.iq2_xxs"]), false, &says);
    // And nothing is written for such a row.
    let path = "evidence/kreg/parity/cpu.matvec.iq2_xxs.json";
    std::fs::remove_file(tree.path(path)).unwrap();
    assert_says(tree.parity(&["cpu.matvec.iq2_xxs"]), false, &["refused: it declares q8_k"]);
    assert!(!tree.path(path).exists());

    // A source that the kernel uses, and the receipt itself.
    tree.replace("kreg-kernels/src/cpu/math.rs", "1.0 / 5040.0", "1.0 / 5041.0");
    let says = ["changed since it was measured: source_sha256"];
    assert_says(tree.parity(&["--check", "cpu.gelu.f32"]), false, &says);
    let receipt = "evidence/kreg/parity/cpu.matvec.apr_q4.json";
    tree.replace(receipt, "\"driver\": \"none\"", "\"driver\": \"550\"");
    assert_says(tree.parity(&["--check", "cpu.matvec.apr_q4"]), false, &["input_set_hash"]);
}

#[test]
fn what_cannot_be_measured_is_named() {
    let tree = Tree::new();
    assert_says(tree.parity(&["cpu.matvec.q9"]), false, &["no row is called cpu.matvec.q9"]);
    let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
    assert_says(tree.parity(&[&format!("*.{other}.*")]), false, &[&format!("it is for {other}"), "skipped"]);
    tree.replace("registry.json", "apr-kernel-registry/v1", "apr-kernel-registry/v2");
    assert_says(tree.parity(&["*"]), false, &["schema"]);
}

/// A registry's op without a way to measure it would never have a receipt.
#[test]
fn every_op_row_has_an_oracle() {
    let ids = KernelId::ALL.into_iter().filter(|id| id.backend() == Backend::Cpu && id.qtype().is_none());
    let ids: Vec<&str> = ids.filter(|id| id.row().arch == "any").map(|id| id.as_str()).collect();
    assert_says(Tree::new().parity(&ids), true, &[&format!("{} rows hold, 0 do not", ids.len())]);
}

/// A receipt says what was measured where: the commit that is checked out, and the emulator that was named.
#[test]
fn a_receipt_names_commit_and_machine() {
    let tree = Tree::new();
    let written = |tree: &Tree| -> serde_json::Value {
        let mut command = tree.command(&["cpu.gelu.f32"]);
        assert!(command.env("KREG_EMULATOR", "qemu-x86_64 | Nehalem").status().unwrap().success());
        serde_json::from_str(&tree.read("evidence/kreg/parity/cpu.gelu.f32.json")).unwrap()
    };
    let receipt = written(&tree);
    assert_eq!(receipt["build_identity"], "unknown");
    assert_eq!(receipt["emulator"], "qemu-x86_64 | Nehalem");
    assert_eq!(receipt["machine"], "qemu-x86_64  Nehalem", "a cell of a table has no bar");

    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
        let out =
            std::process::Command::new("git").arg("-C").arg(tree.path("")).args(who).args(arguments).output();
        let out = out.unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "all"]);
    let head = git(&["rev-parse", "HEAD"]);
    assert_eq!(written(&tree)["build_identity"], head.as_str());
    tree.replace("kreg-kernels/src/lib.rs", "//!", "//! ");
    assert_eq!(written(&tree)["build_identity"], format!("{head}+changes"));
}
