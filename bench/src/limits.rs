//! What this machine can do at most, measured by small loops.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

/// Bytes of the buffer that the read loop goes through: more than any cache holds, and no power of two, so that streams
/// through equal parts of it do not meet in the same banks of memory.
const READ_BYTES: usize = 509 << 20;

/// The loops, on some number of threads.
pub struct Limits {
    threads: usize,
    data: Vec<u64>,
}

impl Limits {
    /// Loops on `threads` threads at once.
    pub fn new(threads: usize) -> Self {
        Self { threads, data: vec![1; READ_BYTES / 8] }
    }

    /// Runs one loop once, some ten milliseconds: `read` (GB/s), `fma` (f32 fused multiply-add, GFLOP/s), `bf16` (dot
    /// products of pairs, GFLOP/s) or `vnni` (dot products of four 8-bit integers, GOP/s). None where there is no loop
    /// for this machine.
    pub fn trial(&self, name: &str) -> Option<f64> {
        match name {
            "read" => Some(self.read()),
            "fma" => loops::fma().map(|l| self.compute(l)),
            "bf16" => loops::bf16().map(|l| self.compute(l)),
            "vnni" => loops::vnni().map(|l| self.compute(l)),
            _ => None,
        }
    }

    /// Giga-operations per second.
    fn compute(&self, l: Loop) -> f64 {
        self.threads as f64 * l.operations / together(self.threads, |_| (l.run)()) / 1e9
    }

    /// GB/s, the best of the ways to read: how many streams reach the memory's limit depends on the machine.
    fn read(&self) -> f64 {
        let parts: Vec<&[u64]> = self.data.chunks(self.data.len().div_ceil(self.threads)).collect();
        let way = |sum: fn(&[u64]) -> [u64; LINE]| {
            let work = |thread: usize| _ = black_box(sum(parts[thread]));
            READ_BYTES as f64 / together(self.threads, work) / 1e9
        };
        [sum::<1> as fn(&[u64]) -> _, sum::<2>, sum::<4>, sum::<8>].map(way).into_iter().fold(0.0, f64::max)
    }
}

/// Words that one stream reads at a time: eight vectors, as many sums that do not wait for each other.
const LINE: usize = 64;

/// The sums of what `STREAMS` streams through equal parts of `words` read, a line of each in turn.
fn sum<const STREAMS: usize>(words: &[u64]) -> [u64; LINE] {
    let mut sums = [0u64; LINE];
    let part = words.len() / STREAMS;
    for at in (0..part).step_by(LINE) {
        for stream in 0..STREAMS {
            let start = stream * part + at;
            let Some(line) = words.get(start..start + LINE) else { continue };
            sums.iter_mut().zip(line).for_each(|(sum, x)| *sum = sum.wrapping_add(*x));
        }
    }
    sums
}

/// A loop of so many operations each time that it is called.
#[derive(Clone, Copy)]
struct Loop {
    operations: f64,
    run: fn(),
}

/// The seconds that the slowest of `threads` threads takes for `work(thread)`.
fn together(threads: usize, work: impl Fn(usize) + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let one = |thread| {
        barrier.wait();
        let start = Instant::now();
        work(thread);
        start.elapsed().as_secs_f64()
    };
    std::thread::scope(|scope| {
        let one = &one;
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || one(thread))).collect();
        let mine = one(0);
        others.into_iter().map(|t| t.join().unwrap_or(f64::INFINITY)).fold(mine, f64::max)
    })
}

#[cfg(target_arch = "x86_64")]
mod loops {
    use super::{Loop, black_box};
    use std::arch::x86_64::*;

    /// Rounds of each loop: some ten milliseconds.
    const ROUNDS: usize = 2_000_000;
    /// Sums that do not wait for each other: at least latency times instructions per cycle.
    const SUMS: usize = 16;

    /// A loop over `SUMS` sums, if the CPU has the features. `black_box` hides that all operands are alike.
    macro_rules! peak {
        ($name:ident, [$($feature:tt),+], $operations:expr, $zero:expr, $operand:expr, |$sum:ident, $x:ident| $step:expr) => {
            pub(super) fn $name() -> Option<Loop> {
                #[target_feature($(enable = $feature),+)]
                fn sums() {
                    let (mut sums, $x) = (black_box([$zero; SUMS]), black_box($operand));
                    for _ in 0..ROUNDS {
                        for $sum in &mut sums {
                            *$sum = $step;
                        }
                    }
                    black_box(sums);
                }
                fn run() {
                    // SAFETY: `run` leaves this function only when every feature was detected.
                    unsafe { sums() }
                }
                let found = $(is_x86_feature_detected!($feature))&&+;
                found.then_some(Loop { operations: (ROUNDS * SUMS * $operations) as f64, run })
            }
        };
    }

    peak!(fma512, ["avx512f"], 2 * 16, _mm512_setzero_ps(), _mm512_set1_ps(0.5), |s, x| _mm512_fmadd_ps(
        x, x, *s
    ));
    peak!(fma256, ["avx", "fma"], 2 * 8, _mm256_setzero_ps(), _mm256_set1_ps(0.5), |s, x| _mm256_fmadd_ps(
        x, x, *s
    ));
    peak!(vnni, ["avx512f", "avx512vnni"], 2 * 64, _mm512_setzero_si512(), _mm512_set1_epi8(1), |s, x| {
        _mm512_dpbusd_epi32(*s, x, x)
    });
    peak!(bf16, ["avx512f", "avx512bf16"], 2 * 32, _mm512_setzero_ps(), halves(), |s, x| {
        _mm512_dpbf16_ps(*s, x, x)
    });

    /// Thirty-two halves.
    #[target_feature(enable = "avx512f,avx512bf16")]
    fn halves() -> __m512bh {
        _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5), _mm512_set1_ps(0.5))
    }

    /// The wider of both.
    pub(super) fn fma() -> Option<Loop> {
        fma512().or_else(fma256)
    }
}

/// No loops yet: fractions of these limits are left out.
#[cfg(not(target_arch = "x86_64"))]
mod loops {
    use super::Loop;

    pub(super) fn fma() -> Option<Loop> {
        None
    }

    pub(super) fn bf16() -> Option<Loop> {
        None
    }

    pub(super) fn vnni() -> Option<Loop> {
        None
    }
}
