//! Products with a weight matrix: against gguf-py's answers, and on seeded inputs of more shapes against float64 over the
//! reference decoder.

use kreg::cpu::{Device, Weights};
use kreg::kernels::Workspace;
use kreg::kernels::reference::decode::{self, Format, Order};
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::reference::{Products, Verdict, bound, dot, quantised, rounded_to_bf16};
use kreg::{KernelId, Path};
use kreg_codegen::model::Row;
use serde_json::{Value, json};

use super::measure::Measured;
use super::oracle::Oracle;
use super::project::Project;

/// Weight rows of the seeded inputs: odd, so that panels end early.
const ROWS: usize = 37;
/// Numbers of activation rows: the product with one has code of its own, and so has that with a few.
const M: [usize; 3] = [1, 3, 17];
/// Activation rows of the long input, and its weight rows: K is divided in blocks only above 64.
const LONG: [usize; 2] = [65, 1];
/// Seed of the seeded inputs.
const SEED: u64 = 4539;
/// Precisions whose oracle this program has.
const PRECISIONS: [&str; 4] = ["f32", "q8_0", "q8_k", "bf16"];

/// Measures one kernel row.
pub(super) fn measure(
    project: &Project,
    row: &Row,
    qtype: &str,
    device: &Device,
) -> Result<Measured, String> {
    let id = KernelId::from_name(&row.id).ok_or("no such row in this program")?;
    let format = decode::format(qtype).ok_or_else(|| format!("there is no reference decoder of {qtype}"))?;
    let qtype = id.qtype().ok_or("the row has no weight type in this program")?;
    let path = kreg::admit(id.op(), id.backend(), qtype).map_err(|e| e.to_string())?;
    let kernel = Kernel { id, path, device, declared: &row.precision };
    if !PRECISIONS.contains(&kernel.declared) {
        return Err(format!("there is no oracle for activations in {}", row.precision));
    }
    let mut found = Found::default();
    let flat = matches!(format.order, Order::Flat(_));
    let (oracle, identity, fixture) = if flat {
        ("apr_format_decode_f64", format!("apr_format_decode_f64:{}", format.name), Value::Null)
    } else {
        let oracle = Oracle::read(&project.root, format)?;
        gguf_py(&kernel, &oracle, &mut found)?;
        let fixture = json!({
            "dir": format!("evidence/kreg/oracle/{}", format.name),
            "gguf_py": oracle.meta["gguf_py"],
            "gguf_py_quants_sha256": oracle.meta["gguf_py_quants_sha256"],
            "sha256": oracle.meta["sha256"],
        });
        ("gguf_py_dequant_f64", oracle.identity, fixture)
    };
    let cols = seeded_cols(format);
    seeded(&kernel, format, cols, &mut found)?;
    long(&kernel, format, &mut found)?;
    found.honest(&kernel)?;
    let workload = json!({
        "gguf_py": if flat { Value::Null } else { json!({ "m": M }) },
        "seeded": { "in_dim": cols, "out_dim": ROWS, "m": M, "seed": SEED, "trials": KINDS.len() },
        "long": { "in_dim": long_cols(format), "out_dim": LONG[1], "m": [LONG[0], 1], "seed": SEED + 1 },
    });
    let coarse = kernel.declared != "f32";
    Ok(Measured {
        verdict: found.declared,
        served: found.served,
        coarse,
        oracle,
        identity,
        workload,
        fixture,
    })
}

/// A row and where it runs.
struct Kernel<'k> {
    id: KernelId,
    path: Path,
    device: &'k Device,
    declared: &'k str,
}

/// What came out, against each thing that it could be.
#[derive(Default)]
struct Found {
    declared: Verdict,
    served: Verdict,
    /// Against the bound at each of [`PRECISIONS`], on ordinary inputs only.
    each: [Verdict; 4],
}

