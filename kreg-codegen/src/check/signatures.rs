//! The signature of each op, and how a kernel's own is compared with it.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::load::sources::Kernel;
use crate::model::Row;

/// The signature that every kernel of an op has.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) backend: &'static str,
    pub(crate) op: &'static str,
    /// `variant` of the rows; empty for a kernel row.
    pub(crate) variant: &'static str,
    /// Arguments and result with types by their last segment. `F` is the marker of the row's weight type.
    pub(crate) text: &'static str,
}

impl Signature {
    /// The function name that marks a kernel in a source without a row.
    pub(crate) fn name(&self) -> &'static str {
        if self.variant.is_empty() { self.op } else { self.variant }
    }
}

const fn cpu(op: &'static str, variant: &'static str, text: &'static str) -> Signature {
    Signature { backend: "cpu", op, variant, text }
}

/// Every op whose signature is settled. Of other ops the registry's word is taken.
pub(crate) static SIGNATURES: &[Signature] = &[
    cpu("matvec", "", "(w: Matrix<F>, x: &[f32], y: &mut [f32], ws: &mut Workspace)"),
    cpu("rmsnorm", "", "(x: &[f32], w: &[f32], eps: f32, y: &mut [f32])"),
    cpu("layernorm", "", "(x: &[f32], w: &[f32], b: Option<&[f32]>, eps: f32, y: &mut [f32])"),
    cpu("rope", "", "(x: &mut [f32], head_dim: usize, pos: usize, theta: f32, style: RopeStyle)"),
    cpu(
        "attention",
        "",
        "(q: &[f32], k_cache: &[f32], v_cache: &[f32], k: &[f32], v: &[f32], shape: AttentionShape, \
         out: &mut [f32], ws: &mut Workspace)",
    ),
    cpu("swiglu", "", "(gate: &mut [f32], up: &[f32])"),
    cpu("gelu", "", "(x: &mut [f32])"),
    cpu("embed", "", "(table: &[f32], token: u32, out: &mut [f32])"),
    cpu("kv_write", "", "(k: &[f32], v: &[f32], pos: usize, k_cache: &mut [f32], v_cache: &mut [f32])"),
    cpu("residual_add", "", "(h: &mut [f32], d: &[f32])"),
    cpu("argmax", "", "(x: &[f32]) -> u32"),
    cpu(
        "sample",
        "topk",
        "(logits: &[f32], temperature: f32, top_k: usize, r: f32, ws: &mut Workspace) -> u32",
    ),
    cpu(
        "sample",
        "seeded",
        "(logits: &[f32], temperature: f32, top_k: usize, top_p: f32, rng: &mut SampleRng, ws: &mut Workspace) \
         -> u32",
    ),
    cpu(
        "repeat_penalty",
        "",
        "(logits: &mut [f32], context: &[u32], last_n: usize, penalty: f32, ws: &mut Workspace)",
    ),
];

/// The signature that a row's kernel must have, if its op has one.
pub(crate) fn of_row(row: &Row) -> Option<&'static Signature> {
    SIGNATURES.iter().find(|s| s.backend == row.backend && s.op == row.op && s.variant == row.variant())
}

/// A kernel's signature in the table's form.
pub(crate) fn text(kernel: &Kernel) -> String {
    let arguments: Vec<_> = kernel.inputs.iter().map(|a| format!("{}: {}", a.name, ty(&a.ty))).collect();
    let output = kernel.output.as_ref().map_or_else(String::new, |output| format!(" -> {}", ty(output)));
    let words: String = kernel.qualifiers.iter().map(|word| format!("{word} ")).collect();
    format!("{words}({}){output}", arguments.join(", "))
}

/// A signature in the table's form with its weight marker replaced by `F`, and the marker.
pub(crate) fn generalise(text: &str) -> (String, Option<&str>) {
    let marker =
        text.split_once("Matrix<").and_then(|(_, rest)| rest.split_once('>')).map(|(marker, _)| marker);
    (marker.map_or_else(|| text.to_owned(), |m| text.replacen(&format!("<{m}>"), "<F>", 1)), marker)
}

/// A type with paths cut to their last segment and without lifetimes.
fn ty(of: &Type) -> String {
    match of {
        Type::Reference(r) => format!("&{}{}", if r.mutability.is_some() { "mut " } else { "" }, ty(&r.elem)),
        Type::Slice(slice) => format!("[{}]", ty(&slice.elem)),
        Type::Paren(inner) => ty(&inner.elem),
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().map_or_else(String::new, |last| {
                let arguments = match &last.arguments {
                    PathArguments::AngleBracketed(list) => list.args.iter().filter_map(generic).collect(),
                    _ => Vec::new(),
                };
                let arguments =
                    if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
                format!("{}{arguments}", last.ident)
            })
        }
        other => tokens(other.to_token_stream()),
    }
}

/// A generic argument; lifetimes do not count.
fn generic(argument: &GenericArgument) -> Option<String> {
    match argument {
        GenericArgument::Lifetime(_) => None,
        GenericArgument::Type(inner) => Some(ty(inner)),
        other => Some(tokens(other.to_token_stream())),
    }
}

fn tokens(stream: TokenStream) -> String {
    stream.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sources::{SourceCrate, Sources};

    /// The public function `f` of a crate that is this text.
    fn kernel(text: &str) -> Kernel {
        let source = SourceCrate { name: "k".into(), src: "src".into(), path: "::k".into() };
        let files = [("lib.rs".to_owned(), text.to_owned())].into();
        let row =
            Row { source_file: "k/src/lib.rs".into(), source_fn: "f".into(), ..crate::model::tests::row() };
        let (sources, findings) = Sources::parse(vec![(source, files)], std::slice::from_ref(&row));
        assert_eq!(findings, []);
        sources.kernel(&row).unwrap().clone()
    }

    #[test]
    fn the_table_is_in_its_own_form() {
        for s in SIGNATURES {
            assert_eq!(text(&kernel(&format!("pub fn f{} {{}}", s.text))), s.text);
        }
    }

    #[test]
    fn paths_lifetimes_and_spelling_do_not_count() {
        let k = kernel(
            "pub fn f<'a>(w: crate::Matrix<'a, format::Q4_K>, x: &'a [f32], y: &mut[f32], _ws: &mut w::Workspace) {}",
        );
        assert_eq!(
            generalise(&text(&k)),
            ("(w: Matrix<F>, x: &[f32], y: &mut [f32], ws: &mut Workspace)".into(), Some("Q4_K"))
        );
    }

    #[test]
    fn what_makes_a_function_special_counts() {
        assert_eq!(text(&kernel("pub unsafe fn f<T>(x: T) {}")), "unsafe generic (x: T)");
    }
}
