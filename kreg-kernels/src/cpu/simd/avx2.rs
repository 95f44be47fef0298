//! The x86-64 level with AVX2, FMA and F16C: one 256-bit register.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Simd, Task, instructions};

/// Proof that the CPU has AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The proof, for those who have the features.
    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// The function that tasks become part of.
#[target_feature(enable = "avx2,fma,f16c")]
fn vectorise<T: Task>(s: Avx2, task: T) {
    task.run(s);
}

/// Shifts that bring the high nibbles of the upper half down.
static HIGH_HALF_BY_4: [i32; 8] = [0, 0, 0, 0, 4, 4, 4, 4];

/// `v`, computed here and not elsewhere: else the compiler loads all the weights of an unrolled loop first, and spills them.
#[target_feature(enable = "avx2")]
#[inline]
fn in_place(mut v: __m256i) -> __m256i {
    // SAFETY: no instruction.
    unsafe { asm!("/* {0} */", inout(ymm_reg) v, options(nomem, nostack, preserves_flags)) };
    v
}

/// See [`Simd::transpose`].
#[target_feature(enable = "avx2")]
#[inline]
fn transpose([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    // Four rows by four dwords in each half: those of columns 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    let four = |a, b, c, d| {
        let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    };
    let ([l0, l1, l2, l3], [h0, h1, h2, h3]) = (four(a, b, c, d), four(e, f, g, h));
    let low = |l, h| _mm256_permute2x128_si256::<0x20>(l, h);
    let high = |l, h| _mm256_permute2x128_si256::<0x31>(l, h);
    [
        low(l0, h0),
        low(l1, h1),
        low(l2, h2),
        low(l3, h3),
        high(l0, h0),
        high(l1, h1),
        high(l2, h2),
        high(l3, h3),
    ]
}

impl Simd for Avx2 {
    type Bytes = __m256i;
    type Ints = __m256i;
    type Floats = __m256;
    /// 16 words: sums of two products and more. `2 * 128 * 127` fits.
    type Products = __m256i;

    #[inline(always)]
    fn vectorise<T: Task>(self, task: T) {
        // SAFETY: `self` exists, so the CPU has the features.
        unsafe { vectorise(self, task) }
    }

