//! Digests that tie a receipt to what was measured. Line endings do not count: texts are hashed with `\n`.
//! [`Sources::digests`](crate::load::sources::Sources::digests) finds the files behind a row.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::load::receipt::InputSet;
use crate::model::Row;

/// SHA-256 of a text, lower-case hex, after `\r\n` became `\n`.
pub fn source(text: &str) -> String {
    bytes(text.replace("\r\n", "\n").as_bytes())
}

/// SHA-256 of bytes as they are, lower-case hex.
pub fn bytes(data: &[u8]) -> String {
    let digest = Sha256::digest(data);
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// SHA-256 over several files: one `path=digest` line each, in the order of their paths.
pub fn sources(files: &[(String, &str)]) -> String {
    let lines = files.iter().map(|(path, text)| format!("{path}={}\n", source(text)));
    source(&format!("kreg-source-set/v1\n{}", lines.collect::<String>()))
}

/// SHA-256 of the fields of a row that a measurement depends on: all but tolerance and labels, one `name=value` line
/// each, in the order of the schema.
pub fn row(row: &Row) -> String {
    let isa = row.isa();
    let requires = row.required();
    let archs = row.archs.as_ref().map_or_else(|| "*".to_owned(), |archs| archs.join(","));
    let number = |n: u32| n.to_string();
    let mut lines: Vec<(&str, String)> = vec![("kernel_id", row.id.clone()), ("op", row.op.clone())];
    if let Some(weight) = &row.weight {
        lines.push(("qtype", weight.qtype.clone()));
        lines.push(("ggml_type", number(weight.ggml_type)));
        lines.push(("layout", weight.layout.clone()));
    }
    lines.extend([("backend", row.backend.clone()), ("arch", row.arch.clone())]);
    if row.weight.is_none() {
        lines.push(("archs", archs));
    }
    lines.extend([("isa_features", isa), ("requires", requires)]);
    if let Some(weight) = &row.weight {
        lines.push(("block_elems", number(weight.block_elems)));
    }
    lines.extend([
        ("accumulate", row.accumulate.clone()),
        ("precision", row.precision.clone()),
        ("error_model", row.error_model.clone()),
        ("determinism", row.determinism.clone()),
        ("shape_class", row.shape_class.clone()),
        ("source_file", row.source_file.clone()),
        ("source_fn", row.source_fn.clone()),
        ("selector", row.selector.clone()),
        ("contract", row.contract.clone()),
    ]);
    source(&key(&lines))
}

/// SHA-256 over everything that a measurement depended on.
pub fn input_set(set: &InputSet) -> String {
    let lines = [
        ("source", set.source_sha256.clone()),
        ("row", set.row_sha256.clone()),
        ("toolchain", set.toolchain.clone()),
        ("driver", set.driver.clone()),
        ("device", set.device.clone()),
        ("oracle", set.oracle.clone()),
    ];
    source(&format!("kreg-input-set/v1\n{}", key(&lines)))
}

/// One `name=value` line for each field.
fn key(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    /// Expected values: Python's hashlib over the `name=value` lines.
    #[test]
    fn digests_are_those_of_another_implementation() {
        let text = include_str!("../fixtures/apr-kernel-registry-v1.json");
        let (registry, _) = load::registry("registry.json", text);
        for (id, expected) in [
            ("cpu.matvec.q4_k", "2346c0974dc9439761e197e0e0bd4c84c00f806316d6c25e300a6a860402a252"),
            ("cpu.gelu.f32", "95ff3763275c5de29147b9932ab35df984104b8c90ee062fbcde36883a64cb97"),
            (
                "cuda.rope.partial_neox.f32",
                "2e62f3f7278d5e12220ae58cd80db2b6dca2af4043b6be676b2b3d27e7920db1",
            ),
        ] {
            assert_eq!(row(registry.rows.iter().find(|row| row.id == id).unwrap()), expected, "{id}");
        }
        let set = InputSet {
            source_sha256: "s".into(),
            row_sha256: "r".into(),
            toolchain: "t".into(),
            driver: "none".into(),
            device: "x86_64+avx2".into(),
            oracle: "o".into(),
        };
        assert_eq!(input_set(&set), "d28e46ba6153c84a87e18e991718d957d69d1ab086599746a008da78f74806cf");
    }

    #[test]
    fn line_endings_do_not_count() {
        let expected = "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2";
        assert_eq!(source("a\nb\n"), expected);
        assert_eq!(source("a\r\nb\r\n"), expected);
    }
}
