//! What both cache layouts share on the host: limits, how positions are divided among blocks, and the launches.

use cudarc::driver::{CudaView, CudaViewMut};

use crate::cuda::launch::{Arg, Geometry, launch};
use crate::cuda::{Device, Position, Source, check};
use crate::refusal::Refusal;

/// Query heads of a block, at most.
const GROUP: usize = 8;

/// Positions that are worth a block: a tile in each of its four warps.
const SHARE: usize = 128;

/// The most stretches that positions are divided into: with 8 key heads, blocks for every processor of a large device.
const SPLITS: usize = 64;

/// The widest head.
const WIDEST: usize = 256;

/// The most heads: what a grid dimension may hold.
const MOST: usize = 65_535;

/// Threads of a block.
const THREADS: u32 = 128;

/// The sizes of one attention step, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) heads: u32,
    pub(super) kv_heads: u32,
    pub(super) head_dim: u32,
    pub(super) max_len: u32,
    splits: usize,
}

impl Sizes {
    /// Holds heads, queries, results and caches to each other.
    ///
    /// # Errors
    /// [`Refusal::Empty`], [`Refusal::TooLarge`], [`Refusal::Multiple`], [`Refusal::Length`].
    pub(super) fn new(
        [heads, kv_heads, head_dim]: [usize; 3],
        [q, k_cache, v_cache, out]: [usize; 4],
    ) -> Result<Self, Refusal> {
        let d = check::at_most("head_dim", WIDEST, head_dim)?;
        let kv = check::at_most("kv_heads", MOST, kv_heads)?;
        let h = check::at_most("heads", MOST, heads)?;
        check::multiple("heads", kv_heads, heads)?;
        // Neither product exceeds 2^24.
        check::length("q (query)", heads * head_dim, q)?;
        check::length("out", heads * head_dim, out)?;
        check::multiple("k_cache", kv_heads * head_dim, k_cache)?;
        check::length("v_cache", k_cache, v_cache)?;
        let max_len = check::index("max_len", k_cache / (kv_heads * head_dim))?;
        let splits = (max_len as usize).div_ceil(SHARE).min(SPLITS);
        Ok(Self { heads: h, kv_heads: kv, head_dim: d, max_len, splits })
    }

    /// A block a stretch and group of query heads that share a key head.
    pub(super) fn blocks(&self) -> Geometry {
        let groups = ((self.heads / self.kv_heads) as usize).div_ceil(GROUP);
        Geometry::over(self.splits, 1, THREADS).by(groups * self.kv_heads as usize)
    }

    /// A block a head, for the second pass.
    pub(super) fn merge(&self) -> Geometry {
        Geometry::over(self.heads as usize, 1, THREADS)
    }

    /// Stretches that positions are divided into; one needs no second pass.
    pub(super) fn splits(&self) -> u32 {
        self.splits as u32
    }

    /// Bytes between the passes: for each head and stretch the sum, the largest score and the sum of weights.
    pub(super) fn scratch(&self) -> usize {
        if self.splits == 1 {
            return 0;
        }
        self.heads as usize * self.splits * (self.head_dim as usize + 2) * size_of::<f32>()
    }
}

/// What one step reads and writes.
pub(super) struct Step<'s, 'v> {
    pub(super) q: &'s CudaView<'s, f32>,
    pub(super) k_cache: &'s CudaView<'s, f32>,
    pub(super) v_cache: &'s CudaView<'s, f32>,
    pub(super) pos: Position<'s>,
    pub(super) out: &'s mut CudaViewMut<'v, f32>,
}

/// Launches the first kernel of `source` over all stretches, and the second where there are several.
///
/// # Safety
/// `sizes` were made for the lengths of `step`. The first kernel takes the queries, the caches, the position, the sizes,
/// `numbers`, out, the parts and the fault word; the second what `merge` of `device/attend.cuh` takes.
pub(super) unsafe fn run<const N: usize>(
    device: &Device,
    source: &'static Source,
    sizes: Sizes,
    step: Step<'_, '_>,
    numbers: [f32; N],
) -> Result<(), Refusal> {
    let pos = step.pos.bind(device, "position", sizes.max_len as usize)?;
    let parts = device.scratch(sizes.scratch())?;
    let (q, k_cache, v_cache) = (
        device.read("q", step.q)?,
        device.read("k_cache", step.k_cache)?,
        device.read("v_cache", step.v_cache)?,
    );
    let (out, fault, [value, at]) = (device.write("out", step.out)?, device.fault_word(), pos.args());
    let (d, max_len) = (sizes.head_dim.into(), sizes.max_len.into());
    let inputs =
        [q.arg(), k_cache.arg(), v_cache.arg(), value, at, sizes.heads.into(), sizes.kv_heads.into()];
    let outputs = [out.arg(), parts.arg(), fault.arg()];
    let mut arguments = [Arg::NULL; 16];
    let all = inputs.into_iter().chain([d, max_len]).chain(numbers.map(Arg::from)).chain(outputs);
    arguments.iter_mut().zip(all).for_each(|(slot, argument)| *slot = argument);
    let count = inputs.len() + 2 + N + outputs.len();
    // Between the launches no other call may use the scratch.
    let _together = device.together();
    // SAFETY: the kernel reads the queries and the positions below max_len, and writes out, or the scratch if there are
    // stretches; the caller vouches for the rest.
    unsafe { launch(device, source, 0, sizes.blocks(), &arguments[..count])? };
    if sizes.splits() == 1 {
        return Ok(());
    }
    let arguments = [parts.arg(), value, at, d, max_len, sizes.splits().into(), out.arg()];
    // SAFETY: the kernel reads what the stretches wrote, and writes out.
    unsafe { launch(device, source, 1, sizes.merge(), &arguments) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_divided_when_there_are_many() {
        let sizes = |max_len: usize| Sizes::new([20, 2, 4], [80, max_len * 8, max_len * 8, 80]).unwrap();
        assert_eq!((sizes(1).splits(), sizes(128).splits(), sizes(129).splits()), (1, 1, 2));
        assert_eq!((sizes(8192).splits(), sizes(100_000).splits()), (64, 64));
        assert_eq!(sizes(129).blocks().grid(), [2, 4, 1], "ten query heads a key head are two groups");
        assert_eq!((sizes(128).scratch(), sizes(129).scratch()), (0, 20 * 2 * 6 * 4));
    }

    #[test]
    fn refusals() {
        let code = |heads, lens| Sizes::new(heads, lens).unwrap_err().code();
        assert_eq!(code([4, 2, 257], [4 * 257, 0, 0, 0]), "KR-S04");
        assert_eq!(code([0, 2, 4], [0, 8, 8, 0]), "KR-S02");
        assert_eq!(code([4, 3, 4], [16, 12, 12, 16]), "KR-S03");
        assert_eq!(code([4, 2, 4], [15, 8, 8, 16]), "KR-S01");
        assert_eq!(code([4, 2, 4], [16, 9, 9, 16]), "KR-S03");
        assert_eq!(code([4, 2, 4], [16, 8, 16, 16]), "KR-S01");
        assert_eq!(code([4, 2, 4], [16, 0, 0, 16]), "KR-S02");
        assert_eq!(code([65_536, 1, 1], [65_536, 1, 1, 65_536]), "KR-S04");
    }
}
