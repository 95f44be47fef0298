//! Where kernels lie: `src/<backend>/…`, and on the cpu `src/cpu/<level>/…`.

use crate::vocabulary::BACKEND;

/// Levels of the cpu, with the architecture whose rows may name a kernel there.
static LEVELS: &[(&str, &str)] = &[
    ("portable", "any"),
    ("exact", "any"),
    ("avx2", "x86_64"),
    ("avx512", "x86_64"),
    ("neon", "aarch64"),
    ("neon_dotprod", "aarch64"),
];

/// What the place of a source file says of its kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout<'a> {
    pub(crate) backend: &'a str,
    /// Level and its architecture, on the cpu.
    pub(crate) level: Option<(&'a str, &'static str)>,
}

/// The layout of a `source_file`; `None` for one that does not lie in a folder of kernels.
pub(crate) fn layout(source_file: &str) -> Option<Layout<'_>> {
    let mut parts = source_file.split_once("/src/")?.1.split('/');
    let backend = parts.next().filter(|name| BACKEND.get(name).is_some())?;
    if backend != "cpu" {
        return Some(Layout { backend, level: None });
    }
    let level = parts.next()?;
    let arch = LEVELS.iter().find(|(name, _)| *name == level)?.1;
    Some(Layout { backend, level: Some((level, arch)) })
}
