//! Writes the plan as Rust: one emitter per file, each a pure function from the plan to tokens.

mod admit;
mod closed;
mod cpu;
mod cuda;
mod dispatch;
mod door;
mod format;
mod kernel_id;
pub mod matrix;
mod qtype;
mod readiness;
mod rows;
mod text;
mod trace;
mod wgpu;

use proc_macro2::TokenStream;
use quote::quote;

use crate::load::sources::Sources;
use crate::plan::Plan;

/// The generated module, one token stream per group of items, in reading order.
///
/// With `sources`, it dispatches to the kernels that they hold. Without, it stops at the tables: enums, rows, doors,
/// selection, readiness and trace, and nothing that names a kernel.
///
/// # Errors
/// One sentence per row whose kernel is not in the sources. The checks find those first.
pub fn module(plan: &Plan<'_>, sources: Option<&Sources>) -> Result<Vec<TokenStream>, Vec<String>> {
    let mut items = vec![
        imports(),
        closed::backend(),
        closed::op(),
        qtype::emit(plan),
        closed::others(),
        kernel_id::emit(plan),
        rows::emit(plan),
        admit::emit(plan),
        door::emit(plan),
        readiness::emit(plan),
        trace::emit(),
    ];
    if let Some(sources) = sources {
        items.push(format::emit(plan));
        for backend in [cpu::backend(), cuda::backend()] {
            items.push(dispatch::emit(&backend, plan, sources)?);
        }
        items.push(wgpu::emit(plan, sources)?);
    }
    Ok(items)
}

/// What every registry shares, under the names that the generated items use.
fn imports() -> TokenStream {
    quote! {
        #[doc(inline)]
        pub use ::kreg_kernels::registry::{Row, Served, Table, Tensor};
        #[doc(inline)]
        pub use ::kreg_kernels::target::Features;
        #[doc(inline)]
        pub use ::kreg_kernels::{Refusal, Target, Workspace, args};
    }
}
