//! `Trace`: which rows ran.

use proc_macro2::TokenStream;
use quote::quote;

use super::text::doc;

pub(super) fn emit() -> TokenStream {
    let docs = doc("\
Which rows ran: a set with one bit per [`KernelId`]. Never allocates.

Every dispatch returns the id that it ran; hand it to [`record`](Trace::record).");
    quote! {
        #docs
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Trace {
            words: [u64; ROWS.len().div_ceil(64)],
        }

        impl Trace {
            #[doc = " Nothing ran yet."]
            pub const fn new() -> Self {
                Self { words: [0; ROWS.len().div_ceil(64)] }
            }

            #[doc = " Adds a row."]
            pub const fn record(&mut self, id: KernelId) {
                self.words[id as usize / 64] |= 1 << (id as usize % 64);
            }

            #[doc = " Whether the row ran."]
            pub const fn contains(&self, id: KernelId) -> bool {
                self.words[id as usize / 64] >> (id as usize % 64) & 1 == 1
            }

            #[doc = " The rows that ran, sorted by id."]
            pub fn iter(&self) -> impl Iterator<Item = KernelId> + '_ {
                KernelId::ALL.into_iter().filter(|id| self.contains(*id))
            }
        }

        impl Default for Trace {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Extend<KernelId> for Trace {
            fn extend<I: IntoIterator<Item = KernelId>>(&mut self, ids: I) {
                ids.into_iter().for_each(|id| self.record(id));
            }
        }
    }
}
