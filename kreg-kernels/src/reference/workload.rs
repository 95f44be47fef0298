//! Seeded inputs: random and adversarial matrices of every format, and activations.

use super::decode::{Format, Order, Scale};

/// A small random generator (xorshift64*), so that a seed means the same input everywhere and forever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal with variance 1: a centred sum of twelve uniforms.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.between(-0.5, 0.5)).sum()
    }

    /// `n` nearly normal values.
    pub fn activations(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.normal() as f32).collect()
    }

    /// `[m, cols]` activations of which each column belongs to one row: row `i` has nearly normal values in columns `i`, `i +
    /// m`, `i + 2 m` and so on, and zeros elsewhere. Each product of such a row is a sum of `cols / m` terms, rounded up, whose
    /// bound is so much smaller that one wrong column of a long row is seen.
    pub fn comb(&mut self, m: usize, cols: usize) -> Vec<f32> {
        let mut x = vec![0.0; m * cols];
        for k in 0..cols {
            x[k % m * cols + k] = self.normal() as f32;
        }
        x
    }
}

/// What the bytes that are not scales hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// Random bits.
    Random,
    /// One byte everywhere: `0x80` is -128 in every signed code, `0x7f` is 127.
    All(u8),
    /// Two bytes in turn.
    Alternating(u8, u8),
}

/// What the scales, minimums and plain values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scales {
    /// Magnitudes as models have them, of either sign.
    Sane,
    /// Zero.
    Zero,
    /// A subnormal number.
    Subnormal,
    /// The largest number whose weights are finite.
    Largest,
    /// NaN, in every third row; the others are sane.
    Nan,
    /// Infinity, in every third row; the others are sane.
    Infinite,
}

impl Format {
    /// The bytes of a `[rows, cols]` matrix.
    pub fn matrix(
        &self,
        rows: usize,
        cols: usize,
        codes: Codes,
        scales: Scales,
        rng: &mut Random,
    ) -> Vec<u8> {
        let header = match self.order {
            Order::Rows => 0,
            Order::Flat(header) => header,
        };
        let mut out = vec![0; self.byte_len(rows, cols)];
        for (i, byte) in out.iter_mut().enumerate().skip(header) {
            *byte = match codes {
                Codes::Random => rng.bits() as u8,
                Codes::All(byte) => byte,
                Codes::Alternating(even, odd) => [even, odd][(i - header) % 2],
            };
        }
        if header > 0 {
            self.scale(&mut out, scales, rng);
            return out;
        }
        let per_row = cols.div_ceil(self.elems);
        for (i, block) in out.chunks_exact_mut(self.bytes).enumerate() {
            let rare = matches!(scales, Scales::Nan | Scales::Infinite);
            let scales = if rare && i / per_row % 3 != 1 { Scales::Sane } else { scales };
            self.scale(block, scales, rng);
        }
        out
    }

    /// Writes the scales of one block.
    fn scale(&self, block: &mut [u8], scales: Scales, rng: &mut Random) {
        for scale in self.scales {
            let sane = if self.elems == 1 { rng.normal() } else { rng.between(-0.02, 0.02) } as f32;
            let single = |codes: f32| {
                let subnormal = f32::from_bits(0x0015_0000);
                [sane, 0.0, subnormal, f32::MAX / codes, f32::NAN, f32::INFINITY][scales as usize]
            };
            match *scale {
                // f16: the bits of 2^-7 to 2^-6 with either sign are sane; there is no need for an encoder here.
                Scale::F16(at) => {
                    let random = rng.bits() as u16;
                    let bits = [0x2000 | random & 0x83ff, 0, 0x0155, 0x7bff, 0x7e00, 0x7c00][scales as usize];
                    block[at..at + 2].copy_from_slice(&bits.to_le_bytes());
                }
                Scale::BF16(at) => block[at..at + 2].copy_from_slice(&single(1.0).to_le_bytes()[2..]),
                // A scale of bytes is multiplied by up to 128.
                Scale::F32(at) => {
                    let codes = if self.order == Order::Rows { 1.0 } else { 128.0 };
                    block[at..at + 4].copy_from_slice(&single(codes).to_le_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::decode::FORMATS;

    #[test]
    fn a_comb_has_each_column_once() {
        let x = Random::new(2).comb(3, 8);
        let rows = |k: usize| (0..3).filter(|i| x[i * 8 + k] != 0.0).collect::<Vec<_>>();
        assert!((0..8).all(|k| rows(k) == [k % 3]));
    }

    /// Every kind of scale does to every format what it says.
    #[test]
    fn scales_reach_the_weights() {
        let mut rng = Random::new(1);
        for format in &FORMATS {
            let cols = format.elems * 3;
            let mut weights =
                |scales| format.decode(&format.matrix(4, cols, Codes::Random, scales, &mut rng), 4, cols);
            let sane = weights(Scales::Sane);
            assert!(sane.iter().all(|w| w.is_finite()) && sane.iter().any(|w| *w != 0.0), "{}", format.name);
            assert!(weights(Scales::Zero).iter().all(|w| *w == 0.0), "{}", format.name);
            assert!(weights(Scales::Subnormal).iter().any(|w| *w != 0.0), "{}", format.name);
            assert!(weights(Scales::Nan)[cols..2 * cols].iter().all(|w| w.is_nan()), "{}", format.name);
            assert!(
                weights(Scales::Infinite)[cols..2 * cols].iter().all(|w| !w.is_finite()),
                "{}",
                format.name
            );
        }
    }
}
