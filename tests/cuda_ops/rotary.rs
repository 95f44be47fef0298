//! rope, rope.neox, rope.partial_neox.

use kreg::cuda::{self, Position};
use kreg::kernels::reference::rope;
use kreg::kernels::reference::workload::Random;

use crate::gpu::{Gpu, close, gpu};

const THETA: f32 = 5e5;

/// Rotates by a position of the host and by one of the device, which must agree.
fn both(
    gpu: &Gpu,
    x: &[f32],
    pos: u32,
    run: impl Fn(&mut cuda::CudaViewMut<'_, f32>, Position<'_>),
) -> Vec<f32> {
    let at = gpu.up(&[pos]);
    let rotated = |position| {
        let mut y = gpu.up(x);
        run(&mut y.as_view_mut(), position);
        gpu.down(&y)
    };
    let (value, memory) = (rotated(Position::Value(pos as usize)), rotated(Position::At(&at.as_view())));
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&value), bits(&memory));
    value
}

#[test]
fn all_three() {
    let Some(gpu) = gpu() else { return };
    for d in [2, 64, 80, 128, 256, 512] {
        for pos in [0, 1, 77, 32_767, 1_000_000] {
            let x = Random::new(d as u64).activations(3 * d);
            let p = pos as usize;
            let got = both(&gpu, &x, pos, |x, pos| {
                assert_eq!(cuda::rope(&gpu.device, x, d, pos, THETA).unwrap().as_str(), "cuda.rope.f32");
            });
            close(&format!("rope {d} {pos}"), &got, &rope::adjacent(&x, d, p, THETA), 2e-7);
            assert!(pos > 0 || got == x, "position 0 is the identity");
            let got = both(&gpu, &x, pos, |x, pos| {
                let id = cuda::rope::neox(&gpu.device, x, d, pos, THETA).unwrap();
                assert_eq!(id.as_str(), "cuda.rope.neox.f32");
            });
            close(&format!("neox {d} {pos}"), &got, &rope::neox(&x, d, p, THETA), 2e-7);
            for n_rot in [2, d / 4 / 2 * 2, d].into_iter().filter(|n| *n > 0) {
                let got = both(&gpu, &x, pos, |x, pos| {
                    let id = cuda::rope::partial_neox(&gpu.device, x, d, n_rot, pos, 1e7).unwrap();
                    assert_eq!(id.as_str(), "cuda.rope.partial_neox.f32");
                });
                close(
                    &format!("partial {d} {n_rot} {pos}"),
                    &got,
                    &rope::partial_neox(&x, d, n_rot, p, 1e7),
                    2e-7,
                );
            }
        }
    }
}

/// The angle does not lose digits with the position, whatever the 32 bits.
#[test]
fn the_last_position() {
    let Some(gpu) = gpu() else { return };
    let x = Random::new(9).activations(128);
    let pos = u32::MAX - 1;
    let got = both(&gpu, &x, pos, |x, pos| _ = cuda::rope(&gpu.device, x, 64, pos, THETA).unwrap());
    close("rope", &got, &rope::adjacent(&x, 64, pos as usize, THETA), 2e-6);
}

#[test]
fn nan_stays_in_its_pair() {
    let Some(gpu) = gpu() else { return };
    let mut x = vec![1.0; 128];
    x[5] = f32::NAN;
    let got = both(&gpu, &x, 9, |x, pos| _ = cuda::rope::neox(&gpu.device, x, 64, pos, THETA).unwrap());
    let places: Vec<usize> = (0..128).filter(|&i| got[i].is_nan()).collect();
    assert_eq!(places, [5, 37]);
}
