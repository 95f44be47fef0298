//! The kernel crates' sources: every public function that a crate compiles, found as rustc finds it, from `lib.rs`
//! along its `mod` lines. Conditions other than `#[cfg(test)]` are taken as true: a kernel for another machine counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::digest;
use crate::finding::{Finding, Place, Rule};
use crate::model::Row;
use crate::vocabulary::BACKEND;

mod closure;
mod parse;
mod uses;
mod walk;

/// The rules of reading sources.
pub static RULES: [&Rule; 2] = [&FOLDER, &SYNTAX];

static FOLDER: Rule = Rule {
    id: "source-folder",
    summary: "The `src` folder of each kernel crate can be read.",
    fix: "give the Builder the folder of the crate's sources, or turn source checks off",
};
static SYNTAX: Rule = Rule {
    id: "source-syntax",
    summary: "The kernel sources are Rust.",
    fix: "correct the source; `cargo check` shows more",
};

/// A crate whose kernels rows name.
#[derive(Debug, Clone)]
pub struct SourceCrate {
    /// Name, as `source_file` spells it before `/src/`.
    pub name: String,
    /// Its `src` folder.
    pub src: PathBuf,
    /// How generated code names the crate: `::kreg_kernels`, or `crate` for the crate that includes the output.
    pub path: String,
}

/// One argument of a function.
#[derive(Clone)]
pub struct Argument {
    /// Name in the source.
    pub name: String,
    /// Type in the source.
    pub ty: syn::Type,
}

/// One public function of a kernel crate.
#[derive(Clone)]
pub struct Kernel {
    /// File, as `source_file` spells it.
    pub file: String,
    /// Line of its name.
    pub line: usize,
    /// Name.
    pub name: String,
    /// Module path inside its crate, such as `["cpu", "portable", "matvec", "q4_k"]`.
    pub module: Vec<String>,
    /// The outermost module on the way that is not `pub`, so that the function cannot be named from outside.
    pub hidden_by: Option<String>,
    /// Arguments in order.
    pub inputs: Vec<Argument>,
    /// Result type.
    pub output: Option<syn::Type>,
    /// Keywords and generics that keep it from being a plain safe function, such as `unsafe`.
    pub qualifiers: Vec<String>,
    /// Everything that `#[target_feature(enable = ...)]` names.
    pub features: BTreeSet<String>,
}

/// One source file that exists.
#[derive(Clone)]
pub struct SourceFile {
    /// Its text.
    pub text: String,
    /// Whether some `mod` reaches it.
    pub compiled: bool,
    /// Its public functions by name.
    pub kernels: BTreeMap<String, Kernel>,
    /// Its functions that are not `pub`, by name with their line.
    pub private: BTreeMap<String, usize>,
    /// Module path inside its crate, when it is compiled.
    module: Vec<String>,
    /// What it uses.
    uses: uses::Uses,
}

/// The sources of all kernel crates.
#[derive(Clone, Default)]
pub struct Sources {
    crates: Vec<SourceCrate>,
    files: BTreeMap<String, SourceFile>,
    texts: BTreeMap<String, String>,
    /// Rust of modules without kernels.
    others: BTreeMap<String, String>,
    features: Option<BTreeSet<String>>,
    unread: bool,
}

impl Sources {
    /// Reads the crates' sources from disk: the modules that hold kernels, and the files that rows name.
    pub fn read(crates: &[SourceCrate], rows: &[Row]) -> (Self, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut trees = Vec::new();
        let mut unread = false;
        for source in crates {
            let mut files = BTreeMap::new();
            if let Err(e) = collect(&source.src, "", &mut files) {
                let at = Place { file: source.src.display().to_string(), line: 0 };
                unread = true;
                findings.push(FOLDER.error(at, "", format!("the sources of {}: {e}", source.name)));
            }
            trees.push((source.clone(), files));
        }
        let (mut sources, more) = Self::parse(trees, rows);
        sources.unread |= unread;
        findings.extend(more);
        (sources, findings)
    }

    /// [`Sources::read`] from texts: each crate with its files by their path below `src`, such as `cpu/mod.rs`.
    pub fn parse(trees: Vec<(SourceCrate, BTreeMap<String, String>)>, rows: &[Row]) -> (Self, Vec<Finding>) {
        let mut sources = Self::default();
        let mut findings = Vec::new();
        for (source, files) in trees {
            sources.add(&source, files, rows, &mut findings);
            sources.crates.push(source);
        }
        (sources, findings)
    }

