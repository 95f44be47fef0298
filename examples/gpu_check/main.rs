//! Every CUDA row on this machine's GPU: errors against float64, GB/s of each product against a device copy of the same
//! run, the time of each op, and a decode step captured in a graph. `scripts/gpu_check.sh` runs it.
//!
//!     cargo run --release --features cuda --example gpu_check -- [--small] [--out FOLDER]
//!
//! `--small` is for the stand-in driver of the tests. `--out` takes the root of the checkout or another folder: it writes
//! `evidence/cuda/report.json` there and, on a real device, a receipt of each row, `evidence/kreg/parity/<row>.json`.

mod bounds;
mod gemv;
mod gpu;
mod ops;
mod receipt;
mod step;

use std::error::Error;
use std::path::PathBuf;

use gpu::Gpu;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut small, mut out) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--small" => small = true,
            "--out" => out = Some(PathBuf::from(arguments.next().ok_or("--out takes a folder")?)),
            other => return Err(format!("{other}: only --small and --out FOLDER").into()),
        }
    }
    let gpu = Gpu::open(small)?;
    let copy = gpu.copy_speed()?;
    println!("{}; a device copy moves {copy:.0} GB/s\n", gpu.name);

    let products = gemv::all(&gpu, copy)?;
    let ops = ops::all(&gpu)?;
    let step = step::check(&gpu)?;
    gpu.device.fault()?;

    let measured: Vec<_> =
        gemv::receipts(&gpu, &products).chain(ops.iter().map(ops::Found::receipt)).collect();
    let receipts = receipt::Project::read()?.receipts(&gpu, &measured)?;
    println!("{} rows measured", receipts.len());
    if let Some(folder) = out {
        // What an emulator computes is no evidence.
        for (path, text) in receipts.iter().filter(|_| !gpu.emulated) {
            let path = folder.join(path);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, text)?;
        }
        let report = json!({
            "device": gpu.name,
            "target": gpu.device.target().arch(),
            "driver": gpu.driver,
            "copy_gb_s": copy,
            "products": products.iter().map(gemv::Found::json).collect::<Vec<_>>(),
            "ops": ops.iter().map(ops::Found::json).collect::<Vec<_>>(),
            "step": step,
        });
        let cuda = folder.join("evidence/cuda");
        std::fs::create_dir_all(&cuda)?;
        std::fs::write(cuda.join("report.json"), format!("{report:#}\n"))?;
        println!("written to {}", folder.display());
    }
    Ok(())
}
