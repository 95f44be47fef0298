//! What a source file uses of its crate, read off its tokens: macro bodies count, and nothing is expanded.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path as a file writes it, with the inline modules that it is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Inline modules around it, outermost first.
    pub(super) inline: Vec<String>,
    /// Its segments; `*` ends a glob import.
    pub(super) segments: Vec<String>,
}

/// An `impl Trait for Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Impl {
    /// The trait's path.
    pub(super) of: Vec<String>,
    /// The type's path, without generics.
    pub(super) on: Vec<String>,
}

/// Everything that a file says of others.
#[derive(Debug, Clone, Default)]
pub(super) struct Uses {
    /// Every path of more than one segment, and every leaf of a `use`.
    pub(super) paths: Vec<Written>,
    /// Names that `use` makes, with their path.
    pub(super) bindings: BTreeMap<String, Written>,
    /// The names among them that `pub use` hands on to other modules.
    pub(super) handed_on: BTreeSet<String>,
    /// Its trait implementations.
    pub(super) impls: Vec<Impl>,
    /// Files that `include_str!` and `include_bytes!` name.
    pub(super) included: Vec<String>,
    /// Leaves of `pub use`: handed on, and used by the file itself only where their name stands elsewhere in it.
    exports: Vec<Written>,
    /// Every word outside `use`.
    words: BTreeSet<String>,
}

/// Reads a file's tokens; what is compiled for tests only is left out.
pub(super) fn scan(tokens: TokenStream) -> Uses {
    let mut uses = Uses::default();
    items(tokens, &[], &mut uses);
    let words = std::mem::take(&mut uses.words);
    let used = |path: &Written| path.segments.last().is_some_and(|name| name == "*" || words.contains(name));
    let exports = std::mem::take(&mut uses.exports);
    uses.paths.extend(exports.into_iter().filter(used));
    uses
}

fn items(tokens: TokenStream, inline: &[String], uses: &mut Uses) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut i = 0;
    while i < tokens.len() {
        i = match &tokens[i] {
            TokenTree::Ident(word) if *word == "use" => {
                let end = (i..tokens.len()).find(|&i| is_punct(&tokens[i], ';')).unwrap_or(tokens.len());
                tree(&tokens[i + 1..end], &[], is_public(&tokens[..i]), inline, uses);
                end + 1
            }
            TokenTree::Ident(word) if *word == "mod" => module(&tokens, i, inline, uses),
            TokenTree::Ident(word) if *word == "impl" => {
                uses.impls.extend(implementation(&tokens[i + 1..]));
                i + 1
            }
            TokenTree::Ident(word) if *word == "include_str" || *word == "include_bytes" => {
                uses.included.extend(argument(&tokens[i + 1..]));
                i + 1
            }
            TokenTree::Ident(_) => path(&tokens, i, inline, uses),
            TokenTree::Group(group) => {
                items(group.stream(), inline, uses);
                i + 1
            }
            _ => i + 1,
        };
    }
}

/// `mod name { … }` from the word `mod`; returns where to go on.
fn module(tokens: &[TokenTree], at: usize, inline: &[String], uses: &mut Uses) -> usize {
    let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
        (tokens.get(at + 1), tokens.get(at + 2))
    else {
        return at + 1;
    };
    let test = (0..at).rev().take(4).any(|i| match &tokens[i] {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            group.stream().to_string().replace(' ', "") == "cfg(test)"
        }
        _ => false,
    });
    if !test {
        items(body.stream(), &[inline, &[plain(name)]].concat(), uses);
    }
    at + 3
}

/// A path of an expression or a type; returns where to go on.
fn path(tokens: &[TokenTree], at: usize, inline: &[String], uses: &mut Uses) -> usize {
    let mut segments = Vec::new();
    let mut i = at;
    while let Some(TokenTree::Ident(word)) = tokens.get(i) {
        segments.push(plain(word));
        uses.words.insert(plain(word));
        if !is_separator(tokens, i + 1) {
            i += 1;
            break;
        }
        i += 3;
    }
    if segments.len() > 1 {
        uses.paths.push(Written { inline: inline.to_vec(), segments });
    }
    i
}

