//! What issue 3 asks for, as a table.

use crate::case::Case;

/// What a bound compares kreg with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The faster of ggml's buffers.
    Ggml,
    /// candle-core.
    Candle,
    /// aprender-serve.
    Aprender,
    /// The machine's limit.
    Limit,
    /// `m` calls with one activation row.
    OneRow,
}

/// One line of the table: a ratio to reach.
pub struct Bound {
    /// What the id of kreg's row must hold for the bound to apply.
    level: &'static str,
    m: &'static [usize],
    threads: &'static [usize],
    applies: fn(&Case) -> bool,
    against: Against,
    at_least: f64,
    /// Over the geometric mean of all cases, instead of over each.
    mean: bool,
}

use Against::{Aprender, Candle, Ggml, Limit, OneRow};

const ANY: fn(&Case) -> bool = |_| true;
const FAST_GRIDS: fn(&Case) -> bool = |c| ["IQ2_XXS", "IQ3_XXS", "IQ3_S"].contains(&c.qtype.as_str());
const FLOATS: fn(&Case) -> bool = |c| ["F32", "F16", "BF16"].contains(&c.qtype.as_str());
const BITS_4_AND_5: fn(&Case) -> bool = |c| (4.0..6.5).contains(&c.bits());
const AVX512: &str = "avx512";

#[rustfmt::skip]
const BOUNDS: [Bound; 18] = [
    Bound { level: AVX512, m: &[1],           threads: &[1],    applies: ANY,                        against: Ggml,   at_least: 1.1,  mean: false },
    Bound { level: AVX512, m: &[1],           threads: &[1],    applies: ANY,                        against: Ggml,   at_least: 1.8,  mean: true },
    Bound { level: AVX512, m: &[1],           threads: &[1],    applies: FAST_GRIDS,                 against: Ggml,   at_least: 3.0,  mean: false },
    Bound { level: AVX512, m: &[1],           threads: &[1],    applies: |c| c.qtype == "IQ2_S",     against: Ggml,   at_least: 1.9,  mean: false },
    Bound { level: AVX512, m: &[1],           threads: &[2],    applies: ANY,                        against: Ggml,   at_least: 1.0,  mean: false },
    Bound { level: AVX512, m: &[1],           threads: &[2],    applies: ANY,                        against: Ggml,   at_least: 1.4,  mean: true },
    Bound { level: AVX512, m: &[1],           threads: &[2],    applies: |c| c.bits() >= 4.0,        against: Limit,  at_least: 0.9,  mean: false },
    Bound { level: AVX512, m: &[512],         threads: &[1, 2], applies: ANY,                        against: Ggml,   at_least: 1.2,  mean: false },
    Bound { level: AVX512, m: &[512],         threads: &[1, 2], applies: ANY,                        against: Ggml,   at_least: 2.0,  mean: true },
    Bound { level: AVX512, m: &[512],         threads: &[1, 2], applies: FLOATS,                     against: Limit,  at_least: 0.85, mean: false },
    Bound { level: AVX512, m: &[512],         threads: &[1, 2], applies: |c| c.limit == "vnni" && c.qtype != "Q2_K", against: Limit, at_least: 0.65, mean: false },
    Bound { level: AVX512, m: &[512],         threads: &[1, 2], applies: |c| c.qtype == "Q2_K",      against: Limit,  at_least: 0.6,  mean: false },
    Bound { level: AVX512, m: &[2, 4, 8, 16], threads: &[1, 2], applies: ANY,                        against: Ggml,   at_least: 1.1,  mean: false },
    Bound { level: AVX512, m: &[8],           threads: &[1, 2], applies: ANY,                        against: Ggml,   at_least: 2.0,  mean: false },
    Bound { level: AVX512, m: &[2, 4, 8, 16], threads: &[1, 2], applies: ANY,                        against: OneRow, at_least: 1.0,  mean: false },
    Bound { level: AVX512, m: &[1],           threads: &[1],    applies: ANY,                        against: Aprender, at_least: 1.5, mean: false },
    Bound { level: ".avx2",m: &[1],           threads: &[1, 2], applies: ANY,                        against: Candle, at_least: 1.0,  mean: false },
    Bound { level: ".avx2",m: &[512],         threads: &[1, 2], applies: BITS_4_AND_5,               against: Ggml,   at_least: 1.0,  mean: false },
];

