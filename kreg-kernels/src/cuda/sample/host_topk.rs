//! A draw from logits that were copied to the host, with a random number of the thread's own.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};

use crate::args::SampleRng;
use crate::cpu::{check, portable};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

thread_local! {
    // The standard library keys its hash tables with numbers of the operating system: here they are the seed.
    static RNG: RefCell<SampleRng> = RefCell::new(SampleRng::new(RandomState::new().hash_one(0)));
}

/// The next token: a draw among the `top_k` largest of `logits / temperature` (0 = all), as
/// [the CPU's kernel](fn@portable::sample::topk::topk) draws.
///
/// The random number comes from a generator of the thread that no seed reaches: runs differ. Use
/// [`host_seeded`](fn@super::host_seeded::host_seeded) where they must not.
///
/// # Errors
/// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Domain`].
pub fn host_topk(logits: &[f32], temperature: f32, top_k: usize, ws: &mut Workspace) -> Result<u32, Refusal> {
    check::sample::topk(logits, temperature, top_k, 0.0)?;
    let r = RNG.with_borrow_mut(SampleRng::next_f32);
    Ok(portable::sample::topk::topk(logits, temperature, top_k, r, ws))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_survivor_is_drawn_and_no_other() {
        let (mut seen, mut ws) = ([0; 6], Workspace::new());
        for _ in 0..1000 {
            seen[host_topk(&[1.0, 2.0, 2.0, 1.5, 2.0, 0.0], 1.0, 3, &mut ws).unwrap() as usize] += 1;
        }
        // Three equally likely tokens: fewer than 200 of 1000 is 9 standard deviations away.
        assert!([1, 2, 4].iter().all(|&i| seen[i] > 200), "{seen:?}");
        assert_eq!(seen.iter().sum::<i32>(), seen[1] + seen[2] + seen[4], "{seen:?}");
        // 0 keeps all.
        assert!((0..1000).any(|_| host_topk(&[0.0; 4], 1.0, 0, &mut ws).unwrap() == 3));
        assert_eq!(host_topk(&[1.0], 0.0, 0, &mut ws).unwrap_err().code(), "KR-S06");
    }
}
