//! The kernel rows that this machine can run, each on a device on which exactly it is selected.

use kreg::cpu::{Device, Weights};
use kreg::kernels::reference::decode::{self, Format};
use kreg::kernels::reference::{Products, dot, quantised, rounded_to_bf16};
use kreg::kernels::registry::Row;
use kreg::kernels::{Target, Workspace};
use kreg::{Backend, KernelId, Path};

use super::verdict::assert_within;

/// A kernel row of the CPU.
pub struct Kernel {
    /// Its id.
    pub id: KernelId,
    /// Its row.
    pub row: &'static Row,
    /// The independent decoder of its weight type.
    pub format: &'static Format,
    /// This CPU, described so that no other row is more specific.
    pub device: Device,
    path: Path,
}

/// Every kernel row of the CPU that this machine can run.
pub fn kernels() -> Vec<Kernel> {
    let of_row = |id: KernelId| {
        let (Some(qtype), Backend::Cpu) = (id.qtype(), id.backend()) else { return None };
        let format = decode::format(qtype.name());
        let format = format.unwrap_or_else(|| panic!("{}: no reference decoder", qtype.name()));
        let path = kreg::admit(id.op(), id.backend(), qtype).unwrap();
        Some(Kernel { id, row: id.row(), format, device: device_of(id)?, path })
    };
    let out: Vec<Kernel> = KernelId::ALL.into_iter().filter_map(of_row).collect();
    assert!(!out.is_empty(), "the registry has no row for this CPU");
    out
}

/// This CPU, described so that no row is more specific than this one: nothing that fits a target with exactly a row's
/// own features can have more of them. `None` where the CPU is of another kind or lacks them; stderr says of the latter.
pub fn device_of(id: KernelId) -> Option<Device> {
    let row = id.row();
    if !["any", std::env::consts::ARCH].contains(&row.arch) {
        return None;
    }
    let device = Device::new(Target::new(row.arch, row.isa_features.union(row.requires)));
    device.inspect_err(|why| eprintln!("{id}: not run here: {why}")).ok()
}

impl Kernel {
    /// The row's id.
    pub fn name(&self) -> &'static str {
        self.id.as_str()
    }

    /// Binds weights and makes sure that this very row was chosen.
    pub fn bind<'w>(&self, bytes: &'w [u8], rows: usize, cols: usize) -> Weights<'w> {
        let weights = Weights::bind(&self.device, self.path, bytes, rows, cols);
        let weights = weights.unwrap_or_else(|why| panic!("{} [{rows}, {cols}]: {why}", self.name()));
        assert_eq!(weights.kernel(), self.id, "another row was selected");
        weights
    }

    /// `W x` by this kernel, with traps around its buffers: weights at an odd address, and NaN or other bytes before
    /// and behind everything that it may read. What it may not write must come back untouched.
    pub fn run(&self, bytes: &[u8], rows: usize, cols: usize, x: &[f32]) -> Vec<f32> {
        const TRAP: usize = 64;
        let mut weights = vec![0xffu8; bytes.len() + 2 * TRAP + 1];
        let odd = TRAP + (weights.as_ptr() as usize + TRAP + 1) % 2;
        weights[odd..odd + bytes.len()].copy_from_slice(bytes);
        let mut input = vec![f32::NAN; x.len() + 2 * TRAP];
        input[TRAP..TRAP + x.len()].copy_from_slice(x);
        let n = x.len() / cols * rows;
        let untouched = f32::from_bits(0x7fab_cdef);
        let mut output = vec![untouched; n + 2 * TRAP];

        let bound = self.bind(&weights[odd..odd + bytes.len()], rows, cols);
        let ran =
            bound.matvec(&input[TRAP..TRAP + x.len()], &mut output[TRAP..TRAP + n], &mut Workspace::new());
        assert_eq!(ran, Ok(self.id));
        let around = output[..TRAP].iter().chain(&output[TRAP + n..]);
        assert!(
            around.into_iter().all(|y| y.to_bits() == untouched.to_bits()),
            "{}: wrote past y",
            self.name()
        );
        output[TRAP..TRAP + n].to_vec()
    }

    /// The exact product of what this kernel multiplies: activations are quantised or rounded first if the row says so.
    pub fn exact(&self, weights: &[f32], cols: usize, x: &[f32]) -> Products {
        let as_is = || dot(weights, cols, &x.iter().map(|&x| x.into()).collect::<Vec<f64>>());
        let blocks = |block| x.chunks(cols).flat_map(|x| quantised(x, block)).collect::<Vec<f64>>();
        match self.row.precision {
            "f32" => as_is(),
            "q8_0" => dot(weights, cols, &blocks(32)),
            "q8_k" => dot(weights, cols, &blocks(256)),
            // From three rows of activations on, subnormal weights count for zero.
            "bf16" if x.len() <= 2 * cols => dot(weights, cols, &rounded_to_bf16(x)),
            "bf16" => {
                let flushed: Vec<f32> =
                    weights.iter().map(|&w| if w.is_subnormal() { 0.0 } else { w }).collect();
                dot(&flushed, cols, &rounded_to_bf16(x))
            }
            other => panic!("{}: no oracle for activations in {other}", self.name()),
        }
    }

    /// Holds outputs over `cols` columns to the bound of this kernel's error model.
    #[track_caller]
    pub fn assert_within(&self, what: &str, cols: usize, got: &[f32], exact: &Products) {
        let smallest = if self.row.precision == "bf16" { f32::MIN_POSITIVE } else { f32::from_bits(1) };
        assert_within(&format!("{} {what}", self.name()), cols, smallest.into(), got, exact);
    }

    /// Holds NaN to NaN: where no infinity is about, a NaN that went in must come out.
    #[track_caller]
    pub fn assert_nan(&self, what: &str, got: &[f32], exact: &Products) {
        for (i, (got, want)) in got.iter().zip(&exact.y).enumerate() {
            assert_eq!(
                got.is_nan(),
                want.is_nan(),
                "{} {what}, output {i}: got {got:e}, exact {want:e}",
                self.name()
            );
        }
    }
}
