//! The random numbers of the seeded sampler, written out from the published definitions: ChaCha with 12 rounds (D. J.
//! Bernstein, *ChaCha, a variant of Salsa20*), its key expanded from a 64-bit seed by PCG32 (M. E. O'Neill, *PCG*,
//! XSH-RR output).

/// The stream of one seed.
#[derive(Clone, Debug)]
pub struct Generator {
    key: [u32; 8],
    word: u64,
}

impl Generator {
    /// The stream of `seed`, from its start.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        let key = std::array::from_fn(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
            let shifted = (((state >> 18) ^ state) >> 27) as u32;
            shifted.rotate_right((state >> 59) as u32)
        });
        Self { key, word: 0 }
    }

    /// The next number in `[0, 1)`: the upper 24 bits of the next word, times `2^-24`.
    pub fn draw(&mut self) -> f64 {
        let block = chacha12(&self.key, self.word / 16);
        let word = block[(self.word % 16) as usize];
        self.word += 1;
        f64::from(word >> 8) / f64::from(1 << 24)
    }
}

/// Block `counter` of the key stream with an all-zero nonce.
fn chacha12(key: &[u32; 8], counter: u64) -> [u32; 16] {
    let mut start = [0; 16];
    for (i, text) in b"expand 32-byte k".chunks(4).enumerate() {
        start[i] = u32::from_le_bytes([text[0], text[1], text[2], text[3]]);
    }
    start[4..12].copy_from_slice(key);
    (start[12], start[13]) = (counter as u32, (counter >> 32) as u32);
    let mut s = start;
    for _ in 0..6 {
        for i in 0..4 {
            quarter(&mut s, [i, 4 + i, 8 + i, 12 + i]);
        }
        for i in 0..4 {
            quarter(&mut s, [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]);
        }
    }
    std::array::from_fn(|i| s[i].wrapping_add(start[i]))
}

/// The quarter round on four words of the state.
fn quarter(s: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    for (x, y, z, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        s[x] = s[x].wrapping_add(s[y]);
        s[z] = (s[z] ^ s[x]).rotate_left(by);
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn known_streams() {
        let draws = |seed, n| {
            let mut g = Generator::new(seed);
            (0..n).map(|_| (g.draw() * f64::from(1 << 24)) as u32).collect::<Vec<_>>()
        };
        assert_eq!(draws(42, 6), [2_238_244, 8_834_167, 4_173_137, 9_105_418, 14_569_780, 10_678_112]);
        let close = |got: u32, want: f64| (f64::from(got) / f64::from(1 << 24) - want).abs() < 1e-7;
        assert!(close(draws(0, 2)[1], 0.7311134) && close(draws(7, 2)[0], 0.41664094));
    }
}
