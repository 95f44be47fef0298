//! Times the engines in turn on the same weights.

use kreg::kernels::reference::decode::format;
use kreg::kernels::reference::workload::{Codes, Random, Scales};

use crate::args::{Args, Shape};
use crate::case::{Case, Timing};
use crate::engine::{
    Budget, Engine, Matrix, aprender::Aprender, candle::Candle, ggml, ggml::Ggml, kreg::Kreg,
};
use crate::limits::Limits;
use crate::{Error, median};

/// Bytes that an engine's copies of a matrix take together, so that none is in a cache when its turn comes.
const ROTATED_BYTES: usize = 256 << 20;
/// Bytes that are taken first and kept. The pages that a process gets first are what others left, scattered over the
/// memory, and are read 10 to 25 % more slowly than those that come later: they shall be nobody's weights.
const BALLAST_BYTES: usize = 2 << 30;
/// Trials of the limit in each round.
const TRIALS: usize = 2;
/// Quantised activations cost this part of the products' size at most: what is beyond was another product.
const AGREEMENT: f64 = 0.03;

/// Measures every case that `args` name on `threads` threads, each told as it is done.
///
/// # Errors
/// What an engine says, and engines that disagree.
pub fn cases(args: &Args, threads: usize, mut done: impl FnMut(&Case)) -> Result<(), Error> {
    let _ballast = std::hint::black_box(vec![1u8; BALLAST_BYTES]);
    let limits = Limits::new(threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let cpu = ggml::Cpu::new(threads)?;
    for &shape in &args.shapes {
        for &qtype in &args.types {
            let matrix = matrix(qtype, shape)?;
            let copies = vec![matrix.bytes.clone(); matrix.copies];
            let kreg = Kreg::new(&pool, &matrix, &copies)?;
            let limit = limit_of(kreg.kernel().row().precision);
            let mut engines: Vec<Box<dyn Engine + '_>> = vec![Box::new(kreg)];
            Ggml::ways(&cpu, &matrix)?.into_iter().for_each(|way| engines.push(Box::new(way)));
            if args.batches || args.m.contains(&1) {
                let ways = Candle::ways(&matrix, args.batches)?;
                ways.into_iter().for_each(|way| engines.push(Box::new(way)));
            }
            if args.m.contains(&1) {
                engines.extend(Aprender::new(&pool, &matrix).map(|way| Box::new(way) as Box<dyn Engine>));
            }
            for &m in &args.m {
                let limit = if m == 1 { "read" } else { limit };
                let mut engines: Vec<_> = engines.iter_mut().filter(|engine| engine.takes(m)).collect();
                let (seconds, limit_rate) = turns(&mut engines, m, &matrix, args, || limits.trial(limit))?;
                agree(&engines, qtype.name())?;
                done(&case(&matrix, m, threads, &engines, seconds, (limit, limit_rate))?);
            }
        }
    }
    Ok(())
}

/// Random weights of a type.
fn matrix(qtype: kreg::QType, (rows, cols): Shape) -> Result<Matrix, Error> {
    let format = format(qtype.name()).ok_or("every type has a reference format")?;
    let bytes = format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut Random::new(1));
    let copies = ROTATED_BYTES.div_ceil(bytes.len());
    Ok(Matrix { qtype, rows, cols, bytes, copies })
}

/// The limit that binds a product with many activation rows, by the precision of its activations.
fn limit_of(precision: &str) -> &'static str {
    match precision {
        "f32" => "fma",
        "bf16" => "bf16",
        _ => "vnni",
    }
}

/// Seconds of every call of each engine, round after round, every other one in the reverse order; and the best trial
/// of the limit in between.
fn turns(
    engines: &mut [&mut Box<dyn Engine + '_>],
    m: usize,
    matrix: &Matrix,
    args: &Args,
    limit: impl Fn() -> Option<f64>,
) -> Result<(Vec<Vec<f64>>, Option<f64>), Error> {
    let x = Random::new(2).activations(m * matrix.cols);
    let (mut seconds, mut best) = (vec![Vec::new(); engines.len()], None);
    for round in 0..args.rounds {
        best = (0..TRIALS).filter_map(|_| limit()).chain(best).reduce(f64::max);
        for i in 0..engines.len() {
            let i = if round % 2 == 0 { i } else { engines.len() - 1 - i };
            // Threads of the one before may still spin for a moment.
            std::thread::sleep(std::time::Duration::from_millis(10));
            seconds[i].extend(engines[i].turn(&x, &budget(m, round, args.seconds))?);
        }
    }
    Ok((seconds, best))
}

/// Long products need fewer calls, and are warm after one.
fn budget(m: usize, round: usize, seconds: f64) -> Budget {
    match m {
        1..=16 => Budget { warm: 2, calls: 3, seconds },
        _ => Budget { warm: usize::from(round == 0), calls: 1, seconds },
    }
}

/// Holds the products of all engines to those of the first.
fn agree(engines: &[&mut Box<dyn Engine + '_>], qtype: &str) -> Result<(), Error> {
    let Some((first, others)) = engines.split_first() else { return Ok(()) };
    let expected = first.output()?;
    let norm = |y: &mut dyn Iterator<Item = f64>| y.map(|v| v * v).sum::<f64>().sqrt();
    let size = norm(&mut expected.iter().map(|&v| f64::from(v)));
    for other in others {
        let found = other.output()?;
        let apart = norm(&mut expected.iter().zip(&found).map(|(&a, &b)| f64::from(a) - f64::from(b)));
        let agrees = found.len() == expected.len() && apart <= AGREEMENT * size;
        if !agrees {
            let (name, what) = (other.name(), other.what());
            return Err(format!("{qtype}: {name} ({what}) is {:.3} away from kreg", apart / size).into());
        }
    }
    Ok(())
}

/// Medians; for the peers those of their fastest way.
fn case(
    matrix: &Matrix,
    m: usize,
    threads: usize,
    engines: &[&mut Box<dyn Engine + '_>],
    mut seconds: Vec<Vec<f64>>,
    (limit, limit_rate): (&str, Option<f64>),
) -> Result<Case, Error> {
    let timings = engines.iter().zip(&mut seconds);
    let timings: Vec<_> =
        timings.map(|(e, s)| (e.name(), Timing { us: median(s) * 1e6, what: e.what() })).collect();
    let fastest = |name: &str| {
        let ways = timings.iter().filter(|(n, _)| *n == name).map(|(_, timing)| timing);
        ways.min_by(|a, b| a.us.total_cmp(&b.us)).cloned()
    };
    Ok(Case {
        qtype: matrix.qtype.name().into(),
        rows: matrix.rows,
        cols: matrix.cols,
        m,
        threads,
        bytes: matrix.bytes.len(),
        kreg: fastest("kreg").ok_or("kreg was not measured")?,
        ggml: fastest("ggml"),
        candle: fastest("candle"),
        aprender: fastest("aprender"),
        limit: limit.into(),
        limit_rate,
    })
}