/// One branch of a `use` tree below `before`.
fn tree(tokens: &[TokenTree], before: &[String], public: bool, inline: &[String], uses: &mut Uses) {
    let mut segments = before.to_vec();
    let mut rename = None;
    let mut i = 0;
    while i < tokens.len() {
        match &tokens[i] {
            TokenTree::Ident(word) if *word == "as" => {
                rename = Some(tokens.get(i + 1).map(ToString::to_string).unwrap_or_default());
                break;
            }
            TokenTree::Ident(word) => segments.push(plain(word)),
            TokenTree::Group(group) => {
                let branches: Vec<TokenTree> = group.stream().into_iter().collect();
                let branches = branches.split(|t| is_punct(t, ','));
                branches.for_each(|branch| tree(branch, &segments, public, inline, uses));
                return;
            }
            TokenTree::Punct(p) if p.as_char() == '*' => segments.push("*".into()),
            _ => {}
        }
        i += 1;
    }
    if segments.len() > before.len() {
        if segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let Some(last) = segments.last().cloned() else { return };
        let written = Written { inline: inline.to_vec(), segments };
        if last != "*" {
            let name = rename.unwrap_or(last);
            if public {
                uses.handed_on.insert(name.clone());
            }
            uses.bindings.insert(name, written.clone());
        }
        if public { &mut uses.exports } else { &mut uses.paths }.push(written);
    }
}

/// Whether what comes next is `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let is_pub = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if *word == "pub");
    match before {
        [.., word, TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => is_pub(word),
        [.., word] => is_pub(word),
        [] => false,
    }
}

/// `<generics> Trait<…> for Type<…> { … }` from behind the word `impl`; `None` for an inherent one.
fn implementation(tokens: &[TokenTree]) -> Option<Impl> {
    let body =
        tokens.iter().position(|t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace))?;
    let head = &tokens[..body];
    let mut depth = 0usize;
    let mut parts = [Vec::new(), Vec::new()];
    let mut part = 0;
    for (i, token) in head.iter().enumerate() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '>' && !(i > 0 && is_punct(&head[i - 1], '-')) => {
                depth = depth.saturating_sub(1);
            }
            TokenTree::Ident(word) if depth == 0 && *word == "for" => part = 1,
            TokenTree::Ident(word) if depth == 0 && *word == "where" => break,
            TokenTree::Ident(word)
                if depth == 0 && !["dyn", "mut", "const"].contains(&&*word.to_string()) =>
            {
                parts[part].push(plain(word));
            }
            _ => {}
        }
    }
    let [of, on] = parts;
    (part == 1 && !of.is_empty() && !on.is_empty()).then_some(Impl { of, on })
}

/// The literal of `!("file")`.
fn argument(tokens: &[TokenTree]) -> Option<String> {
    let [bang, TokenTree::Group(group), ..] = tokens else { return None };
    let literal: syn::LitStr = is_punct(bang, '!').then(|| syn::parse2(group.stream()).ok())??;
    Some(literal.value())
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(t) if is_punct(t, ':'))
        && matches!(tokens.get(at + 1), Some(t) if is_punct(t, ':'))
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == c)
}

/// A name without the mark of a raw identifier.
fn plain(word: &proc_macro2::Ident) -> String {
    let word = word.to_string();
    word.strip_prefix("r#").map_or(word.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_paths_implementations_and_files() {
        let text = r#"
            use super::{Row, load::load512 as load, self};
            use crate::format::*;
            pub(crate) use inner::{Unseen, Seen};
            fn s(_: Seen) {}
            impl<const N: usize> Row for Q4_K where A: B { fn f() { math::exp(1.0); vec![crate::cpu::g(x)] } }
            impl Unpacked { const T: &str = include_str!("t.ptx"); }
            mod inner { use super::x; }
            #[cfg(test)]
            mod tests { use super::y; fn f() { crate::z::f() } }
        "#;
        let uses = scan(text.parse().unwrap());
        let paths: Vec<String> = uses
            .paths
            .iter()
            .map(|p| [&p.inline[..], &["|".into()], &p.segments[..]].concat().join(" "))
            .collect();
        assert_eq!(
            paths,
            [
                "| super Row",
                "| super load load512",
                "| super",
                "| crate format *",
                "| math exp",
                "| crate cpu g",
                "inner | super x",
                "| inner Seen"
            ]
        );
        assert_eq!(uses.bindings["load"].segments, ["super", "load", "load512"]);
        assert!(uses.handed_on.iter().eq(["Seen", "Unseen"]));
        assert_eq!(uses.impls, [Impl { of: vec!["Row".into()], on: vec!["Q4_K".into()] }]);
        assert_eq!(uses.included, ["t.ptx"]);
    }
}
