// Q5_K: 256 weights in 176 bytes, eleven words of 16 bytes: f16 scale d and f16 scale dmin of the minimums, 12 bytes with
// eight 6-bit scales and eight 6-bit minimums, 32 bytes of fifth bits (bit g of byte i belongs to weight i of group g),
// then four chunks of 32 bytes whose low nibbles are one group of 32 weights and whose high nibbles the next.
// w = d * scale * q - dmin * minimum. A lane takes half a chunk.

@group(0) @binding(0) var<storage, read> w: array<vec4<u32>>;
@group(1) @binding(0) var<storage, read> x: array<vec4<f32>>;

const WORDS: u32 = 11u;

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    let start = rows * (shape.units * WORDS) + shape.base / 16u;
    var sums = vec4<f32>();
    for (var i = lane; i < shape.units * 8u; i += LANES) {
        let at = start + i / 8u * WORDS;
        let part = i % 8u;
        // 16 weights of a group, and the same of the next group.
        let k = i / 2u * 16u + part % 2u * 4u;
        let low = mat4x4<f32>(x[k], x[k + 1u], x[k + 2u], x[k + 3u]);
        let high = mat4x4<f32>(x[k + 8u], x[k + 9u], x[k + 10u], x[k + 11u]);
        let total = vec2<f32>(sum(low), sum(high));
        sums += vec4<f32>(
            product(at.x, part, low, high, total),
            product(at.y, part, low, high, total),
            product(at.z, part, low, high, total),
            product(at.w, part, low, high, total),
        );
    }
    return sums;
}

// 16 bytes of codes of the block whose first word is `at`, times their 32 activations, which sum to `total`.
fn product(at: u32, part: u32, low: mat4x4<f32>, high: mat4x4<f32>, total: vec2<f32>) -> f32 {
    let head = w[at];
    let q = w[at + 3u + part];
    let fifth = w[at + 1u + part % 2u] >> vec4<u32>(part / 2u * 2u);
    let d = unpack2x16float(head.x);
    let scales = pair(six_bit(head.y, head.w, part), part);
    let minimums = pair(six_bit(head.z, head.w >> 4u, part), part);
    let dots = vec2<f32>(codes(q, fifth, low), codes(q >> vec4<u32>(4u), fifth >> vec4<u32>(1u), high));
    return d.x * dot(scales, dots) - d.y * dot(minimums, total);
}

// Four 6-bit numbers, a byte each: those of groups 0 to 3 are the lower bits of `first`, those of groups 4 to 7 four bits
// of `second` below the upper bits of `first`.
fn six_bit(first: u32, second: u32, part: u32) -> u32 {
    return select(first & 0x3f3f3f3fu, (second & 0x0f0f0f0fu) | ((first >> 2u) & 0x30303030u), part >= 4u);
}

// The two numbers of a chunk.
fn pair(four: u32, part: u32) -> vec2<f32> {
    let two = four >> (part / 2u % 2u * 16u);
    return vec2<f32>(f32(two & 0xffu), f32((two >> 8u) & 0xffu));
}

// The low nibble of each byte with its fifth bit, times 16 activations.
fn codes(q: vec4<u32>, fifth: vec4<u32>, v: mat4x4<f32>) -> f32 {
    let n = (q & vec4<u32>(0x0f0f0f0fu)) | ((fifth & vec4<u32>(0x01010101u)) << vec4<u32>(4u));
    return dot(vec4<f32>(unpack4xU8(n.x)), v[0])
        + dot(vec4<f32>(unpack4xU8(n.y)), v[1])
        + dot(vec4<f32>(unpack4xU8(n.z)), v[2])
        + dot(vec4<f32>(unpack4xU8(n.w)), v[3]);
}

fn sum(v: mat4x4<f32>) -> f32 {
    return dot(v[0] + v[1] + v[2] + v[3], vec4<f32>(1.0));
}
