//! From `lib.rs` along the `mod` lines: which files a crate compiles, and under which module path.

use std::collections::BTreeMap;

use super::parse::{self, Parsed};

/// One file on the way.
pub(super) struct Visited {
    /// Module path inside the crate.
    pub(super) module: Vec<String>,
    /// The outermost module on the way that is not `pub`.
    pub(super) hidden_by: Option<String>,
    /// What the file holds, or line and message of a syntax error.
    pub(super) parsed: Result<Parsed, (usize, String)>,
}

/// Follows the `mod` lines of a crate. `files` holds texts by path below `src`; of the modules at the crate's root only
/// those in whose name `enter` is interested are followed.
pub(super) fn walk(
    files: &BTreeMap<String, String>,
    enter: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, Visited> {
    let mut visited = BTreeMap::new();
    let mut next = vec![("lib.rs".to_owned(), true, Vec::new(), None)];
    while let Some((file, owns_folder, module, hidden_by)) = next.pop() {
        let Some(text) = files.get(&file) else { continue };
        if visited.contains_key(&file) {
            continue;
        }
        let parsed = parse::file(text);
        for line in parsed.iter().flat_map(|p| &p.modules) {
            if module.is_empty() && !enter(&line.path[0]) {
                continue;
            }
            let child = [module.as_slice(), &line.path].concat();
            let hidden_by = hidden_by.clone().or_else(|| line.hidden_by.clone());
            let (path, owns_folder) = locate(files, &file, owns_folder, line);
            next.push((path, owns_folder, child, hidden_by));
        }
        visited.insert(file, Visited { module, hidden_by, parsed });
    }
    visited
}

/// The file of a `mod` line, and whether the modules inside it lie in its own folder (`mod.rs`, `#[path]`) rather than
/// in one named after it.
fn locate(
    files: &BTreeMap<String, String>,
    parent: &str,
    owns_folder: bool,
    line: &parse::ModLine,
) -> (String, bool) {
    let (folder, name) = parent.rsplit_once('/').unwrap_or(("", parent));
    let mut base: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let (name_of_module, inline) = line.path.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
    if !owns_folder && (line.file.is_none() || !inline.is_empty()) {
        base.push(name.strip_suffix(".rs").unwrap_or(name));
    }
    base.extend(inline.iter().map(String::as_str));
    if let Some(path) = &line.file {
        for part in path.split('/') {
            match part {
                "." => {}
                ".." => _ = base.pop(),
                part => base.push(part),
            }
        }
        return (base.join("/"), true);
    }
    base.push(name_of_module);
    let stem = base.join("/");
    let flat = format!("{stem}.rs");
    if files.contains_key(&flat) { (flat, false) } else { (format!("{stem}/mod.rs"), true) }
}
