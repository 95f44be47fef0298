//! The steady state allocates nothing: every kernel and op row, counted over all threads.
//!
//! One test in this file, so that nothing else runs meanwhile.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use kreg::kernels::Workspace;
use kreg::kernels::reference::workload::{Codes, Random, Scales};
use support::kernel::{Kernel, kernels};
use support::ops::{Buffers, CALLS, op_devices};

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Allocations of all threads during three calls, after one that may grow what it needs: the least of several attempts,
/// because rayon's own queues grow now and then, while a call that allocates does so every time.
fn steady(mut call: impl FnMut()) -> usize {
    let mut attempt = || {
        call();
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        (0..3).for_each(|_| call());
        ALLOCATIONS.load(Ordering::SeqCst) - before
    };
    (0..5).map(|_| attempt()).find(|&count| count == 0).unwrap_or_else(attempt)
}

#[test]
fn the_steady_state_allocates_nothing() {
    assert!(steady(|| drop(std::hint::black_box(vec![1u8]))) == 3, "the counter counts");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Inside the pool, so that only the calls are counted and not the way into it.
    pool.install(|| {
        kernels().iter().for_each(kernel_row);
        op_rows();
    });
}

fn kernel_row(kernel: &Kernel) {
    // Over 128 KiB in the smallest format: both threads work.
    let (rows, cols) = (515, 1024);
    let bytes = kernel.format.matrix(rows, cols, Codes::Random, Scales::Sane, &mut Random::new(1));
    let weights = kernel.bind(&bytes, rows, cols);
    for m in [1, 3] {
        let x = Random::new(2).activations(m * cols);
        let mut y = vec![0.0; m * rows];
        let mut ws = Workspace::new();
        let count = steady(|| assert!(weights.matvec(&x, &mut y, &mut ws).is_ok()));
        assert_eq!(count, 0, "{} M {m}", kernel.name());
    }
}

fn op_rows() {
    for (id, device) in op_devices() {
        let mut calls = 0;
        for call in CALLS {
            let mut buffers = Buffers::new(3, device);
            if (call.run)(&mut buffers) == Ok(id) {
                calls += 1;
                assert_eq!(steady(|| assert_eq!((call.run)(&mut buffers), Ok(id))), 0, "{}", id.as_str());
            }
        }
        assert!(calls > 0, "{}: support/ops.rs has no call of it", id.as_str());
    }
}
