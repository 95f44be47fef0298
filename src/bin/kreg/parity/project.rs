//! The project on disk: the registry as it is now, and what measurements depend on.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kreg::cpu::Device;
use kreg::kernels::{Refusal, Target};
use kreg::{Backend, KernelId};
use kreg_codegen::load;
use kreg_codegen::load::sources::{SourceCrate, Sources};
use kreg_codegen::model::Row;

/// The crates that hold kernels, by the name that `source_file` begins with.
const CRATES: [&str; 1] = ["kreg-kernels"];

/// A checkout.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    rows: Vec<Row>,
    digests: BTreeMap<String, String>,
}

/// Why a row cannot be measured here.
pub(crate) enum Elsewhere {
    /// It is for another architecture or a device that this program does not drive.
    OtherMachine(String),
    /// It is for this kind of machine, which lacks something.
    Missing(Refusal),
    /// This program was built from another registry.
    Unknown,
}

impl Project {
    /// Reads registry and kernel sources.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let path = root.join("registry.json");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (registry, findings) = load::registry("registry.json", &text);
        if let Some(finding) = findings.first() {
            return Err(finding.to_string());
        }
        let source = |name: &&str| SourceCrate {
            name: (*name).into(),
            src: root.join(name).join("src"),
            path: String::new(),
        };
        let crates: Vec<SourceCrate> = CRATES.iter().map(source).collect();
        let (sources, findings) = Sources::read(&crates, &registry.rows);
        if let Some(finding) = findings.first() {
            return Err(finding.to_string());
        }
        let all: Vec<&Row> = registry.rows.iter().collect();
        let digests = all.iter().zip(sources.digests(&all));
        let digests = digests.filter_map(|(row, digest)| Some((row.id.clone(), digest?))).collect();
        Ok(Self { root: root.to_path_buf(), rows: registry.rows, digests })
    }

    /// The rows that fit one of `patterns` (all when there is none), and have a receipt if they must be `measured`.
    pub(crate) fn rows(&self, patterns: &[String], measured: bool) -> Result<Vec<&Row>, String> {
        for pattern in patterns {
            if !self.rows.iter().any(|row| fits(pattern, &row.id)) {
                return Err(format!("no row is called {pattern}"));
            }
        }
        let wanted =
            |row: &&Row| patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, &row.id));
        let ready = |row: &&Row| !measured || row.receipt().is_some();
        Ok(self.rows.iter().filter(wanted).filter(ready).collect())
    }

    /// The digest of everything that a row's source file uses.
    pub(crate) fn source_digest(&self, row: &Row) -> Result<&str, String> {
        self.digests
            .get(&row.id)
            .map(String::as_str)
            .ok_or_else(|| format!("{} is not there", row.source_file))
    }

    /// This CPU, described so that exactly this row is selected.
    pub(crate) fn device_of(&self, row: &Row) -> Result<Device, Elsewhere> {
        let Some(id) = KernelId::from_name(&row.id) else { return Err(Elsewhere::Unknown) };
        let known = id.row();
        if id.backend() != Backend::Cpu {
            return Err(Elsewhere::OtherMachine(format!(
                "{} devices are measured by their own tests",
                known.backend
            )));
        }
        if !["any", std::env::consts::ARCH].contains(&known.arch) {
            return Err(Elsewhere::OtherMachine(format!("it is for {}", known.arch)));
        }
        Device::new(Target::new(known.arch, known.isa_features.union(known.requires)))
            .map_err(Elsewhere::Missing)
    }

    /// Names the receipt of a row in registry.json.
    pub(crate) fn register(&self, row: &Row) -> Result<(), String> {
        let path = self.root.join("registry.json");
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
        let (old, new) = (format!("{:?}", row.tolerance), format!("{:?}", super::receipt::path(&row.id)));
        let edit = |(i, line): (usize, &str)| match i + 1 == row.line {
            true => line.replacen(&format!("\"tolerance\": {old}"), &format!("\"tolerance\": {new}"), 1),
            false => line.to_owned(),
        };
        let lines: String = text.split_inclusive('\n').enumerate().map(edit).collect();
        if old != new && lines == text {
            return Err(format!("registry.json:{} has no tolerance {old} to replace", row.line));
        }
        replace(&path, &lines).map_err(|e| e.to_string())
    }
}

/// Writes a file whole or not at all: what was there stays until all of the new text is on the disk.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
    if written.is_err() {
        _ = std::fs::remove_file(&new);
    }
    written
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMachine(why) => f.write_str(why),
            Self::Missing(refusal) => refusal.fmt(f),
            Self::Unknown => f.write_str("this program was built from a registry without it; build it again"),
        }
    }
}

/// Whether an id fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == id,
        Some((head, tail)) => id.strip_prefix(head).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
            starts.into_iter().any(|i| fits(tail, &rest[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, right) in [
            ("cpu.gelu.f32", true),
            ("cpu.*", true),
            ("*gelu*", true),
            ("*", true),
            ("cpu.*.f16", false),
            ("cpu", false),
        ] {
            assert_eq!(fits(pattern, "cpu.gelu.f32"), right, "{pattern}");
        }
    }
}
