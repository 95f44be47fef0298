//! The products of every level whose registers are narrower than AVX-512's, written once: `row` with one activation
//! row, `panel` with more.
//!
//! A level is a value of a type that implements [`Simd`]: its operations on 32 bytes, 16 words, 8 integers or 8 floats,
//! one register on AVX2 and two on NEON. The value can only be made where the CPU has the level's features, so
//! everything built on it is safe code. Lane `i` of a product sums the same four terms on every level, so levels
//! agree to the bit.

pub(crate) mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod codes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod panel;
pub(crate) mod row;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
pub(crate) use codes::Codes;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{Dotprod, Neon, Plain};

use bytemuck::Pod;

/// Work to be compiled with the features of a level.
pub(crate) trait Task {
    /// Does it. To be marked `#[inline(always)]`, as all that it calls: then it becomes part of a function that has
    /// the features.
    fn run<S: Simd>(self, s: S);
}

/// The operations of a level. Those with `i16` or `i32` lanes wrap.
pub(crate) trait Simd: Copy + Send + Sync + 'static {
    /// 32 bytes, or 16 words of 16 bits.
    type Bytes: Copy;
    /// 8 integers of 32 bits.
    type Ints: Copy;
    /// 8 floats of 32 bits.
    type Floats: Copy;
    /// Sums of products of the bytes of two [`Self::Bytes`], eight times those of four neighbours: what
    /// [`sum`](Self::sum) adds up.
    type Products: Copy;

    /// Runs `task` with this level's features.
    fn vectorise<T: Task>(self, task: T);

    /// The 32 bytes of `v`.
    fn load<T: Pod>(self, v: &T) -> Self::Bytes;
    /// The 16 bytes of `v`, twice.
    fn twice<T: Pod>(self, v: &T) -> Self::Bytes;
    /// `v` everywhere.
    fn splat(self, v: u8) -> Self::Bytes;
    /// The four bytes of `v` everywhere.
    fn splat_word(self, v: i32) -> Self::Bytes;
    /// Writes the 32 bytes of `v`.
    fn store<T: Pod>(self, v: Self::Bytes, out: &mut T);
    /// Eight rows of eight dwords to eight columns.
    fn transpose(self, rows: [Self::Bytes; 8]) -> [Self::Bytes; 8];
    /// Fetches the cache line of an address that need not be one.
    fn prefetch(self, at: *const u8);
    /// Bitwise and.
    fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Bitwise or.
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Byte sums.
    fn add_bytes(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Bitwise exclusive or.
    fn xor(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Byte differences.
    fn sub(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 0xff where the bytes are equal, else 0.
    fn equal(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// `v >> shift & mask` in each byte, or `v << -shift & mask`. No bit of `mask` may be one that the shift fills.
    fn shift(self, v: Self::Bytes, shift: i32, mask: u8) -> Self::Bytes;
    /// The 16 low nibbles of `v`, then the 16 high ones.
    fn nibbles(self, v: &[u8; 16]) -> Self::Bytes;
    /// In each half of 16 bytes, `table[index]`. Indices are below 16.
    fn shuffle(self, table: Self::Bytes, index: Self::Bytes) -> Self::Bytes;
    /// The lower 16 bytes, sign-extended to words.
    fn widen(self, v: Self::Bytes) -> Self::Bytes;

    /// `w * x` with `w` in 0..=127 and `x` in -127..=127.
    fn multiply(self, w: Self::Bytes, x: Self::Bytes) -> Self::Products;
    /// `w * x` with `w` signed and `x` in -127..=127.
    fn multiply_signed(self, w: Self::Bytes, x: Self::Bytes) -> Self::Products;
    /// `(w - offset) * x` with `w` in 0..=127 and `x` in -127..=127, where `start` is `-offset * x`, each two
    /// neighbours added to a word.
    fn multiply_offset(self, w: Self::Bytes, offset: u8, x: Self::Bytes, start: &[i16; 16])
    -> Self::Products;
    /// `products` and those of `w` in 0..=127 and `x`, for as long as the sums of pairs fit 16 bits.
    fn multiply_add(self, products: Self::Products, w: Self::Bytes, x: Self::Bytes) -> Self::Products;
    /// The sum of each four products.
    fn sum(self, products: Self::Products) -> Self::Ints;
    /// `sum` plus the sum of each four products times the words `scale`, which agree within four bytes.
    fn sum_scaled(self, sum: Self::Ints, products: Self::Products, scale: Self::Bytes) -> Self::Ints;
    /// The products of words, each two neighbours added.
    fn multiply_words(self, a: Self::Bytes, b: Self::Bytes) -> Self::Ints;
    /// Zeros.
    fn zero_ints(self) -> Self::Ints;
    /// `v`, computed where this is called and not elsewhere, if the compiler is to be told.
    fn in_place(self, v: Self::Ints) -> Self::Ints;
    /// `v` everywhere.
    fn splat_int(self, v: i32) -> Self::Ints;
    /// `a + b`.
    fn add_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// `16 v`.
    fn times_16(self, v: Self::Ints) -> Self::Ints;
    /// `a * b`.
    fn mul_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;

    /// The nearest floats.
    fn to_floats(self, v: Self::Ints) -> Self::Floats;
    /// `v` everywhere.
    fn splat_float(self, v: f32) -> Self::Floats;
    /// The f16 `v` everywhere.
    fn splat_half(self, v: [u8; 2]) -> Self::Floats;
    /// Eight floats.
    fn floats(self, v: &[[u8; 4]; 8]) -> Self::Floats;
    /// The floats as they lie in memory.
    fn float_bits(self, v: Self::Floats) -> Self::Bytes;
    /// Eight f16.
    fn halves(self, v: &[[u8; 2]; 8]) -> Self::Floats;
    /// Eight upper halves of floats.
    fn upper_halves(self, v: &[[u8; 2]; 8]) -> Self::Floats;
    /// Signed bytes, eight at a time.
    fn signed_bytes(self, v: Self::Bytes) -> [Self::Floats; 4];
    /// `a * b`.
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a * b + c` with one rounding.
    fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// `a + b`.
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// In lane `i` the sum of all lanes of `v[i]`, in the same order for each.
    fn totals(self, v: [Self::Floats; 8]) -> Self::Floats;
    /// The eight floats.
    fn to_array(self, v: Self::Floats) -> [f32; 8];
}

/// Implements methods of [`Simd`] by instructions of the level whose value `self` is.
macro_rules! instructions {
    ($($(<$t:ident>)? fn $name:ident($self:ident $(, $arg:ident: $ty:ty)*) -> $out:ty $body:block)+) => {
        $(#[inline(always)]
        #[allow(unused_unsafe, reason = "some compilers know some of these as safe")]
        fn $name $(<$t: bytemuck::Pod>)? ($self $(, $arg: $ty)*) -> $out {
            // SAFETY: `self` exists, so the CPU has the level's features; loads read what they have a reference to,
            // which is as long as they read, and take any address.
            unsafe { $body }
        })+
    };
}
use instructions;
