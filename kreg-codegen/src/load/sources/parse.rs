//! One source file: its `mod` lines and its functions.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Expr, FnArg, Item, ItemFn, Lit, LitStr, Pat, ReturnType, Visibility};

use super::uses::{self, Uses};
use super::{Argument, Kernel};

/// What matters of one file.
#[derive(Default)]
pub(super) struct Parsed {
    /// `mod name;` lines.
    pub(super) modules: Vec<ModLine>,
    /// Public functions; file and module are filled in by the walk.
    pub(super) kernels: BTreeMap<String, Kernel>,
    /// Other functions, with their line.
    pub(super) private: BTreeMap<String, usize>,
    /// The strings of a constant `FEATURE_NAMES`.
    pub(super) features: Option<BTreeSet<String>>,
    /// What it uses of its crate.
    pub(super) uses: Uses,
}

/// A `mod name;` line.
pub(super) struct ModLine {
    /// Inline modules around it, then its own name.
    pub(super) path: Vec<String>,
    /// The outermost of them that is not `pub`.
    pub(super) hidden_by: Option<String>,
    /// `#[path = "..."]`.
    pub(super) file: Option<String>,
}

/// Reads a file.
///
/// # Errors
/// Line and message of the first thing that is not Rust.
pub(super) fn file(text: &str) -> Result<Parsed, (usize, String)> {
    let file = syn::parse_file(text).map_err(|e| (e.span().start().line, e.to_string()))?;
    let uses = text.parse().map(uses::scan).unwrap_or_default();
    let mut parsed = Parsed { uses, ..Parsed::default() };
    modules(&file.items, &[], None, &mut parsed.modules);
    for item in file.items {
        match item {
            Item::Fn(f) if is_test(&f.attrs) => {}
            Item::Fn(f) if matches!(f.vis, Visibility::Public(_)) => {
                parsed.kernels.insert(f.sig.ident.to_string(), kernel(f));
            }
            Item::Fn(f) => {
                parsed.private.insert(f.sig.ident.to_string(), f.sig.ident.span().start().line);
            }
            Item::Const(c) if c.ident == "FEATURE_NAMES" => parsed.features = strings(&c.expr),
            _ => {}
        }
    }
    Ok(parsed)
}

/// Collects `mod name;` lines, those inside inline modules included.
fn modules(items: &[Item], outer: &[String], hidden_by: Option<&String>, found: &mut Vec<ModLine>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        if is_test(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        let hidden = !matches!(module.vis, Visibility::Public(_));
        let hidden_by = hidden_by.cloned().or_else(|| hidden.then(|| name.clone()));
        let path = [outer, &[name]].concat();
        match &module.content {
            Some((_, items)) => modules(items, &path, hidden_by.as_ref(), found),
            None => found.push(ModLine { path, hidden_by, file: module.attrs.iter().find_map(path_of) }),
        }
    }
}

fn kernel(f: ItemFn) -> Kernel {
    let sig = f.sig;
    let qualifiers = [
        (matches!(sig.safety, syn::Safety::Unsafe(_)), "unsafe"),
        (sig.asyncness.is_some(), "async"),
        (sig.abi.is_some(), "extern"),
        (sig.variadic.is_some(), "variadic"),
        (sig.generics.params.iter().any(|p| !matches!(p, syn::GenericParam::Lifetime(_))), "generic"),
    ];
    let inputs = sig.inputs.iter().map(|input| match input {
        FnArg::Typed(typed) => Argument { name: argument_name(&typed.pat), ty: (*typed.ty).clone() },
        FnArg::Receiver(_) => Argument { name: "self".into(), ty: syn::parse_quote!(Self) },
    });
    Kernel {
        file: String::new(),
        line: sig.ident.span().start().line,
        name: sig.ident.to_string(),
        module: Vec::new(),
        hidden_by: None,
        inputs: inputs.collect(),
        output: match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        },
        qualifiers: qualifiers.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.into()).collect(),
        features: f.attrs.iter().flat_map(enabled).collect(),
    }
}

/// An argument's name; a leading underscore only says that this kernel does not use it.
fn argument_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(ident) => ident.ident.to_string().trim_start_matches('_').to_owned(),
        _ => "_".into(),
    }
}

/// Whether an item is compiled for tests only.
fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|a| {
        a.path().is_ident("cfg") && a.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

/// The file that `#[path = "..."]` names.
fn path_of(attr: &Attribute) -> Option<String> {
    let value = &attr.meta.require_name_value().ok().filter(|m| m.path.is_ident("path"))?.value;
    string(value)
}

/// The features that `#[target_feature(enable = "a,b")]` enables.
fn enabled(attr: &Attribute) -> Vec<String> {
    let mut features = Vec::new();
    if attr.path().is_ident("target_feature") {
        // What does not parse here does not compile either.
        let _ = attr.parse_nested_meta(|meta| {
            let names = meta.value()?.parse::<LitStr>()?.value();
            features.extend(names.split(',').map(|name| name.trim().to_owned()));
            Ok(())
        });
    }
    features
}

/// The strings of `[...]` or `&[...]`.
fn strings(list: &Expr) -> Option<BTreeSet<String>> {
    match list {
        Expr::Reference(reference) => strings(&reference.expr),
        Expr::Array(array) => array.elems.iter().map(string).collect(),
        _ => None,
    }
}

/// The text of a string literal.
fn string(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
