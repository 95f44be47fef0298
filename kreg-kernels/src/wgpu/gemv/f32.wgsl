// F32: weights of 4 bytes. Neighbouring lanes load neighbouring weights.

@group(0) @binding(0) var<storage, read> w: array<f32>;
@group(1) @binding(0) var<storage, read> x: array<f32>;

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    let start = rows * shape.units + shape.base / 4u;
    var sums = vec4<f32>();
    for (var k = lane; k < shape.units; k += LANES) {
        let at = start + k;
        sums += vec4<f32>(w[at.x], w[at.y], w[at.z], w[at.w]) * x[k];
    }
    return sums;
}
