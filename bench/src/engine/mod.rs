//! The engines, each with its own copies of the same weights.

pub mod aprender;
pub mod candle;
pub mod ggml;
pub mod kreg;

use std::time::Instant;

use ::kreg::QType;

use crate::Error;

/// Weights that every engine multiplies by: `copies` of `bytes`, so that none is in a cache when its turn comes.
pub struct Matrix {
    /// Weight type.
    pub qtype: QType,
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// The weights as a GGUF file holds them.
    pub bytes: Vec<u8>,
    /// How many of them an engine goes through in turn.
    pub copies: usize,
}

/// How long a turn takes.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls before the clock starts.
    pub warm: usize,
    /// Calls at least.
    pub calls: usize,
    /// Seconds at least.
    pub seconds: f64,
}

impl Budget {
    /// Seconds of each call.
    pub fn sample(&self, mut call: impl FnMut() -> Result<(), Error>) -> Result<Vec<f64>, Error> {
        (0..self.warm).try_for_each(|_| call())?;
        let (begin, mut seconds) = (Instant::now(), Vec::new());
        while seconds.len() < self.calls || begin.elapsed().as_secs_f64() < self.seconds {
            let start = Instant::now();
            call()?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        Ok(seconds)
    }
}

/// An engine that is ready to multiply.
pub trait Engine {
    /// Whose it is: `kreg`, `ggml`, `candle` or `aprender`.
    fn name(&self) -> &'static str;

    /// What runs: a kernel's id, a buffer type, a kind of tensor.
    fn what(&self) -> String;

    /// Whether this engine is asked for products of `m` activation rows.
    fn takes(&self, m: usize) -> bool {
        m > 0
    }

    /// One turn: multiplies the activation rows `x` (`[m, cols]`) by copy after copy; seconds of each call.
    ///
    /// # Errors
    /// Whatever the engine says.
    fn turn(&mut self, x: &[f32], budget: &Budget) -> Result<Vec<f64>, Error>;

    /// The products `[m, rows]` of the last call.
    ///
    /// # Errors
    /// Whatever the engine says.
    fn output(&self) -> Result<Vec<f32>, Error>;
}
