//! IQ4_XS: values as in IQ4_NL; both nibbles of a 128-bit lane belong to one group, so one product a half takes its
//! scale.

use std::arch::x86_64::*;

use bytemuck::Zeroable;

use super::super::load::{load512, reduce, scale, select};
use super::super::quantise::{quad_sums, quantise};
use super::iq4_nl::values;
use super::{Row, Single, blocks, record, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::{BlockIQ4_XS, IQ4_XS};

record! {
    /// Activations for one super-block, in two halves of four groups.
    Acts {
        /// for each half those against the low and those against the high nibbles
        q: [[[[i8; 16]; 4]; 2]; 2],
        /// what the integer sums start from
        start: [[i32; 16]; 2],
        /// their scale
        scale: f32,
        pad: [u8; 60],
    }
}

/// For each half, where the scale of each 32-bit lane begins in the block's first eight bytes: its low four bits, and
/// the eight bits with its upper two at bit 4.
const SCALES: [[[u8; 64]; 2]; 2] = {
    let mut t = [[[0; 64]; 2]; 2];
    let mut i = 0;
    while i < 128 {
        let g = i / 16;
        t[i / 64][0][i % 64] = (32 + 4 * g) as u8;
        t[i / 64][1][i % 64] = (16 + 2 * g - 4) as u8;
        i += 1;
    }
    t
};

/// The f16 scale, the upper and the lower bits of the group scales.
#[inline]
fn header(b: &BlockIQ4_XS) -> i64 {
    i64::from_le_bytes(*bytemuck::bytes_of(b).first_chunk().expect("136 bytes"))
}

impl Row for IQ4_XS {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        for (x, a) in x.as_chunks::<256>().0.iter().zip(acts) {
            let (q, scale) = quantise(x);
            let groups: [[[[i8; 16]; 2]; 4]; 2] = bytemuck::cast(q);
            let q = groups.map(|half| [0, 1].map(|nibble| half.map(|group| group[nibble])));
            let start = q.map(|[low, high]| {
                let [low, high] = [low, high].map(|q| quad_sums::<16>(q.as_flattened()));
                std::array::from_fn(|i| -128 * (low[i] + high[i]))
            });
            *a = Acts { q, start, scale, ..Zeroable::zeroed() };
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for IQ4_XS {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let (nibble, values) = (_mm512_set1_epi8(15), values());
        let (six, bias) = (_mm512_set1_epi32(63), _mm512_set1_epi32(32));
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let header = _mm512_set1_epi64(header(b));
                let halves = bytemuck::cast_ref::<_, [[u8; 64]; 2]>(&b.qs);
                let scaled = |half: usize| {
                    let w = load512(&halves[half]);
                    let [q_low, q_high] = &a.q[half];
                    let low = _mm512_shuffle_epi8(values, _mm512_and_si512(w, nibble));
                    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(w), nibble);
                    let high = _mm512_shuffle_epi8(values, high);
                    let dots = _mm512_dpbusd_epi32(load512(&a.start[half]), low, load512(q_low));
                    let dots = _mm512_dpbusd_epi32(dots, high, load512(q_high));
                    let [low, upper] = &SCALES[half];
                    let low = _mm512_multishift_epi64_epi8(load512(low), header);
                    let upper = _mm512_multishift_epi64_epi8(load512(upper), header);
                    let scales = select(nibble, low, upper);
                    _mm512_mullo_epi32(dots, _mm512_sub_epi32(_mm512_and_si512(scales, six), bias))
                };
                let dots = _mm512_add_epi32(scaled(0), scaled(1));
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale(b.d, a.scale), *sum);
            }
        }
        reduce(sums)
    }
}
