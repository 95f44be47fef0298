//! The public face: what a build script says.

mod cargo;
mod report;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use report::Report;

use crate::check::{self, Context};
use crate::emit::{self, matrix};
use crate::finding::{Finding, Place, Rule, Severity};
use crate::load::contract::{self, Contracts};
use crate::load::receipt::{self, Receipts};
use crate::load::sources::{SourceCrate, Sources};
use crate::load::{self};
use crate::model::Registry;
use crate::plan::Plan;
use crate::render;

/// Turns a registry into a Rust module, from a build script or anywhere else.
///
/// ```no_run
/// // build.rs, in `main`
/// kreg_codegen::Builder::new("registry.json")
///     .partial() // of the dependency's kernels, only those with rows
///     .source_metadata("kreg-kernels") // kernels of a dependency
///     .source_crate("my-engine", "src", "crate") // kernels of your own
///     .module("my_engine::dispatch")
///     .compile();
/// ```
///
/// ```text
/// // src/lib.rs
/// pub mod dispatch {
///     include!(concat!(env!("OUT_DIR"), "/kreg.rs"));
/// }
/// ```
///
/// The crate that includes the module needs `kreg-kernels` as a normal dependency: the module stands on its types.
#[derive(Debug, Clone)]
pub struct Builder {
    registry: PathBuf,
    root: Option<PathBuf>,
    crates: Vec<SourceCrate>,
    metadata: Vec<String>,
    tables_only: bool,
    partial: bool,
    deny_stale: Option<bool>,
    module: Option<String>,
    out_dir: Option<PathBuf>,
    out_file: String,
}

/// What [`Builder::generate`] makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The module's source text.
    pub module: String,
    /// The support matrix as a Markdown table, for crate docs.
    pub matrix: String,
    /// What the checks warned about.
    pub report: Report,
}

/// The rules of what the Builder was told.
pub static RULES: [&Rule; 3] = [&REGISTRY_FILE, &SOURCE_METADATA, &SOURCES_GIVEN];

static REGISTRY_FILE: Rule = Rule {
    id: "registry-file",
    summary: "The registry can be read.",
    fix: "give the Builder the path of the registry, from the folder of Cargo.toml",
};
static SOURCE_METADATA: Rule = Rule {
    id: "source-metadata",
    summary: "Each crate named by `source_metadata` publishes its source folder to this build script.",
    fix: "list the crate under [dependencies]: Cargo passes the variable for normal dependencies only, not for \
          [build-dependencies]; or name the folder with source_crate()",
};
static SOURCES_GIVEN: Rule = Rule {
    id: "sources-given",
    summary: "The Builder knows where the kernels are.",
    fix: "call source_metadata() or source_crate() for each crate with kernels, or tables_only()",
};
/// Not among [`RULES`]: the checks find what it finds, or kreg-codegen is wrong.
static EMIT: Rule = Rule {
    id: "emit",
    summary: "Every row can be written as Rust.",
    fix: "correct the row; if it looks right, report this as a defect of kreg-codegen",
};

/// What one run has read.
struct Loaded {
    registry: Registry,
    sources: Option<Sources>,
    contracts: Option<Contracts>,
    receipts: Option<Receipts>,
    findings: Vec<Finding>,
}

impl Builder {
    /// A builder for this registry file. Contracts and receipts are looked for beside it.
    pub fn new(registry: impl Into<PathBuf>) -> Self {
        Self {
            registry: registry.into(),
            root: None,
            crates: Vec::new(),
            metadata: Vec::new(),
            tables_only: false,
            partial: false,
            deny_stale: None,
            module: None,
            out_dir: None,
            out_file: "kreg.rs".into(),
        }
    }

    /// The folder that `contracts/…` and `evidence/…` in rows start from. By default, that of the registry.
    pub fn root(&mut self, folder: impl Into<PathBuf>) -> &mut Self {
        self.root = Some(folder.into());
        self
    }

    /// A crate that holds kernels: its name as `source_file` begins, its `src` folder, and how the generated module
    /// names it (`::my_kernels`, or `crate` for the crate that includes the module).
    ///
    /// ```
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/no/such/folder");
    /// let report = kreg_codegen::Builder::new("registry.json").source_crate("my-engine", folder, "crate").check();
    /// assert!(report.to_string().contains("registry.json")); // it does not exist here
    /// ```
    pub fn source_crate(
        &mut self,
        name: impl Into<String>,
        src: impl Into<PathBuf>,
        path: impl Into<String>,
    ) -> &mut Self {
        self.crates.push(SourceCrate { name: name.into(), src: src.into(), path: path.into() });
        self
    }

