//! Receipts of what was measured here, in the form that `kreg parity` writes for the cpu. Every one is held to the drift
//! rules about receipts before it is written; on the stand-in driver that is all, and none is written.

use std::path::Path;
use std::time::SystemTime;

use kreg::KernelId;
use kreg::kernels::reference::Verdict;
use kreg_codegen::check::{self, Context};
use kreg_codegen::load::receipt::{self, InputSet, Receipts, SCHEMA};
use kreg_codegen::load::sources::{SourceCrate, Sources};
use kreg_codegen::model::{Registry, Row};
use kreg_codegen::{digest, load};
use serde_json::{Value, json};

use super::gpu::Gpu;
use super::ops::Failed;

/// What was measured of one row.
pub(crate) struct Measured<'a> {
    pub(crate) id: KernelId,
    /// The precision that activations had.
    pub(crate) precision: &'static str,
    /// Against exact arithmetic on what the kernel computes with.
    pub(crate) verdict: &'a Verdict,
    /// Against exact arithmetic on the inputs as given.
    pub(crate) served: &'a Verdict,
    /// The kind of oracle, and what tells it from others of its kind.
    pub(crate) oracle: [&'a str; 2],
    pub(crate) workload: Value,
}

/// The registry and the sources as they are now.
pub(crate) struct Project {
    registry: Registry,
    sources: Sources,
}

impl Project {
    /// Reads them.
    pub(crate) fn read() -> Result<Self, Failed> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (registry, _) =
            load::registry("registry.json", &std::fs::read_to_string(root.join("registry.json"))?);
        let name = "kreg-kernels";
        let source = SourceCrate { name: name.into(), src: root.join(name).join("src"), path: String::new() };
        let (sources, _) = Sources::read(&[source], &registry.rows);
        Ok(Self { registry, sources })
    }

    /// The receipts, by the path that a row's `tolerance` names them by.
    ///
    /// # Errors
    /// A row or source that is not there, or what a drift rule says against a receipt.
    pub(crate) fn receipts(
        mut self,
        gpu: &Gpu,
        all: &[Measured<'_>],
    ) -> Result<Vec<(String, String)>, Failed> {
        let rows: Vec<&Row> = self.registry.rows.iter().collect();
        let digests = self.sources.digests(&rows);
        let mut texts = Vec::new();
        for (row, source) in self.registry.rows.iter_mut().zip(digests) {
            let Some(measured) = all.iter().find(|measured| measured.id.as_str() == row.id) else { continue };
            let source = source.ok_or_else(|| format!("{}: its source has changed", row.id))?;
            row.tolerance = format!("evidence/kreg/parity/{}.json", row.id);
            texts.push((row.tolerance.clone(), format!("{:#}\n", document(gpu, row, source, measured))));
        }
        if texts.len() != all.len() {
            return Err("the registry has changed".into());
        }
        let receipts: Receipts =
            texts.iter().map(|(path, text)| (path.clone(), receipt::parse(text))).collect();
        let mut context = Context::new(&self.registry);
        (context.sources, context.receipts, context.deny_stale) =
            (Some(&self.sources), Some(&receipts), true);
        let ours = |row: &str| all.iter().any(|measured| measured.id.as_str() == row);
        let findings = check::run(&context).into_iter();
        let mut against =
            findings.filter(|finding| finding.rule.starts_with("receipt") && ours(&finding.row));
        match against.next() {
            Some(finding) => Err(finding.to_string().into()),
            None => Ok(texts),
        }
    }
}

fn document(gpu: &Gpu, row: &Row, source_sha256: String, m: &Measured<'_>) -> Value {
    let set = InputSet {
        source_sha256,
        row_sha256: digest::row(row),
        toolchain: ptx().to_owned(),
        driver: gpu.driver.clone(),
        device: format!("{} {}", gpu.device.target().arch(), gpu.name),
        oracle: m.oracle.join(":"),
    };
    json!({
        "schema": SCHEMA,
        "kernel_id": row.id,
        "source_fn": row.source_fn,
        "registry_precision": row.precision,
        "precision": m.precision,
        "machine": gpu.name,
        "ts": now(),
        "oracle": m.oracle[0],
        "oracle_independent": true,
        "workload": m.workload,
        "served": { "max_abs_err": m.served.max_abs(), "max_rel_err": m.served.max_rel() },
        "margin": {
            "acc": "f32",
            "error_model": row.error_model,
            "n": m.verdict.len(),
            "max_margin": m.verdict.max().0,
            "argmax": m.verdict.max().1,
            "p999_margin": m.verdict.p999(),
            "nmse": m.verdict.nmse(),
            "verdict": "pass",
        },
        "tolerance_rel": tolerance(m.served.max_rel()),
        "input_set": set,
        "input_set_hash": digest::input_set(&set),
    })
}

/// What compiled the kernels: the first line of every embedded PTX.
fn ptx() -> &'static str {
    kreg::kernels::cuda::gemv::q8_0::SOURCE.ptx().lines().next().unwrap_or("").trim_start_matches("// ")
}

/// Now, in seconds since 1970: `@1790651479`.
fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    format!("@{}", since.map_or(0, |since| since.as_secs()))
}

/// Twice the measured error, rounded up to one digit.
fn tolerance(measured: f64) -> f64 {
    let x = (2.0 * measured).max(f64::MIN_POSITIVE);
    let exponent = x.log10().floor() as i32;
    let digit = (x / 10f64.powi(exponent) - 1e-9).ceil();
    format!("{digit:.0}e{exponent}").parse().unwrap_or(x)
}
