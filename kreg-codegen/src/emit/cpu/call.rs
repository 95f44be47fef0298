//! How to call one kernel: its path, its arguments as the generated module spells them, and what the call rests on.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Type, parse_quote};

use super::super::text::{comment, ident};
use crate::load::sources::{Kernel, Sources};
use crate::model::Row;

/// A kernel as a selector sees it.
pub(super) struct Call<'s> {
    kernel: &'s Kernel,
    path: syn::Path,
    arch: Option<String>,
}

impl<'s> Call<'s> {
    /// The kernel that a row names, if the sources have it.
    pub(super) fn new(sources: &'s Sources, row: &Row) -> Option<Self> {
        let kernel = sources.kernel(row)?;
        let mut path: syn::Path = syn::parse_str(sources.crate_path(row)?).ok()?;
        for part in kernel.module.iter().chain([&kernel.name]) {
            path.segments.push(ident(part).into());
        }
        let arch = (row.arch != "any").then(|| row.arch.clone());
        Some(Self { kernel, path, arch })
    }

    /// Arguments in order: name, and type as it resolves in the generated module.
    pub(super) fn inputs(&self) -> Vec<(Ident, Type)> {
        self.kernel.inputs.iter().map(|a| (ident(&a.name), home(&a.ty))).collect()
    }

    /// Names of the arguments that the op's check takes: all but the workspace.
    pub(super) fn checked(&self) -> Vec<Ident> {
        let inputs = self.inputs().into_iter();
        inputs
            .filter(|(_, ty)| !ty.to_token_stream().to_string().ends_with("Workspace"))
            .map(|(n, _)| n)
            .collect()
    }

    /// The result type, `None` for a kernel that only writes.
    pub(super) fn output(&self) -> Option<Type> {
        self.kernel.output.as_ref().map(home)
    }

    /// The call, in an `unsafe` block when the kernel is compiled for more than the target's baseline.
    pub(super) fn with(&self, arguments: &[TokenStream]) -> TokenStream {
        let path = &self.path;
        let call = quote!(#path(#(#arguments),*));
        if self.kernel.features.is_empty() { call } else { quote!(unsafe { #call }) }
    }

    /// The comment that an `unsafe` call needs above its statement.
    pub(super) fn safety(&self) -> Option<TokenStream> {
        let features = self.kernel.features.iter().map(String::as_str).collect::<Vec<_>>().join("+");
        let text =
            format!("SAFETY: a `Device` proves its target, and this row fits a target with {features} only.");
        (!features.is_empty()).then(|| comment(&text))
    }

    /// `#[cfg(target_arch = …)]`, for a row that names a machine.
    pub(super) fn cfg(&self) -> Option<TokenStream> {
        self.arch.as_ref().map(|arch| quote!(#[cfg(target_arch = #arch)]))
    }

    /// A matvec kernel as a function of any format.
    pub(super) fn erased(&self) -> TokenStream {
        let path = &self.path;
        let unsafety = (!self.kernel.features.is_empty()).then(|| quote!(unsafe));
        quote!(::kreg_kernels::erased!(#unsafety #path))
    }

    /// The kernel's path for a link in docs.
    pub(super) fn link(&self) -> String {
        let segments: Vec<String> = self.path.segments.iter().map(|s| s.ident.to_string()).collect();
        segments.join("::")
    }
}

/// A kernel's type under the name that the generated module has for it: argument types live in `args`, whatever the
/// kernel's file imports.
fn home(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Home.visit_type_mut(&mut ty);
    ty
}

struct Home;

impl VisitMut for Home {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        let Some(last) = ty.path.segments.last() else { return };
        let name = last.ident.to_string();
        let foreign = name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "Option";
        ty.path = match name.as_str() {
            "Workspace" => parse_quote!(Workspace),
            _ if foreign => parse_quote!(args::#last),
            _ => return,
        };
    }
}
