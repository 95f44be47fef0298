//! The aarch64 levels: NEON, two 128-bit registers, without and with the four-way dot product.

mod products;
mod transpose;

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use products::{Products, multiply_words};
use transpose::transpose;

use super::{Simd, Task, instructions};

/// Proof that the CPU has NEON, and what `D` needs.
#[derive(Clone, Copy)]
pub(crate) struct Neon<D>(PhantomData<D>);

/// NEON without more.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// NEON with `sdot`.
#[derive(Clone, Copy)]
pub(crate) struct Dotprod;

impl Neon<Plain> {
    /// The proof, for those who have the features.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl Neon<Dotprod> {
    /// The proof, for those who have the features.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

/// Four f16 as floats. The intrinsic is younger than the oldest supported compiler.
#[target_feature(enable = "neon")]
#[inline]
fn halves(v: uint16x4_t) -> float32x4_t {
    let out: float32x4_t;
    // SAFETY: an instruction on registers that every aarch64 with NEON has.
    unsafe {
        asm!("fcvtl {out:v}.4s, {v:v}.4h", out = out(vreg) out, v = in(vreg) v,
            options(pure, nomem, nostack, preserves_flags));
    }
    out
}

/// Eight words as floats.
#[target_feature(enable = "neon")]
#[inline]
fn widen_to_floats(v: int16x8_t) -> [float32x4_t; 2] {
    [vcvtq_f32_s32(vmovl_s16(vget_low_s16(v))), vcvtq_f32_s32(vmovl_high_s16(v))]
}

/// The 32 bytes from `v`.
///
/// # Safety
/// They can be read.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn load(v: *const u8) -> [uint8x16_t; 2] {
    // SAFETY: the caller vouches for 32 readable bytes.
    unsafe { [vld1q_u8(v), vld1q_u8(v.add(16))] }
}

/// Words of a register of bytes.
macro_rules! words {
    ($v:expr) => {
        vreinterpretq_s16_u8($v)
    };
}

/// Signed bytes of a register of bytes.
macro_rules! signed {
    ($v:expr) => {
        vreinterpretq_s8_u8($v)
    };
}

impl<D: Products> Simd for Neon<D> {
    type Bytes = [uint8x16_t; 2];
    type Ints = [int32x4_t; 2];
    type Floats = [float32x4_t; 2];
    type Products = [D::Products; 2];

    #[inline(always)]
    fn vectorise<T: Task>(self, task: T) {
        D::vectorise(self, task);
    }

    #[inline(always)]
    fn multiply(self, w: Self::Bytes, x: Self::Bytes) -> Self::Products {
        // SAFETY: casts between registers; `self` exists, so the CPU has NEON.
        let [w0, w1, x0, x1] = unsafe { [signed!(w[0]), signed!(w[1]), signed!(x[0]), signed!(x[1])] };
        [D::multiply(self, w0, x0), D::multiply(self, w1, x1)]
    }

    #[inline(always)]
    fn multiply_signed(self, w: Self::Bytes, x: Self::Bytes) -> Self::Products {
        self.multiply(w, x)
    }

    #[inline(always)]
    fn multiply_offset(
        self,
        w: Self::Bytes,
        offset: u8,
        x: Self::Bytes,
        _start: &[i16; 16],
    ) -> Self::Products {
        self.multiply(self.sub(w, self.splat(offset)), x)
    }

    #[inline(always)]
    fn multiply_add(self, products: Self::Products, w: Self::Bytes, x: Self::Bytes) -> Self::Products {
        // SAFETY: casts between registers; `self` exists, so the CPU has NEON.
        let [w0, w1, x0, x1] = unsafe { [signed!(w[0]), signed!(w[1]), signed!(x[0]), signed!(x[1])] };
        [D::multiply_add(self, products[0], w0, x0), D::multiply_add(self, products[1], w1, x1)]
    }

    #[inline(always)]
    fn sum(self, products: Self::Products) -> Self::Ints {
        [D::sum(self, products[0]), D::sum(self, products[1])]
    }

    #[inline(always)]
    fn sum_scaled(self, sum: Self::Ints, products: Self::Products, scale: Self::Bytes) -> Self::Ints {
        // SAFETY: casts between registers; `self` exists, so the CPU has NEON.
        let [s0, s1] = unsafe { [words!(scale[0]), words!(scale[1])] };
        [D::sum_scaled(self, sum[0], products[0], s0), D::sum_scaled(self, sum[1], products[1], s1)]
    }

