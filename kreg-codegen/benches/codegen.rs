//! What the generator costs: time and peak memory from registry text to module text, for 80, 1,000 and 10,000 rows.
//!
//! ```sh
//! cargo bench -p kreg-codegen
//! ```
//!
//! Each size runs in a process of its own, so that its peak memory is its own. The rows are those of the starting
//! document, repeated for as many made-up machines as it takes. Sources are off: reading them does not depend on the
//! number of rows, and `scripts/cold-build.sh` times a whole build.

use std::process::Command;
use std::time::Instant;

use kreg_codegen::Builder;

const START: &str = include_str!("../fixtures/apr-kernel-registry-v1.json");
const SIZES: [usize; 3] = [80, 1_000, 10_000];
const ROUNDS: usize = 5;

fn main() {
    match std::env::var("KREG_BENCH_ROWS") {
        Ok(rows) => one(rows.parse().expect("a number of rows")),
        Err(_) => all(),
    }
}

/// One size in this process: a line of the table.
fn one(rows: usize) {
    let folder = std::env::temp_dir().join(format!("kreg-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let registry = folder.join("registry.json");
    std::fs::write(&registry, document(rows)).expect("a temporary file");
    let (mut best, mut bytes) = (f64::MAX, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let made = Builder::new(&registry).tables_only().generate().expect("the document is sound");
        best = best.min(start.elapsed().as_secs_f64());
        bytes = made.module.len();
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    println!("{rows:>8}{:>12.1}{:>12.2}{:>14}", best * 1e3, best * 1e6 / rows as f64, bytes / 1024);
    println!("{}", peak_kib().map_or_else(|| "-".into(), |kib| format!("{:.0}", kib as f64 / 1024.0)));
}

/// Every size, each in a child process.
fn all() {
    let me = std::env::current_exe().expect("a path of our own");
    println!("{:>8}{:>12}{:>12}{:>14}{:>12}", "rows", "best ms", "us/row", "module KiB", "peak MiB");
    for rows in SIZES {
        let child =
            Command::new(&me).env("KREG_BENCH_ROWS", rows.to_string()).output().expect("a child process");
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        let text = String::from_utf8_lossy(&child.stdout);
        let (line, peak) = text.trim_end().split_once('\n').expect("two lines");
        println!("{line}{peak:>12}");
    }
}

/// The starting document with kernel rows added until it has `rows` rows.
fn document(rows: usize) -> String {
    let (head, rest) = START.split_once("\"kernels\": [\n").expect("a kernels array");
    let (kernels, ops) = rest.split_once("],\n\"ops\": [\n").expect("an ops array");
    let devices: Vec<&str> =
        kernels.trim_end().split(",\n{").filter(|row| row.contains("\"cuda\"")).collect();
    let more = (0..rows.saturating_sub(80)).map(|i| {
        let row = devices[i % devices.len()].trim_start_matches('{');
        let machine = format!("sm_{}", 1000 + i / devices.len());
        let id = row.split('"').nth(3).expect("kernel_id comes first");
        let row = row.replacen(&format!("\"{id}\""), &format!("\"{id}.{machine}\""), 1);
        let row = row.replace("\"arch\": \"any\"", &format!("\"arch\": \"{machine}\""));
        // A label names one row of a backend.
        let row = match (row.find(",\n\"labels\""), row.rfind('}')) {
            (Some(start), Some(end)) => format!("{}\n{}", &row[..start], &row[end..]),
            _ => row,
        };
        format!(",\n{{{row}")
    });
    format!("{head}\"kernels\": [\n{}{}\n],\n\"ops\": [\n{ops}", kernels.trim_end(), more.collect::<String>())
}

/// The largest resident size of this process so far, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}
