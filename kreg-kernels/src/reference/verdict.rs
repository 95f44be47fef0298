//! Whether results may stand: every output against its own bound.

use std::fmt;

/// Results held to their bounds, output by output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Margins `|got - exact| / bound` of the finite outputs; a bound of zero gives 0 on equality and infinity otherwise.
    margins: Vec<f64>,
    /// Squares of the errors and of the exact values.
    squares: [f64; 2],
    /// Largest `|got - exact|`, and largest share of it in the largest exact value of its call.
    errors: [f64; 2],
    /// The first output that broke the rules of NaN and infinity.
    odd: Option<Odd>,
}

/// An output whose kind is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Odd {
    at: usize,
    got: f32,
    exact: f64,
}

/// Why results may not stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// An output is further off than its bound: where, and by which multiple.
    Outside {
        /// Number of the output over all calls.
        at: usize,
        /// Error over bound.
        margin: f64,
    },
    /// NaN or infinity where the definition has another kind of number.
    NotFinite {
        /// Number of the output over all calls.
        at: usize,
        /// What came out.
        got: f32,
        /// What the definition gives.
        exact: f64,
    },
    /// Nothing was compared.
    Nothing,
}

impl Verdict {
    /// Adds the outputs of one call.
    ///
    /// NaN must be where the definition has it and nowhere else; so must each infinity, where an exact value too large
    /// for f32 counts as one.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn add(&mut self, got: &[f32], exact: &[f64], bound: &[f64]) {
        assert!(got.len() == exact.len() && got.len() == bound.len(), "one bound and one result per output");
        let finite = exact.iter().filter(|y| y.is_finite());
        let largest = finite.fold(0.0f64, |max, y| max.max(y.abs()));
        for ((&got, &exact), &bound) in got.iter().zip(exact).zip(bound) {
            let at = self.margins.len();
            let rounded = exact as f32;
            if !rounded.is_finite() || !got.is_finite() {
                let same = if rounded.is_nan() { got.is_nan() } else { got == rounded };
                if !same && self.odd.is_none() {
                    self.odd = Some(Odd { at, got, exact });
                }
                self.margins.push(0.0);
                continue;
            }
            let error = (f64::from(got) - exact).abs();
            self.margins.push(match bound {
                0.0 if error == 0.0 => 0.0,
                0.0 => f64::INFINITY,
                bound => error / bound,
            });
            self.squares[0] += error * error;
            self.squares[1] += exact * exact;
            self.errors[0] = self.errors[0].max(error);
            self.errors[1] = self.errors[1].max(if largest > 0.0 { error / largest } else { error });
        }
    }

    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.margins.len()
    }

    /// Whether nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.margins.is_empty()
    }

    /// The largest margin and where it is.
    pub fn max(&self) -> (f64, usize) {
        let worse = |worst: (f64, usize), (at, &m): (usize, &f64)| if m > worst.0 { (m, at) } else { worst };
        self.margins.iter().enumerate().fold((0.0, 0), worse)
    }

    /// The 99.9th percentile of the margins, nearest rank.
    pub fn p999(&self) -> f64 {
        let mut sorted = self.margins.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() as f64 * 0.999).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    /// Normalised mean squared error, for information: one bad output drowns in many good ones.
    pub fn nmse(&self) -> f64 {
        if self.squares[0] == 0.0 { 0.0 } else { self.squares[0] / self.squares[1] }
    }

    /// The largest error.
    pub fn max_abs(&self) -> f64 {
        self.errors[0]
    }

    /// The largest error as a share of the largest exact value of its call.
    pub fn max_rel(&self) -> f64 {
        self.errors[1]
    }

    /// Whether the results may stand.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn pass(&self) -> Result<(), Failure> {
        if let Some(Odd { at, got, exact }) = self.odd {
            return Err(Failure::NotFinite { at, got, exact });
        }
        match self.max() {
            _ if self.is_empty() => Err(Failure::Nothing),
            (margin, at) if margin > 1.0 => Err(Failure::Outside { at, margin }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { at, margin } => write!(f, "output {at} is off by {margin:.3e} times its bound"),
            Self::NotFinite { at, got, exact } => {
                write!(f, "output {at} is {got}, and exactly it is {exact}")
            }
            Self::Nothing => f.write_str("nothing was compared"),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(got: &[f32], exact: &[f64], bound: f64) -> Verdict {
        let mut verdict = Verdict::default();
        verdict.add(got, exact, &vec![bound; got.len()]);
        verdict
    }

    #[test]
    fn the_bound_is_inclusive() {
        assert_eq!(verdict(&[1.0], &[0.5], 0.5).pass(), Ok(()));
        assert_eq!(
            verdict(&[0.0, 1.0], &[0.0, 0.4], 0.5).pass(),
            Err(Failure::Outside { at: 1, margin: 1.2 })
        );
        assert_eq!(verdict(&[1.0], &[1.0], 0.0).pass(), Ok(()));
        assert!(verdict(&[1.0], &[1.0 + 1e-12], 0.0).pass().is_err());
        assert_eq!(Verdict::default().pass(), Err(Failure::Nothing));
    }

    #[test]
    fn kinds_must_agree() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (got, exact, right) in [
            (f32::NAN, nan, true),
            (f32::NAN, 1.0, false),
            (1.0, nan, false),
            (f32::INFINITY, inf, true),
            (f32::NEG_INFINITY, inf, false),
            (f32::INFINITY, 1e39, true),
            (f32::MAX, 1e39, false),
            (f32::INFINITY, 1.0, false),
            (f32::NAN, inf, false),
        ] {
            assert_eq!(verdict(&[got], &[exact], 1e30).pass().is_ok(), right, "{got} {exact}");
        }
    }

    /// One bad tile in many outputs: the mean does not see it, the margin does.
    #[test]
    fn one_bad_output_is_seen() {
        let exact = vec![1.0; 100_000];
        let mut got = vec![1.0f32; 100_000];
        got[5] = 1.001;
        let v = verdict(&got, &exact, 1e-4);
        assert!(v.nmse() < 1e-7 && v.p999() == 0.0 && v.max_rel() > 9e-4);
        assert!(v.max().1 == 5 && v.pass().is_err());
    }
}
