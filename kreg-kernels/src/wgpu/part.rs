//! A matrix in as many parts as a device's limits demand, each of whole rows.

use ::wgpu::Limits;

use super::matrix::Matrix;
use super::pipeline::ROWS;
use crate::format::Format;
use crate::refusal::Refusal;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Where its binding starts in the buffer, aligned as the device asks.
    pub(super) offset: u64,
    /// Bytes of the binding.
    pub(super) size: u64,
    /// The uniform `Shape` of `entry/rows.wgsl`: rows, units, base, first.
    pub(super) shape: [u32; 4],
    /// Workgroups, folded into two dimensions.
    pub(super) grid: [u32; 2],
}

/// The parts of a matrix: no binding over `max_storage_buffer_binding_size`, none that byte addresses of 32 bits do not
/// reach, no grid over `max_compute_workgroups_per_dimension`.
pub(super) fn parts<F: Format>(limits: &Limits, w: &Matrix<'_, F>) -> Result<Vec<Part>, Refusal> {
    let (units, row_bytes) = w.row();
    split(limits, w.slice.offset(), w.rows, units, row_bytes)
}

fn split(limits: &Limits, start: u64, rows: u32, units: u32, row_bytes: u64) -> Result<Vec<Part>, Refusal> {
    let align = u64::from(limits.min_storage_buffer_offset_alignment.max(4));
    let limit = limits.max_storage_buffer_binding_size.min(u32::MAX.into()) / 4 * 4;
    let width = limits.max_compute_workgroups_per_dimension;
    let groups = u64::from(width) * u64::from(width);
    let mut parts = Vec::new();
    let mut first = 0;
    while first < rows {
        let from = start + u64::from(first) * row_bytes;
        let offset = from / align * align;
        let base = from - offset;
        let fit = limit.saturating_sub(base) / row_bytes;
        if fit == 0 {
            let what = "bytes of one weight row, against the device's binding size";
            return Err(Refusal::TooLarge { what, limit: limit.saturating_sub(base), got: row_bytes });
        }
        let n = fit.min(groups * u64::from(ROWS)).min(u64::from(rows - first)) as u32;
        let wide = n.div_ceil(ROWS).min(width);
        parts.push(Part {
            offset,
            size: (base + u64::from(n) * row_bytes).next_multiple_of(4),
            shape: [n, units, base as u32, first],
            grid: [wide, n.div_ceil(ROWS).div_ceil(wide)],
        });
        first += n;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(binding: u64, groups: u32, align: u32) -> Limits {
        Limits {
            max_storage_buffer_binding_size: binding,
            max_compute_workgroups_per_dimension: groups,
            min_storage_buffer_offset_alignment: align,
            ..Limits::default()
        }
    }

    #[test]
    fn a_small_matrix_is_one_part() {
        let parts = split(&limits(1 << 27, 65_535, 256), 32, 10, 2, 68).unwrap();
        let only = Part { offset: 0, size: 712, shape: [10, 2, 32, 0], grid: [3, 1] };
        assert_eq!(parts, [only]);
    }

    /// Parts follow each other without gap, start where a device may bind, and keep within every limit.
    #[test]
    fn parts_cover_every_row_once() {
        for (binding, groups, align, rows, row_bytes) in [
            (4096, 3, 256, 1000, 34),
            (1000, 65_535, 32, 77, 210),
            (1 << 20, 2, 4, 5001, 18),
            (260, 9, 256, 7, 4),
        ] {
            let (start, mut next) = (48, 0);
            let limits = limits(binding, groups, align);
            for part in split(&limits, start, rows, 1, row_bytes).unwrap() {
                let [n, _, base, first] = part.shape;
                assert_eq!(first, next);
                assert_eq!(part.offset + u64::from(base), start + u64::from(first) * row_bytes);
                assert!(part.offset.is_multiple_of(align.into()) && part.size <= binding);
                assert!(part.size >= u64::from(base) + u64::from(n) * row_bytes);
                assert!(part.grid.iter().all(|&g| (1..=groups).contains(&g)), "{part:?}");
                assert!(part.grid[0] * part.grid[1] * ROWS >= n);
                next += n;
            }
            assert_eq!(next, rows);
        }
    }

    #[test]
    fn a_row_that_no_binding_holds_is_refused() {
        let refused = split(&limits(1024, 65_535, 256), 0, 4, 31, 1054).unwrap_err();
        assert_eq!(refused.code(), "KR-S04");
    }

    /// 32-bit byte addresses end a part, whatever the device could bind.
    #[test]
    fn no_part_is_over_4_gib() {
        let parts = split(&limits(u64::MAX, 65_535, 256), 0, 1 << 20, 64, 64 * 144).unwrap();
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|part| part.size <= u32::MAX.into()));
    }
}
