//! Loads and f16 scales: the only unsafe code of the level's inner loops.
//!
//! Every load takes a reference to what it reads, so no kernel can touch a byte outside its row.

use std::arch::x86_64::*;

use bytemuck::Pod;

/// The 64 bytes of `v`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn load512<T: Pod>(v: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: `v` is 64 readable bytes without padding; the instruction takes any address.
    unsafe { _mm512_loadu_si512((&raw const *v).cast()) }
}

/// The 32 bytes of `v`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn load256<T: Pod>(v: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: `v` is 32 readable bytes without padding; the instruction takes any address.
    unsafe { _mm256_loadu_si256((&raw const *v).cast()) }
}

/// The 16 bytes of `v`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn load128<T: Pod>(v: &T) -> __m128i {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: `v` is 16 readable bytes without padding; the instruction takes any address.
    unsafe { _mm_loadu_si128((&raw const *v).cast()) }
}

/// Sixteen floats.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn load_ps(v: &[f32; 16]) -> __m512 {
    _mm512_castsi512_ps(load512(v))
}

/// 64 bytes of `bytes` from `at`, zeros for those past its end.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(crate) fn load512_at(bytes: &[u8], at: usize) -> __m512i {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<64>() {
        Some(whole) => load512(whole),
        // SAFETY: a masked load touches the selected bytes only, and these are the bytes of `rest`.
        None => unsafe { _mm512_maskz_loadu_epi8((1 << rest.len()) - 1, rest.as_ptr().cast()) },
    }
}

/// The f16 `d` times `s` in every lane. The conversion and the product use one lane: a whole register costs more.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn scale(d: [u8; 2], s: f32) -> __m512 {
    _mm512_broadcastss_ps(_mm_mul_ss(half(d), _mm_set_ss(s)))
}

/// The f16 `d` in every lane.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn half(d: [u8; 2]) -> __m128 {
    _mm_cvtph_ps(_mm_set1_epi16(i16::from_le_bytes(d)))
}

/// The f16 pair in `dm`, both times `s`: the lower one in the even lanes, the upper one in the odd lanes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn scale_pair(dm: u32, s: f32) -> __m128 {
    _mm_mul_ps(_mm_cvtph_ps(_mm_set1_epi32(dm.cast_signed())), _mm_set1_ps(s))
}

/// The f16 `d[0] * s[0]` in the lower eight lanes, `d[1] * s[1]` in the upper eight.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn scale_halves(d: [[u8; 2]; 2], s: [f32; 2]) -> __m512 {
    let [d0, d1] = d.map(|d| i32::from(u16::from_le_bytes(d)));
    let d = _mm_insert_epi16::<1>(_mm_cvtsi32_si128(d0), d1);
    let ds = _mm_mul_ps(_mm_cvtph_ps(d), _mm_set_ps(0.0, 0.0, s[1], s[0]));
    let halves = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    _mm512_permutexvar_ps(halves, _mm512_castps128_ps512(ds))
}

/// The bits of `a` where `mask` has ones, else those of `b`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn select(mask: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xCA>(mask, a, b)
}

/// The sum of each register's lanes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn reduce<const S: usize>(sums: [__m512; S]) -> [f32; S] {
    let mut totals = [0.0; S];
    for (total, sum) in totals.iter_mut().zip(&sums) {
        *total = _mm512_reduce_add_ps(*sum);
    }
    totals
}
