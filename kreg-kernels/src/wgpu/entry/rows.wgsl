
// What every product shares. A weight type's file stands before this text and gives
//   products(rows, lane): the sums over every LANES-th piece of four rows, one row a component,
// and binds its weights and activations at @group(0) @binding(0) and @group(1) @binding(0). An entry stands behind it.

struct Shape {
    rows: u32,   // weight rows of this dispatch
    units: u32,  // blocks of a row; weights of a row where a block is one weight
    base: u32,   // byte of the weights' binding at which the first row starts
    first: u32,  // output of the first row
}

@group(0) @binding(1) var<uniform> shape: Shape;
@group(1) @binding(1) var<storage, read_write> y: array<f32>;

// Invocations of a workgroup, and weight rows that each of them works on: activations are loaded once for all of them.
const LANES: u32 = 64u;
const ROWS: u32 = 4u;

// The first row of a workgroup. Grids are folded: one dimension may be too short for all of them.
fn first_row(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return (group.y * groups.x + group.x) * ROWS;
}

// The rows of a workgroup that starts at `row`. Past the end the last row stands in, so that nothing is read there.
fn rows_from(row: u32) -> vec4<u32> {
    return min(vec4<u32>(row) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(shape.rows - 1u));
}

// Stores the sum of row `row + lane`, for the lanes that have one.
fn store(row: u32, lane: u32, sum: f32) {
    if (row + lane < shape.rows) {
        y[shape.first + row + lane] = sum;
    }
}
