
// Sums within each subgroup by its own instruction, then over the subgroups, whatever their size.

var<workgroup> partial: array<vec4<f32>, LANES>;

@compute @workgroup_size(64)
fn gemv(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) member: u32,
) {
    let row = first_row(group, groups);
    if (row >= shape.rows) {
        return;
    }
    let sum = subgroupAdd(products(rows_from(row), lane));
    if (member == 0u) {
        partial[subgroup] = sum;
    }
    workgroupBarrier();
    if (lane < ROWS) {
        var total = 0.0;
        for (var i = 0u; i < subgroups; i += 1u) {
            total += partial[i][lane];
        }
        store(row, lane, total);
    }
}
