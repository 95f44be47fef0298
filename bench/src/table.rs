//! Prints measurements and verdicts.

use std::fmt::Write;

use crate::bounds::{Against, Verdict, judge, judge_mean, mean};
use crate::case::{Case, Timing};

/// Cases that share shape, threads and activation rows, in the order in which they were measured.
pub fn groups(cases: &[Case]) -> Vec<Vec<&Case>> {
    let key = |c: &Case| (c.rows, c.cols, c.threads, c.m);
    let mut groups: Vec<Vec<&Case>> = Vec::new();
    for case in cases {
        match groups.iter_mut().find(|g| key(g[0]) == key(case)) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

/// The whole table, as text; and how many bounds are not held.
pub fn table(cases: &[Case]) -> (String, usize) {
    let (mut out, mut failed) = (String::new(), 0);
    for group in groups(cases) {
        let c = group[0];
        let unit = if c.m == 1 { "GB/s" } else { "GFLOP/s" };
        let s = if c.threads == 1 { "" } else { "s" };
        let _ = writeln!(out, "\n{} x {}, M = {}, {} thread{s}, {unit}", c.rows, c.cols, c.m, c.threads);
        let _ = writeln!(
            out,
            "{:8}{:>9}{:>9}{:>9}{:>10}{:>8}{:>9}{:>11}{:>12}  {:12}bounds",
            "type",
            "kreg",
            "ggml",
            "candle",
            "aprender",
            "/ggml",
            "/candle",
            "/aprender",
            "of limit",
            "ggml's"
        );
        for case in &group {
            let verdicts = judge(case, cases);
            failed += verdicts.iter().filter(|v| !v.holds()).count();
            out += &line(case, &verdicts);
        }
        let over = |peer: fn(&Case) -> Option<&Timing>| mean(group.iter().filter_map(|c| c.ratio(peer(c))));
        let (ggml, candle) = (over(|c| c.ggml.as_ref()), over(|c| c.candle.as_ref()));
        let aprender = over(|c| c.aprender.as_ref());
        let verdict: Vec<_> = judge_mean(&group).into_iter().collect();
        failed += verdict.iter().filter(|v| !v.holds()).count();
        let _ = writeln!(
            out,
            "{:45}{:>8}{:>9}{:>11}{:>12}  {:12}{}",
            "geometric mean",
            ratio(ggml),
            ratio(candle),
            ratio(aprender),
            "",
            "",
            pass(&verdict)
        );
    }
    (out, failed)
}

fn line(c: &Case, verdicts: &[Verdict]) -> String {
    let rate = |t: Option<&Timing>| t.map_or("-".into(), |t| format!("{:.1}", c.rate(t)));
    let limit = c.fraction().map_or("-".into(), |f| format!("{:.0} % {}", f * 100.0, c.limit));
    format!(
        "{:8}{:>9}{:>9}{:>9}{:>10}{:>8}{:>9}{:>11}{:>12}  {:12}{}\n",
        c.qtype,
        rate(Some(&c.kreg)),
        rate(c.ggml.as_ref()),
        rate(c.candle.as_ref()),
        rate(c.aprender.as_ref()),
        ratio(c.ratio(c.ggml.as_ref())),
        ratio(c.ratio(c.candle.as_ref())),
        ratio(c.ratio(c.aprender.as_ref())),
        limit,
        c.ggml.as_ref().map_or("-", |t| &t.what),
        pass(verdicts)
    )
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".into(), |r| format!("{r:.2}"))
}

/// `PASS`, or what was missed and by how much; `-` where nothing is asked.
fn pass(verdicts: &[Verdict]) -> String {
    let against = |v: &Verdict| match v.against {
        Against::Ggml => "ggml",
        Against::Candle => "candle",
        Against::Aprender => "aprender",
        Against::Limit => "limit",
        Against::OneRow => "M single rows",
    };
    let missed: Vec<String> = (verdicts.iter().filter(|v| !v.holds()))
        .map(|v| format!("{:.2} < {} {}", v.found, v.at_least, against(v)))
        .collect();
    match (verdicts.is_empty(), missed.is_empty()) {
        (true, _) => "-".into(),
        (_, true) => "PASS".into(),
        _ => format!("FAIL {}", missed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::tests::case;

    #[test]
    fn what_is_missed_is_told_and_counted() {
        let (text, failed) = table(&[case(1, 1, 200.0), case(1, 2, 90.0)]);
        assert!(text.contains("2.00") && text.contains("PASS"), "{text}");
        assert!(text.contains("FAIL 0.90 < 1 ggml"), "{text}");
        // The second case, and the mean over it.
        assert_eq!(failed, 2);
    }
}
