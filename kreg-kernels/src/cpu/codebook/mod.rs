//! The codebooks of the IQ types, shared by every CPU level: one file each, packed as in print, expanded at
//! compile time.
//!
//! An entry of an IQ2 or IQ3 book is a group of magnitudes; signs are stored apart. Magnitudes are few, so a packed entry is a u16 of small
//! indices. The facts are GGML's.

pub(crate) mod iq2_s;
pub(crate) mod iq2_xxs;
pub(crate) mod iq3_s;
pub(crate) mod iq3_xxs;
pub(crate) mod iq4_nl;

/// Eight 2-bit indices to eight bytes.
const fn expand8<const N: usize>(packed: &[u16; N], magnitudes: [u8; 3]) -> [u64; N] {
    let mut grid = [0; N];
    let mut i = 0;
    while i < 8 * N {
        let index = (packed[i / 8] >> (2 * (i % 8))) & 3;
        grid[i / 8] |= (magnitudes[index as usize] as u64) << (8 * (i % 8));
        i += 1;
    }
    grid
}

/// Four 3-bit indices to four bytes.
const fn expand4<const N: usize>(packed: &[u16; N], magnitudes: [u8; 8]) -> [u32; N] {
    let mut grid = [0; N];
    let mut i = 0;
    while i < 4 * N {
        let index = (packed[i / 4] >> (3 * (i % 4))) & 7;
        grid[i / 4] |= (magnitudes[index as usize] as u32) << (8 * (i % 4));
        i += 1;
    }
    grid
}
