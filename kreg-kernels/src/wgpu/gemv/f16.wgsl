// F16: weights of 2 bytes, two to a word. With an odd number of columns every other row starts inside a word.

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(1) @binding(0) var<storage, read> x: array<f32>;

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    // Where the rows start, counted in weights.
    let start = rows * shape.units + shape.base / 2u;
    var sums = vec4<f32>();
    if (all((start | vec4<u32>(shape.units)) % 2u == vec4<u32>())) {
        for (var i = lane; i < shape.units / 2u; i += LANES) {
            let at = start / 2u + i;
            let pair = vec2<f32>(x[2u * i], x[2u * i + 1u]);
            sums += vec4<f32>(
                dot(unpack2x16float(w[at.x]), pair),
                dot(unpack2x16float(w[at.y]), pair),
                dot(unpack2x16float(w[at.z]), pair),
                dot(unpack2x16float(w[at.w]), pair),
            );
        }
        return sums;
    }
    for (var k = lane; k < shape.units; k += LANES) {
        let at = start + k;
        sums += vec4<f32>(weight(at.x), weight(at.y), weight(at.z), weight(at.w)) * x[k];
    }
    return sums;
}

// The `at`-th weight of the binding.
fn weight(at: u32) -> f32 {
    return unpack2x16float(w[at / 2u] >> (at % 2u * 16u)).x;
}
