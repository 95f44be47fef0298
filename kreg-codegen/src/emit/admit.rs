//! Which (op, backend, weight type) has rows: one exhaustive match, and the run-time and const doors that ask it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::text::{doc, either, ident, table};
use crate::plan::{Cell, Plan};
use crate::vocabulary::{BACKEND, KERNEL_OP, OP_OP, Term};

pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    let cells = cells(plan);
    let path = path();
    let doors = doors();
    quote! { #path #doors #cells }
}

fn path() -> TokenStream {
    let docs = doc("The proof that an (op, backend, weight type) has a row. Only the three doors make one.");
    quote! {
        #docs
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct Path { op: Op, backend: Backend, qtype: QType }

        impl Path {
            #[doc = " What it computes."]
            pub const fn op(self) -> Op {
                self.op
            }

            #[doc = " Where it runs."]
            pub const fn backend(self) -> Backend {
                self.backend
            }

            #[doc = " The weights that it reads."]
            pub const fn qtype(self) -> QType {
                self.qtype
            }

            #[doc = " The rows that can serve it, most specific first."]
            pub const fn rows(self) -> &'static [KernelId] {
                match cell(self.op, self.backend, self.qtype) {
                    Cell::Rows(_, rows) => rows,
                    Cell::Refused(_) => &[],
                }
            }

            #[doc = " The most specific row that fits `target`. Plans may describe any machine; running needs a device."]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = " [`Refusal::NoRowForTarget`] when rows exist and none fits."]
            pub fn select(self, target: &Target) -> Result<KernelId, Refusal> {
                match cell(self.op, self.backend, self.qtype) {
                    Cell::Rows(name, rows) => first_fit(name, rows, target),
                    Cell::Refused(_) => Err(refusal(self.op, self.backend, self.qtype)),
                }
            }
        }

        #[doc = " The first row that fits: candidates are sorted by specificity."]
        fn first_fit(cell: &'static str, rows: &[KernelId], target: &Target) -> Result<KernelId, Refusal> {
            match rows.iter().find(|id| id.row().fits(target)) {
                Some(id) => Ok(*id),
                None => Err(Refusal::NoRowForTarget { cell, target: target.to_string() }),
            }
        }
    }
}

fn doors() -> TokenStream {
    quote! {
        #[doc = " The run-time door: the path of an (op, backend, weight type) that has a row."]
        #[doc = ""]
        #[doc = " # Errors"]
        #[doc = " [`Refusal::Unregistered`], which says where the same weight type is served instead."]
        pub const fn admit(op: Op, backend: Backend, qtype: QType) -> Result<Path, Refusal> {
            match cell(op, backend, qtype) {
                Cell::Rows(..) => Ok(Path { op, backend, qtype }),
                Cell::Refused(_) => Err(refusal(op, backend, qtype)),
            }
        }

        #[doc = " The const door: as [`admit`], for a `const` item. An unregistered pair does not compile."]
        #[doc = ""]
        #[doc = " # Panics"]
        #[doc = " With the cell's own sentence when there is no row: a compile error in const context."]
        #[track_caller]
        pub const fn require(op: Op, backend: Backend, qtype: QType) -> Path {
            match cell(op, backend, qtype) {
                Cell::Rows(..) => Path { op, backend, qtype },
                Cell::Refused(sentence) => panic!("{}", sentence),
            }
        }

        const fn refusal(op: Op, backend: Backend, qtype: QType) -> Refusal {
            Refusal::Unregistered {
                op: op.name(),
                backend: backend.name(),
                qtype: qtype.name(),
                instead: qtype.served_by(),
            }
        }
    }
}

/// The match behind every door.
fn cells(plan: &Plan<'_>) -> TokenStream {
    let typed = KERNEL_OP.terms.iter().map(|op| {
        let variant = ident(op.variant);
        let arms = BACKEND.terms.iter().flat_map(|b| plan.qtypes.iter().map(move |w| (b, w)));
        let arms = arms.map(|(b, w)| arm(plan, op, b, &w.qtype));
        quote!(Op::#variant => match (backend, qtype) { #(#arms),* })
    });
    let untyped = OP_OP.terms.iter().map(|op| {
        let (variant, sentence) =
            (ident(op.variant), format!("kreg: `{}` takes no weight type, so it has no path", op.name));
        quote!(Op::#variant => Cell::Refused(#sentence))
    });
    let table = table();
    quote! {
        #[doc = " What the registry says of one (op, backend, weight type)."]
        enum Cell {
            #[doc = " The cell's name and its rows, most specific first."]
            Rows(&'static str, &'static [KernelId]),
            #[doc = " What to say instead."]
            Refused(&'static str),
        }

        #[doc = " The admissibility table."]
        #table
        const fn cell(op: Op, backend: Backend, qtype: QType) -> Cell {
            match op { #(#typed,)* #(#untyped),* }
        }
    }
}

fn arm(plan: &Plan<'_>, op: &Term, backend: &Term, qtype: &str) -> TokenStream {
    let (b, q) = (ident(backend.variant), ident(qtype));
    let rows = plan.candidates(backend.name, op.name, qtype);
    if rows.is_empty() {
        let sentence = format!(
            "kreg: no `{}` kernel is registered for {qtype} on {}; {qtype} is served by: {}",
            op.name,
            backend.name,
            plan.served_by(qtype).join(", ")
        );
        return quote!((Backend::#b, QType::#q) => Cell::Refused(#sentence));
    }
    let name = Cell { backend: backend.name, op: op.name, part: qtype }.name();
    let ids = kernel_ids(plan, rows);
    quote!((Backend::#b, QType::#q) => Cell::Rows(#name, &[#(#ids),*]))
}

/// `KernelId::A`, … for these positions.
pub(super) fn kernel_ids(plan: &Plan<'_>, rows: &[usize]) -> Vec<TokenStream> {
    rows.iter()
        .map(|&i| {
            let variant: Ident = ident(&plan.rows[i].variant);
            quote!(KernelId::#variant)
        })
        .collect()
}

/// `KernelId::A | KernelId::B` for these positions.
pub(super) fn any_of(plan: &Plan<'_>, rows: &[usize]) -> TokenStream {
    either(kernel_ids(plan, rows))
}
