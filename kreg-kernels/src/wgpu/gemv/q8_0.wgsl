// Q8_0: 32 weights in 34 bytes: f16 scale d, 32 signed codes. w = d * q.
// A block starts at any even byte. A lane takes half a block.

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(1) @binding(0) var<storage, read> x: array<vec4<f32>>;

const BYTES: u32 = 34u;

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    let start = rows * (shape.units * BYTES) + shape.base;
    var sums = vec4<f32>();
    for (var i = lane; i < shape.units * 2u; i += LANES) {
        let at = start + i / 2u * BYTES;
        let half = i % 2u;
        let v = mat4x4<f32>(x[4u * i], x[4u * i + 1u], x[4u * i + 2u], x[4u * i + 3u]);
        sums += vec4<f32>(
            product(at.x, half, v),
            product(at.y, half, v),
            product(at.z, half, v),
            product(at.w, half, v),
        );
    }
    return sums;
}

// Half of the block that starts at byte `at`, times its 16 activations.
fn product(at: u32, half: u32, v: mat4x4<f32>) -> f32 {
    let split = at % 4u == 2u;
    let head = w[at / 4u];
    let d = unpack2x16float(select(head, head >> 16u, split)).x;
    // The codes start two bytes on: in the middle of the scale's word, or with the next one.
    let i = at / 4u + half * 4u;
    let ahead = vec4<u32>(w[i], w[i + 1u], w[i + 2u], w[i + 3u]);
    let behind = vec4<u32>(ahead.yzw, w[i + 4u]);
    let q = select((ahead >> vec4<u32>(16u)) | (behind << vec4<u32>(16u)), behind, split);
    let sum = dot(vec4<f32>(unpack4xI8(q.x)), v[0])
        + dot(vec4<f32>(unpack4xI8(q.y)), v[1])
        + dot(vec4<f32>(unpack4xI8(q.z)), v[2])
        + dot(vec4<f32>(unpack4xI8(q.w)), v[3]);
    return d * sum;
}
