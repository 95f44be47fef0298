//! The rows of the backend that run on the host: samplers, penalty, router.

use kreg::args::SampleRng;
use kreg::cuda;
use kreg::kernels::Workspace;
use proptest::prelude::*;

use crate::gpu::gpu;
use crate::laws::{bits, config};

/// How many logits are larger than that of a token.
fn larger(logits: &[f32], token: u32) -> usize {
    logits.iter().filter(|l| **l > logits[token as usize]).count()
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn draws_are_of_the_best_and_repeat(logits in prop::collection::vec(-8.0f32..8.0, 1..300), t in 0.1f32..3.0, k in 1usize..60, seed: u64) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let (device, mut ws) = (&gpu.device, Workspace::new());
        let best = cuda::argmax::host(device, &logits).unwrap().0;
        let (token, _) = cuda::sample::host_topk(device, &logits, t, k, &mut ws).unwrap();
        prop_assert!(larger(&logits, token) < k);
        prop_assert_eq!(cuda::sample::host_topk(device, &logits, t, 1, &mut ws).unwrap().0, best);

        let seeded = |seed, k, ws: &mut Workspace| {
            cuda::sample::host_seeded(device, &logits, t, k, 0.9, &mut SampleRng::new(seed), ws).unwrap().0
        };
        let token = seeded(seed, k, &mut ws);
        prop_assert!(larger(&logits, token) < k);
        prop_assert_eq!(seeded(seed, k, &mut Workspace::new()), token);
        prop_assert_eq!(seeded(seed, 1, &mut ws), best);

        // Without a penalty the row of all three steps draws as the second alone, and leaves the logits.
        let mut x = logits.clone();
        let mut rng = SampleRng::new(seed);
        let (all, _) = cuda::sample::host(device, &mut x, &[0, 1], 64, 1.0, t, k, 0.9, &mut rng, &mut ws).unwrap();
        prop_assert_eq!((all, bits(&x)), (token, bits(&logits)));
    }

    #[test]
    fn a_penalty_depends_on_the_set_of_tokens(x in prop::collection::vec(-8.0f32..8.0, 1..200), mut context in prop::collection::vec(0u32..250, 0..60), p in 0.5f32..2.0) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let penalised = |context: &[u32]| {
            let mut y = x.clone();
            cuda::repeat_penalty::host(&gpu.device, &mut y, context, context.len(), p, &mut Workspace::new()).unwrap();
            y
        };
        let once = penalised(&context);
        for (t, (x, y)) in x.iter().zip(&once).enumerate() {
            prop_assert!(context.contains(&(t as u32)) || x.to_bits() == y.to_bits());
        }
        context.reverse();
        context.extend_from_within(..context.len() / 2);
        prop_assert_eq!(bits(&penalised(&context)), bits(&once));
    }

    /// The chosen experts are the largest, in order; their weights sum to 1 and do not see a shift of all logits.
    #[test]
    fn routes_lead_to_the_largest(logits in prop::collection::vec(-8.0f32..8.0, 1..130), k: prop::sample::Index, shift in -8i32..9) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let k = 1 + k.index(logits.len());
        let route = |logits: &[f32]| {
            let (mut experts, mut weights) = (vec![0; k], vec![0.0; k]);
            cuda::route_topk::host(&gpu.device, logits, &mut experts, &mut weights).unwrap();
            (experts, weights)
        };
        let (experts, weights) = route(&logits);
        prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        prop_assert!(weights.windows(2).all(|pair| pair[0] >= pair[1]));
        for (rank, expert) in experts.iter().enumerate() {
            prop_assert!(larger(&logits, *expert) <= rank && !experts[..rank].contains(expert));
        }
        let shifted: Vec<f32> = logits.iter().map(|l| l + shift as f32).collect();
        let (_, other) = route(&shifted);
        prop_assert!(weights.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
