//! Names of `KernelId` variants.

use std::collections::BTreeSet;

use crate::model::Row;
use crate::vocabulary::Term;

/// `cpu.matvec.q4_k.x86_64.avx2+fma` becomes `CpuMatvecQ4_K_X86_64_Avx2Fma`: backend, op, and weight type or variant
/// and precision run together, what names the machine follows after underscores.
pub(super) fn variant(row: &Row, backend: &Term) -> String {
    let mut name = format!("{}{}", backend.variant, camel(&row.op));
    let mut head = 3;
    match &row.weight {
        Some(weight) => name += &weight.qtype,
        None => {
            let variant = row.variant();
            head += usize::from(!variant.is_empty());
            name += &camel(variant);
            name += &camel(&row.precision);
        }
    }
    for machine in row.id.split('.').skip(head) {
        name += "_";
        name += &camel(machine);
    }
    name
}

/// The name, with a number appended when another row took it. Ids that differ give names that differ unless they
/// differ only in `_` against `+`.
pub(super) fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|n| !taken.contains(n)).unwrap_or(name);
    taken.insert(free.clone());
    free
}

/// `partial_neox` -> `PartialNeox`, `avx2+fma` -> `Avx2Fma`, `x86_64` -> `X86_64`: a part that starts with a digit
/// keeps its underscore, so that no two words become one.
fn camel(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for word in words.split(['_', '+', '.']).filter(|w| !w.is_empty()) {
        if word.starts_with(|c: char| c.is_ascii_digit()) && !out.is_empty() {
            out.push('_');
        }
        let mut letters = word.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out += letters.as_str();
    }
    out
}
