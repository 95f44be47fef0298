//! Every op row against its float64 definition.

mod support;

use support::ops::{Buffers, CALLS, op_devices};

#[test]
fn every_op_row_is_its_definition() {
    for (id, device) in op_devices() {
        let mut calls = 0;
        for call in CALLS {
            for seed in 0..8 {
                let mut buffers = Buffers::new(seed, device);
                if (call.run)(&mut buffers) != Ok(id) {
                    break;
                }
                calls += 1;
                let exact = (call.exact)(&Buffers::new(seed, device));
                check(&format!("{id} seed {seed}"), &(call.got)(&buffers), &exact, call.tolerance);
            }
        }
        assert!(calls > 0, "{id}: support/ops.rs has no call of it");
    }
}

/// Errors are measured against the largest exact value, as receipts do.
#[track_caller]
fn check(what: &str, got: &[f32], exact: &[f64], tolerance: f64) {
    assert_eq!(got.len(), exact.len(), "{what}");
    let max = exact.iter().fold(0.0f64, |max, y| max.max(y.abs()));
    for (i, (&got, exact)) in got.iter().zip(exact).enumerate() {
        let right = match tolerance {
            0.0 => got.to_bits() == (*exact as f32).to_bits(),
            share => (f64::from(got) - exact).abs() <= share * max,
        };
        assert!(right, "{what}, output {i}: got {got:e}, exact {exact:e}");
    }
}
