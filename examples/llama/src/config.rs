//! The hyper-parameters of a Llama model, from its file's metadata.

use gguf_file::{File, Value};

use crate::error::Error;

/// What the forward pass needs to know besides the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Transformer blocks.
    pub layers: usize,
    /// Width of the residual stream.
    pub embed: usize,
    /// Width of the feed-forward layer.
    pub ffn: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Elements of one head.
    pub head_dim: usize,
    /// Positions that the model was trained for.
    pub context: usize,
    /// Added to the mean square in RMS norms.
    pub eps: f32,
    /// Base of the rotation frequencies.
    pub theta: f32,
}

impl Config {
    /// Reads and checks the metadata of a `llama` file.
    ///
    /// # Errors
    /// [`Error::Architecture`] for another architecture, [`Error::File`] for a missing key or one of another type,
    /// [`Error::Setting`] for a value that the forward pass would have to ignore.
    pub fn read(file: &File<'_>) -> Result<Self, Error> {
        let keys = Keys(file);
        let architecture = file.required("general.architecture", "text", Value::text)?;
        if architecture != "llama" {
            return Err(Error::Architecture { found: architecture.into() });
        }
        let embed = keys.count("embedding_length")?;
        let heads = keys.count("attention.head_count")?;
        let head_dim = keys.count_or("attention.key_length", embed / heads)?;
        let config = Self {
            layers: keys.count("block_count")?,
            embed,
            ffn: keys.count("feed_forward_length")?,
            heads,
            kv_heads: keys.count_or("attention.head_count_kv", heads)?,
            head_dim,
            context: keys.count("context_length")?,
            eps: keys.positive("attention.layer_norm_rms_epsilon", None)?,
            theta: keys.positive("rope.freq_base", Some(10_000.0))?,
        };
        keys.only("attention.value_length", head_dim)?;
        keys.only("rope.dimension_count", head_dim)?;
        keys.only("expert_count", 0)?;
        keys.no_rope_scaling()?;
        if !heads.is_multiple_of(config.kv_heads) {
            let need = format!("a divisor of the {heads} query heads");
            return Err(keys.setting("attention.head_count_kv", need, config.kv_heads));
        }
        Ok(config)
    }

    /// Width of the queries: all query heads.
    pub fn q_dim(&self) -> usize {
        self.heads * self.head_dim
    }

    /// Width of the keys, and of the values: all key heads.
    pub fn kv_dim(&self) -> usize {
        self.kv_heads * self.head_dim
    }
}

/// Look-ups below `llama.`.
struct Keys<'s, 'b>(&'s File<'b>);

impl Keys<'_, '_> {
    /// A whole number from 1 to 2^31 (so that a product of two fits), that must be there.
    fn count(&self, key: &str) -> Result<usize, Error> {
        let key = format!("llama.{key}");
        let n = self.0.required(&key, "an unsigned integer", Value::unsigned)?;
        Self::bounded(key, n)
    }

    /// As [`Keys::count`], or `default` when the key is absent.
    fn count_or(&self, key: &str, default: usize) -> Result<usize, Error> {
        let key = format!("llama.{key}");
        let n = self.0.optional(&key, "an unsigned integer", Value::unsigned)?;
        Self::bounded(key, n.unwrap_or(default as u64))
    }

    fn bounded(key: String, n: u64) -> Result<usize, Error> {
        match i32::try_from(n) {
            Ok(1..) => Ok(n as usize),
            _ => Err(Error::Setting { key, need: "from 1 to 2^31 - 1".into(), found: n.to_string() }),
        }
    }

    /// A finite float above zero.
    fn positive(&self, key: &str, default: Option<f64>) -> Result<f32, Error> {
        let name = format!("llama.{key}");
        let x = match default {
            Some(default) => self.0.optional(&name, "a float", Value::float)?.unwrap_or(default),
            None => self.0.required(&name, "a float", Value::float)?,
        };
        let x = x as f32;
        if x.is_finite() && x > 0.0 { Ok(x) } else { Err(self.setting(key, "finite and above 0".into(), x)) }
    }

    /// A number that may be absent, and otherwise must be the one that the forward pass assumes.
    fn only(&self, key: &str, assumed: usize) -> Result<(), Error> {
        let found = self.0.optional(&format!("llama.{key}"), "an unsigned integer", Value::unsigned)?;
        match found {
            Some(n) if n != assumed as u64 => Err(self.setting(key, assumed.to_string(), n)),
            _ => Ok(()),
        }
    }

    /// Stretched positions are not computed here.
    fn no_rope_scaling(&self) -> Result<(), Error> {
        let kind = self.0.optional("llama.rope.scaling.type", "text", Value::text)?;
        match kind {
            None | Some("none") => Ok(()),
            Some(kind) => Err(self.setting("rope.scaling.type", "none".into(), kind)),
        }
    }

    fn setting(&self, key: &str, need: String, found: impl ToString) -> Error {
        Error::Setting { key: format!("llama.{key}"), need, found: found.to_string() }
    }
}
