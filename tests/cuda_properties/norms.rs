//! The norms, and the rotations, which keep them.

use kreg::cuda::{self, Position};
use kreg::kernels::reference::bound::F32;
use kreg::kernels::reference::workload::Random;
use proptest::prelude::*;

use crate::gpu::{Gpu, gpu};
use crate::laws::{bits, config};

/// The four norms of `x` without eps, in heads of `d` but for the first.
fn norms(gpu: &Gpu, x: &[f32], z: &[f32], w: &[f32]) -> [Vec<f32>; 4] {
    let (dx, dz, dw) = (gpu.up(x), gpu.up(z), gpu.up(w));
    let (dx, dz, dw) = (dx.as_view(), dz.as_view(), dw.as_view());
    let mut y = [0; 4].map(|_| gpu.up(x));
    let whole = dw.slice(..w.len());
    cuda::rmsnorm(&gpu.device, &dx.slice(..w.len()), &whole, 0.0, &mut y[0].slice_mut(..w.len())).unwrap();
    cuda::rmsnorm::per_head(&gpu.device, &dx, &dw, 0.0, &mut y[1].as_view_mut()).unwrap();
    cuda::rmsnorm::gated(&gpu.device, &dx, &dz, &dw, 0.0, &mut y[2].as_view_mut()).unwrap();
    cuda::l2norm::per_head(&gpu.device, &mut y[3].as_view_mut(), w.len(), 0.0).unwrap();
    let mut y = y.map(|y| gpu.down(&y));
    y[0].truncate(w.len());
    y
}

fn length(x: &[f32]) -> f64 {
    x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(config(24))]

    /// A power of two on `x` changes no bit; heads in another order give the results in that order; l2norm gives length 1.
    #[test]
    fn norms_do_not_see_scale_or_other_heads(seed: u64, heads in 1usize..6, d in 1usize..200, exponent in -8i32..9) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let mut rng = Random::new(seed);
        // Nothing near zero: a head of one such element would have a square that is subnormal.
        let mut vec = |n| rng.activations(n).iter().map(|x| x + 0.01f32.copysign(*x)).collect::<Vec<_>>();
        let (x, z, w) = (vec(heads * d), vec(heads * d), vec(d));
        let y = norms(&gpu, &x, &z, &w);
        let scaled: Vec<f32> = x.iter().map(|x| x * 2f32.powi(exponent)).collect();
        for (y, other) in y.iter().zip(norms(&gpu, &scaled, &z, &w)) {
            prop_assert_eq!(bits(y), bits(&other));
        }
        let turned = |x: &[f32]| [&x[d * (heads / 2)..], &x[..d * (heads / 2)]].concat();
        let other = norms(&gpu, &turned(&x), &turned(&z), &w);
        for (y, other) in y[1..].iter().zip(&other[1..]) {
            prop_assert_eq!(bits(&turned(y)), bits(other));
        }
        for head in y[3].chunks(d) {
            prop_assert!((length(head) - 1.0).abs() <= (d + 4) as f64 * F32.unit, "{}", length(head));
        }
    }

    /// Position 0 is the identity, pairs keep their norms, angles add; what the partial rotation leaves keeps its bits.
    #[test]
    fn rotations_keep_norms_and_add_angles(seed: u64, half in 1usize..65, rotated in 1usize..65, heads in 1usize..4, p in 0usize..3000, q in 0usize..3000) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let (d, n_rot) = (2 * half, 2 * rotated.min(half));
        let x = Random::new(seed).activations(heads * d);
        type Turn = fn(&Gpu, &mut cuda::CudaViewMut<'_, f32>, usize, usize, usize);
        let rows: [(Turn, usize, bool); 3] = [
            (|gpu, x, d, _, p| _ = cuda::rope(&gpu.device, x, d, Position::Value(p), 1e4).unwrap(), d, true),
            (|gpu, x, d, _, p| _ = cuda::rope::neox(&gpu.device, x, d, Position::Value(p), 1e4).unwrap(), d, false),
            (
                |gpu, x, d, n, p| _ = cuda::rope::partial_neox(&gpu.device, x, d, n, Position::Value(p), 1e4).unwrap(),
                n_rot,
                false,
            ),
        ];
        for (row, (turn, width, adjacent)) in rows.into_iter().enumerate() {
            let turned = |x: &[f32], p| {
                let mut y = gpu.up(x);
                turn(&gpu, &mut y.as_view_mut(), d, n_rot, p);
                gpu.down(&y)
            };
            prop_assert_eq!(bits(&turned(&x, 0)), bits(&x));
            let (once, twice) = (turned(&x, p + q), turned(&turned(&x, p), q));
            for (h, x) in x.chunks(d).enumerate() {
                let (once, twice) = (&once[h * d..][..d], &twice[h * d..][..d]);
                prop_assert_eq!(bits(&once[width..]), bits(&x[width..]));
                for i in 0..width / 2 {
                    let (a, b) = if adjacent { (2 * i, 2 * i + 1) } else { (i, i + width / 2) };
                    let norm = length(&[x[a], x[b]]);
                    let got = length(&[once[a], once[b]]);
                    prop_assert!((got - norm).abs() <= 8.0 * F32.unit * norm, "row {} pair {}", row, i);
                    let apart = length(&[once[a] - twice[a], once[b] - twice[b]]);
                    // The partial row's angles are products of f32 numbers, one factor for each pair before it.
                    let angle = if row == 2 { (p + q) as f64 * (i + 1) as f64 } else { 0.0 };
                    prop_assert!(apart <= (24.0 + 4.0 * angle) * F32.unit * norm, "row {} pair {}: {:e}", row, i, apart / norm);
                }
            }
        }
    }
}
