// Q4_0: 32 weights in 18 bytes: f16 scale d, 16 bytes whose low nibbles are weights 0..16 and high nibbles 16..32.
// w = d * (q - 8). A block starts at any even byte. A lane takes a block.

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(1) @binding(0) var<storage, read> x: array<vec4<f32>>;

const BYTES: u32 = 18u;

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    let start = rows * (shape.units * BYTES) + shape.base;
    var sums = vec4<f32>();
    for (var i = lane; i < shape.units; i += LANES) {
        let at = start + i * BYTES;
        let k = i * 8u;
        let low = mat4x4<f32>(x[k], x[k + 1u], x[k + 2u], x[k + 3u]);
        let high = mat4x4<f32>(x[k + 4u], x[k + 5u], x[k + 6u], x[k + 7u]);
        sums += vec4<f32>(
            product(at.x, low, high),
            product(at.y, low, high),
            product(at.z, low, high),
            product(at.w, low, high),
        );
    }
    return sums;
}

// The block that starts at byte `at`, times its 32 activations.
fn product(at: u32, low: mat4x4<f32>, high: mat4x4<f32>) -> f32 {
    let split = at % 4u == 2u;
    let i = at / 4u;
    let ahead = vec4<u32>(w[i], w[i + 1u], w[i + 2u], w[i + 3u]);
    let behind = vec4<u32>(ahead.yzw, w[i + 4u]);
    let d = unpack2x16float(select(ahead.x, ahead.x >> 16u, split)).x;
    // The codes start two bytes on: in the middle of the scale's word, or with the next one.
    let q = select((ahead >> vec4<u32>(16u)) | (behind << vec4<u32>(16u)), behind, split);
    return d * (nibbles(q, low) + nibbles(q >> vec4<u32>(4u), high));
}

// The low nibble of each byte, less 8, times 16 activations.
fn nibbles(q: vec4<u32>, v: mat4x4<f32>) -> f32 {
    let n = q & vec4<u32>(0x0f0f0f0fu);
    return dot(vec4<f32>(unpack4xU8(n.x)) - 8.0, v[0])
        + dot(vec4<f32>(unpack4xU8(n.y)) - 8.0, v[1])
        + dot(vec4<f32>(unpack4xU8(n.z)) - 8.0, v[2])
        + dot(vec4<f32>(unpack4xU8(n.w)) - 8.0, v[3]);
}
