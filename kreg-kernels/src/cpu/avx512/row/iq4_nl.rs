//! IQ4_NL: the value of each nibble from a byte shuffle, 128 too large to be unsigned.

use std::arch::x86_64::*;

use super::super::load::load128;
use super::gathered::{Four, layout, product};
use super::nibbles::Nibbles;
use super::{Row, Single, bytes, share};
use crate::Matrix;
use crate::cpu::codebook::iq4_nl::VALUES;
use crate::cpu::split::Columns;
use crate::format::IQ4_NL;

/// Value of each code plus 128, in each 128-bit lane.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn values() -> __m512i {
    _mm512_broadcast_i32x4(_mm_xor_si128(load128(&VALUES), _mm_set1_epi8(-128)))
}

impl Row for IQ4_NL {
    type Acts = Nibbles<1>;
    const CHUNK: usize = 128;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Nibbles<1>]) {
        layout(128).prepare(x, acts);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Nibbles<1>], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for IQ4_NL {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(
        w: Matrix<'_, Self>,
        rows: [usize; S],
        acts: &[Nibbles<1>],
    ) -> [f32; S] {
        let (nibble, values) = (_mm512_set1_epi8(15), values());
        product(bytes(w, rows), acts, |four: Four<18, 2>| {
            let w = four.nibbles();
            let (low, high) =
                (_mm512_and_si512(w, nibble), _mm512_and_si512(_mm512_srli_epi16::<4>(w), nibble));
            [_mm512_shuffle_epi8(values, low), _mm512_shuffle_epi8(values, high)]
        })
    }
}