/// Whether a bound is held, and by what.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What kreg was compared with.
    pub against: Against,
    /// The ratio that was measured.
    pub found: f64,
    /// The ratio to reach.
    pub at_least: f64,
}

impl Verdict {
    /// Whether the bound is held.
    pub fn holds(&self) -> bool {
        self.found >= self.at_least
    }
}

impl Bound {
    fn covers(&self, c: &Case) -> bool {
        let named = self.m.contains(&c.m) && self.threads.contains(&c.threads);
        named && c.kreg.what.contains(self.level) && (self.applies)(c)
    }

    /// The ratio that this bound is about; none where the other side was not measured.
    fn ratio(&self, c: &Case, all: &[Case]) -> Option<f64> {
        match self.against {
            Ggml => c.ratio(c.ggml.as_ref()),
            Candle => c.ratio(c.candle.as_ref()),
            Aprender => c.ratio(c.aprender.as_ref()),
            Limit => c.fraction(),
            OneRow => {
                let key = |c: &Case| (c.qtype.clone(), c.rows, c.cols, c.threads);
                let one = all.iter().find(|one| one.m == 1 && key(one) == key(c))?;
                Some(c.m as f64 * one.kreg.us / c.kreg.us)
            }
        }
    }
}

/// The verdicts on one of `all` cases.
pub fn judge(case: &Case, all: &[Case]) -> Vec<Verdict> {
    let each = BOUNDS.iter().filter(|b| !b.mean && b.covers(case));
    let verdict = |b: &Bound| {
        b.ratio(case, all).map(|found| Verdict { against: b.against, found, at_least: b.at_least })
    };
    each.filter_map(verdict).collect()
}

/// The verdict on the geometric mean of `cases`, which share shape, activation rows and threads.
pub fn judge_mean(cases: &[&Case]) -> Option<Verdict> {
    let covered = |b: &&Bound| b.mean && cases.iter().any(|c| b.covers(c));
    let bound = BOUNDS.iter().find(covered)?;
    let found = mean(cases.iter().filter_map(|c| bound.ratio(c, &[])))?;
    Some(Verdict { against: bound.against, found, at_least: bound.at_least })
}

/// The geometric mean, if there is anything to average.
pub fn mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::tests::case;

    #[test]
    fn each_bound_is_held_or_not() {
        let verdicts = |m, threads, ggml_us| {
            let case = case(m, threads, ggml_us);
            judge(&case, &[]).iter().map(|v| (v.at_least, v.holds())).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(1, 1, 111.0), [(1.1, true)]);
        assert_eq!(verdicts(1, 1, 109.0), [(1.1, false)]);
        assert_eq!(verdicts(1, 2, 109.0), [(1.0, true)]);
        assert_eq!(verdicts(8, 2, 150.0), [(1.1, true), (2.0, false)]);
        assert_eq!(verdicts(64, 1, 1.0), []);
    }

    #[test]
    fn a_batch_is_compared_with_single_rows() {
        let all = [case(1, 1, 100.0), case(2, 1, 300.0)];
        let one_row = |v: &Verdict| v.against == OneRow && v.found == 2.0 && v.holds();
        assert!(judge(&all[1], &all).iter().any(one_row));
    }

    #[test]
    fn means_are_geometric() {
        let (slow, fast) = (case(1, 1, 100.0), case(1, 1, 400.0));
        let verdict = judge_mean(&[&slow, &fast]).unwrap();
        assert!((verdict.found - 2.0).abs() < 1e-12 && verdict.at_least == 1.8 && verdict.holds());
        assert_eq!(mean([].into_iter()), None);
    }
}