    /// Adds one crate.
    fn add(
        &mut self,
        source: &SourceCrate,
        files: BTreeMap<String, String>,
        rows: &[Row],
        findings: &mut Vec<Finding>,
    ) {
        let prefix = format!("{}/src/", source.name);
        let named: BTreeSet<&str> = rows.iter().filter_map(|r| r.source_file.strip_prefix(&prefix)).collect();
        let roots: BTreeSet<&str> = named.iter().copied().map(root_module).collect();
        let enter =
            |module: &str| roots.contains(module) || module == "target" || BACKEND.get(module).is_some();
        let mut visited = walk::walk(&files, &enter);
        if named.iter().any(|file| files.contains_key(*file) && !visited.contains_key(*file)) {
            // A `#[path]` from elsewhere may reach it.
            visited = walk::walk(&files, &|_| true);
        }
        for (path, text) in files {
            let name = format!("{prefix}{path}");
            if !path.ends_with(".rs") {
                self.texts.insert(name, text);
                continue;
            }
            let (compiled, module, hidden_by, parsed) = match visited.remove(&path) {
                Some(v) => (true, v.module, v.hidden_by, v.parsed),
                None if enter(root_module(&path)) => (false, Vec::new(), None, parse::file(&text)),
                None => {
                    self.others.insert(name, text);
                    continue;
                }
            };
            let parsed = parsed.unwrap_or_else(|(line, cause)| {
                self.unread = true;
                findings.push(SYNTAX.error(Place { file: name.clone(), line }, "", cause));
                parse::Parsed::default()
            });
            if path == "target.rs" {
                self.features = self.features.take().or(parsed.features);
            }
            let mut kernels = parsed.kernels;
            for kernel in kernels.values_mut() {
                kernel.file.clone_from(&name);
                kernel.module.clone_from(&module);
                kernel.hidden_by.clone_from(&hidden_by);
            }
            let (private, uses) = (parsed.private, parsed.uses);
            self.files.insert(name, SourceFile { text, compiled, kernels, private, module, uses });
        }
    }

    /// The function that a row names, if it is public and compiled.
    pub fn kernel(&self, row: &Row) -> Option<&Kernel> {
        let file = self.files.get(&row.source_file)?;
        file.kernels.get(&row.source_fn).filter(|_| file.compiled)
    }

    /// How generated code names the crate of a row: `::kreg_kernels`.
    pub fn crate_path(&self, row: &Row) -> Option<&str> {
        self.crate_of(&row.source_file).map(|c| c.path.as_str())
    }

    /// The crate that a `source_file` lies in.
    pub fn crate_of(&self, source_file: &str) -> Option<&SourceCrate> {
        let name = source_file.split_once("/src/")?.0;
        self.crates.iter().find(|c| c.name == name)
    }

    /// [`digest::sources`] of everything that each row's file uses within its crate, itself included; `None` for a row
    /// whose file is not there. In the order of `rows`.
    pub fn digests(&self, rows: &[&Row]) -> Vec<Option<String>> {
        let graphs =
            self.crates.iter().map(|c| closure::Graph::new(c, &self.files, [&self.others, &self.texts]));
        let mut graphs: Vec<closure::Graph<'_>> = graphs.collect();
        let mut digests = Vec::with_capacity(rows.len());
        for row in rows {
            let qtype = row.weight.as_ref().map(|w| w.qtype.as_str());
            let files = graphs.iter_mut().find_map(|graph| graph.closure(&row.source_file, qtype));
            digests.push(files.map(|files| digest::sources(&files)));
        }
        digests
    }

    /// The names of the files behind [`Sources::digests`] of a row.
    pub fn used_by(&self, row: &Row) -> Vec<String> {
        let qtype = row.weight.as_ref().map(|w| w.qtype.as_str());
        let graphs =
            self.crates.iter().map(|c| closure::Graph::new(c, &self.files, [&self.others, &self.texts]));
        let files = graphs.into_iter().find_map(|mut graph| graph.closure(&row.source_file, qtype));
        let files = files.unwrap_or_default();
        files.into_iter().map(|(name, _)| name).collect()
    }

    /// The file that a `source_file` names.
    pub fn file(&self, source_file: &str) -> Option<&SourceFile> {
        self.files.get(source_file)
    }

    /// Every file that was read, by the name that `source_file` would give it.
    pub fn files(&self) -> impl Iterator<Item = (&str, &SourceFile)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// Every text for a device: kernels, what they include, and what they are compiled to.
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.texts
    }

    /// The name of the text for a device that lies beside a source file, with its stem.
    pub fn beside(&self, source_file: &str, extension: &str) -> Option<&str> {
        let name = format!("{}.{extension}", source_file.strip_suffix(".rs")?);
        self.texts.get_key_value(&name).map(|(name, _)| name.as_str())
    }

    /// Whether something could not be read, so that no rule concludes from what is not there.
    pub fn unread(&self) -> bool {
        self.unread
    }

    /// The names of `FEATURE_NAMES` in a crate's `target.rs`: what the run-time part can detect.
    pub fn features(&self) -> Option<&BTreeSet<String>> {
        self.features.as_ref()
    }
}

/// The module at the crate's root that a file below `src` belongs to.
fn root_module(path: &str) -> &str {
    path.split_once('/').map_or(path.strip_suffix(".rs").unwrap_or(path), |(folder, _)| folder)
}

/// What the name of a file ends with that is read: Rust, the languages of devices, and tables.
const READ: [&str; 7] = [".rs", ".cu", ".cuh", ".h", ".ptx", ".wgsl", ".txt"];

/// Reads every such file below a folder; `prefix` is the folder's path below `src`, with a slash at its end. Hidden
/// files (an editor's locks among them) and linked folders, which may lead back here, are left out.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if READ.iter().any(|end| name.ends_with(end)) && entry.path().is_file() {
            let named = |e: std::io::Error| std::io::Error::new(e.kind(), format!("{prefix}{name}: {e}"));
            files.insert(format!("{prefix}{name}"), std::fs::read_to_string(entry.path()).map_err(named)?);
        }
    }
    Ok(())
}