    instructions! {
        <T> fn load(self, v: &T) -> __m256i {
            const { assert!(size_of::<T>() == 32) };
            _mm256_loadu_si256((&raw const *v).cast())
        }
        <T> fn twice(self, v: &T) -> __m256i {
            const { assert!(size_of::<T>() == 16) };
            _mm256_broadcastsi128_si256(_mm_loadu_si128((&raw const *v).cast()))
        }
        fn splat(self, v: u8) -> __m256i { _mm256_set1_epi8(v.cast_signed()) }
        fn splat_word(self, v: i32) -> __m256i { _mm256_set1_epi32(v) }
        <T> fn store(self, v: __m256i, out: &mut T) -> () {
            const { assert!(size_of::<T>() == 32) };
            _mm256_storeu_si256((&raw mut *out).cast(), v);
        }
        fn transpose(self, rows: [__m256i; 8]) -> [__m256i; 8] { transpose(rows) }
        fn prefetch(self, at: *const u8) -> () { _mm_prefetch::<_MM_HINT_T1>(at.cast()) }
        fn and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn or(self, a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        fn add_bytes(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi8(a, b) }
        fn xor(self, a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn sub(self, a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi8(a, b) }
        fn equal(self, a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi8(a, b) }
        fn shift(self, v: __m256i, shift: i32, mask: u8) -> __m256i {
            // Words, not bytes: what crosses into the neighbour is masked out.
            let shifted = match shift {
                0.. => _mm256_srl_epi16(v, _mm_cvtsi32_si128(shift)),
                _ => _mm256_sll_epi16(v, _mm_cvtsi32_si128(-shift)),
            };
            _mm256_and_si256(shifted, _mm256_set1_epi8(mask.cast_signed()))
        }
        fn nibbles(self, v: &[u8; 16]) -> __m256i {
            let by = _mm256_loadu_si256((&raw const HIGH_HALF_BY_4).cast());
            let both = _mm256_broadcastsi128_si256(_mm_loadu_si128((&raw const *v).cast()));
            _mm256_and_si256(_mm256_srlv_epi32(both, by), _mm256_set1_epi8(15))
        }
        fn shuffle(self, table: __m256i, index: __m256i) -> __m256i { _mm256_shuffle_epi8(table, index) }
        fn widen(self, v: __m256i) -> __m256i { _mm256_cvtepi8_epi16(_mm256_castsi256_si128(v)) }

        fn multiply(self, w: __m256i, x: __m256i) -> __m256i { _mm256_maddubs_epi16(w, x) }
        fn multiply_signed(self, w: __m256i, x: __m256i) -> __m256i {
            // |-128| is 0x80, which is 128 as an unsigned byte.
            _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
        }
        fn multiply_offset(self, w: __m256i, _offset: u8, x: __m256i, start: &[i16; 16]) -> __m256i {
            let start = _mm256_loadu_si256((&raw const *start).cast());
            _mm256_add_epi16(_mm256_maddubs_epi16(w, x), start)
        }
        fn multiply_add(self, products: __m256i, w: __m256i, x: __m256i) -> __m256i {
            in_place(_mm256_add_epi16(products, _mm256_maddubs_epi16(w, x)))
        }
        fn sum(self, products: __m256i) -> __m256i { _mm256_madd_epi16(products, _mm256_set1_epi16(1)) }
        fn sum_scaled(self, sum: __m256i, products: __m256i, scale: __m256i) -> __m256i {
            _mm256_add_epi32(sum, _mm256_madd_epi16(products, scale))
        }
        fn multiply_words(self, a: __m256i, b: __m256i) -> __m256i { _mm256_madd_epi16(a, b) }
        fn zero_ints(self) -> __m256i { _mm256_setzero_si256() }
        fn in_place(self, v: __m256i) -> __m256i { in_place(v) }
        fn splat_int(self, v: i32) -> __m256i { _mm256_set1_epi32(v) }
        fn add_ints(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        fn times_16(self, v: __m256i) -> __m256i { _mm256_slli_epi32::<4>(v) }
        fn mul_ints(self, a: __m256i, b: __m256i) -> __m256i { _mm256_mullo_epi32(a, b) }

        fn to_floats(self, v: __m256i) -> __m256 { _mm256_cvtepi32_ps(v) }
        fn splat_float(self, v: f32) -> __m256 { _mm256_set1_ps(v) }
        fn splat_half(self, v: [u8; 2]) -> __m256 { _mm256_cvtph_ps(_mm_set1_epi16(i16::from_le_bytes(v))) }
        fn floats(self, v: &[[u8; 4]; 8]) -> __m256 { _mm256_loadu_ps((&raw const *v).cast()) }
        fn float_bits(self, v: __m256) -> __m256i { _mm256_castps_si256(v) }
        fn halves(self, v: &[[u8; 2]; 8]) -> __m256 {
            _mm256_cvtph_ps(_mm_loadu_si128((&raw const *v).cast()))
        }
        fn upper_halves(self, v: &[[u8; 2]; 8]) -> __m256 {
            let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((&raw const *v).cast()));
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide))
        }
        fn signed_bytes(self, v: __m256i) -> [__m256; 4] {
            let (low, high) = (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
            [
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(low)),
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128::<8>(low))),
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(high)),
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128::<8>(high))),
            ]
        }
        fn mul(self, a: __m256, b: __m256) -> __m256 { _mm256_mul_ps(a, b) }
        fn mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 { _mm256_fmadd_ps(a, b, c) }
        fn add(self, a: __m256, b: __m256) -> __m256 { _mm256_add_ps(a, b) }
        fn totals(self, v: [__m256; 8]) -> __m256 {
            // Neighbours are added, twice, within each half of a register; then the halves.
            let low = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
            let high = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
            let crossed = _mm256_permute2f128_ps::<0x21>(low, high);
            _mm256_add_ps(_mm256_blend_ps::<0xf0>(low, high), crossed)
        }
        fn to_array(self, v: __m256) -> [f32; 8] {
            let mut out = [0.0; 8];
            _mm256_storeu_ps(out.as_mut_ptr(), v);
            out
        }
    }
}
