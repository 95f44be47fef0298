//! Whatever happens to a document's bytes, loading and checking it end with findings, never with a panic.

use kreg_codegen::check::{self, Context};
use kreg_codegen::load;

const START: &str = include_str!("../fixtures/apr-kernel-registry-v1.json");

/// SplitMix64: the same mutations on every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn findings(text: &str) -> usize {
    let (registry, findings) = load::registry("registry.json", text);
    let all = findings.into_iter().chain(check::run(&Context::new(&registry)));
    all.map(|finding| finding.to_string()).filter(|message| !message.is_empty()).count()
}

/// The document's first rows of both kinds, so that a mutation has few places to hide and a run is quick.
fn small() -> String {
    let (head, rest) = START.split_once("\"kernels\": [\n").unwrap();
    let (kernels, ops) = rest.split_once("],\n\"ops\": [\n").unwrap();
    let rows = |list: &str| list.split("},\n").take(3).collect::<Vec<_>>().join("},\n") + "}\n";
    format!("{head}\"kernels\": [\n{}],\n\"ops\": [\n{}]\n}}\n", rows(kernels), rows(ops))
}

#[test]
fn bytes_at_random() {
    let text = small();
    assert_eq!(findings(&text), 0);
    let mut rng = Rng(1);
    for _ in 0..4000 {
        let mut bytes = text.clone().into_bytes();
        let (at, length) = (rng.below(bytes.len()), 1 + rng.below(40));
        let end = (at + length).min(bytes.len());
        match rng.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            2 => bytes[at] = rng.below(256) as u8,
            3 => bytes.truncate(at),
            _ => {
                let other = rng.below(bytes.len());
                bytes.swap(at, other);
            }
        }
        let _ = findings(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn every_truncation_is_reported() {
    let text = small();
    let text = text.trim_end();
    for end in 0..text.len() {
        if text.is_char_boundary(end) {
            assert_ne!(findings(&text[..end]), 0, "cut at byte {end}");
        }
    }
}

#[test]
fn every_line_of_a_row_matters() {
    let text = small();
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        if !line.starts_with('"') || line.starts_with("\"note\"") {
            continue;
        }
        let without = [&lines[..i], &lines[i + 1..]].concat().join("\n");
        assert_ne!(findings(&without), 0, "without line {}: {line}", i + 1);
        // A repeated last field lacks a comma, which is reported as well.
        let twice = [&lines[..=i], &lines[i..]].concat().join("\n");
        assert_ne!(findings(&twice), 0, "line {} twice: {line}", i + 1);
    }
}

#[test]
fn depth_does_not_overflow_the_stack() {
    for open in ["[", "{\"a\":"] {
        let deep = open.repeat(200_000);
        assert_ne!(findings(&deep), 0);
        assert_ne!(findings(&small().replacen("\"F32\"", &deep, 1)), 0);
    }
    let closed = "[".repeat(200_000) + &"]".repeat(200_000);
    assert_ne!(findings(&small().replacen("\"F32\"", &closed, 1)), 0);
    assert_ne!(findings(&closed), 0);
}
