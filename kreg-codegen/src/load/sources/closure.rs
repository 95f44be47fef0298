//! Everything in its crate that a kernel's file uses: what a measurement of the kernel depends on.
//!
//! From the file along its paths, through re-exports, to the files that define what they name. A file joins as well when
//! it implements, for the row's weight type or for a type that has joined, a trait that has: generic code reaches it
//! without naming it.

use std::collections::{BTreeMap, BTreeSet};

use super::uses::{self, Uses, Written};
use super::{SourceCrate, SourceFile};
use crate::facts;

/// The files of one crate by path below `src`, ready to be followed.
pub(super) struct Graph<'s> {
    prefix: String,
    texts: BTreeMap<&'s str, &'s str>,
    /// Files by module path; the root is the empty one.
    modules: BTreeMap<Vec<String>, &'s str>,
    of_file: BTreeMap<&'s str, Vec<String>>,
    scanned: BTreeMap<&'s str, Uses>,
    /// What was worked out before: rows share most of their files.
    links: BTreeMap<&'s str, Links<'s>>,
    bonds: Option<Vec<Bond<'s>>>,
}

/// Where a file's paths lead, and the weight types that it calls functions of.
#[derive(Clone, Default)]
struct Links<'s> {
    files: BTreeSet<&'s str>,
    markers: BTreeSet<String>,
}

/// One trait implementation: its file, and what must be reached for it to join.
struct Bond<'s> {
    file: &'s str,
    of: BTreeSet<&'s str>,
    on: On<'s>,
}

