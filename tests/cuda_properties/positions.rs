//! Ops that copy: what they store is what they read, bit for bit, and the rest stays.

use kreg::cuda::{self, Position};
use proptest::prelude::*;

use crate::gpu::gpu;
use crate::laws::{bits, config};

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn copies_keep_every_bit(words in prop::collection::vec(any::<u32>(), 8..800), d in 1usize..20, at: prop::sample::Index) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let x: Vec<f32> = words.iter().map(|w| f32::from_bits(*w)).collect();
        // A table of four rows.
        let n = x.len() / 4;
        let (table, mut out) = (gpu.up(&x[..4 * n]), gpu.fresh(n));
        let row = at.index(4);
        cuda::embed(&gpu.device, &table.as_view(), Position::Value(row), &mut out.as_view_mut()).unwrap();
        prop_assert_eq!(bits(&gpu.down(&out)), bits(&x[row * n..][..n]));

        // Heads of d queries and d gates.
        let heads = x.len() / (2 * d);
        if heads > 0 {
            let (both, mut query, mut gate) = (gpu.up(&x[..heads * 2 * d]), gpu.fresh(heads * d), gpu.fresh(heads * d));
            let (q, g) = (&mut query.as_view_mut(), &mut gate.as_view_mut());
            cuda::split::interleaved(&gpu.device, &both.as_view(), d, q, g).unwrap();
            let (query, gate) = (gpu.down(&query), gpu.down(&gate));
            let joined: Vec<f32> = query.chunks(d).zip(gate.chunks(d)).flat_map(|(q, g)| [q, g].concat()).collect();
            prop_assert_eq!(bits(&joined), bits(&x[..heads * 2 * d]));
        }
    }

    /// A position of a head-major cache: its rows change to the new ones, and no other element does.
    #[test]
    fn a_cache_changes_at_one_position(words in prop::collection::vec(any::<u32>(), 2..60), heads in 1usize..4, capacity in 1usize..9, at: prop::sample::Index) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let d = words.len() / 2;
        let (pos, n) = (at.index(capacity), heads * d);
        let new = |of: usize| (0..n).map(|i| f32::from_bits(words[of * d + i % d].wrapping_add((i / d) as u32))).collect::<Vec<_>>();
        let (k, v) = (new(0), new(1));
        let old: Vec<f32> = (0..n * capacity).map(|i| i as f32).collect();
        let (mut k_cache, mut v_cache) = (gpu.up(&old), gpu.up(&old));
        let (dk, dv) = (gpu.up(&k), gpu.up(&v));
        let (kc, vc) = (&mut k_cache.as_view_mut(), &mut v_cache.as_view_mut());
        cuda::kv_write(&gpu.device, &dk.as_view(), &dv.as_view(), Position::Value(pos), d, kc, vc).unwrap();
        for (cache, row) in [(k_cache, k), (v_cache, v)] {
            let mut want = old.clone();
            for h in 0..heads {
                want[(h * capacity + pos) * d..][..d].copy_from_slice(&row[h * d..][..d]);
            }
            prop_assert_eq!(bits(&gpu.down(&cache)), bits(&want));
        }
    }
}
