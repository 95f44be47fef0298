//! Products of bytes, without and with the four-way dot product: what differs between the two levels.

use std::arch::aarch64::*;
use std::arch::asm;

use super::{Dotprod, Neon, Plain};
use crate::cpu::simd::Task;

/// The function that tasks become part of.
#[target_feature(enable = "neon")]
fn vectorise<T: Task>(s: Neon<Plain>, task: T) {
    task.run(s);
}

/// The function that tasks become part of.
#[target_feature(enable = "neon,dotprod")]
fn vectorise_dotprod<T: Task>(s: Neon<Dotprod>, task: T) {
    task.run(s);
}

/// What differs between the two levels.
pub(crate) trait Products: Copy + Send + Sync + 'static {
    /// Sums of products of 16 bytes.
    type Products: Copy;
    /// See [`Simd::vectorise`].
    fn vectorise<T: Task>(s: Neon<Self>, task: T);
    /// The products of 16 signed bytes; those of one of them are in -127..=127.
    fn multiply(s: Neon<Self>, w: int8x16_t, x: int8x16_t) -> Self::Products;
    /// See [`Simd::multiply_add`].
    fn multiply_add(s: Neon<Self>, products: Self::Products, w: int8x16_t, x: int8x16_t) -> Self::Products;
    /// See [`Simd::sum`].
    fn sum(s: Neon<Self>, products: Self::Products) -> int32x4_t;
    /// See [`Simd::sum_scaled`].
    fn sum_scaled(s: Neon<Self>, sum: int32x4_t, products: Self::Products, scale: int16x8_t) -> int32x4_t;
}

/// The products of words, each two neighbours added.
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn multiply_words(a: int16x8_t, b: int16x8_t) -> int32x4_t {
    vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b))
}

impl Products for Plain {
    /// One product a word, or the sum of such. Two neighbours are added at the end: `2 * 128 * 127` fits.
    type Products = [int16x8_t; 2];

    #[inline(always)]
    fn vectorise<T: Task>(s: Neon<Self>, task: T) {
        // SAFETY: `s` exists, so the CPU has the features.
        unsafe { vectorise(s, task) }
    }

    #[inline(always)]
    fn multiply(_: Neon<Self>, w: int8x16_t, x: int8x16_t) -> [int16x8_t; 2] {
        // SAFETY: the proof exists, so the CPU has NEON.
        unsafe { [vmull_s8(vget_low_s8(w), vget_low_s8(x)), vmull_high_s8(w, x)] }
    }

    #[inline(always)]
    fn multiply_add(_: Neon<Self>, sums: [int16x8_t; 2], w: int8x16_t, x: int8x16_t) -> [int16x8_t; 2] {
        // SAFETY: the proof exists, so the CPU has NEON.
        unsafe { [vmlal_s8(sums[0], vget_low_s8(w), vget_low_s8(x)), vmlal_high_s8(sums[1], w, x)] }
    }

    #[inline(always)]
    fn sum(_: Neon<Self>, products: [int16x8_t; 2]) -> int32x4_t {
        // SAFETY: the proof exists, so the CPU has NEON.
        unsafe { vpaddlq_s16(vpaddq_s16(products[0], products[1])) }
    }

    #[inline(always)]
    fn sum_scaled(_: Neon<Self>, sum: int32x4_t, products: [int16x8_t; 2], scale: int16x8_t) -> int32x4_t {
        // SAFETY: the proof exists, so the CPU has NEON.
        unsafe { vaddq_s32(sum, multiply_words(vpaddq_s16(products[0], products[1]), scale)) }
    }
}

/// `sum` and the sums of each four products. The intrinsic is not stable.
#[target_feature(enable = "neon,dotprod")]
#[inline]
fn sdot(mut sum: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    // SAFETY: an instruction on registers that this function's features include.
    unsafe {
        asm!("sdot {sum:v}.4s, {w:v}.16b, {x:v}.16b", sum = inout(vreg) sum, w = in(vreg) w, x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags));
    }
    sum
}

impl Products for Dotprod {
    /// Sums of four.
    type Products = int32x4_t;

    #[inline(always)]
    fn vectorise<T: Task>(s: Neon<Self>, task: T) {
        // SAFETY: `s` exists, so the CPU has the features.
        unsafe { vectorise_dotprod(s, task) }
    }

    #[inline(always)]
    fn multiply(_: Neon<Self>, w: int8x16_t, x: int8x16_t) -> int32x4_t {
        // SAFETY: the proof exists, so the CPU has `sdot`.
        unsafe { sdot(vdupq_n_s32(0), w, x) }
    }

    #[inline(always)]
    fn multiply_add(_: Neon<Self>, sums: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
        // SAFETY: the proof exists, so the CPU has `sdot`.
        unsafe { sdot(sums, w, x) }
    }

    #[inline(always)]
    fn sum(_: Neon<Self>, products: int32x4_t) -> int32x4_t {
        products
    }

    #[inline(always)]
    fn sum_scaled(_: Neon<Self>, sum: int32x4_t, products: int32x4_t, scale: int16x8_t) -> int32x4_t {
        // The words of a lane agree, so the even ones are the lanes' scales.
        // SAFETY: the proof exists, so the CPU has NEON.
        unsafe {
            let scale = vreinterpretq_s32_s16(scale);
            vmlaq_s32(sum, products, vshrq_n_s32::<16>(vshlq_n_s32::<16>(scale)))
        }
    }
}
