// Q6_K: 256 weights in 210 bytes: 128 bytes of low nibbles, 64 bytes of upper bits, 16 signed scales, f16 scale d.
// w = d * scale * (q - 32), a scale for 16 weights. Each half of 128 weights is four quarters of 32: byte l of its 64
// nibble bytes serves weight l of quarters 0 (low) and 2 (high), byte 32 + l quarters 1 and 3, and byte l of its 32 bytes
// of upper bits has two bits for each quarter. A block starts at any even byte. A lane takes 8 weights of each quarter.

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(1) @binding(0) var<storage, read> x: array<vec4<f32>>;

const BYTES: u32 = 210u;

// Eight activations of each quarter.
struct Quarters {
    a: array<vec4<f32>, 4>,
    b: array<vec4<f32>, 4>,
}

fn products(rows: vec4<u32>, lane: u32) -> vec4<f32> {
    let start = rows * (shape.units * BYTES) + shape.base;
    var sums = vec4<f32>();
    for (var i = lane; i < shape.units * 8u; i += LANES) {
        let at = start + i / 8u * BYTES;
        let half = i / 4u % 2u;
        let part = i % 4u;
        let k = i / 4u * 32u + part * 2u;
        let v = Quarters(
            array<vec4<f32>, 4>(x[k], x[k + 8u], x[k + 16u], x[k + 24u]),
            array<vec4<f32>, 4>(x[k + 1u], x[k + 9u], x[k + 17u], x[k + 25u]),
        );
        sums += vec4<f32>(
            product(at.x, half, part, v),
            product(at.y, half, part, v),
            product(at.z, half, part, v),
            product(at.w, half, part, v),
        );
    }
    return sums;
}

// 32 weights of the block that starts at byte `at`, times their activations.
fn product(at: u32, half: u32, part: u32, v: Quarters) -> f32 {
    let nibbles = at + half * 64u + part * 8u;
    let low = eight(nibbles);
    let high = eight(nibbles + 32u);
    let upper = eight(at + 128u + half * 32u + part * 8u);
    // Scales of the half: two of each quarter, of which the first serves parts 0 and 1.
    let scales = eight(at + 192u + half * 8u) >> vec2<u32>(part / 2u * 8u);
    let last = at + 208u;
    let d = unpack2x16float(w[last / 4u] >> (last % 4u * 8u)).x;
    return d * (quarter(low, upper, scales.x, v.a[0], v.b[0])
        + quarter(high, upper >> vec2<u32>(2u), scales.x >> 16u, v.a[1], v.b[1])
        + quarter(low >> vec2<u32>(4u), upper >> vec2<u32>(4u), scales.y, v.a[2], v.b[2])
        + quarter(high >> vec2<u32>(4u), upper >> vec2<u32>(6u), scales.y >> 16u, v.a[3], v.b[3]));
}

// Eight weights: nibbles and upper bits are the lowest of each byte, the scale is the lowest byte.
fn quarter(nibbles: vec2<u32>, upper: vec2<u32>, scale: u32, a: vec4<f32>, b: vec4<f32>) -> f32 {
    let q = (nibbles & vec2<u32>(0x0f0f0f0fu)) | ((upper & vec2<u32>(0x03030303u)) << vec2<u32>(4u));
    let sum = dot(vec4<f32>(unpack4xU8(q.x)) - 32.0, a) + dot(vec4<f32>(unpack4xU8(q.y)) - 32.0, b);
    return f32(extractBits(bitcast<i32>(scale), 0u, 8u)) * sum;
}

// Eight bytes from an even address.
fn eight(at: u32) -> vec2<u32> {
    let i = at / 4u;
    let ahead = vec2<u32>(w[i], w[i + 1u]);
    let behind = vec2<u32>(ahead.y, w[i + 2u]);
    return select(ahead, (ahead >> vec2<u32>(16u)) | (behind << vec2<u32>(16u)), at % 4u == 2u);
}
