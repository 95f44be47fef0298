//! Speed of every registered product, and what the dispatch adds to a kernel.
//!
//! ```sh
//! cargo bench --bench matvec                    # rows that this machine would select
//! cargo bench --bench matvec -- avx2 q4_k       # rows whose id holds each word; `portable` means no machine in the id
//! RAYON_NUM_THREADS=1 cargo bench --bench matvec
//! ```
//!
//! Weights are 4096 x 4096 and there are enough copies that none is in a cache when its turn comes; each figure is the
//! median of the calls. GB/s counts the weights' bytes once per call.

use std::time::Instant;

use kreg::kernels::reference::decode::format;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::{Backend, KernelId, Op, Path, Target, Workspace, admit, cpu};

const N: usize = 4096;
const ROTATED_BYTES: usize = 256 << 20;

/// Numbers of activation rows above one, and of calls.
const MANY: [(usize, usize); 6] = [(2, 19), (4, 15), (8, 9), (16, 7), (64, 5), (512, 3)];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!("{} threads", rayon::current_num_threads());
    print!("{:>8}", "GB/s");
    for (m, _) in MANY {
        print!("{:>11} GF/s", format!("M={m}"));
    }
    println!("  kernel");
    for id in KernelId::ALL {
        let row = id.row();
        let asked = |w: &String| id.as_str().contains(w.as_str()) || (w == "portable" && row.arch == "any");
        let (Some(path), Some(device)) = (path(id), device(id)) else { continue };
        let chosen = || Target::host().and_then(|host| path.select(&host)) == Ok(id);
        if if words.is_empty() { chosen() } else { words.iter().all(asked) } {
            measure(id, path, &device);
        }
    }
    dispatch();
}

/// This CPU with no more features than the row needs, so that the row is the one selected.
fn device(id: KernelId) -> Option<cpu::Device> {
    let row = id.row();
    cpu::Device::new(Target::new(row.arch, row.isa_features.union(row.requires))).ok()
}

/// The path of a product row of the CPU.
fn path(id: KernelId) -> Option<Path> {
    admit(Op::MatVec, Backend::Cpu, id.qtype()?).ok()
}

/// One line of the table.
fn measure(id: KernelId, path: Path, device: &cpu::Device) {
    let format = id.qtype().and_then(|q| format(q.name())).expect("every type has a reference format");
    let one = format.matrix(N, N, Codes::Random, Scales::Sane, &mut Random::new(1));
    let copies: Vec<Vec<u8>> = (0..ROTATED_BYTES.div_ceil(one.len())).map(|_| one.clone()).collect();
    let bind = |bytes| cpu::Weights::bind(device, path, bytes, N, N).expect("bytes fit the shape");
    let weights: Vec<_> = copies.iter().map(|bytes| bind(bytes)).collect();
    let mut ws = Workspace::new();
    let mut seconds = |m: usize, calls: usize| {
        let (x, mut y) = (Random::new(2).activations(m * N), vec![0.0; m * N]);
        let mut turns = weights.iter().cycle();
        let mut call = || {
            let start = Instant::now();
            turns.next().expect("a cycle").matvec(&x, &mut y, &mut ws).expect("lengths fit");
            start.elapsed().as_secs_f64()
        };
        call();
        median((0..calls).map(|_| call()).collect())
    };
    let rate = |m: usize, s: f64| 2.0 * (N * N * m) as f64 / s / 1e9;
    let single = seconds(1, 40);
    print!("{:>8.1}", one.len() as f64 / single / 1e9);
    for (m, calls) in MANY {
        let s = seconds(m, calls);
        // Less than 1: so many calls with one activation row would have been faster.
        print!("{:>10.0} ({:.1})", rate(m, s), m as f64 * single / s);
    }
    println!("  {}", id.as_str());
}

/// The cost of a small product through `Weights::matvec` and through the kernel itself, alternating.
fn dispatch() {
    use kreg::kernels::cpu::portable::matvec::q8_0::matvec;
    use kreg::kernels::{Matrix, format::Q8_0};

    let format = format("Q8_0").expect("Q8_0 has a reference format");
    let bytes = format.matrix(64, 64, Codes::Random, Scales::Sane, &mut Random::new(3));
    let device = cpu::Device::new(Target::generic()).expect("every CPU runs the portable level");
    let path = kreg::path!(MatVec, Cpu, Q8_0);
    let bound = cpu::Weights::bind(&device, path, &bytes, 64, 64).expect("bytes fit the shape");
    let bare = Matrix::<Q8_0>::new(&bytes, 64, 64).expect("bytes fit the shape");
    let (x, mut y, mut ws) = (Random::new(4).activations(64), vec![0.0; 64], Workspace::new());
    let (mut through, mut direct) = (Vec::new(), Vec::new());
    for _ in 0..2_000 {
        let start = Instant::now();
        for _ in 0..100 {
            bound.matvec(&x, &mut y, &mut ws).expect("lengths fit");
        }
        through.push(start.elapsed().as_secs_f64() * 1e7);
        let start = Instant::now();
        for _ in 0..100 {
            matvec(bare, &x, &mut y, &mut ws);
        }
        direct.push(start.elapsed().as_secs_f64() * 1e7);
    }
    let (through, direct) = (median(through), median(direct));
    println!(
        "\n64 x 64 Q8_0, portable: {direct:.1} ns bare, {through:.1} ns bound ({:+.2} %)",
        (through / direct - 1.0) * 100.0
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
