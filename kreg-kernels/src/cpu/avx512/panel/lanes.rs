//! The one data movement of the level: sixteen weight rows, transposed by dwords.
//!
//! [`Rows::lanes16`] reads the same 16 bytes of each row; vector `i`, lane `r` of its result holds bytes `4i..4i + 4`
//! of row `r`. That is what the dot-product instructions want (consecutive inputs in a lane, rows across lanes), and it
//! is done to the packed bytes: what follows (nibbles, high bits, 6-bit scales) is lane-wise.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::super::load::load128;

/// Sixteen consecutive rows of a matrix; past its last row they repeat that one.
///
/// Sixteen short streams defeat the hardware prefetcher, but the next sixteen rows are one contiguous run, so reading
/// 16 bytes of each row at `at` prefetches the 256 bytes at `16 * at` of that run.
pub(crate) struct Rows<'w> {
    row: [*const u8; 16],
    next: *const u8,
    bytes: usize,
    first: usize,
    count: usize,
    lifetime: PhantomData<&'w [u8]>,
}

impl<'w> Rows<'w> {
    /// Rows `first..first + 16` of a matrix whose rows are `stride` bytes each, one after the other.
    ///
    /// # Panics
    /// When `data` is shorter than `count` rows, or has none.
    #[inline]
    pub(super) fn new(data: &'w [u8], stride: usize, count: usize, first: usize) -> Self {
        assert!(count > 0 && count.checked_mul(stride).is_some_and(|n| n <= data.len()));
        let row = std::array::from_fn(|r| data[(first + r).min(count - 1) * stride..].as_ptr());
        let next = data.as_ptr().wrapping_add((first + 16) * stride);
        Self { row, next, bytes: stride, first, count, lifetime: PhantomData }
    }

    /// The number in the matrix of lane `lane`'s row.
    pub(crate) fn index(&self, lane: usize) -> usize {
        (self.first + lane).min(self.count - 1)
    }

    /// Whether each row has bytes `at..at + n`.
    #[inline]
    pub(super) fn has(&self, at: usize, n: usize) -> bool {
        at + n <= self.bytes
    }

    /// What is left of each row from `at`, then zeros.
    pub(super) fn padded(&self, at: usize) -> [[u8; 32]; 16] {
        let left = self.bytes.saturating_sub(at).min(32);
        self.row.map(|row| {
            let mut bytes = [0; 32];
            // SAFETY: each row is `bytes` readable bytes for `'w`, and `at + left <= bytes` unless `left` is 0.
            let row = unsafe { std::slice::from_raw_parts(row.wrapping_add(at), left) };
            bytes[..left].copy_from_slice(row);
            bytes
        })
    }

    /// Bytes `at..at + 16` of each row, transposed.
    ///
    /// # Panics
    /// When rows end before.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn lanes16(&self, at: usize) -> [__m512i; 4] {
        for line in 0..4 {
            self.prefetch(16 * at + 64 * line);
        }
        self.transposed(at)
    }

    /// [`lanes16`](Self::lanes16) for block headers, of which a dword or two are wanted: a quarter of the prefetch.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn head16(&self, at: usize) -> [__m512i; 4] {
        self.prefetch(16 * at);
        self.transposed(at)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn prefetch(&self, at: usize) {
        // SAFETY: a prefetch is a hint: it does not fault, whatever the address. To L2, as L1 holds the panel.
        #[allow(unused_unsafe, reason = "newer compilers know the intrinsic as safe, 1.89 does not")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(self.next.wrapping_add(at).cast());
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transposed(&self, at: usize) -> [__m512i; 4] {
        assert!(at < self.bytes.saturating_sub(15), "16 bytes at {at} of rows of {}", self.bytes);
        // SAFETY: each row is `bytes` readable bytes for `'w`, and `at + 16 <= bytes` by the assertion.
        transpose(|r| load128(unsafe { &*self.row[r].add(at).cast::<[u8; 16]>() }))
    }
}

/// Sixteen rows of four dwords to four vectors of sixteen lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(row: impl Fn(usize) -> __m128i) -> [__m512i; 4] {
    // Rows j, 4 + j, 8 + j, 12 + j side by side: then a 4 x 4 transpose inside each 128-bit lane puts row r in lane r.
    let side_by_side = |j: usize| {
        let v = _mm512_castsi128_si512(row(j));
        let v = _mm512_inserti32x4::<1>(v, row(4 + j));
        let v = _mm512_inserti32x4::<2>(v, row(8 + j));
        _mm512_inserti32x4::<3>(v, row(12 + j))
    };
    let (a, b, c, d) = (side_by_side(0), side_by_side(1), side_by_side(2), side_by_side(3));
    let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab, cd),
        _mm512_unpackhi_epi64(ab, cd),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}
