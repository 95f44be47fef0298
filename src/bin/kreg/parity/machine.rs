//! What a measurement ran on.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use kreg::kernels::Target;

/// Features that receipts list, whatever the registry's rows ask for.
const LISTED: [&str; 10] =
    ["sse4.2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512vnni", "neon", "dotprod", "i8mm"];

/// Compiler, profile and target that this program was built with.
pub(crate) const TOOLCHAIN: &str = env!("KREG_TOOLCHAIN");

/// The listed features of this CPU.
pub(crate) fn isa() -> Vec<&'static str> {
    Target::detected().features().names().filter(|name| LISTED.contains(name)).collect()
}

/// Architecture and listed features: `x86_64+avx+avx2`.
pub(crate) fn device() -> String {
    [vec![std::env::consts::ARCH], isa()].concat().join("+")
}

/// The emulator and its arguments, if `KREG_EMULATOR` names one: the program under it cannot know.
pub(crate) fn emulator() -> Option<String> {
    std::env::var("KREG_EMULATOR").ok().filter(|name| !name.is_empty())
}

/// The CPU in words, plain enough for a table.
pub(crate) fn name() -> String {
    if let Some(emulator) = emulator() {
        return plain(&emulator);
    }
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    plain(model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()))
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| (c.is_ascii_graphic() || *c == ' ') && !"|`<>[]\\".contains(*c)).collect()
}

/// The machine's own name.
pub(crate) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".into() } else { plain(name.trim()) }
}

/// The commit that is checked out, with a mark when files differ from it; `unknown` outside a repository.
pub(crate) fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let out = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let Some(head) = git(&["rev-parse", "HEAD"]) else { return "unknown".into() };
    let tracked =
        ["status", "--porcelain", "--untracked-files=no", "--", ".", ":!evidence", ":!registry.json"];
    match git(&tracked) {
        Some(changes) if changes.is_empty() => head,
        _ => format!("{head}+changes"),
    }
}

/// Now, as `2026-09-29T04:11:19Z`.
pub(crate) fn now() -> String {
    timestamp(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Seconds since 1970 as date and time. Days are counted from 1 March of year 0, so that leap days end their years.
fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        (era * 400 + year + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(timestamp(1_790_655_079), "2026-09-29T04:11:19Z");
    }

    #[test]
    fn names_fit_a_table() {
        assert_eq!(plain("a|b\nc `d`"), "abc d");
    }
}
