//! The signature of each op, and how a kernel's own is compared with it.

mod cpu;
mod cuda;
mod wgpu;

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

/// Every op whose signature is settled, by backend.
pub(crate) fn all() -> impl Iterator<Item = &'static Signature> {
    cpu::SIGNATURES.iter().chain(cuda::SIGNATURES).chain(wgpu::SIGNATURES)
}

/// Whether the backend has a dispatch: its rows are called by their signatures.
pub(crate) fn dispatched(backend: &str) -> bool {
    all().any(|s| s.backend == backend)
}

/// The signature that a row's kernel must have, if its op has one.
pub(crate) fn of_row(row: &Row) -> Option<&'static Signature> {
    all().find(|s| s.backend == row.backend && s.op == row.op && s.variant == row.variant())
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
        for s in all() {
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
