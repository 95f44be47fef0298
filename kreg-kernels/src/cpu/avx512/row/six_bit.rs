//! Super-blocks of eight groups of 32 with 6-bit scales and minimums: what Q4_K and Q5_K share.
//!
//! A 32-bit lane of a byte product holds at most `4 * 31 * 127`, which fits 16 bits: then "times the group's scale,
//! added up" is one vpdpwssd with the scale in the lower word and 0 in the upper one. The scales are unpacked in
//! general registers, whose ports are idle here.

use std::arch::x86_64::*;

use bytemuck::{Pod, Zeroable};

use super::super::load::{load128, load512, reduce, scale_pair};
use super::super::quantise::{quantise, sum};
use super::record;

record! {
    /// Activations for one super-block.
    Acts {
        /// in the order of the nibbles: see [`GROUPS`]
        q: [[[i8; 32]; 2]; 4],
        /// sum of the activations of each group
        sums: [i16; 8],
        /// their scale
        scale: f32,
        pad: [u8; 44],
    }
}

/// The groups in the lower and upper half of each register: low nibbles of the first 64 bytes, high ones, low
/// nibbles of the second 64 bytes, high ones.
const GROUPS: [[usize; 2]; 4] = [[0, 2], [1, 3], [4, 6], [5, 7]];

/// For each register the group of each 32-bit lane.
const LANES: [[u32; 16]; 4] = {
    let mut t = [[0; 16]; 4];
    let mut i = 0;
    while i < 64 {
        t[i / 16][i % 16] = GROUPS[i / 16][i % 16 / 8] as u32;
        i += 1;
    }
    t
};

/// Quantises `x` per 256 and lays it out in `acts`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) fn prepare(x: &[f32], acts: &mut [Acts]) {
    for (x, a) in x.as_chunks::<256>().0.iter().zip(acts) {
        let (q, scale) = quantise(x);
        let q: [[i8; 32]; 8] = bytemuck::cast(q);
        *a = Acts {
            q: GROUPS.map(|groups| groups.map(|g| q[g])),
            sums: q.each_ref().map(|q| sum(q) as i16),
            scale,
            ..Zeroable::zeroed()
        };
    }
}

/// The products of rows whose blocks start with 16 bytes of scales and whose weights `quants` unpacks, unsigned, in
/// the order of [`GROUPS`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
pub(super) fn product<B: Pod, const S: usize>(
    rows: [&[B]; S],
    acts: &[Acts],
    quants: impl Fn(&B) -> [__m512i; 4],
) -> [f32; S] {
    let mut sums = [(_mm512_setzero_ps(), _mm_setzero_ps()); S];
    for (c, a) in acts.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            let b = &row[c];
            let [head, packed @ ..] = words(b);
            let (scales, mins) = unpack(packed);
            let scales = _mm512_castsi256_si512(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(scales)));
            let mins = _mm_madd_epi16(_mm_cvtepu8_epi16(_mm_cvtsi64_si128(mins)), load128(&a.sums));
            let mut dots = _mm512_setzero_si512();
            for ((&w, q), lanes) in quants(b).iter().zip(&a.q).zip(&LANES) {
                let dot = _mm512_dpbusd_epi32(_mm512_setzero_si512(), w, load512(q));
                dots = _mm512_dpwssd_epi32(dots, dot, _mm512_permutexvar_epi32(load512(lanes), scales));
            }
            let d = scale_pair(head, a.scale);
            sum.0 = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), _mm512_broadcastss_ps(d), sum.0);
            sum.1 = _mm_fmadd_ps(_mm_cvtepi32_ps(mins), _mm_movehdup_ps(d), sum.1);
        }
    }
    let mut totals = [_mm512_setzero_ps(); S];
    for (total, (dots, mins)) in totals.iter_mut().zip(sums) {
        *total = _mm512_sub_ps(dots, _mm512_zextps128_ps512(mins));
    }
    reduce(totals)
}

/// The first 16 bytes of a block: the f16 scales of scales and minimums, and twelve bytes of these.
#[inline]
fn words<B: Pod>(block: &B) -> [u32; 4] {
    let head = *bytemuck::bytes_of(block).first_chunk::<16>().expect("blocks start with 16 bytes");
    bytemuck::cast::<_, [[u8; 4]; 4]>(head).map(u32::from_le_bytes)
}

/// The eight scales and the eight minimums, a byte each, the first lowest.
#[inline]
fn unpack([scales, mins, both]: [u32; 3]) -> (i64, i64) {
    let six = |low: u32, upper: u32| {
        let upper = upper & 0x0f0f_0f0f | low >> 2 & 0x3030_3030;
        (u64::from(low & 0x3f3f_3f3f) | u64::from(upper) << 32).cast_signed()
    };
    (six(scales, both), six(mins, both >> 4))
}