impl Found {
    /// Precision honesty: results fit the precision that the row declares, and no finer one.
    fn honest(&self, kernel: &Kernel<'_>) -> Result<(), String> {
        let fits = |i: &usize| self.each[*i].pass().is_ok();
        let fitting: Vec<&str> = (0..4).filter(fits).map(|i| PRECISIONS[i]).collect();
        let declared = kernel.declared;
        match fitting[..] {
            // The verdict says more of results that fit nothing.
            [] => Ok(()),
            [only] if only == declared => Ok(()),
            _ => Err(format!("it declares {declared} activations and serves {}", fitting.join(" or "))),
        }?;
        let own = self.declared.max_rel();
        if declared != "f32" && self.declared.pass().is_ok() && self.served.max_rel() <= 10.0 * own {
            return Err(format!(
                "it declares {declared} activations, and is off by {:.2e}: not ten times the {own:.2e} of its own oracle",
                self.served.max_rel()
            ));
        }
        Ok(())
    }
}

impl Kernel<'_> {
    /// `W x`, from weights at an odd address.
    fn run(&self, bytes: &[u8], rows: usize, cols: usize, x: &[f32]) -> Result<Vec<f32>, String> {
        let mut odd = vec![0xff; bytes.len() + 2];
        let at = 1 + odd.as_ptr() as usize % 2;
        odd[at..at + bytes.len()].copy_from_slice(bytes);
        let bound = Weights::bind(self.device, self.path, &odd[at..at + bytes.len()], rows, cols);
        let bound = bound.map_err(|e| e.to_string())?;
        let mut y = vec![f32::NAN; x.len() / cols * rows];
        let ran = bound.matvec(x, &mut y, &mut Workspace::new()).map_err(|e| e.to_string())?;
        if ran == self.id { Ok(y) } else { Err(format!("{ran} ran in its place")) }
    }

    /// Adds outputs, `rows` at a time, that are sums of `terms` products.
    fn judge(
        &self,
        verdict: &mut Verdict,
        precision: &str,
        rows: usize,
        terms: usize,
        y: &[f32],
        exact: &Products,
    ) -> Result<(), String> {
        let bounds = bound::dot(exact, terms, bound::F32, precision == "bf16").map_err(|e| e.to_string())?;
        for ((y, exact), bounds) in y.chunks(rows).zip(exact.y.chunks(rows)).zip(bounds.chunks(rows)) {
            verdict.add(y, exact, bounds);
        }
        Ok(())
    }
}

/// The products of activations as a kernel of this precision sees them.
fn seen(precision: &str, weights: &[f32], cols: usize, x: &[f32]) -> Products {
    let x: Vec<f64> = match precision {
        "q8_0" => x.chunks(cols).flat_map(|x| quantised(x, 32)).collect(),
        "q8_k" => x.chunks(cols).flat_map(|x| quantised(x, 256)).collect(),
        "bf16" => rounded_to_bf16(x),
        _ => x.iter().map(|&x| x.into()).collect(),
    };
    dot(weights, cols, &x)
}

/// Against gguf-py: its own answers for activations in f32, its weights for others.
fn gguf_py(kernel: &Kernel<'_>, oracle: &Oracle, found: &mut Found) -> Result<(), String> {
    let Oracle { rows, cols, .. } = *oracle;
    for m in M {
        let cycled = |of: &[f64], n: usize| of.iter().copied().cycle().take(m * n).collect::<Vec<f64>>();
        let x: Vec<f32> = oracle.x.iter().copied().cycle().take(m * cols).collect();
        let y = kernel.run(&oracle.bytes, rows, cols, &x)?;
        let answers = Products { y: cycled(&oracle.answers.y, rows), mag: cycled(&oracle.answers.mag, rows) };
        kernel.judge(&mut found.served, "f32", rows, cols, &y, &answers)?;
        for (i, precision) in PRECISIONS.into_iter().enumerate() {
            let exact =
                if precision == "f32" { answers.clone() } else { seen(precision, &oracle.weights, cols, &x) };
            kernel.judge(&mut found.each[i], precision, rows, cols, &y, &exact)?;
            if precision == kernel.declared {
                kernel.judge(&mut found.declared, precision, rows, cols, &y, &exact)?;
            }
        }
    }
    Ok(())
}

