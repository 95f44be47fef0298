//! Dividing the rows of a product among the threads of the caller's pool.
//!
//! Each output element is computed by one thread from start to end, so results are the same bits for any number of
//! threads.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no level there works in panels"))]

use std::ops::Range;

use super::team;

/// Work below this many weight bytes stays on the calling thread: waking a sleeping worker costs more.
const SERIAL_BYTES: usize = 64 * 1024;

/// The same where workers stand by: handing over costs a cache miss or two.
const SERIAL_BYTES_IN_STEP: usize = 16 * 1024;

/// Whether work over this many bytes is best done by the calling thread alone.
pub(crate) fn is_small(bytes: usize) -> bool {
    let limit = if team::stands_by() { SERIAL_BYTES_IN_STEP } else { SERIAL_BYTES };
    bytes < limit || rayon::current_num_threads() == 1
}

/// Outputs of `m` products over `rows` weight rows, `y[i * rows + r]`, handed out by weight row.
pub(crate) struct Columns<'y> {
    y: *mut f32,
    rows: usize,
    m: usize,
    range: Range<usize>,
    lifetime: std::marker::PhantomData<&'y mut [f32]>,
}

// SAFETY: a `Columns` is a `&mut` view of the elements whose row lies in `range`; ranges in use are disjoint.
unsafe impl Send for Columns<'_> {}
// SAFETY: through a shared `Columns` nothing is written; `part` is unsafe.
unsafe impl Sync for Columns<'_> {}

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

    /// The results of activation row `i` and weight rows `rows`.
    ///
    /// # Panics
    /// When `i` or a row lies outside the view.
    #[inline]
    pub(crate) fn row(&mut self, i: usize, rows: Range<usize>) -> &mut [f32] {
        assert!(i < self.m && self.range.start <= rows.start && rows.end <= self.range.end);
        // SAFETY: i < m and rows.end <= self.rows by the assertion and by `new`, so that these are elements of y; no
        // other view covers them, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.y.add(i * self.rows + rows.start), rows.len()) }
    }

    /// How many activation rows this view covers.
    pub(crate) fn width(&self) -> usize {
        self.m
    }

    /// Copies the results of activation row `i` and weight rows `rows` to the front of `sums`.
    ///
    /// # Panics
    /// As [`row`](Self::row), and when `sums` is too short.
    #[inline]
    pub(crate) fn load(&mut self, i: usize, rows: Range<usize>, sums: &mut [f32]) {
        let from = self.row(i, rows);
        copy(from, &mut sums[..from.len()]);
    }

    /// Stores the front of `sums` as the results of activation row `i` and weight rows `rows`.
    ///
    /// # Panics
    /// As [`load`](Self::load).
    #[inline]
    pub(crate) fn store(&mut self, i: usize, rows: Range<usize>, sums: &[f32]) {
        let to = self.row(i, rows);
        copy(&sums[..to.len()], to);
    }

    /// The results of activation rows `x` and weight rows `range`, as a view for these activation rows.
    ///
    /// # Panics
    /// When `x` is empty, or a row lies outside the view.
    pub(crate) fn activations(&mut self, x: Range<usize>, range: Range<usize>) -> Columns<'_> {
        assert!(x.start < x.end && x.end <= self.m);
        assert!(self.range.start <= range.start && range.end <= self.range.end);
        // SAFETY: x.start < m, so that this is in y; elements of rows x lie in the new view, which borrows this one.
        let y = unsafe { self.y.add(x.start * self.rows) };
        Columns { y, rows: self.rows, m: x.len(), range, lifetime: std::marker::PhantomData }
    }

    /// The view of `range`, which lies within this one.
    ///
    /// # Safety
    /// No other view of a row in `range` is used while this one is.
    unsafe fn part(&self, range: Range<usize>) -> Self {
        debug_assert!(self.range.start <= range.start && range.end <= self.range.end);
        Self { y: self.y, rows: self.rows, m: self.m, range, lifetime: self.lifetime }
    }
}

