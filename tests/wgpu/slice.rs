//! Every wgpu row against rows of a real model.

use gguf_file::File;
use kreg::kernels::reference::Products;

use super::product::products;
use super::support::fixture;

#[test]
fn every_row_reproduces_the_slice() {
    let bytes = fixture::read("smollm2-slice.gguf");
    let file = File::parse(&bytes).unwrap();
    for product in products() {
        let mut parts = 0;
        for part in ["down", "q"] {
            let named = |kind: &str| file.tensor(&format!("{kind}.{part}.{}", product.format.name));
            let (Some(w), Some(y), Some(x)) = (named("w"), named("y"), file.tensor(&format!("x.{part}")))
            else {
                continue;
            };
            parts += 1;
            let (rows, cols) = (y.cols() as usize, x.cols() as usize);
            let weights = w.bytes(product.format.byte_len(rows, cols)).unwrap();
            let (x, y) = (x.f32s().unwrap(), y.f64s().unwrap());
            let mag = named("mag").map(|mag| mag.f64s().unwrap());
            for (i, (x, y)) in x.chunks(cols).zip(y.chunks(rows)).enumerate() {
                let (got, exact) = product.check(part, weights, rows, cols, x);
                let mag = mag.as_ref().map_or(exact.mag, |mag| mag[i * rows..][..rows].to_vec());
                product.assert_within(part, cols, &got, &Products { y: y.to_vec(), mag });
            }
        }
        assert!(parts > 0, "{}: the slice has no such weights", product.name());
    }
}