    /// A crate that publishes its source folder through build-script metadata, as `kreg-kernels` does: read from
    /// `DEP_<NAME>_SRC`, which Cargo sets for a normal dependency with `links`.
    pub fn source_metadata(&mut self, name: impl Into<String>) -> &mut Self {
        self.metadata.push(name.into());
        self
    }

    /// Stops at the tables: enums, rows, doors, selection, readiness. No kernel is named, and no source, contract or
    /// receipt is read.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("kreg-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).unwrap();
    /// # let path = dir.join("registry.json");
    /// let row = r#"{"kernel_id": "cuda.gemv.q4_k", "op": "gemv", "qtype": "Q4_K", "ggml_type": 12,
    ///     "layout": "row_major", "backend": "cuda", "arch": "any", "isa_features": "none", "requires": "none",
    ///     "block_elems": 256, "accumulate": "f32", "precision": "f32", "error_model": "EM-DOT",
    ///     "determinism": "bounded", "shape_class": "m1", "tolerance": "unmeasured",
    ///     "source_file": "crates/engine/src/gemv.rs", "source_fn": "gemv", "selector": "engine::gemv",
    ///     "contract": "contracts/gemv-v1.yaml"}"#;
    /// let document = format!(r#"{{"schema": "apr-kernel-registry/v1", "kernels": [{row}], "ops": []}}"#);
    /// std::fs::write(&path, document).unwrap();
    ///
    /// let generated = kreg_codegen::Builder::new(&path).tables_only().generate().unwrap();
    /// assert!(generated.module.contains("CudaGemvQ4_K"));
    /// assert!(generated.matrix.contains("`cuda.gemv.q4_k`"));
    /// ```
    pub fn tables_only(&mut self) -> &mut Self {
        self.tables_only = true;
        self
    }

    /// Lets the registry leave out kernels of its dependencies, as an engine does that picks a few rows over
    /// `kreg-kernels`. A kernel of the including crate itself (path `crate`) without a row stays an error.
    pub fn partial(&mut self) -> &mut Self {
        self.partial = true;
        self
    }

    /// Whether a receipt older than its kernel is an error. By default a warning, and an error when the environment
    /// has `KREG_DENY_STALE=1`.
    pub fn deny_stale(&mut self, deny: bool) -> &mut Self {
        self.deny_stale = Some(deny);
        self
    }

    /// The path under which users reach the generated module, such as `kreg`: what `selector` begins with.
    pub fn module(&mut self, path: impl Into<String>) -> &mut Self {
        self.module = Some(path.into());
        self
    }

    /// Where [`compile`](Self::compile) writes. By default `$OUT_DIR`.
    pub fn out_dir(&mut self, folder: impl Into<PathBuf>) -> &mut Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// Name of the file that [`compile`](Self::compile) writes, by default `kreg.rs`; the matrix goes beside it, with
    /// `.md` at its end.
    pub fn out_file(&mut self, name: impl Into<String>) -> &mut Self {
        self.out_file = name.into();
        self
    }

    /// Loads everything and runs every rule. Writes nothing.
    pub fn check(&self) -> Report {
        self.checked().1
    }

    /// The module's text. Writes nothing; the same inputs give the same bytes, wherever they lie.
    ///
    /// # Errors
    /// The report, when it holds an error.
    pub fn generate(&self) -> Result<Generated, Report> {
        let (loaded, report) = self.checked();
        if report.has_errors() {
            return Err(report);
        }
        let plan = Plan::new(&loaded.registry).map_err(Report::new)?;
        let at = || Place { file: loaded.registry.name.clone(), line: 0 };
        let groups = emit::module(&plan, loaded.sources.as_ref()).map_err(|rows| {
            Report::new(rows.into_iter().map(|cause| EMIT.error(at(), "", cause)).collect())
        })?;
        let module = render::render(&loaded.registry.name, groups)
            .map_err(|e| Report::new(vec![EMIT.error(at(), "", format!("the output is not Rust: {e}"))]))?;
        Ok(Generated { module, matrix: matrix::markdown(&plan, loaded.receipts.as_ref()), report })
    }

