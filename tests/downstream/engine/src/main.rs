//! What a downstream engine does with its registry.

use engine::dispatch::{Backend, KernelId, Op, QType, Refusal, Workspace, admit, cpu};

/// A match that knows every weight type of the registry.
const fn bits(qtype: QType) -> u32 {
    match qtype {
        QType::Q4_K => 4,
        QType::Q8_0 => 8,
    }
}

fn main() -> Result<(), Refusal> {
    let device = cpu::Device::host()?;
    let (bytes, mut y) = ([0; 34], [0.0]);
    let path = admit(Op::MatVec, Backend::Cpu, QType::Q8_0)?;
    let w = cpu::Weights::bind(&device, path, &bytes, 1, 32)?;
    assert_eq!(w.matvec(&[1.0; 32], &mut y, &mut Workspace::new())?, KernelId::CpuMatvecQ8_0);
    assert_eq!(y, [42.0], "the engine's own kernel ran");

    assert_eq!(cpu::rmsnorm(&device, &[2.0], &[3.0], 0.0, &mut y)?, KernelId::CpuRmsnormF32);
    assert_eq!(y, [3.0], "kreg's kernel ran");

    let elsewhere = admit(Op::Gemv, Backend::Metal, QType::Q8_0)?;
    let refused = cpu::Weights::bind(&device, elsewhere, &bytes, 1, 32).map(|_| ()).unwrap_err();
    println!("{refused}");
    println!("{} and {} bits", bits(QType::Q4_K), bits(QType::Q8_0));
    Ok(())
}
