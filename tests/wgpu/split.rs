//! Weights and grids over a device's limits.

use kreg::kernels::reference::workload::{Codes, Random, Scales};
use kreg::wgpu::wgpu::Limits;

use super::devices::{adapters, device, devices};
use super::product::products_on;

/// Devices made with limits so small that every matrix takes many bindings and every grid is folded.
#[test]
fn small_limits_change_no_result() {
    let mut rng = Random::new(21);
    for adapter in adapters() {
        let small = Limits {
            max_storage_buffer_binding_size: 16 << 10,
            max_compute_workgroups_per_dimension: 3,
            ..adapter.limits()
        };
        let name = adapter.get_info().name;
        for product in products_on(&format!("{name} with small limits"), &device(adapter, small)) {
            let cols = if product.format.elems == 1 { 99 } else { 3 * product.format.elems };
            for (rows, cols) in [(1001, product.format.elems), (157, cols)] {
                let bytes = product.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut rng);
                product.check(&format!("N {rows} K {cols}"), &bytes, rows, cols, &rng.activations(cols));
            }
        }
    }
}

/// The same with the device's own limit, where that is of a size to try.
#[test]
fn a_weight_over_the_binding_limit_is_divided() {
    let mut rng = Random::new(22);
    for (name, device) in devices() {
        let limit = device.wgpu().limits().max_storage_buffer_binding_size;
        if limit > 256 << 20 {
            eprintln!("{name} binds {limit} bytes at once: too much to go beyond in a test");
            continue;
        }
        for product in products_on(name, device).iter().filter(|p| p.format.name == "Q8_0") {
            let cols = 4096;
            let rows = limit as usize / product.format.byte_len(1, cols) + 1000;
            // A few different rows, over and over.
            let few = product.format.matrix(64, cols, Codes::Random, Scales::Sane, &mut rng);
            let bytes: Vec<u8> =
                few.iter().copied().cycle().take(product.format.byte_len(rows, cols)).collect();
            let x = rng.activations(cols);
            let (want, _) = product.check("the repeated rows", &few, 64, cols, &x);
            let got = product.run(&bytes, rows, cols, &x);
            for (i, got) in got.chunks(64).enumerate() {
                assert_eq!(got, &want[..got.len()], "{} from row {}", product.name(), i * 64);
            }
        }
    }
}
