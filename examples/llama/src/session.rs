//! One text in progress: its key and value caches, and the forward pass that extends them.

use kreg::args::{AttentionShape, RopeStyle};
use kreg::cpu::step;
use kreg::{Refusal, Trace, cpu};

use crate::error::Error;
use crate::model::{Layer, Model};
use crate::product::Run;

/// Positions that go through the products at once while a prompt is read.
const BATCH: usize = 512;

/// Keys and values of one layer, `[positions, kv_dim]` each.
struct Cache {
    k: Vec<f32>,
    v: Vec<f32>,
}

/// Activations of one batch, `[BATCH, width]` each.
struct Activations {
    /// The residual stream.
    x: Vec<f32>,
    /// Normed, or the sum to add to the residual stream.
    h: Vec<f32>,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    /// What attention returns.
    attended: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
    logits: Vec<f32>,
}

/// A text in progress. Everything that a step needs is allocated when the session begins.
pub struct Session<'m> {
    model: &'m Model<'m>,
    caches: Vec<Cache>,
    activations: Activations,
    position: usize,
    limit: usize,
    run: Run,
}

impl<'m> Session<'m> {
    /// A session of at most `limit` positions.
    ///
    /// # Errors
    /// [`Error::Context`] when the model was trained for fewer.
    pub fn new(model: &'m Model<'m>, limit: usize) -> Result<Self, Error> {
        let c = &model.config;
        if limit > c.context {
            return Err(Error::Context { need: limit, limit: c.context });
        }
        let rows = |width: usize| vec![0.0; BATCH.min(limit) * width];
        let cache = || vec![0.0; limit * c.kv_dim()];
        let activations = Activations {
            x: rows(c.embed),
            h: rows(c.embed),
            q: rows(c.q_dim()),
            k: rows(c.kv_dim()),
            v: rows(c.kv_dim()),
            attended: rows(c.q_dim()),
            gate: rows(c.ffn),
            up: rows(c.ffn),
            logits: vec![0.0; model.vocab],
        };
        let caches = (0..c.layers).map(|_| Cache { k: cache(), v: cache() }).collect();
        Ok(Self { model, caches, activations, position: 0, limit, run: Run::default() })
    }

    /// Appends `tokens` and returns the logits of what follows them.
    ///
    /// # Errors
    /// [`Error::EmptyPrompt`] without tokens, [`Error::Context`] when they exceed the session, [`Error::Refused`] for
    /// a token outside the vocabulary.
    pub fn feed(&mut self, tokens: &[u32]) -> Result<&mut [f32], Error> {
        let need = self.position + tokens.len();
        if need > self.limit {
            return Err(Error::Context { need, limit: self.limit });
        }
        if tokens.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        // Before anything is computed: a refusal leaves the session as it was.
        let limit = self.model.vocab as u64;
        if let Some(&token) = tokens.iter().find(|&&token| u64::from(token) >= limit) {
            return Err(Refusal::OutOfRange { what: "token", limit, got: token.into() }.into());
        }
        // The pool's workers stand by from one product to the next.
        step(|| {
            tokens.chunks(BATCH).try_for_each(|batch| self.forward(batch))?;
            self.logits((tokens.len() - 1) % BATCH)
        })?;
        Ok(&mut self.activations.logits)
    }

    /// Takes one batch through every layer.
    fn forward(&mut self, batch: &[u32]) -> Result<(), Refusal> {
        self.embed(batch)?;
        for (layer, cache) in self.model.layers.iter().zip(&mut self.caches) {
            let block = Block { model: self.model, layer, first: self.position, rows: batch.len() };
            block.attention(&mut self.activations, cache, &mut self.run)?;
            block.feed_forward(&mut self.activations, &mut self.run)?;
        }
        self.position += batch.len();
        Ok(())
    }

    /// The kernels that have run so far.
    pub fn trace(&self) -> &Trace {
        &self.run.trace
    }

    /// The residual stream of `batch` begins as its rows of the embedding table.
    fn embed(&mut self, batch: &[u32]) -> Result<(), Refusal> {
        let (model, a) = (self.model, &mut self.activations);
        let width = model.config.embed;
        for (&token, x) in batch.iter().zip(a.x.chunks_exact_mut(width)) {
            model.embedding.row(&model.device, token, x, &mut a.h[..width], &mut self.run)?;
        }
        Ok(())
    }

