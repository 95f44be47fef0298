//! Case d of `docs/cases.md`: a machine with less than a row needs never gets that row, and one with enough gets it.
//!
//! Targets are described, so selection is tried for every machine on every host; what a host can run is then run on a
//! device with exactly that. `scripts/test-levels.sh` runs this file on emulated machines as well.

mod support;

use kreg::cpu::{self, Device};
use kreg::kernels::registry::Row;
use kreg::{Backend, Features, KernelId, Op, QType, Refusal, Target, Workspace};
use support::kernel::kernels;

/// Machines that have something and not all: what other engines crash on, or serve with scalar code.
const MACHINES: [(&str, &str); 12] = [
    ("any", "none"),
    ("x86_64", "none"),
    ("x86_64", "sse4.1+sse4.2+avx"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+fma"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+f16c"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+fma+f16c"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+fma+f16c+avx512f"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+fma+f16c+avx512f+avx512bw+avx512vl"),
    ("x86_64", "sse4.1+sse4.2+avx+avx2+fma+f16c+avx512f+avx512bw+avx512vl+avx512vnni"),
    ("aarch64", "neon"),
    ("aarch64", "neon+dotprod"),
];

/// Whether a row runs on such a machine, without the code that selection uses.
fn runs_on(row: &Row, arch: &str, features: &str) -> bool {
    let has: Vec<&str> = features.split('+').collect();
    (row.arch == "any" || row.arch == arch) && row.isa_features.names().all(|name| has.contains(&name))
}

#[test]
fn case_d_no_machine_gets_a_row_that_it_cannot_run() {
    for (arch, features) in MACHINES {
        let target = Target::new(arch, Features::parse(features));
        for qtype in QType::ALL {
            let Ok(path) = kreg::admit(Op::MatVec, Backend::Cpu, qtype) else { continue };
            let row = path.select(&target).unwrap().row();
            assert!(runs_on(row, arch, features), "{arch}/{features} gets {}", row.id);
        }
    }
}

/// The other half: no scalar code where a machine has the instructions.
#[test]
fn case_d_a_capable_machine_gets_more_than_the_portable_row() {
    let levels = [("x86_64", "avx2+fma+f16c"), ("aarch64", "neon")];
    for ((arch, features), qtype) in levels.into_iter().flat_map(|level| QType::ALL.map(|q| (level, q))) {
        let Ok(path) = kreg::admit(Op::MatVec, Backend::Cpu, qtype) else { continue };
        let row = path.select(&Target::new(arch, Features::parse(features))).unwrap().row();
        assert_eq!(row.arch, arch, "{arch}/{features} gets {}", row.id);
    }
}

#[test]
fn case_d_a_device_has_what_this_cpu_has() {
    let found = Target::detected();
    for (arch, features) in MACHINES.into_iter().filter(|(arch, _)| *arch != "any") {
        let target = Target::new(arch, Features::parse(features));
        let has = arch == found.arch() && found.features().contains(target.features());
        match Device::new(target) {
            Ok(device) => {
                assert!(has, "a device for {target} on {found}");
                runs_what_fits(&device, arch, features);
            }
            Err(Refusal::MissingFeatures { missing }) => assert!(!has && !missing.is_empty(), "{target}"),
            Err(other) => panic!("{target}: {other}"),
        }
    }
}

/// Products and ops on a device that is less than this CPU.
fn runs_what_fits(device: &Device, arch: &str, features: &str) {
    let check = |id: KernelId| assert!(runs_on(id.row(), arch, features), "{arch}/{features} ran {id}");
    let (n, mut ws) = (256, Workspace::new());
    let (x, mut y) = (vec![1.0; n], vec![0.0; n]);
    for kernel in kernels() {
        let path = kreg::admit(Op::MatVec, Backend::Cpu, kernel.id.qtype().unwrap()).unwrap();
        let bytes = vec![0; kernel.id.qtype().unwrap().byte_len(2, n).unwrap()];
        let weights = cpu::Weights::bind(device, path, &bytes, 2, n).unwrap();
        check(weights.matvec(&x, &mut y[..2], &mut ws).unwrap());
    }
    let shape =
        kreg::args::AttentionShape { heads: 4, kv_heads: 2, head_dim: 64, scale: 0.125, softcap: None };
    let (k, v) = (&x[..128], &x[128..]);
    check(cpu::attention(device, &x, &x[..128], &x[..128], k, v, shape, &mut y, &mut ws).unwrap());
    check(cpu::rmsnorm(device, &x, &x, 1e-5, &mut y).unwrap());
    check(cpu::swiglu(device, &mut y, &x).unwrap());
}
