//! How to call one kernel: its path, its arguments as the generated module spells them, and what the call rests on.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, PathArguments, Type, parse_quote};

use super::super::text::{comment, ident};
use crate::load::sources::{Kernel, Sources};
use crate::model::Row;

/// A kernel as a selector sees it.
pub(in crate::emit) struct Call<'s> {
    kernel: &'s Kernel,
    path: syn::Path,
    /// The architecture that the host must have for the kernel to be compiled at all.
    arch: Option<String>,
    /// Types that the module names by themselves.
    types: &'static [&'static str],
}

/// A kernel on a device takes the device first; the generated function has it under the same name.
const DEVICE: &str = "device";

impl<'s> Call<'s> {
    /// The kernel that a row names, if the sources have it.
    pub(super) fn new(types: &'static [&'static str], sources: &'s Sources, row: &Row) -> Option<Self> {
        let kernel = sources.kernel(row)?;
        let mut path: syn::Path = syn::parse_str(sources.crate_path(row)?).ok()?;
        for part in kernel.module.iter().chain([&kernel.name]) {
            path.segments.push(ident(part).into());
        }
        let arch = (row.backend == "cpu" && row.arch != "any").then(|| row.arch.clone());
        Some(Self { kernel, path, arch, types })
    }

    /// Arguments in order, without the device: name, and type as it resolves in the generated module.
    pub(super) fn inputs(&self) -> Vec<(Ident, Type)> {
        let inputs = self.kernel.inputs.iter().skip(usize::from(self.takes_device()));
        inputs.map(|a| (ident(&a.name), self.home(&a.ty))).collect()
    }

    /// Names of the arguments that the op's check takes: all but the workspace.
    pub(super) fn checked(&self) -> Vec<Ident> {
        let inputs = self.inputs().into_iter();
        inputs
            .filter(|(_, ty)| !ty.to_token_stream().to_string().ends_with("Workspace"))
            .map(|(n, _)| n)
            .collect()
    }

    /// The result type, `None` for a kernel that only writes; without the `Result` of one that can refuse.
    pub(super) fn output(&self) -> Option<Type> {
        let output = self.kernel.output.as_ref()?;
        let value = if self.refuses() { first_generic(output)? } else { output };
        let nothing = matches!(value, Type::Tuple(tuple) if tuple.elems.is_empty());
        (!nothing).then(|| self.home(value))
    }

    /// Whether the kernel checks its own arguments and refuses, instead of trusting a check before it.
    pub(super) fn refuses(&self) -> bool {
        let Some(Type::Path(path)) = &self.kernel.output else { return false };
        path.path.segments.last().is_some_and(|last| last.ident == "Result")
    }

    fn takes_device(&self) -> bool {
        self.kernel.inputs.first().is_some_and(|first| first.name == DEVICE)
    }

    /// The call, in an `unsafe` block when the kernel is compiled for more than the target's baseline.
    pub(in crate::emit) fn with(&self, arguments: &[TokenStream]) -> TokenStream {
        let path = &self.path;
        let device = self.takes_device().then(|| ident(DEVICE)).into_iter().map(|d| quote!(#d));
        let arguments = device.chain(arguments.iter().cloned());
        let call = quote!(#path(#(#arguments),*));
        let call = if self.kernel.features.is_empty() { call } else { quote!(unsafe { #call }) };
        if self.refuses() { quote!(#call?) } else { call }
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
    pub(in crate::emit) fn erased(&self) -> TokenStream {
        let path = &self.path;
        let unsafety = (!self.kernel.features.is_empty()).then(|| quote!(unsafe));
        quote!(::kreg_kernels::erased!(#unsafety #path))
    }

    /// The kernel's path.
    pub(in crate::emit) fn path(&self) -> &syn::Path {
        &self.path
    }

    /// The path of another item of the kernel's file.
    pub(in crate::emit) fn sibling(&self, name: &str) -> TokenStream {
        let mut path = self.path.clone();
        path.segments.pop();
        path.segments.push(ident(name).into());
        quote!(#path)
    }

    /// The kernel's path for a link in docs.
    pub(super) fn link(&self) -> String {
        let segments: Vec<String> = self.path.segments.iter().map(|s| s.ident.to_string()).collect();
        segments.join("::")
    }

    /// A kernel's type under the name that the generated module has for it: argument types live in `args`, whatever the
    /// kernel's file imports.
    fn home(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        Home { types: self.types }.visit_type_mut(&mut ty);
        ty
    }
}

/// `T` of `Result<T, …>`.
fn first_generic(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else { return None };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

struct Home {
    types: &'static [&'static str],
}

impl VisitMut for Home {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        let Some(last) = ty.path.segments.last() else { return };
        let name = last.ident.to_string();
        let foreign = name.starts_with(|c: char| c.is_ascii_uppercase()) && name != "Option";
        ty.path = match foreign {
            true if self.types.contains(&name.as_str()) => parse_quote!(#last),
            true => parse_quote!(args::#last),
            false => return,
        };
    }
}
