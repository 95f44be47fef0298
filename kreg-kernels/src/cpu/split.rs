//! Dividing the rows of a product among the threads of the caller's pool.
//!
//! Each output element is computed by one thread from start to end, so results are the same bits for any number of
//! threads.

use std::ops::Range;

/// Work below this many weight bytes stays on the calling thread: waking a sleeping worker costs more.
const SERIAL_BYTES: usize = 64 * 1024;

/// Whether work over this many bytes is best done by the calling thread alone.
pub(crate) fn is_small(bytes: usize) -> bool {
    bytes < SERIAL_BYTES || rayon::current_num_threads() == 1
}

/// Outputs of `m` products over `rows` weight rows, `y[i * rows + r]`, handed out by weight row.
pub(crate) struct Columns<'y> {
    y: *mut f32,
    rows: usize,
    m: usize,
    range: Range<usize>,
    lifetime: std::marker::PhantomData<&'y mut [f32]>,
}

// SAFETY: a `Columns` is a `&mut` view of the elements whose row lies in `range`; `split` makes disjoint ranges.
unsafe impl Send for Columns<'_> {}

impl<'y> Columns<'y> {
    /// All of `y`, an `[m, rows]` matrix.
    ///
    /// # Panics
    /// When `y.len() != m * rows`.
    pub(crate) fn new(y: &'y mut [f32], m: usize, rows: usize) -> Self {
        assert_eq!(Some(y.len()), m.checked_mul(rows), "y must be [m, rows]");
        Self { y: y.as_mut_ptr(), rows, m, range: 0..rows, lifetime: std::marker::PhantomData }
    }

    /// The weight rows that this view covers.
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Stores the result of activation row `i` and weight row `r`.
    ///
    /// # Panics
    /// When `i` or `r` lies outside the view.
    #[inline]
    pub(crate) fn set(&mut self, i: usize, r: usize, value: f32) {
        assert!(i < self.m && self.range.contains(&r));
        // SAFETY: i < m and r < rows by the assertion and by `new`; no other view covers row r.
        unsafe { *self.y.add(i * self.rows + r) = value }
    }

    /// Stores the results of activation row `i` and weight rows `rows`.
    ///
    /// # Panics
    /// When `i` or a row lies outside the view, or `values` has another length than `rows`.
    #[inline]
    pub(crate) fn write(&mut self, i: usize, rows: Range<usize>, values: &[f32]) {
        assert!(i < self.m && self.range.start <= rows.start && rows.end <= self.range.end);
        assert_eq!(values.len(), rows.len());
        // SAFETY: i < m and rows.end <= self.rows by the assertion and by `new`, so that these are elements of y; no
        // other view covers them, and `self` is borrowed exclusively.
        let y = unsafe { std::slice::from_raw_parts_mut(self.y.add(i * self.rows + rows.start), rows.len()) };
        y.copy_from_slice(values);
    }

    /// Two views of the rows before and from `mid`.
    fn split(self, mid: usize) -> (Self, Self) {
        let Range { start, end } = self.range;
        assert!(start <= mid && mid <= end);
        let part = |range| Self { y: self.y, rows: self.rows, m: self.m, range, lifetime: self.lifetime };
        (part(start..mid), part(mid..end))
    }
}

/// Calls `work` on views that together cover `y` (`[m, rows]`), in parallel when `bytes` of weights are worth it.
pub(crate) fn by_rows(y: &mut [f32], m: usize, rows: usize, bytes: usize, work: impl Fn(Columns<'_>) + Sync) {
    let all = Columns::new(y, m, rows);
    halve(all, tasks(rows, bytes), &work);
}

/// Into how many tasks to divide `units` of work over this many weight bytes.
pub(crate) fn tasks(units: usize, bytes: usize) -> usize {
    // A few tasks per thread let rayon even out; a single thread takes everything at once.
    if is_small(bytes) { 1 } else { (rayon::current_num_threads() * 4).min(units) }
}

/// Calls `work` on views of whole panels of `panel` rows (the last may be short), `tasks` of them that together cover
/// `y`, each with its own equal part of `scratch`.
pub(crate) fn by_panels<T: Send>(
    y: &mut [f32],
    m: usize,
    rows: usize,
    panel: usize,
    tasks: usize,
    scratch: &mut [T],
    work: impl Fn(Columns<'_>, &mut [T]) + Sync,
) {
    halve_panels(Columns::new(y, m, rows), panel, tasks, scratch, &work);
}

/// As [`halve`], between panels, and the scratch with them.
fn halve_panels<T: Send>(
    view: Columns<'_>,
    panel: usize,
    tasks: usize,
    scratch: &mut [T],
    work: &(impl Fn(Columns<'_>, &mut [T]) + Sync),
) {
    if tasks <= 1 {
        return work(view, scratch);
    }
    let left = tasks / 2;
    let panels = view.range.len().div_ceil(panel);
    let mid = (view.range.start + panels * left / tasks * panel).min(view.range.end);
    let (a, b) = view.split(mid);
    let (scratch_a, scratch_b) = scratch.split_at_mut(scratch.len() / tasks * left);
    rayon::join(
        || halve_panels(a, panel, left, scratch_a, work),
        || halve_panels(b, panel, tasks - left, scratch_b, work),
    );
}

/// Halves the view until each part is one task. `join` allocates nothing.
fn halve(view: Columns<'_>, tasks: usize, work: &(impl Fn(Columns<'_>) + Sync)) {
    if tasks <= 1 || view.range.len() <= 1 {
        return work(view);
    }
    let left = tasks / 2;
    let mid = view.range.start + view.range.len() * left / tasks;
    let (a, b) = view.split(mid);
    rayon::join(|| halve(a, left, work), || halve(b, tasks - left, work));
}
