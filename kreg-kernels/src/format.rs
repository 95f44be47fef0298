//! The weight formats: one marker type, one block struct and three numbers each.
//!
//! A block struct has alignment 1, so blocks are read where they lie in a mapped file, at any address. Layouts are
//! GGML's; each struct's size is asserted at compile time.

use bytemuck::{Pod, Zeroable};

mod sealed {
    pub trait Sealed {}
}

/// How the blocks of a matrix follow each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Each row is a whole number of blocks; row `r` starts at `r * row_bytes`. Every GGML type.
    Rows,
    /// One stream of blocks over the whole matrix in row-major element order: a row may start inside a block.
    Flat {
        /// Bytes before the first block.
        header: usize,
    },
}

/// A weight format. Sealed: a kernel may trust these numbers.
pub trait Format: sealed::Sealed + Copy + Send + Sync + 'static {
    /// One block as it lies in the file; alignment 1.
    type Block: Pod + Send + Sync;
    /// The registry's name of the type, such as `Q4_K`.
    const NAME: &'static str;
    /// GGML's id; 128 and above are private to the APR container.
    const GGML_TYPE: u32;
    /// Weights in one block.
    const ELEMS: usize;
    /// Bytes of one block.
    const BYTES: usize = size_of::<Self::Block>();
    /// How blocks follow each other.
    const STORAGE: Storage = Storage::Rows;
}

