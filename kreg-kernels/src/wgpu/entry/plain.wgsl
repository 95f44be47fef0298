
// Sums over the workgroup through its memory, for every device.

var<workgroup> partial: array<vec4<f32>, LANES>;

@compute @workgroup_size(64)
fn gemv(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = first_row(group, groups);
    if (row >= shape.rows) {
        return;
    }
    partial[lane] = products(rows_from(row), lane);
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if (lane < half) {
            partial[lane] += partial[lane + half];
        }
        workgroupBarrier();
    }
    if (lane < ROWS) {
        store(row, lane, partial[0][lane]);
    }
}
