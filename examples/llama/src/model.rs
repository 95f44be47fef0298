//! A model whose weights are bound to their kernels, where they lie in the file.

use std::collections::HashMap;

use gguf_file::{File, Tensor};
use kreg::cpu::{Device, Weights};
use kreg::{Backend, Plan};

use crate::config::Config;
use crate::embedding::Embedding;
use crate::error::Error;
use crate::product::Raw;

/// One transformer block.
pub(crate) struct Layer<'a> {
    pub(crate) attn_norm: Vec<f32>,
    pub(crate) q: Weights<'a>,
    pub(crate) k: Weights<'a>,
    pub(crate) v: Weights<'a>,
    pub(crate) attn_output: Weights<'a>,
    pub(crate) ffn_norm: Vec<f32>,
    pub(crate) gate: Weights<'a>,
    pub(crate) up: Weights<'a>,
    pub(crate) down: Weights<'a>,
}

/// A Llama model, ready to run.
pub struct Model<'a> {
    pub(crate) config: Config,
    pub(crate) device: Device,
    pub(crate) vocab: usize,
    pub(crate) embedding: Embedding<'a>,
    pub(crate) layers: Vec<Layer<'a>>,
    pub(crate) output_norm: Vec<f32>,
    pub(crate) output: Weights<'a>,
}

/// What serves each tensor and op of the file's model on `device`, and everything that is refused. Touches no weights.
pub fn readiness<'a>(file: &File<'a>, device: &Device) -> Plan {
    let family = file.metadata.get("general.architecture").and_then(gguf_file::Value::text);
    let tensor = |t: &Tensor<'a>| kreg::Tensor {
        name: t.name,
        ggml_type: t.ggml_type,
        rows: t.rows(),
        cols: t.cols(),
    };
    // Vectors are read by ops, as f32.
    let matrices = file.tensors.iter().filter(|t| t.dims.len() > 1);
    let tensors: Vec<kreg::Tensor<'_>> = matrices.map(tensor).collect();
    kreg::plan(Backend::Cpu, family, &tensors, device.target())
}

impl<'a> Model<'a> {
    /// Checks that everything has a kernel, then binds every weight.
    ///
    /// # Errors
    /// [`Error::NotReady`] with every refusal before any weight is touched, what [`Config::read`] returns,
    /// [`Error::MissingTensor`], [`Error::UnusedTensor`], [`Error::Shape`], and [`Error::File`] for missing bytes.
    pub fn load(file: &File<'a>, device: Device) -> Result<Self, Error> {
        let config = Config::read(file)?;
        let plan = readiness(file, &device);
        if !plan.is_ready() {
            return Err(Error::NotReady(plan.refused));
        }
        let mut tensors = Tensors::new(file, device);
        let vocab = tensors.rows("token_embd.weight")?;
        let table = tensors.take("token_embd.weight", vocab, config.embed)?;
        let layers =
            (0..config.layers).map(|l| Layer::load(&mut tensors, &config, l)).collect::<Result<_, _>>()?;
        let output_norm = tensors.norm("output_norm.weight", config.embed)?;
        // Without a matrix of its own, the output is the embedding table once more.
        let output = match tensors.has("output.weight") {
            true => tensors.product("output.weight", vocab, config.embed)?,
            false => tensors.bind("token_embd.weight", &table)?,
        };
        tensors.all_used()?;
        let embedding = Embedding::new(table).map_err(|why| named("token_embd.weight", why.into()))?;
        Ok(Self { config, device, vocab, embedding, layers, output_norm, output })
    }

    /// The hyper-parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Tokens in the vocabulary.
    pub fn vocab(&self) -> usize {
        self.vocab
    }
}

impl<'a> Layer<'a> {
    fn load(tensors: &mut Tensors<'a, '_>, c: &Config, layer: usize) -> Result<Self, Error> {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        Ok(Self {
            attn_norm: tensors.norm(&name("attn_norm"), c.embed)?,
            q: tensors.product(&name("attn_q"), c.q_dim(), c.embed)?,
            k: tensors.product(&name("attn_k"), c.kv_dim(), c.embed)?,
            v: tensors.product(&name("attn_v"), c.kv_dim(), c.embed)?,
            attn_output: tensors.product(&name("attn_output"), c.embed, c.q_dim())?,
            ffn_norm: tensors.norm(&name("ffn_norm"), c.embed)?,
            gate: tensors.product(&name("ffn_gate"), c.ffn, c.embed)?,
            up: tensors.product(&name("ffn_up"), c.ffn, c.embed)?,
            down: tensors.product(&name("ffn_down"), c.embed, c.ffn)?,
        })
    }
}

/// The tensors that nobody has asked for yet.
struct Tensors<'a, 's> {
    left: HashMap<&'a str, &'s Tensor<'a>>,
    device: Device,
}

impl<'a, 's> Tensors<'a, 's> {
    fn new(file: &'s File<'a>, device: Device) -> Self {
        Self { left: file.tensors.iter().map(|t| (t.name, t)).collect(), device }
    }

    fn has(&self, name: &str) -> bool {
        self.left.contains_key(name)
    }

    /// The rows of a tensor whose number of rows the metadata does not tell.
    fn rows(&self, name: &str) -> Result<usize, Error> {
        let tensor = self.left.get(name).ok_or_else(|| Error::MissingTensor { name: name.into() })?;
        Ok(usize::try_from(tensor.rows()).unwrap_or(usize::MAX))
    }

    /// The tensor `[rows, cols]` of this name.
    fn shaped(&mut self, name: &str, rows: usize, cols: usize) -> Result<&'s Tensor<'a>, Error> {
        let tensor = self.left.remove(name).ok_or_else(|| Error::MissingTensor { name: name.into() })?;
        if (tensor.rows(), tensor.cols()) != (rows as u64, cols as u64) {
            return Err(Error::Shape {
                tensor: name.into(),
                expected: (rows, cols),
                found: tensor.dims.clone(),
            });
        }
        Ok(tensor)
    }

    /// The bytes of a weight matrix and the proof that its type is registered.
    fn take(&mut self, name: &str, rows: usize, cols: usize) -> Result<Raw<'a>, Error> {
        let tensor = self.shaped(name, rows, cols)?;
        Raw::new(tensor.ggml_type, rows, cols, |len| Ok(tensor.bytes(len)?)).map_err(|why| named(name, why))
    }

    /// A weight matrix with its kernel.
    fn product(&mut self, name: &str, rows: usize, cols: usize) -> Result<Weights<'a>, Error> {
        let raw = self.take(name, rows, cols)?;
        self.bind(name, &raw)
    }

    fn bind(&self, name: &str, raw: &Raw<'a>) -> Result<Weights<'a>, Error> {
        let weights = Weights::bind(&self.device, raw.path, raw.bytes, raw.rows, raw.cols);
        weights.map_err(|why| named(name, why.into()))
    }

    /// The weights of a norm, copied: they are few, and the file need not align them.
    fn norm(&mut self, name: &str, len: usize) -> Result<Vec<f32>, Error> {
        Ok(self.shaped(name, 1, len)?.f32s()?)
    }

    /// Whatever is left would have changed the result.
    fn all_used(&self) -> Result<(), Error> {
        match self.left.keys().min() {
            Some(&name) => Err(Error::UnusedTensor { name: name.into() }),
            None => Ok(()),
        }
    }
}

/// Says which tensor a refusal is about.
fn named(tensor: &str, why: Error) -> Error {
    match why {
        Error::Refused(why) => Error::Bind { tensor: tensor.into(), why },
        other => other,
    }
}