    instructions! {
        <T> fn load(self, v: &T) -> Self::Bytes {
            const { assert!(size_of::<T>() == 32) };
            load((&raw const *v).cast())
        }
        <T> fn twice(self, v: &T) -> Self::Bytes {
            const { assert!(size_of::<T>() == 16) };
            [vld1q_u8((&raw const *v).cast()); 2]
        }
        fn splat(self, v: u8) -> Self::Bytes { [vdupq_n_u8(v); 2] }
        fn splat_word(self, v: i32) -> Self::Bytes { [vreinterpretq_u8_s32(vdupq_n_s32(v)); 2] }
        <T> fn store(self, v: Self::Bytes, out: &mut T) -> () {
            const { assert!(size_of::<T>() == 32) };
            let out: *mut u8 = (&raw mut *out).cast();
            vst1q_u8(out, v[0]);
            vst1q_u8(out.add(16), v[1]);
        }
        fn transpose(self, rows: [Self::Bytes; 8]) -> [Self::Bytes; 8] { transpose(rows) }
        fn prefetch(self, at: *const u8) -> () {
            asm!("prfm pldl2keep, [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
        }
        fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [vandq_u8(a[0], b[0]), vandq_u8(a[1], b[1])] }
        fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [vorrq_u8(a[0], b[0]), vorrq_u8(a[1], b[1])] }
        fn add_bytes(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [vaddq_u8(a[0], b[0]), vaddq_u8(a[1], b[1])] }
        fn xor(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [veorq_u8(a[0], b[0]), veorq_u8(a[1], b[1])] }
        fn sub(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [vsubq_u8(a[0], b[0]), vsubq_u8(a[1], b[1])] }
        fn equal(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes { [vceqq_u8(a[0], b[0]), vceqq_u8(a[1], b[1])] }
        fn shift(self, v: Self::Bytes, shift: i32, mask: u8) -> Self::Bytes {
            let (by, mask) = (vdupq_n_s8(-shift as i8), vdupq_n_u8(mask));
            [vandq_u8(vshlq_u8(v[0], by), mask), vandq_u8(vshlq_u8(v[1], by), mask)]
        }
        fn nibbles(self, v: &[u8; 16]) -> Self::Bytes {
            let v = vld1q_u8(v.as_ptr());
            [vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8::<4>(v)]
        }
        fn shuffle(self, table: Self::Bytes, index: Self::Bytes) -> Self::Bytes {
            [vqtbl1q_u8(table[0], index[0]), vqtbl1q_u8(table[1], index[1])]
        }
        fn widen(self, v: Self::Bytes) -> Self::Bytes {
            let v = signed!(v[0]);
            [vreinterpretq_u8_s16(vmovl_s8(vget_low_s8(v))), vreinterpretq_u8_s16(vmovl_high_s8(v))]
        }

        fn multiply_words(self, a: Self::Bytes, b: Self::Bytes) -> Self::Ints {
            [multiply_words(words!(a[0]), words!(b[0])), multiply_words(words!(a[1]), words!(b[1]))]
        }
        fn zero_ints(self) -> Self::Ints { [vdupq_n_s32(0); 2] }
        fn in_place(self, v: Self::Ints) -> Self::Ints { v }
        fn splat_int(self, v: i32) -> Self::Ints { [vdupq_n_s32(v); 2] }
        fn add_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints { [vaddq_s32(a[0], b[0]), vaddq_s32(a[1], b[1])] }
        fn times_16(self, v: Self::Ints) -> Self::Ints { [vshlq_n_s32::<4>(v[0]), vshlq_n_s32::<4>(v[1])] }
        fn mul_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints { [vmulq_s32(a[0], b[0]), vmulq_s32(a[1], b[1])] }

        fn to_floats(self, v: Self::Ints) -> Self::Floats { [vcvtq_f32_s32(v[0]), vcvtq_f32_s32(v[1])] }
        fn splat_float(self, v: f32) -> Self::Floats { [vdupq_n_f32(v); 2] }
        fn splat_half(self, v: [u8; 2]) -> Self::Floats { [halves(vdup_n_u16(u16::from_le_bytes(v))); 2] }
        fn floats(self, v: &[[u8; 4]; 8]) -> Self::Floats {
            let [a, b] = load(v.as_ptr().cast());
            [vreinterpretq_f32_u8(a), vreinterpretq_f32_u8(b)]
        }
        fn float_bits(self, v: Self::Floats) -> Self::Bytes { [vreinterpretq_u8_f32(v[0]), vreinterpretq_u8_f32(v[1])] }
        fn halves(self, v: &[[u8; 2]; 8]) -> Self::Floats {
            let v = vreinterpretq_u16_u8(vld1q_u8(v.as_ptr().cast()));
            [halves(vget_low_u16(v)), halves(vget_high_u16(v))]
        }
        fn upper_halves(self, v: &[[u8; 2]; 8]) -> Self::Floats {
            let v = vreinterpretq_u16_u8(vld1q_u8(v.as_ptr().cast()));
            let (a, b) = (vmovl_u16(vget_low_u16(v)), vmovl_high_u16(v));
            [vreinterpretq_f32_u32(vshlq_n_u32::<16>(a)), vreinterpretq_f32_u32(vshlq_n_u32::<16>(b))]
        }
        fn signed_bytes(self, v: Self::Bytes) -> [Self::Floats; 4] {
            let (a, b) = (signed!(v[0]), signed!(v[1]));
            [
                widen_to_floats(vmovl_s8(vget_low_s8(a))),
                widen_to_floats(vmovl_high_s8(a)),
                widen_to_floats(vmovl_s8(vget_low_s8(b))),
                widen_to_floats(vmovl_high_s8(b)),
            ]
        }
        fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats { [vmulq_f32(a[0], b[0]), vmulq_f32(a[1], b[1])] }
        fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
            [vfmaq_f32(c[0], a[0], b[0]), vfmaq_f32(c[1], a[1], b[1])]
        }
        fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats { [vaddq_f32(a[0], b[0]), vaddq_f32(a[1], b[1])] }
        fn totals(self, v: [Self::Floats; 8]) -> Self::Floats {
            let [a, b, c, d, e, f, g, h] = v.map(|v| vaddq_f32(v[0], v[1]));
            [
                vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d)),
                vpaddq_f32(vpaddq_f32(e, f), vpaddq_f32(g, h)),
            ]
        }
        fn to_array(self, v: Self::Floats) -> [f32; 8] {
            let mut out = [0.0; 8];
            vst1q_f32(out.as_mut_ptr(), v[0]);
            vst1q_f32(out.as_mut_ptr().add(4), v[1]);
            out
        }
    }
}
