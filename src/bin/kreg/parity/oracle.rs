//! The oracle of a GGML weight type: weights, activations and float64 answers that gguf-py made
//! (`scripts/fixtures/make_oracle.py`).

use std::path::Path;

use kreg::kernels::reference::Products;
use kreg::kernels::reference::decode::Format;
use kreg_codegen::digest;
use serde_json::Value;

const FILES: [&str; 4] = ["weights.bin", "x.bin", "ref.bin", "mag.bin"];

/// One folder of `evidence/kreg/oracle`.
pub(crate) struct Oracle {
    /// Rows of weights and of outputs.
    pub(crate) rows: usize,
    /// Columns.
    pub(crate) cols: usize,
    /// The weights as stored.
    pub(crate) bytes: Vec<u8>,
    /// The weights as kreg's reference decodes them: the same bits as gguf-py's.
    pub(crate) weights: Vec<f32>,
    /// Activations `[M, cols]`.
    pub(crate) x: Vec<f32>,
    /// gguf-py's products of them and their magnitudes.
    pub(crate) answers: Products,
    /// What a receipt says of all this.
    pub(crate) identity: String,
    /// `meta.json`.
    pub(crate) meta: Value,
}

impl Oracle {
    /// Reads the folder of a type and holds every file to its digest, and the decoder to gguf-py's (EM-DEQ: equal bits).
    pub(crate) fn read(root: &Path, format: &Format) -> Result<Self, String> {
        let folder = format!("evidence/kreg/oracle/{}", format.name);
        let read = |file: &str| {
            std::fs::read(root.join(&folder).join(file)).map_err(|e| format!("{folder}/{file}: {e}"))
        };
        let meta: Value =
            serde_json::from_slice(&read("meta.json")?).map_err(|e| format!("{folder}/meta.json: {e}"))?;
        let mut contents = Vec::new();
        let mut parts = Vec::new();
        for file in FILES {
            let content = read(file)?;
            let found = digest::bytes(&content);
            if meta["sha256"][file] != found.as_str() {
                return Err(format!(
                    "{folder}/{file} is not the file that meta.json describes: its SHA-256 is {found}"
                ));
            }
            parts.push(format!("{file}:{found}"));
            contents.push(content);
        }
        let size = |field: &str| {
            meta[field]
                .as_u64()
                .map(|n| n as usize)
                .ok_or_else(|| format!("{folder}/meta.json has no {field}"))
        };
        let (rows, cols) = (size("out_dim")?, size("in_dim")?);
        let [bytes, x, y, mag] = <[Vec<u8>; 4]>::try_from(contents).unwrap_or_default();
        if rows == 0 || cols == 0 || bytes.len() != format.byte_len(rows, cols) || x.len() % (4 * cols) != 0 {
            return Err(format!("{folder}: {} bytes are no [{rows}, {cols}] matrix", bytes.len()));
        }
        let answers = Products { y: f64s(&y), mag: f64s(&mag) };
        if answers.y.len() != x.len() / (4 * cols) * rows || answers.mag.len() != answers.y.len() {
            return Err(format!("{folder}: not one answer per output"));
        }
        let weights = format.decode(&bytes, rows, cols);
        // Zeros of both signs are one weight.
        let decoded: Vec<u8> = weights.iter().flat_map(|w| (w + 0.0).to_le_bytes()).collect();
        if meta["decoded_sha256"] != digest::bytes(&decoded).as_str() {
            return Err(format!(
                "the reference decoder of {} gives other weights than gguf-py (EM-DEQ)",
                format.name
            ));
        }
        let version = meta["gguf_py"].as_str().unwrap_or("?");
        let identity = format!("gguf_py_dequant_f64@{folder}@{version}@{}", parts.join(","));
        let x = x.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        Ok(Self { rows, cols, bytes, weights, x, answers, identity, meta })
    }
}

fn f64s(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
}