/// Columns of the seeded inputs: an odd number of blocks, or ragged where a format allows it.
fn seeded_cols(format: &Format) -> usize {
    match (format.order, format.elems) {
        (Order::Flat(_), _) | (_, 1) => 2051,
        (_, 32) => 65 * 32,
        (_, elems) => 9 * elems,
    }
}

/// Kinds of activations.
const KINDS: [Kind; 5] = [Kind::Normal, Kind::Wide, Kind::Cancelling, Kind::Equal, Kind::OneNan];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Nearly normal.
    Normal,
    /// Magnitudes from 1e-4 to 1e4.
    Wide,
    /// Pairs that cancel.
    Cancelling,
    /// All the same.
    Equal,
    /// Nearly normal with a NaN.
    OneNan,
}

fn activations(kind: Kind, n: usize, rng: &mut Random) -> Vec<f32> {
    let mut x = rng.activations(n);
    match kind {
        Kind::Normal => {}
        Kind::Wide => x.iter_mut().for_each(|x| *x *= 10f64.powf(rng.between(-4.0, 4.0)) as f32),
        Kind::Cancelling => x.as_chunks_mut::<2>().0.iter_mut().for_each(|[a, b]| *b = -*a),
        Kind::Equal => x.fill(0.37),
        Kind::OneNan => x[n / 2] = f32::NAN,
    }
    x
}

/// Against float64 over the reference decoder.
fn seeded(kernel: &Kernel<'_>, format: &Format, cols: usize, found: &mut Found) -> Result<(), String> {
    let mut rng = Random::new(SEED);
    let bytes = format.matrix(ROWS, cols, Codes::Random, Scales::Sane, &mut rng);
    let weights = format.decode(&bytes, ROWS, cols);
    for kind in KINDS {
        for m in M {
            let x = activations(kind, m * cols, &mut rng);
            let y = kernel.run(&bytes, ROWS, cols, &x)?;
            let exact = seen(kernel.declared, &weights, cols, &x);
            kernel.judge(&mut found.declared, kernel.declared, ROWS, cols, &y, &exact)?;
            if kind == Kind::Normal {
                let exact = seen("f32", &weights, cols, &x);
                kernel.judge(&mut found.served, "f32", ROWS, cols, &y, &exact)?;
                for (i, precision) in PRECISIONS.into_iter().enumerate() {
                    let exact = seen(precision, &weights, cols, &x);
                    kernel.judge(&mut found.each[i], precision, ROWS, cols, &y, &exact)?;
                }
            }
        }
    }
    Ok(())
}

/// Columns of the long input: into the third block of every loop nest, whose longest have 8192, and ragged where a format
/// allows it.
fn long_cols(format: &Format) -> usize {
    let ragged = format.elems == 1 || matches!(format.order, Order::Flat(_));
    17 * 1024 + if ragged { 29 } else { 0 }
}

/// As [`seeded`], over all blocks of K that a loop nest has: many activation rows at once, and each of them alone.
fn long(kernel: &Kernel<'_>, format: &Format, found: &mut Found) -> Result<(), String> {
    let ([m, rows], cols, mut rng) = (LONG, long_cols(format), Random::new(SEED + 1));
    let bytes = format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
    let x = rng.comb(m, cols);
    let exact = seen(kernel.declared, &format.decode(&bytes, rows, cols), cols, &x);
    for together in [m, 1] {
        let mut y = Vec::new();
        for x in x.chunks(together * cols) {
            y.extend(kernel.run(&bytes, rows, cols, x)?);
        }
        kernel.judge(&mut found.declared, kernel.declared, m * rows, cols.div_ceil(m), &y, &exact)?;
    }
    Ok(())
}
