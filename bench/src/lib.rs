//! kreg beside its peers, in one run. `bench/README.md` says how to run it.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line of `peers` |
//! | [`engine`] | one module per engine: kreg, ggml, candle, aprender |
//! | [`measure`] | times the engines in turn on the same weights |
//! | [`limits`] | what the machine can do at most |
//! | [`case`](mod@case) | one measurement, as a line of CSV |
//! | [`bounds`] | what issue 3 asks for, as a table |
//! | [`table`], [`plot`] | prints and draws the measurements |
//! | [`llama`] | a whole model in llama.cpp, for `models` |
//! | [`machine`] | describes the machine beside them |

pub mod args;
pub mod bounds;
pub mod case;
pub mod engine;
pub mod limits;
pub mod llama;
pub mod machine;
pub mod measure;
pub mod plot;
pub mod table;

/// Whatever went wrong, for people to read.
pub type Error = Box<dyn std::error::Error>;

/// The median of `values`, which must not be empty.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
