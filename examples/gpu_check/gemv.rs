//! Products: every row, each way of multiplying that it has.

use kreg::cuda::{Device, Products, Weights};
use kreg::kernels::reference::decode::{Format, format};
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::kernels::reference::{Verdict, bound, dot, quantised};
use kreg::{Backend, KernelId, Refusal};
use serde_json::{Value, json};

use super::gpu::Gpu;
use super::receipt::Measured;

/// The shape that is compared with float64: rows that no block divides, columns of three to many blocks.
const SHAPE: (usize, usize) = (263, 4608);
/// Seed of weights and activations.
const SEED: u64 = 4540;
/// Columns of the timed matrix.
const COLS: usize = 4096;

/// One row and way.
pub(crate) struct Found {
    id: KernelId,
    products: Products,
    /// Against exact arithmetic on what the kernel multiplies.
    verdict: Verdict,
    /// Against exact arithmetic on the inputs as given.
    served: Verdict,
    gb_s: f64,
    of_copy: f64,
}

impl Found {
    /// For the report.
    pub(crate) fn json(&self) -> Value {
        json!({
            "kernel_id": self.id.as_str(),
            "products": format!("{:?}", self.products),
            "max_margin": self.verdict.max().0,
            "max_rel_err": self.served.max_rel(),
            "gb_s": self.gb_s,
            "of_copy": self.of_copy,
        })
    }

    /// For the row's receipt, if the device multiplies so by itself.
    fn receipt(&self, chosen: Products) -> Option<Measured<'_>> {
        let row = self.id.row();
        if row.precision == "profile_selected" && self.products != chosen {
            return None;
        }
        Some(Measured {
            id: self.id,
            precision: if self.products == Products::Dp4a { "q8_0" } else { "f32" },
            verdict: &self.verdict,
            served: &self.served,
            oracle: ["format_decode_f64", self.id.qtype()?.name()],
            workload: json!({ "out_dim": SHAPE.0, "in_dim": SHAPE.1, "seed": SEED, "trials": 1 }),
        })
    }
}

/// What the receipts of products say.
pub(crate) fn receipts<'f>(gpu: &Gpu, found: &'f [Found]) -> impl Iterator<Item = Measured<'f>> {
    let chosen = gpu.device.products();
    found.iter().filter_map(move |found| found.receipt(chosen))
}

/// Measures every cuda row with weights.
///
/// # Errors
/// A refusal, or a result outside its bound.
pub(crate) fn all(gpu: &Gpu, copy: f64) -> Result<Vec<Found>, Box<dyn std::error::Error>> {
    println!(
        "{:28} {:9} {:>9} {:>10} {:>8} {:>7}",
        "row", "products", "margin", "rel. err.", "GB/s", "of copy"
    );
    let mut all = Vec::new();
    for id in KernelId::ALL {
        let (Some(qtype), Backend::Cuda) = (id.qtype(), id.backend()) else { continue };
        let format = format(qtype.name()).ok_or("a weight type without a reference decoder")?;
        let ways: &[Products] = match id.row().precision {
            "profile_selected" => &[Products::F32, Products::Dp4a],
            _ => &[Products::F32],
        };
        for &products in ways {
            let device = Device::builder(&gpu.stream).beside(&gpu.device).products(products).build()?;
            let found = one(gpu, &device, id, format, copy)?;
            println!(
                "{:28} {:9} {:9.3} {:10.1e} {:8.0} {:6.0}%",
                id.as_str(),
                format!("{products:?}"),
                found.verdict.max().0,
                found.served.max_rel(),
                found.gb_s,
                100.0 * found.of_copy,
            );
            found.verdict.pass().map_err(|failure| format!("{id} {products:?}: {failure}"))?;
            all.push(found);
        }
    }
    Ok(all)
}

fn one(
    gpu: &Gpu,
    device: &Device,
    id: KernelId,
    format: &Format,
    copy: f64,
) -> Result<Found, Box<dyn std::error::Error>> {
    let qtype = id.qtype().ok_or("no weight type")?;
    let path = kreg::admit(id.op(), id.backend(), qtype)?;
    let mut random = Random::new(SEED);
    let (rows, cols) = SHAPE;
    let bytes = format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut random);
    let x = random.activations(cols);
    let weights = gpu.up(&bytes)?;
    let bound = Weights::bind(device, path, weights.as_view(), rows, cols)?;
    let (on_device, mut y) = (gpu.up(&x)?, gpu.up(&vec![f32::NAN; rows])?);
    let ran = bound.gemv(device, &on_device.as_view(), &mut y.as_view_mut())?;
    if ran.kernel != id {
        return Err(format!("{} ran in the place of {id}", ran.kernel).into());
    }
    let y = gpu.down(&y)?;
    let decoded = format.decode(&bytes, rows, cols);
    let given: Vec<f64> = x.iter().map(|&x| x.into()).collect();
    let seen = match ran.products {
        Products::F32 => given.clone(),
        Products::Dp4a => quantised(&x, 32),
    };
    let (verdict, served) = (judge(&decoded, cols, &seen, &y)?, judge(&decoded, cols, &given, &y)?);
    let gb_s = speed(gpu, device, path, &mut random)?;
    Ok(Found { id, products: ran.products, verdict, served, gb_s, of_copy: gb_s / copy })
}

fn judge(weights: &[f32], cols: usize, x: &[f64], y: &[f32]) -> Result<Verdict, String> {
    let exact = dot(weights, cols, x);
    let bounds = bound::dot(&exact, cols, bound::F32, false).map_err(|e| e.to_string())?;
    let mut verdict = Verdict::default();
    verdict.add(y, &exact.y, &bounds);
    Ok(verdict)
}

/// GB/s of weights, over a matrix larger than the caches.
fn speed(gpu: &Gpu, device: &Device, path: kreg::Path, random: &mut Random) -> Result<f64, Refusal> {
    let per_row = path.qtype().byte_len(1, COLS)?;
    let rows = (gpu.bytes / per_row).max(1);
    let bytes = path.qtype().byte_len(rows, COLS)?;
    // Zero scales are as fast as others: kernels have no branch on values.
    let weights = gpu.stream.alloc_zeros::<u8>(bytes).map_err(super::gpu::driver)?;
    let bound = Weights::bind(device, path, weights.as_view(), rows, COLS)?;
    let (x, mut y) = (gpu.up(&random.activations(COLS))?, gpu.up(&vec![0.0f32; rows])?);
    let seconds = gpu.seconds(|| bound.gemv(device, &x.as_view(), &mut y.as_view_mut()).map(|_| ()))?;
    Ok(bytes as f64 / seconds / 1e9)
}