/// Declares a block struct of byte arrays and the marker of its format.
macro_rules! format {
    ($(#[$doc:meta])* $name:ident, $id:literal, $elems:literal, $bytes:literal,
     $block:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty),+ $(,)? } $(, $storage:expr)?) => {
        $(#[$doc])*
        #[allow(non_camel_case_types, reason = "the registry's own spelling")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        #[doc = concat!("One block of [`", stringify!($name), "`]: ", stringify!($elems), " weights in ", stringify!($bytes), " bytes.")]
        #[allow(non_camel_case_types, reason = "the registry's own spelling")]
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $block { $($(#[$fdoc])* pub $field: $ty),+ }

        const _: () = assert!(size_of::<$block>() == $bytes && align_of::<$block>() == 1);

        // SAFETY: a `repr(C)` struct of byte arrays: no padding (the size is asserted), every bit pattern valid.
        unsafe impl Zeroable for $block {}
        // SAFETY: as above; `Copy`, `'static`, no interior mutability, no pointers.
        unsafe impl Pod for $block {}

        impl sealed::Sealed for $name {}
        impl Format for $name {
            type Block = $block;
            const NAME: &'static str = stringify!($name);
            const GGML_TYPE: u32 = $id;
            const ELEMS: usize = $elems;
            $(const STORAGE: Storage = $storage;)?
        }
    };
}

format! { /** IEEE f32, little-endian. */ F32, 0, 1, 4, BlockF32 { /** value */ v: [u8; 4] } }
format! { /** IEEE f16, little-endian. */ F16, 1, 1, 2, BlockF16 { /** value */ v: [u8; 2] } }
format! { /** The upper half of an f32, little-endian. */ BF16, 30, 1, 2, BlockBF16 { /** value */ v: [u8; 2] } }
format! { /** 4 bits, scale: `d * (q - 8)`. */ Q4_0, 2, 32, 18, BlockQ4_0 {
/** scale, f16 */ d: [u8; 2],
/** low nibbles are weights 0..16, high nibbles 16..32 */ qs: [u8; 16] } }
format! { /** 4 bits, scale and minimum: `d * q + m`. */ Q4_1, 3, 32, 20, BlockQ4_1 {
/** scale, f16 */ d: [u8; 2],
/** minimum, f16 */ m: [u8; 2],
/** low nibbles are weights 0..16, high nibbles 16..32 */ qs: [u8; 16] } }
format! { /** 5 bits, scale: `d * (q - 16)`. */ Q5_0, 6, 32, 22, BlockQ5_0 {
/** scale, f16 */ d: [u8; 2],
/** fifth bit of weight i is bit i of this little-endian u32 */ qh: [u8; 4],
/** low nibbles are weights 0..16, high nibbles 16..32 */ qs: [u8; 16] } }
format! { /** 5 bits, scale and minimum: `d * q + m`. */ Q5_1, 7, 32, 24, BlockQ5_1 {
/** scale, f16 */ d: [u8; 2],
/** minimum, f16 */ m: [u8; 2],
/** fifth bit of weight i is bit i of this little-endian u32 */ qh: [u8; 4],
/** low nibbles are weights 0..16, high nibbles 16..32 */ qs: [u8; 16] } }
format! { /** 8 bits, scale: `d * q`. */ Q8_0, 8, 32, 34, BlockQ8_0 {
/** scale, f16 */ d: [u8; 2],
/** signed weights */ qs: [u8; 32] } }
format! { /** 2 bits; 16 groups of 16 with a 4-bit scale and a 4-bit minimum each. */ Q2_K, 10, 256, 84, BlockQ2_K {
/** low nibble scale, high nibble minimum, per group of 16 */ scales: [u8; 16],
/** 2-bit weights: byte i of half h holds weights 128h + i + 32j at bits 2j */ qs: [u8; 64],
/** scale of the scales, f16 */ d: [u8; 2],
/** scale of the minimums, f16 */ dmin: [u8; 2] } }
format! { /** 3 bits; 16 groups of 16 with a 6-bit scale each. */ Q3_K, 11, 256, 110, BlockQ3_K {
/** third bits, inverted: bit set means "do not subtract 4" */ hmask: [u8; 32],
/** low 2 bits, ordered as in Q2_K */ qs: [u8; 64],
/** sixteen 6-bit scales, biased by 32 */ scales: [u8; 12],
/** scale of the scales, f16 */ d: [u8; 2] } }
format! { /** 4 bits; 8 groups of 32 with a 6-bit scale and a 6-bit minimum each. */ Q4_K, 12, 256, 144, BlockQ4_K {
/** scale of the scales, f16 */ d: [u8; 2],
/** scale of the minimums, f16 */ dmin: [u8; 2],
/** eight 6-bit scales and eight 6-bit minimums */ scales: [u8; 12],
/** 4 chunks of 64 weights: 32 low nibbles, then the 32 high nibbles of the same bytes */ qs: [u8; 128] } }
format! { /** 5 bits; scales as in Q4_K. */ Q5_K, 13, 256, 176, BlockQ5_K {
/** scale of the scales, f16 */ d: [u8; 2],
/** scale of the minimums, f16 */ dmin: [u8; 2],
/** eight 6-bit scales and eight 6-bit minimums */ scales: [u8; 12],
/** fifth bits: bit g of byte i belongs to weight 32g + i */ qh: [u8; 32],
/** low 4 bits, ordered as in Q4_K */ qs: [u8; 128] } }
format! { /** 6 bits; 16 groups of 16 with an 8-bit scale each. */ Q6_K, 14, 256, 210, BlockQ6_K {
/** low 4 bits: two halves of 128, byte l of a half serves l, l + 32, l + 64, l + 96 with `qh` */ ql: [u8; 128],
/** upper 2 bits */ qh: [u8; 64],
/** signed scales */ scales: [u8; 16],
/** scale of the scales, f16 */ d: [u8; 2] } }
format! { /** 2.06 bits: groups of 8 from a codebook of 256, seven-bit sign indices. */ IQ2_XXS, 16, 256, 66, BlockIQ2_XXS {
/** scale, f16 */ d: [u8; 2],
/** per 32 weights: four codebook bytes, then 4 x 7 sign bits and a 4-bit scale */ qs: [u8; 64] } }
format! { /** 2.5 bits: groups of 8 from a codebook of 1024, explicit signs. */ IQ2_S, 22, 256, 82, BlockIQ2_S {
/** scale, f16 */ d: [u8; 2],
/** low codebook index bits, one byte per 8 weights */ qs: [u8; 32],
/** signs, one bit per weight */ signs: [u8; 32],
/** upper two codebook index bits, four groups a byte */ qh: [u8; 8],
/** 4-bit scales, two a byte */ scales: [u8; 8] } }
format! { /** 3.06 bits: groups of 4 from a codebook of 256, seven-bit sign indices. */ IQ3_XXS, 18, 256, 98, BlockIQ3_XXS {
/** scale, f16 */ d: [u8; 2],
/** codebook bytes, one per 4 weights */ qs: [u8; 64],
/** per 32 weights: 4 x 7 sign bits and a 4-bit scale */ gas: [u8; 32] } }
format! { /** 3.4 bits: groups of 4 from a codebook of 512, explicit signs. */ IQ3_S, 21, 256, 110, BlockIQ3_S {
/** scale, f16 */ d: [u8; 2],
/** low codebook index bits, one byte per 4 weights */ qs: [u8; 64],
/** ninth codebook index bits */ qh: [u8; 8],
/** signs, one bit per weight */ signs: [u8; 32],
/** 4-bit scales, two a byte */ scales: [u8; 4] } }
format! { /** 4 bits into a table of 16 values, one scale. */ IQ4_NL, 20, 32, 18, BlockIQ4_NL {
/** scale, f16 */ d: [u8; 2],
/** low nibbles are weights 0..16, high nibbles 16..32 */ qs: [u8; 16] } }
format! { /** 4 bits into the table of IQ4_NL; 8 groups of 32 with a 6-bit scale each. */ IQ4_XS, 23, 256, 136, BlockIQ4_XS {
/** scale, f16 */ d: [u8; 2],
/** upper two bits of the group scales */ scales_h: [u8; 2],
/** lower four bits of the group scales */ scales_l: [u8; 4],
/** per group 16 bytes, ordered as in IQ4_NL */ qs: [u8; 128] } }
format! { /** APR container, 4 bits: flat over the matrix, adjacent nibbles, `d * (q - 8)`. */ APR_Q4, 128, 32, 18, BlockAPR_Q4 {
/** scale, f16 */ d: [u8; 2],
/** weight 2t is the low nibble of byte t, 2t + 1 the high one */ qs: [u8; 16] }, Storage::Flat { header: 0 } }
format! { /** APR container, 8 bits: one f32 scale for the whole matrix, then signed bytes. */ APR_Q8, 129, 1, 1, BlockAPR_Q8 {
/** signed weight */ q: [u8; 1] }, Storage::Flat { header: 4 } }
