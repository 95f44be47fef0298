//! One measurement, as a line of CSV.

use std::str::FromStr;

use crate::Error;

/// The first line of the file.
pub const HEADER: &str = "type,rows,cols,m,threads,bytes,kreg_us,kreg_kernel,ggml_us,ggml_buffer,candle_us,candle_path,\
                          aprender_us,aprender_function,limit,limit_g_per_s";

/// How long an engine takes for a call, and what it is that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Median, microseconds.
    pub us: f64,
    /// A kernel's id, a buffer type, a kind of tensor.
    pub what: String,
}

/// The engines' times for `m` activation rows times a weight matrix `[rows, cols]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The registry's name of the weight type.
    pub qtype: String,
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// Activation rows.
    pub m: usize,
    /// Threads of every engine.
    pub threads: usize,
    /// Bytes of the weights.
    pub bytes: usize,
    /// kreg's time.
    pub kreg: Timing,
    /// ggml's, in the faster of its buffers; none when it lacks the type.
    pub ggml: Option<Timing>,
    /// candle's, in the faster of its ways; none when it lacks the type or was not asked.
    pub candle: Option<Timing>,
    /// aprender-serve's; none when it has no product for the type.
    pub aprender: Option<Timing>,
    /// The machine's limit that binds here, by name.
    pub limit: String,
    /// That limit in units of [`rate`](Self::rate), where it was measured.
    pub limit_rate: Option<f64>,
}

impl Case {
    /// GB/s of weights for one activation row, GFLOP/s for more.
    pub fn rate(&self, timing: &Timing) -> f64 {
        let work = if self.m == 1 { self.bytes } else { 2 * self.m * self.rows * self.cols };
        work as f64 / timing.us / 1e3
    }

    /// How many times faster than `peer` kreg is.
    pub fn ratio(&self, peer: Option<&Timing>) -> Option<f64> {
        peer.map(|peer| peer.us / self.kreg.us)
    }

    /// The part of the machine's limit that kreg reaches.
    pub fn fraction(&self) -> Option<f64> {
        self.limit_rate.map(|limit| self.rate(&self.kreg) / limit)
    }

    /// Bits per weight.
    pub fn bits(&self) -> f64 {
        self.bytes as f64 * 8.0 / (self.rows * self.cols) as f64
    }

    /// The line of CSV.
    pub fn to_csv(&self) -> String {
        let peer = |t: &Option<Timing>| t.as_ref().map_or(",".into(), |t| format!("{:.2},{}", t.us, t.what));
        format!(
            "{},{},{},{},{},{},{:.2},{},{},{},{},{},{}",
            self.qtype,
            self.rows,
            self.cols,
            self.m,
            self.threads,
            self.bytes,
            self.kreg.us,
            self.kreg.what,
            peer(&self.ggml),
            peer(&self.candle),
            peer(&self.aprender),
            self.limit,
            self.limit_rate.map_or(String::new(), |r| format!("{r:.1}"))
        )
    }

    /// Reads [`to_csv`](Self::to_csv).
    ///
    /// # Errors
    /// A line of another form.
    pub fn from_csv(line: &str) -> Result<Self, Error> {
        let f: Vec<&str> = line.split(',').collect();
        if f.len() != HEADER.split(',').count() {
            return Err(format!("not a line of {HEADER}: {line}").into());
        }
        let n = |i: usize| usize::from_str(f[i]).map_err(|why| format!("{line}: {why}"));
        let x = |i: usize| f64::from_str(f[i]).map_err(|why| format!("{line}: {why}"));
        let timing = |i: usize| match f[i] {
            "" => Ok::<_, Error>(None),
            _ => Ok(Some(Timing { us: x(i)?, what: f[i + 1].into() })),
        };
        Ok(Self {
            qtype: f[0].into(),
            rows: n(1)?,
            cols: n(2)?,
            m: n(3)?,
            threads: n(4)?,
            bytes: n(5)?,
            kreg: timing(6)?.ok_or_else(|| format!("kreg's time is missing: {line}"))?,
            ggml: timing(8)?,
            candle: timing(10)?,
            aprender: timing(12)?,
            limit: f[14].into(),
            limit_rate: if f[15].is_empty() { None } else { Some(x(15)?) },
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A case of Q8_0 at one activation row, 100 us, beside ggml's `ggml_us`.
    pub(crate) fn case(m: usize, threads: usize, ggml_us: f64) -> Case {
        Case {
            qtype: "Q8_0".into(),
            rows: 4096,
            cols: 4096,
            m,
            threads,
            bytes: 17_825_792,
            kreg: Timing { us: 100.0, what: "cpu.matvec.q8_0.x86_64.avx512f".into() },
            ggml: Some(Timing { us: ggml_us, what: "CPU".into() }),
            candle: None,
            aprender: None,
            limit: "read".into(),
            limit_rate: None,
        }
    }

    #[test]
    fn csv_comes_back() {
        let case = case(1, 2, 150.25);
        assert_eq!(Case::from_csv(&case.to_csv()).unwrap(), case);
        assert!(Case::from_csv(HEADER).is_err() && Case::from_csv("1,2").is_err());
    }

    #[test]
    fn rates_count_bytes_for_one_row_and_operations_for_more() {
        let (one, eight) = (case(1, 1, 150.0), case(8, 1, 150.0));
        assert!((one.rate(&one.kreg) - 178.25792).abs() < 1e-9);
        assert!((eight.rate(&eight.kreg) - 2684.35456).abs() < 1e-9);
        assert_eq!((one.ratio(one.ggml.as_ref()), one.ratio(None), one.bits()), (Some(1.5), None, 8.5));
    }
}
