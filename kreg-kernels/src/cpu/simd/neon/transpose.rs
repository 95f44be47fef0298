//! Eight rows of eight dwords to eight columns.

use std::arch::aarch64::*;

/// Four rows of four dwords to four columns.
#[target_feature(enable = "neon")]
#[inline]
fn transpose_four(a: uint8x16_t, b: uint8x16_t, c: uint8x16_t, d: uint8x16_t) -> [uint8x16_t; 4] {
    let [a, b, c, d] =
        [vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b), vreinterpretq_u32_u8(c), vreinterpretq_u32_u8(d)];
    // Columns 0 and 2, and 1 and 3, of two rows.
    let (even, odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
    let (even_low, odd_low) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
    let [even, odd, even_low, odd_low] = [
        vreinterpretq_u64_u32(even),
        vreinterpretq_u64_u32(odd),
        vreinterpretq_u64_u32(even_low),
        vreinterpretq_u64_u32(odd_low),
    ];
    [
        vreinterpretq_u8_u64(vtrn1q_u64(even, even_low)),
        vreinterpretq_u8_u64(vtrn1q_u64(odd, odd_low)),
        vreinterpretq_u8_u64(vtrn2q_u64(even, even_low)),
        vreinterpretq_u8_u64(vtrn2q_u64(odd, odd_low)),
    ]
}

/// See [`Simd::transpose`].
#[target_feature(enable = "neon")]
#[inline]
pub(super) fn transpose(r: [[uint8x16_t; 2]; 8]) -> [[uint8x16_t; 2]; 8] {
    let mut columns = [[vdupq_n_u8(0); 2]; 8];
    for i in 0..2 {
        for half in 0..2 {
            let rows = &r[4 * half..4 * half + 4];
            let four = transpose_four(rows[0][i], rows[1][i], rows[2][i], rows[3][i]);
            for j in 0..4 {
                columns[4 * i + j][half] = four[j];
            }
        }
    }
    columns
}