    /// The logits of row `last` of the residual stream.
    fn logits(&mut self, last: usize) -> Result<(), Refusal> {
        let (model, a) = (self.model, &mut self.activations);
        let width = model.config.embed;
        let (x, h) = (&a.x[last * width..][..width], &mut a.h[..width]);
        let id = cpu::rmsnorm(&model.device, x, &model.output_norm, model.config.eps, h)?;
        self.run.trace.record(id);
        self.run.product(&model.output, h, &mut a.logits)
    }
}

/// One layer's work on one batch: `rows` positions from `first` on.
struct Block<'m, 'l> {
    model: &'m Model<'m>,
    layer: &'l Layer<'m>,
    first: usize,
    rows: usize,
}

impl Block<'_, '_> {
    /// `x += attn_output(attention(rope(q(norm(x))), rope(k(norm(x))), v(norm(x))))`.
    fn attention(&self, a: &mut Activations, cache: &mut Cache, run: &mut Run) -> Result<(), Refusal> {
        let (c, layer, m) = (&self.model.config, self.layer, self.rows);
        let (x, h) = (&mut a.x[..m * c.embed], &mut a.h[..m * c.embed]);
        let q = &mut a.q[..m * c.q_dim()];
        let (k, v) = (&mut a.k[..m * c.kv_dim()], &mut a.v[..m * c.kv_dim()]);
        let attended = &mut a.attended[..m * c.q_dim()];

        self.norm(x, &layer.attn_norm, h, run)?;
        run.product(&layer.q, h, q)?;
        run.product(&layer.k, h, k)?;
        run.product(&layer.v, h, v)?;
        self.attend(q, k, v, attended, cache, run)?;
        run.product(&layer.attn_output, attended, h)?;
        run.trace.record(cpu::residual_add(&self.model.device, x, h)?);
        Ok(())
    }

    /// Each position's query over all positions up to it; then keys and values join the cache.
    fn attend(
        &self,
        q: &mut [f32],
        k: &mut [f32],
        v: &[f32],
        out: &mut [f32],
        cache: &mut Cache,
        run: &mut Run,
    ) -> Result<(), Refusal> {
        let (c, device) = (&self.model.config, &self.model.device);
        let shape = AttentionShape {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            scale: 1.0 / (c.head_dim as f32).sqrt(),
            softcap: None,
        };
        // GGUF files of this architecture are laid out for adjacent pairs.
        let positions = q.chunks_exact_mut(c.q_dim()).zip(k.chunks_exact_mut(c.kv_dim())).enumerate();
        for (i, x) in positions.flat_map(|(i, (q, k))| [(i, q), (i, k)]) {
            let position = self.first + i;
            run.trace.record(cpu::rope(device, x, c.head_dim, position, c.theta, RopeStyle::Adjacent)?);
        }
        let past = self.first * c.kv_dim();
        let (keys, values) = (&cache.k[..past], &cache.v[..past]);
        run.trace.record(cpu::attention(device, q, keys, values, k, v, shape, out, &mut run.ws)?);
        for (i, (k, v)) in k.chunks_exact(c.kv_dim()).zip(v.chunks_exact(c.kv_dim())).enumerate() {
            run.trace.record(cpu::kv_write(device, k, v, self.first + i, &mut cache.k, &mut cache.v)?);
        }
        Ok(())
    }

    /// `x += down(silu(gate(norm(x))) * up(norm(x)))`.
    fn feed_forward(&self, a: &mut Activations, run: &mut Run) -> Result<(), Refusal> {
        let (c, layer, m, device) = (&self.model.config, self.layer, self.rows, &self.model.device);
        let (x, h) = (&mut a.x[..m * c.embed], &mut a.h[..m * c.embed]);
        let (gate, up) = (&mut a.gate[..m * c.ffn], &mut a.up[..m * c.ffn]);
        self.norm(x, &layer.ffn_norm, h, run)?;
        run.product(&layer.gate, h, gate)?;
        run.product(&layer.up, h, up)?;
        run.trace.record(cpu::swiglu(device, gate, up)?);
        run.product(&layer.down, gate, h)?;
        run.trace.record(cpu::residual_add(device, x, h)?);
        Ok(())
    }

    /// RMS norm of every row.
    fn norm(&self, x: &[f32], w: &[f32], h: &mut [f32], run: &mut Run) -> Result<(), Refusal> {
        let eps = self.model.config.eps;
        for (x, h) in x.chunks_exact(w.len()).zip(h.chunks_exact_mut(w.len())) {
            run.trace.record(cpu::rmsnorm(&self.model.device, x, w, eps, h)?);
        }
        Ok(())
    }
}
