//! Draws measurements as an SVG: one panel for each number of activation rows and threads, one bar for each engine.

use std::fmt::Write;

use crate::case::Case;
use crate::table::groups;

const WIDTH: usize = 720;
/// Where bars begin, and how long the longest is.
const LEFT: f64 = 80.0;
const LONGEST: f64 = 600.0;
const BAR: f64 = 5.0;
const TYPE: f64 = (ENGINES.len() as f64 + 1.0) * BAR;
const TITLE: f64 = 40.0;
const ENGINES: [(&str, &str); 4] =
    [("kreg", "#c2410c"), ("ggml", "#64748b"), ("candle", "#cbd5e1"), ("aprender", "#d6c7a1")];

/// The picture.
pub fn svg(cases: &[Case]) -> String {
    let (mut body, mut top) = (String::new(), 0.0);
    for group in groups(cases) {
        panel(&mut body, top, &group);
        top += TITLE + TYPE * group.len() as f64;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{top}\" viewBox=\"0 0 {WIDTH} {top}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// One table's bars from `top` down; a line where the machine's limit is.
fn panel(out: &mut String, top: f64, group: &[&Case]) {
    let c = group[0];
    let unit = if c.m == 1 { "GB/s" } else { "GFLOP/s" };
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{} x {}, M = {}, threads = {}, {unit}</text>",
        top + 20.0,
        c.rows,
        c.cols,
        c.m,
        c.threads
    );
    for (i, (name, colour)) in ENGINES.iter().enumerate() {
        let (x, y) = (LEFT + 350.0 + 65.0 * i as f64, top + 12.0);
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"9\" height=\"9\" fill=\"{colour}\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{name}</text>", x + 13.0, y + 8.0);
    }
    let rates = |c: &Case| {
        [Some(&c.kreg), c.ggml.as_ref(), c.candle.as_ref(), c.aprender.as_ref()].map(|t| t.map(|t| c.rate(t)))
    };
    let longest =
        group.iter().flat_map(|c| rates(c).into_iter().flatten().chain(c.limit_rate)).fold(0.0, f64::max);
    let scale = LONGEST / longest;
    for (i, case) in group.iter().enumerate() {
        let y = top + TITLE - 10.0 + TYPE * i as f64;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 12.0,
            case.qtype
        );
        for (j, (rate, (_, colour))) in rates(case).iter().zip(ENGINES).enumerate() {
            let Some(rate) = rate else { continue };
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>",
                y + BAR * j as f64,
                rate * scale
            );
        }
        if let Some(limit) = case.limit_rate {
            let x = LEFT + limit * scale;
            let _ = writeln!(
                out,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{y}\" y2=\"{}\" stroke=\"black\"/>",
                y + ENGINES.len() as f64 * BAR
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::tests::case;

    #[test]
    fn bars_are_as_long_as_rates() {
        let svg = svg(&[case(1, 1, 200.0)]);
        assert!(svg.contains("width=\"600.0\"") && svg.contains("width=\"300.0\""), "{svg}");
    }
}