    fn checked(&self) -> (Loaded, Report) {
        let loaded = self.load();
        let context = Context {
            registry: &loaded.registry,
            sources: loaded.sources.as_ref(),
            contracts: loaded.contracts.as_ref(),
            receipts: loaded.receipts.as_ref(),
            module: self.module.as_deref(),
            partial: self.partial,
            deny_stale: self
                .deny_stale
                .unwrap_or_else(|| std::env::var("KREG_DENY_STALE").is_ok_and(|v| v == "1")),
        };
        let mut findings = loaded.findings.clone();
        findings.extend(check::run(&context));
        (loaded, Report::new(findings))
    }

    /// The only stage that reads.
    fn load(&self) -> Loaded {
        let name = self.shown_name();
        let mut findings = Vec::new();
        let registry = match std::fs::read_to_string(&self.registry) {
            Ok(text) => {
                let (registry, more) = load::registry(&name, &text);
                findings.extend(more);
                registry
            }
            Err(e) => {
                let at = Place { file: name.clone(), line: 0 };
                findings.push(REGISTRY_FILE.error(at, "", format!("the registry cannot be read: {e}")));
                return Loaded {
                    registry: Registry { name, ..Registry::default() },
                    sources: None,
                    contracts: None,
                    receipts: None,
                    findings,
                };
            }
        };
        if self.tables_only {
            return Loaded { registry, sources: None, contracts: None, receipts: None, findings };
        }
        let sources = self.source_crates(&name, &mut findings).map(|crates| {
            let (sources, more) = Sources::read(&crates, &registry.rows);
            findings.extend(more);
            sources
        });
        let contracts = Some(contract::read(&self.root_folder(), &registry.rows));
        let receipts = Some(receipt::read(&self.root_folder(), &registry.rows));
        Loaded { registry, sources, contracts, receipts, findings }
    }

    /// Every source crate, those of the metadata included; `None`, with a finding, when one is not to be had.
    fn source_crates(&self, registry: &str, findings: &mut Vec<Finding>) -> Option<Vec<SourceCrate>> {
        let at = || Place { file: registry.into(), line: 0 };
        let mut crates = self.crates.clone();
        let mut complete = true;
        for name in &self.metadata {
            match std::env::var(metadata_variable(name)) {
                Ok(src) => {
                    let path = format!("::{}", name.replace('-', "_"));
                    crates.push(SourceCrate { name: name.clone(), src: src.into(), path });
                }
                Err(_) => {
                    let cause = format!(
                        "{} is not set, so the sources of {name} are unknown",
                        metadata_variable(name)
                    );
                    findings.push(SOURCE_METADATA.error(at(), "", cause));
                    complete = false;
                }
            }
        }
        if complete && crates.is_empty() {
            findings.push(SOURCES_GIVEN.error(at(), "", "no crate with kernels was named"));
            complete = false;
        }
        complete.then_some(crates)
    }

    fn root_folder(&self) -> PathBuf {
        match &self.root {
            Some(root) => root.clone(),
            None => self.registry.parent().map(Path::to_path_buf).unwrap_or_default(),
        }
    }

    /// The registry's name in messages and in the output: from the root, so that no machine's path gets into either.
    fn shown_name(&self) -> String {
        let shown = self.registry.strip_prefix(self.root_folder()).ok();
        let shown = shown.or_else(|| self.registry.file_name().map(Path::new)).unwrap_or(&self.registry);
        shown.display().to_string().replace('\\', "/")
    }

    /// Every path that the output depends on.
    fn inputs(&self) -> BTreeSet<PathBuf> {
        let mut inputs = BTreeSet::from([self.registry.clone()]);
        if self.tables_only {
            return inputs;
        }
        let text = std::fs::read_to_string(&self.registry).unwrap_or_default();
        let root = self.root_folder();
        for row in &load::registry("", &text).0.rows {
            inputs.insert(root.join(&row.contract));
            inputs.extend(row.receipt().map(|path| root.join(path)));
        }
        inputs.extend(self.source_crates("", &mut Vec::new()).into_iter().flatten().map(|c| c.src));
        inputs
    }
}

/// `DEP_KREG_KERNELS_SRC`: the variable in which Cargo passes on what a crate's build script published as `SRC`.
fn metadata_variable(name: &str) -> String {
    format!("DEP_{}_SRC", name.to_ascii_uppercase().replace('-', "_"))
}

/// Whether a finding stops the build.
fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}
