//! Ids are typed, traced and turned into file names: one alphabet, one form.

use crate::check::Context;
use crate::finding::{Finding, Rule};
use crate::vocabulary::BACKEND;

pub(super) static RULE: Rule = Rule {
    id: "id-grammar",
    summary: "An id is `<backend>.<op>.<type>[.<arch>[.<isa>]]`, an op row's `<backend>.<op>[.<variant>].<precision>[…]`.",
    fix: "rewrite the id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma",
};

/// Segments of the longest id: backend, op, variant, precision, arch, isa.
const SEGMENTS: usize = 6;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for row in context.rows() {
        if let Some((at, expected)) = flaw(&row.id) {
            let shown: String = row.id.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            let cause =
                format!("character {} is wrong\n  {shown}\n  {:at$}^ expected {expected}", at + 1, "");
            findings.push(context.error(&RULE, row, cause));
        }
    }
}

/// The first character that is wrong, counted from 0, and what should stand there.
pub(super) fn flaw(id: &str) -> Option<(usize, &'static str)> {
    let length = id.chars().count();
    let mut at = 0;
    let segments: Vec<&str> = id.split('.').collect();
    for (i, segment) in segments.iter().enumerate() {
        let plus = i >= 3;
        let allowed =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || (plus && c == '+');
        if i == 0 && BACKEND.get(segment).is_none() {
            return Some((0, "a backend: cpu, cuda, wgpu or metal"));
        }
        if i == SEGMENTS {
            return Some((at - 1, "the end of the id"));
        }
        if segment.is_empty() {
            return Some((at, "a lower-case letter, a digit or `_`"));
        }
        if let Some(bad) = segment.chars().position(|c| !allowed(c)) {
            return Some((at + bad, "a lower-case letter, a digit or `_`"));
        }
        at += segment.chars().count() + 1;
    }
    (segments.len() < 3).then_some((length, "`.` and the next part: <backend>.<op>.<type>"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Edit, expect};
    use super::*;

    fn renamed(id: &'static str) -> Vec<Edit> {
        vec![Edit::Row("cpu.gelu.f32", "\"kernel_id\":\"cpu.gelu.f32\"", id)]
    }

    #[test]
    fn the_caret_stands_under_the_first_bad_character() {
        expect(
            &RULE,
            &[
                (
                    renamed("\"kernel_id\":\"cpu.gelu.F32\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu.gelu.F32: character 10 is wrong; fix: rewrite the \
                         id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  cpu.gelu.F32\n           ^ \
                         expected a lower-case letter, a digit or `_`",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"cpu.ge+lu.f32\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu.ge+lu.f32: character 7 is wrong; fix: rewrite the \
                         id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  cpu.ge+lu.f32\n        ^ \
                         expected a lower-case letter, a digit or `_`",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"tpu.gelu.f32\""),
                    &[
                        "[id-grammar] registry.json:7 row tpu.gelu.f32: character 1 is wrong; fix: rewrite the \
                         id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  tpu.gelu.f32\n  ^ expected \
                         a backend: cpu, cuda, wgpu or metal",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"cpu.gelu\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu.gelu: character 9 is wrong; fix: rewrite the id in \
                         lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  cpu.gelu\n          ^ expected \
                         `.` and the next part: <backend>.<op>.<type>",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"cpu..f32\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu..f32: character 5 is wrong; fix: rewrite the id in \
                         lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  cpu..f32\n      ^ expected a \
                         lower-case letter, a digit or `_`",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"\""),
                    &[
                        "[id-grammar] registry.json:7: character 1 is wrong; fix: rewrite the id in lower case, \
                         such as cpu.matvec.q4_k.x86_64.avx2+fma\n  \n  ^ expected a backend: cpu, cuda, wgpu or \
                         metal",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"cpu.gelu.f32.a.b.c.d\""),
                    &["[id-grammar] registry.json:7 row cpu.gelu.f32.a.b.c.d: character 19 is wrong; fix: \
                       rewrite the id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  \
                       cpu.gelu.f32.a.b.c.d\n                    ^ expected the end of the id"],
                ),
                (
                    renamed("\"kernel_id\":\"cpu.gelü.f32\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu.gelü.f32: character 8 is wrong; fix: rewrite the \
                         id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  cpu.gelü.f32\n         ^ \
                         expected a lower-case letter, a digit or `_`",
                    ],
                ),
                (
                    renamed("\"kernel_id\":\"cpu.gelu.f32\\n\""),
                    &[
                        "[id-grammar] registry.json:7 row cpu.gelu.f32\\n: character 13 is wrong; fix: rewrite \
                         the id in lower case, such as cpu.matvec.q4_k.x86_64.avx2+fma\n  \
                         cpu.gelu.f32?\n              ^ expected a lower-case letter, a digit or `_`",
                    ],
                ),
            ],
        );
    }

    #[test]
    fn ids_of_every_form_pass() {
        for id in ["cpu.matvec.q4_k", "cpu.matvec.q4_k.x86_64.avx2+fma", "cuda.rope.neox.f32.sm_89.dp4a"] {
            assert_eq!(flaw(id), None, "{id}");
        }
    }
}
