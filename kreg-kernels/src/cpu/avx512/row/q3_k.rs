//! Q3_K: `scale * (q - 4) + 127` is within 3..=255, so a table of eight bytes per plane and lane holds it; the 127 is
//! in the sum's start.

use std::arch::x86_64::*;

use super::super::load::{load256, load512, reduce, scale, select};
use super::planes::{Acts, group, prepare};
use super::{Row, Single, blocks, share};
use crate::Matrix;
use crate::cpu::split::Columns;
use crate::format::Q3_K;

/// For the table of planes `2 t` and `2 t + 1` the group of each word: four words, eight bytes, a plane and lane.
const GROUPS: [[u16; 32]; 2] = {
    let mut t = [[0; 32]; 2];
    let mut i = 0;
    while i < 64 {
        let word = i % 32;
        t[i / 32][word] = group(2 * (i / 32) + word / 4 % 2, word / 8) as u16;
        i += 1;
    }
    t
};

/// What each word's scale is multiplied by: two neighbouring values of q - 4, one a byte.
const VALUES: [i16; 32] = {
    let mut t = [0; 32];
    let mut word = 0;
    while word < 32 {
        let even = 2 * (word as i16 % 4) - 4;
        t[word] = even + 256 * (even + 1);
        word += 1;
    }
    t
};

/// Where the low four bits of each scale begin in the first eight scale bytes.
const LOW: [u8; 16] = {
    let mut t = [0; 16];
    let mut g = 0;
    while g < 16 {
        t[g] = (8 * (g % 8) + 4 * (g / 8)) as u8;
        g += 1;
    }
    t
};

/// Where the eight bits with the upper two bits of each scale at bit 4 begin in the last eight scale bytes.
const UPPER: [u8; 16] = {
    let mut t = [0; 16];
    let mut g = 0;
    while g < 16 {
        t[g] = (32 + 8 * (g % 4) + 2 * (g / 4) - 4) as u8;
        g += 1;
    }
    t
};

/// The bit matrix for vgf2p8affineqb that moves bit `bit` to bit 2.
const fn to_bit_2(bit: u32) -> i64 {
    1 << (8 * (7 - 2) + bit)
}

/// The sixteen scales as words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
#[inline]
fn scales(packed: &[u8; 12]) -> __m512i {
    let window = |at: usize, starts: &[u8; 16]| {
        let bytes = *packed[at..].first_chunk().expect("8 of 12 bytes");
        _mm_multishift_epi64_epi8(bytemuck::cast(*starts), _mm_set1_epi64x(i64::from_le_bytes(bytes)))
    };
    let six = _mm_ternarylogic_epi32::<0xCA>(_mm_set1_epi8(15), window(0, &LOW), window(4, &UPPER));
    let signed = _mm_sub_epi8(_mm_and_si128(six, _mm_set1_epi8(63)), _mm_set1_epi8(32));
    _mm512_castsi256_si512(_mm256_cvtepi8_epi16(signed))
}

impl Row for Q3_K {
    type Acts = Acts;
    const CHUNK: usize = 256;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn prepare(x: &[f32], acts: &mut [Acts]) {
        prepare(x, acts, 127);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    unsafe fn share(w: Matrix<'_, Self>, acts: &[Acts], out: Columns<'_>) {
        // SAFETY: this function has the features of `product`.
        unsafe { share::<_, 4>(w, acts, out) }
    }
}

impl Single for Q3_K {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vbmi,gfni")]
    #[inline]
    unsafe fn product<const S: usize>(w: Matrix<'_, Self>, rows: [usize; S], acts: &[Acts]) -> [f32; S] {
        let rows = blocks(w, rows);
        let two = _mm512_set1_epi8(3);
        let (values, bias) = (load512(&VALUES), _mm512_set1_epi8(127));
        let mut sums = [_mm512_setzero_ps(); S];
        for (c, a) in acts.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let b = &row[c];
                let scales = scales(&b.scales);
                // Two bytes a multiplication: with its bias the lower byte never carries into the upper one.
                let table = |t: usize| {
                    let scales = _mm512_permutexvar_epi16(load512(&GROUPS[t]), scales);
                    _mm512_add_epi16(_mm512_mullo_epi16(scales, values), bias)
                };
                let tables = [table(0), table(1)];
                let w = load512(&b.qs);
                let planes =
                    [w, _mm512_srli_epi16::<2>(w), _mm512_srli_epi16::<4>(w), _mm512_srli_epi16::<6>(w)];
                let third = _mm512_broadcast_i64x4(load256(&b.hmask));
                let mut dots = load512(&a.start);
                for (p, (&w, q)) in planes.iter().zip(&a.q).enumerate() {
                    let (m, n) = (to_bit_2(p as u32), to_bit_2(p as u32 + 4));
                    let move_third = _mm512_set_epi64(n, n, n, n, m, m, m, m);
                    // Odd planes use the upper eight bytes of a lane's table: the third operand sets bit 3.
                    let third = if p % 2 == 0 {
                        _mm512_gf2p8affine_epi64_epi8::<0>(third, move_third)
                    } else {
                        _mm512_gf2p8affine_epi64_epi8::<8>(third, move_third)
                    };
                    let index = select(two, w, third);
                    dots = _mm512_dpbusd_epi32(dots, _mm512_shuffle_epi8(tables[p / 2], index), load512(q));
                }
                *sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale(b.d, a.scale), *sum);
            }
        }
        reduce(sums)
    }
}