/// The type of an implementation.
enum On<'s> {
    Marker(&'static str),
    DefinedIn(BTreeSet<&'s str>),
}

impl<'s> Graph<'s> {
    /// The graph of a crate, from all files that were read.
    pub(super) fn new(
        source: &SourceCrate,
        files: &'s BTreeMap<String, SourceFile>,
        others: [&'s BTreeMap<String, String>; 2],
    ) -> Self {
        let prefix = format!("{}/src/", source.name);
        let texts = files.iter().map(|(name, file)| (name.as_str(), file.text.as_str()));
        let texts =
            texts.chain(others.into_iter().flatten().map(|(name, text)| (name.as_str(), text.as_str())));
        let texts: BTreeMap<&str, &str> =
            texts.filter_map(|(name, text)| Some((name.strip_prefix(&prefix)?, text))).collect();
        let (mut modules, mut of_file) = (BTreeMap::new(), BTreeMap::new());
        for path in texts.keys().copied().filter(|path| path.ends_with(".rs")) {
            let known = files.get(&format!("{prefix}{path}")).filter(|file| file.compiled);
            let module = known.map_or_else(|| usual_module(path), |file| file.module.clone());
            modules.insert(module.clone(), path);
            of_file.insert(path, module);
        }
        let scanned = files
            .iter()
            .filter_map(|(name, file)| Some((name.as_str().strip_prefix(&prefix)?, file.uses.clone())));
        let (links, bonds) = (BTreeMap::new(), None);
        Self { scanned: scanned.collect(), prefix, texts, modules, of_file, links, bonds }
    }

    /// The names of the files behind a row, with their texts, sorted; `None` when its file is not in this crate.
    pub(super) fn closure(
        &mut self,
        source_file: &str,
        qtype: Option<&str>,
    ) -> Option<Vec<(String, &'s str)>> {
        let start = source_file.strip_prefix(&self.prefix)?;
        let (&start, _) = self.texts.get_key_value(start)?;
        let mut reached = BTreeSet::from([start]);
        let mut markers: BTreeSet<String> = qtype.map(str::to_owned).into_iter().collect();
        let mut next = vec![start];
        loop {
            while let Some(file) = next.pop() {
                let links = self.links_of(file);
                markers.extend(links.markers.iter().cloned());
                next.extend(links.files.iter().filter(|file| reached.insert(file)));
            }
            next.extend(self.implementors(&reached, &markers));
            reached.extend(&next);
            if next.is_empty() {
                break;
            }
        }
        let named = |file: &&'s str| (format!("{}{file}", self.prefix), self.texts[file]);
        Some(reached.iter().map(named).collect())
    }

    fn links_of(&mut self, file: &'s str) -> &Links<'s> {
        if !self.links.contains_key(file) {
            let links = self.follow_paths(file);
            self.links.insert(file, links);
        }
        &self.links[file]
    }

    fn follow_paths(&mut self, file: &'s str) -> Links<'s> {
        let mut links = Links::default();
        let Some(module) = self.of_file.get(file).cloned() else { return links };
        let uses = self.uses(file).clone();
        for path in &uses.paths {
            if let [marker, _] = &path.segments[..]
                && facts::by_name(marker).is_some()
            {
                links.markers.insert(marker.clone());
            }
            self.resolve(&module, path, 0, &mut links.files);
        }
        for name in &uses.included {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = join(folder, name);
            links.files.extend(self.texts.get_key_value(path.as_str()).map(|(path, _)| *path));
        }
        links
    }

    fn uses(&mut self, file: &'s str) -> &Uses {
        let text = self.texts.get(file).copied().unwrap_or_default();
        self.scanned.entry(file).or_insert_with(|| text.parse().map(uses::scan).unwrap_or_default())
    }

    /// Adds the files that a path leads to, from a module and its inline modules.
    fn resolve(&mut self, module: &[String], path: &Written, depth: usize, found: &mut BTreeSet<&'s str>) {
        let mut at = [module, &path.inline].concat();
        let mut segments = path.segments.iter().peekable();
        match segments.peek().map(|s| s.as_str()) {
            Some("crate") => {
                at.clear();
                segments.next();
            }
            Some("self" | "super") => {
                while let Some(word) = segments.next_if(|s| *s == "self" || *s == "super") {
                    if word == "super" {
                        at.pop();
                    }
                }
            }
            // A name of this module, or of another crate.
            _ => {}
        }
        let rest: Vec<String> = segments.cloned().collect();
        let local = rest.len() == path.segments.len();
        self.follow(at, &rest, local, depth, found);
    }

    /// Walks down from a module. `local` paths may also begin with another crate's name, and then lead nowhere.
    fn follow(
        &mut self,
        mut at: Vec<String>,
        segments: &[String],
        local: bool,
        depth: usize,
        found: &mut BTreeSet<&'s str>,
    ) {
        for (i, name) in segments.iter().enumerate() {
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                at = child;
                continue;
            }
            let Some(&file) = self.modules.get(&at) else { return };
            let uses = self.uses(file);
            let (binding, handed_on) = (uses.bindings.get(name).cloned(), uses.handed_on.contains(name));
            // From elsewhere a private import is not to be seen, so the name may be that of an item beside it.
            if binding.is_some() && !handed_on && !(local && i == 0) {
                found.insert(file);
            }
            match binding {
                // A re-export: on to what it names. Circles end.
                Some(mut written) if depth < 8 => {
                    written.segments.extend_from_slice(&segments[i + 1..]);
                    let own = self.of_file[file].clone();
                    return self.resolve(&own, &written, depth + 1, found);
                }
                _ if local && i == 0 => return,
                _ => _ = found.insert(file),
            }
            return;
        }
    }

    /// Files not yet reached that implement a reached trait for a marker or for a reached type.
    fn implementors(&mut self, reached: &BTreeSet<&'s str>, markers: &BTreeSet<String>) -> Vec<&'s str> {
        let bonds = self.bonds.take().unwrap_or_else(|| self.find_bonds());
        let meets = |files: &BTreeSet<&str>| files.iter().any(|file| reached.contains(file));
        let joins = |bond: &&Bond<'s>| {
            let on = match &bond.on {
                On::Marker(name) => markers.contains(*name),
                On::DefinedIn(files) => meets(files),
            };
            on && !reached.contains(bond.file) && meets(&bond.of)
        };
        let joining = bonds.iter().filter(joins).map(|bond| bond.file).collect();
        self.bonds = Some(bonds);
        joining
    }

    fn find_bonds(&mut self) -> Vec<Bond<'s>> {
        let files: Vec<&'s str> = self.of_file.keys().copied().collect();
        let mut bonds = Vec::new();
        for file in files {
            // Scanning what cannot matter is saved: most files implement nothing.
            if !self.scanned.contains_key(file) && !self.texts[file].contains("impl") {
                continue;
            }
            let module = self.of_file[file].clone();
            for i in self.uses(file).impls.clone() {
                let on = match i.on.last().and_then(|name| facts::by_name(name)) {
                    Some(fact) => On::Marker(fact.name),
                    None => On::DefinedIn(self.defined_in(&module, i.on)),
                };
                bonds.push(Bond { file, of: self.defined_in(&module, i.of), on });
            }
        }
        bonds
    }

    /// Where a path in a module, or a name that the module imports, leads.
    fn defined_in(&mut self, module: &[String], segments: Vec<String>) -> BTreeSet<&'s str> {
        let mut found = BTreeSet::new();
        self.resolve(module, &Written { inline: Vec::new(), segments }, 0, &mut found);
        found
    }
}

/// The module that a file is by its place.
fn usual_module(path: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

/// A relative path from a folder.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
