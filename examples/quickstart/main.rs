//! The main job in one run: what is registered, every registered weight type of a real GGUF file against its float64
//! answers, the refusals of the types that are not registered, and the readiness plan of any model.
//!
//! ```sh
//! cargo run --release --example quickstart                  # the fixture
//! cargo run --release --example quickstart -- model.gguf    # the readiness plan of that model
//! ```

mod measure;
mod readiness;

use std::process::ExitCode;

use gguf_file::{File, Tensor};
use kreg::{Backend, KernelId, Op, QType, Target, admit, cpu};

type Failure = Box<dyn std::error::Error>;

/// The fixture's types that GGML has and this registry has not.
const UNREGISTERED: [&str; 6] = ["IQ2_XS", "IQ1_S", "IQ1_M", "TQ1_0", "TQ2_0", "MXFP4"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("quickstart: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let device = cpu::Device::host()?;
    if let Some(path) = std::env::args_os().nth(1) {
        return readiness::print(path.as_ref(), device.target());
    }
    print_matrix(device.target());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/smollm2-slice.gguf");
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let file = File::parse(&bytes)?;
    print_products(&file, &device)?;
    print_refusals(&file)
}

/// Which backends serve each weight type, and in what precision activations are multiplied there; then the ops.
fn print_matrix(target: &Target) {
    println!(
        "{} rows registered; the activations of the row that serves this machine:\n",
        KernelId::ALL.len()
    );
    println!("{:<9}{:>10}{:>10}{:>10}{:>10}", "type", "cpu", "cuda", "wgpu", "metal");
    for qtype in QType::ALL {
        print!("{:<9}", qtype.name());
        for backend in Backend::ALL {
            let served = admit(backend.product(), backend, qtype).and_then(|path| path.select(target));
            print!("{:>10}", served.map_or("-", |k| k.precision().name()));
        }
        println!();
    }
    let ops = KernelId::ALL.iter().filter(|k| k.qtype().is_none()).map(|k| k.as_str());
    println!("\nops: {}\n", ops.collect::<Vec<_>>().join(" "));
}

/// Every registered type through the run-time door, part by part of the fixture.
fn print_products(file: &File<'_>, device: &cpu::Device) -> Result<(), Failure> {
    println!("{} weights of a real model on {}", file.tensors.len(), device.target());
    println!("{:<9}{:<6}{:>10}{:>10}{:>8}  kernel", "type", "part", "max error", "bound", "GB/s");
    for qtype in QType::ALL {
        let path = admit(Op::MatVec, Backend::Cpu, qtype)?;
        for part in ["down", "q", "apr"] {
            let Some(case) = measure::Case::find(file, part, qtype)? else { continue };
            let m = case.run(device, path)?;
            println!(
                "{:<9}{part:<6}{:>10.1e}{:>10.1e}{:>8}  {}",
                qtype.name(),
                m.error,
                m.bound,
                m.speed.map_or_else(|| "-".into(), |s| format!("{s:.1}")),
                m.kernel.as_str()
            );
            if m.error.is_nan() || m.error > m.bound {
                return Err(format!("{} is outside its bound on part {part}", m.kernel.as_str()).into());
            }
        }
    }
    println!();
    Ok(())
}

/// What a file with other types is told.
fn print_refusals(file: &File<'_>) -> Result<(), Failure> {
    println!("refused:");
    for name in UNREGISTERED {
        let tensor = find(file, &format!("w.down.{name}")).ok_or("the fixture lacks a type")?;
        match QType::from_ggml(tensor.ggml_type) {
            Err(refusal) => println!("  {refusal}"),
            Ok(qtype) => return Err(format!("{} is registered: take it off the list", qtype.name()).into()),
        }
    }
    Ok(())
}

/// The tensor of this name.
fn find<'f, 'b>(file: &'f File<'b>, name: &str) -> Option<&'f Tensor<'b>> {
    file.tensor(name)
}
