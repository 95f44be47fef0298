//! Identifiers, docs and comments.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

/// An identifier, raw when the word is a keyword.
pub(super) fn ident(word: &str) -> Ident {
    // No keyword that a name could be has a capital, and parsing ten thousand variants takes its time.
    if word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Ident::new(word, Span::call_site());
    }
    syn::parse_str(word).unwrap_or_else(|_| Ident::new_raw(word, Span::call_site()))
}

/// A number without its type's name.
pub(super) fn number(n: impl TryInto<u64>) -> Literal {
    Literal::u64_unsuffixed(n.try_into().unwrap_or(u64::MAX))
}

/// Doc comments, one per line of `text`.
pub(super) fn doc(text: &str) -> TokenStream {
    text.lines().map(|line| if line.is_empty() { quote!(#[doc = ""]) } else { line_doc(line) }).collect()
}

fn line_doc(line: &str) -> TokenStream {
    let line = format!(" {line}");
    quote!(#[doc = #line])
}

/// A plain comment above a statement, an arm or an item: `prettyplease` prints this attribute as one.
pub(super) fn comment(text: &str) -> TokenStream {
    let text = format!(" {text}");
    quote!(#[comment = #text])
}

/// Lets a function be as long as the registry makes it.
pub(super) fn table() -> TokenStream {
    quote!(#[allow(clippy::too_many_lines, reason = "a table: as many arms as the registry has values")])
}

/// `a | b | c`, to go into one arm.
pub(super) fn either<T: ToTokens>(patterns: impl IntoIterator<Item = T>) -> TokenStream {
    let patterns = patterns.into_iter();
    quote!(#(#patterns)|*)
}

/// Names in code font, joined by commas.
pub(super) fn code_list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(|n| format!("`{}`", n.as_ref())).collect::<Vec<_>>().join(", ")
}
