//! `kreg parity`: every row against its oracle, and the receipts that say how far it was off.

mod check;
mod machine;
mod measure;
mod ops;
mod oracle;
mod product;
mod project;
mod receipt;
mod sample;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args;
use project::Project;

/// Measures the rows that `args` ask for; whether all of them may stand.
pub(crate) fn run(args: &args::Parity) -> Result<bool, String> {
    let project = Project::read(&args.root)?;
    let rows = project.rows(&args.rows, args.check)?;
    let bar = ProgressBar::new(rows.len() as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}").map_err(|e| e.to_string())?;
    bar.set_style(style);
    let mut tally = Tally::default();
    if args.check {
        bar.suspend(|| println!("{}", check::HEAD));
    }
    for row in rows {
        bar.set_message(row.id.clone());
        let outcome = match project.device_of(row) {
            Err(project::Elsewhere::OtherMachine(_)) if args.rows.is_empty() => {
                tally.elsewhere += 1;
                bar.inc(1);
                continue;
            }
            Err(why) => Outcome::Skipped(format!("{}: not measured here: {why}", row.id)),
            Ok(device) => measured(&project, args, row, &device),
        };
        bar.suspend(|| tally.add(outcome));
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{}", tally.summary());
    Ok(tally.good())
}

/// What became of one row.
enum Outcome {
    Good(String),
    Bad(String),
    Skipped(String),
}

fn measured(
    project: &Project,
    args: &args::Parity,
    row: &kreg_codegen::model::Row,
    device: &kreg::cpu::Device,
) -> Outcome {
    if args.check {
        return match check::again(project, row, device) {
            Ok(line) => Outcome::Good(line),
            Err(line) => Outcome::Bad(line),
        };
    }
    let written = measure::row(project, row, device)
        .and_then(|measured| receipt::write(project, row, &measured).map(|()| measured))
        .and_then(
            |measured| if args.register { project.register(row).map(|()| measured) } else { Ok(measured) },
        );
    match written {
        Ok(m) => Outcome::Good(format!(
            "{}: {:.2e}, {:.2e} of its bound",
            row.id,
            m.served.max_rel(),
            m.verdict.max().0
        )),
        Err(why) => Outcome::Bad(format!("{}: refused: {why}", row.id)),
    }
}

#[derive(Default)]
struct Tally {
    good: usize,
    bad: usize,
    skipped: usize,
    elsewhere: usize,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Good(line) => {
                self.good += 1;
                println!("{line}");
            }
            Outcome::Bad(line) => {
                self.bad += 1;
                println!("{line}");
            }
            Outcome::Skipped(line) => {
                self.skipped += 1;
                println!("{line}");
            }
        }
    }

    fn summary(&self) -> String {
        let Self { good, bad, skipped, elsewhere } = self;
        format!("{good} rows hold, {bad} do not, {skipped} skipped, {elsewhere} are for other machines")
    }

    /// A row that this kind of machine should run and cannot is a failure where nobody reads the output.
    fn good(&self) -> bool {
        let ci = std::env::var("CI").is_ok_and(|v| v == "true");
        self.bad == 0 && self.good > 0 && !(ci && self.skipped > 0)
    }
}