/// Copies `from` to `to`, of one length. Where that is a whole panel of 16 or 32 rows it takes a few moves: the library's
/// `memcpy`, which would be called for a length that varies, takes longer to find out which.
#[inline]
fn copy(from: &[f32], to: &mut [f32]) {
    if let (Ok(from), Ok(to)) = (<&[f32; 32]>::try_from(from), <&mut [f32; 32]>::try_from(&mut *to)) {
        *to = *from;
    } else if let (Ok(from), Ok(to)) = (<&[f32; 16]>::try_from(from), <&mut [f32; 16]>::try_from(&mut *to)) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

/// How far apart the rows of a pair shall be that is multiplied at once, with weight rows of `row_bytes`, or 0 when
/// `rows` are too few to be worth it: with pairs from both halves, the second stream of a pair hides the stalls of the
/// first, but two streams a few pages apart confuse the hardware prefetcher.
pub(crate) fn far(rows: &Range<usize>, row_bytes: usize) -> usize {
    let half = rows.len() / 2;
    if row_bytes.saturating_mul(half) >= 64 * 1024 { half } else { 0 }
}

/// Calls `work` on views that together cover `y` (`[m, rows]`), in parallel when `bytes` of weights are worth it.
pub(crate) fn by_rows(y: &mut [f32], m: usize, rows: usize, bytes: usize, work: impl Fn(Columns<'_>) + Sync) {
    by_panels::<()>(y, m, rows, 1, tasks(rows, bytes), &mut [], |view, _| work(view));
}

/// Weights that all activation rows meet before the next weights come: those after the first find them in L2.
const BLOCK_BYTES: usize = 256 * 1024;

/// The weight rows `rows`, of `row_bytes` each, in blocks that stay in L2 where they are to be read more than once.
pub(crate) fn blocks(
    rows: Range<usize>,
    reads: usize,
    row_bytes: usize,
) -> impl Iterator<Item = Range<usize>> {
    let block = if reads > 1 { BLOCK_BYTES / row_bytes.max(1) } else { rows.len() }.max(1);
    rows.clone().step_by(block).map(move |start| start..rows.end.min(start + block))
}

/// A task has at least this many weight bytes where there are more tasks than threads: the rows that a kernel reads at
/// once shall lie far apart.
const TASK_BYTES: usize = 256 * 1024;

/// Into how many tasks to divide `units` of work over this many weight bytes.
pub(crate) fn tasks(units: usize, bytes: usize) -> usize {
    // A few tasks per thread even out; a single thread takes everything at once.
    let threads = if is_small(bytes) { 1 } else { rayon::current_num_threads() };
    let most = if threads == 1 { 1 } else { threads * 4 };
    (bytes / TASK_BYTES).clamp(threads, most).min(units)
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
    let panels = rows.div_ceil(panel);
    let all = Columns::new(y, m, rows);
    let share = scratch.len() / tasks.max(1);
    let scratch = Chunks::new(scratch, share);
    team::for_each(tasks, &|task| {
        let row = |task: usize| (panels as u128 * task as u128 / tasks as u128) as usize * panel;
        let range = row(task)..row(task + 1).min(rows);
        // SAFETY: each task runs once, tasks have disjoint rows, and `all` itself is not written through.
        let view = unsafe { all.part(range) };
        // SAFETY: each task runs once.
        work(view, unsafe { scratch.get(task) });
    });
}

/// Elements of a task of elementwise work, at least: some microseconds, where waking a worker or handing over take less.
const TASK: usize = 1 << 15;

/// The same where workers stand by.
const TASK_IN_STEP: usize = 1 << 12;

/// Calls `work` on pieces of `out` and on the number of each one's first element, in parallel when they are many. Bits do
/// not depend on the pieces where elements do not depend on each other.
pub(crate) fn by_elements<T: Send>(out: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    let least = if team::stands_by() { TASK_IN_STEP } else { TASK };
    let most = out.len() / least;
    let tasks = if most < 2 { 1 } else { most.min(rayon::current_num_threads()) };
    if tasks == 1 {
        return work(0, out);
    }
    // Whole cache lines, so that no two threads write one; then fewer pieces may be enough.
    let len = out.len().div_ceil(tasks).next_multiple_of(64);
    let tasks = out.len().div_ceil(len);
    let pieces = Chunks::new(out, len);
    // SAFETY: each task runs once.
    team::for_each(tasks, &|task| work(task * len, unsafe { pieces.get(task) }));
}

/// The chunks of a slice, handed out by number.
pub(crate) struct Chunks<'s, T> {
    first: *mut T,
    len: usize,
    chunk: usize,
    lifetime: std::marker::PhantomData<&'s mut [T]>,
}

// SAFETY: a `Chunks` gives out `&mut [T]`, each chunk to one thread.
unsafe impl<T: Send> Sync for Chunks<'_, T> {}

impl<'s, T> Chunks<'s, T> {
    /// Chunks of `chunk` values; the last one may be short.
    pub(crate) fn new(slice: &'s mut [T], chunk: usize) -> Self {
        Self { first: slice.as_mut_ptr(), len: slice.len(), chunk, lifetime: std::marker::PhantomData }
    }

    /// Chunk `i`; empty past the end.
    ///
    /// # Safety
    /// Chunk `i` is not in use.
    #[allow(clippy::mut_from_ref, reason = "chunks are disjoint, and the caller takes each once")]
    pub(crate) unsafe fn get(&self, i: usize) -> &mut [T] {
        let start = i.saturating_mul(self.chunk).min(self.len);
        let len = self.chunk.min(self.len - start);
        // SAFETY: start + len <= self.len; the caller says that nobody else uses this chunk.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), len) }
    }
}
