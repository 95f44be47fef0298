//! Dividing work among threads: through the caller's rayon pool, or through workers of that pool that stand by for the
//! length of a [`step`].
//!
//! Waking a sleeping worker takes 20 to 200 microseconds, as long as a whole matrix-vector product. Inside a step the
//! workers spin between products instead, so that handing them work costs about as much as a cache miss.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::LocalKey;

/// Rounds of spinning, each some tens of nanoseconds, before a waiting thread lets others have its core.
const SPINS: u32 = 1 << 13;

thread_local! {
    /// The team that stands by for this thread.
    static TEAM: Cell<Option<NonNull<Team>>> = const { Cell::new(None) };

    /// Whether this thread is in a team, as its caller or as a helper.
    static ENLISTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, typically one decode step, with the other threads of the current rayon pool standing by: every product
/// and op that `work` calls on this thread is divided among them without a wake-up.
///
/// Each worker spins between products and sleeps again when the step is over, so keep what does not compute (reading
/// input, sending a token) outside. Results are the same bits with and without a step. Outside a step kernels divide
/// their work through `rayon::join`. Run it inside `ThreadPool::install` to choose the pool; a step within a step is
/// part of the outer one.
///
/// Workers stand by for one step at a time in a process: a step that begins while another is under way runs as if it
/// were none. So a pool never has all of its workers standing by, and whoever else uses it makes progress.
pub fn step<R>(work: impl FnOnce() -> R) -> R {
    /// Whether a step has workers standing by.
    static UNDER_WAY: AtomicBool = AtomicBool::new(false);
    let helpers = rayon::current_num_threads() - 1;
    if helpers == 0 || ENLISTED.get() || UNDER_WAY.swap(true, Ordering::Acquire) {
        return work();
    }
    let team = Arc::new(Team::default());
    // Dropped last, also when `work` panics.
    let _turn = Turn(&UNDER_WAY);
    let _muster = Muster::new(&team);
    for _ in 0..helpers {
        // Not scoped: a helper whose worker is busy elsewhere starts late, finds the step over, and nobody waits for it.
        let team = Arc::clone(&team);
        rayon::spawn(move || team.serve());
    }
    work()
}

/// Ends the turn of the step under way.
struct Turn(&'static AtomicBool);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Calls `work(0)` to `work(tasks - 1)`, each once, on as many threads as there are.
pub(crate) fn for_each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    match TEAM.get() {
        _ if tasks <= 1 => (0..tasks).for_each(work),
        None => join(0, tasks, work),
        Some(team) => {
            // A task that divides its own work again goes through rayon: the team is busy.
            let _busy = Restore::set(&TEAM, None);
            // SAFETY: `step` on this thread holds the team while TEAM points to it.
            unsafe { team.as_ref() }.run(tasks, work);
        }
    }
}

/// Whether work of this thread goes to a team that stands by.
pub(crate) fn stands_by() -> bool {
    TEAM.get().is_some()
}

/// Halves the tasks until each is one. `join` allocates nothing.
fn join(first: usize, end: usize, work: &(dyn Fn(usize) + Sync)) {
    if end - first == 1 {
        return work(first);
    }
    let mid = first + (end - first) / 2;
    rayon::join(|| join(first, mid, work), || join(mid, end, work));
}

/// Work that is open to the team; its lifetime is that of [`Team::run`], which published it.
type Job = &'static (dyn Fn(usize) + Sync);

/// Threads that share one piece of work at a time.
#[derive(Default)]
struct Team {
    /// Tasks of the open job in the upper half, the next unclaimed one in the lower.
    ticket: AtomicU64,
    job: UnsafeCell<Option<Job>>,
    /// Finished tasks of the open job.
    done: AtomicUsize,
    /// The step is over.
    stop: AtomicBool,
    /// What the first task that panicked carried.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `job` is written by `run` alone, while no task is open (see `claim`); everything else is `Sync`.
unsafe impl Sync for Team {}

impl Team {
    /// Takes part in every job until the step is over.
    ///
    /// A thread that waits inside `rayon::join` may pick up this call: the step's own caller, or a helper in the middle
    /// of a task. Both must get back to their work, so they do not serve.
    fn serve(&self) {
        if ENLISTED.get() {
            return;
        }
        let _enlisted = Restore::set(&ENLISTED, true);
        let mut wait = Wait::default();
        while !self.stop.load(Ordering::Acquire) {
            match self.claim() {
                Some((task, job)) => {
                    self.execute(task, job);
                    wait = Wait::default();
                }
                None => wait.once(),
            }
        }
    }

    /// Publishes `work`, takes part in it, and returns when every task has finished.
    fn run(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        let count = u32::try_from(tasks).expect("fewer tasks than outputs");
        // SAFETY: only the lifetime changes. The reference is used by whoever claims a task of this job, and this
        // function does not return before all of them have finished.
        let job = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Job>(work) };
        // SAFETY: no job is open: the last `run` ended after its last task, and there is one caller at a time, because
        // the team is reached through this thread's TEAM, which is cleared while `run` is active.
        unsafe { *self.job.get() = Some(job) };
        self.done.store(0, Ordering::Relaxed);
        self.ticket.store(u64::from(count) << 32, Ordering::Release);
        while let Some((task, job)) = self.claim() {
            self.execute(task, job);
        }
        let mut wait = Wait::default();
        while self.done.load(Ordering::Acquire) < tasks {
            wait.once();
        }
        if let Some(panic) = self.panic.lock().ok().and_then(|mut p| p.take()) {
            resume_unwind(panic);
        }
    }

    /// The next unclaimed task of the open job, if there is one.
    fn claim(&self) -> Option<(usize, Job)> {
        let unclaimed = |ticket: u64| ((ticket as u32) < (ticket >> 32) as u32).then_some(ticket + 1);
        let ticket = self.ticket.fetch_update(Ordering::Acquire, Ordering::Relaxed, unclaimed).ok()?;
        // SAFETY: this thread has just claimed a task of the job that was published last, and `run` writes the next
        // job only after that task is done. The acquiring update saw the publishing store, and so the job.
        let job = unsafe { *self.job.get() }?;
        Some((ticket as u32 as usize, job))
    }

    /// Runs one task; a panic is kept for the publisher.
    fn execute(&self, task: usize, job: Job) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(task)))
            && let Ok(mut first) = self.panic.lock()
        {
            first.get_or_insert(panic);
        }
        self.done.fetch_add(1, Ordering::Release);
    }
}

/// The caller's hold on its team; ends the step when dropped.
struct Muster<'t> {
    team: &'t Team,
    _tls: (Restore<Option<NonNull<Team>>>, Restore<bool>),
}

impl<'t> Muster<'t> {
    fn new(team: &'t Team) -> Self {
        let tls = (Restore::set(&TEAM, Some(NonNull::from(team))), Restore::set(&ENLISTED, true));
        Self { team, _tls: tls }
    }
}

impl Drop for Muster<'_> {
    fn drop(&mut self) {
        self.team.stop.store(true, Ordering::Release);
    }
}

/// Sets a thread-local value and puts back what was there, also when the work panics.
struct Restore<T: 'static>(&'static LocalKey<Cell<T>>, Option<T>);

impl<T> Restore<T> {
    fn set(key: &'static LocalKey<Cell<T>>, value: T) -> Self {
        Self(key, Some(key.replace(value)))
    }
}

impl<T> Drop for Restore<T> {
    fn drop(&mut self) {
        if let Some(before) = self.1.take() {
            self.0.set(before);
        }
    }
}

/// Spinning that gives way after a while.
#[derive(Default)]
struct Wait(u32);

impl Wait {
    fn once(&mut self) {
        if self.0 < SPINS {
            self.0 += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of every task's index, on a pool of `threads`.
    fn sums(threads: usize, tasks: usize, rounds: usize) -> usize {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sum = AtomicUsize::new(0);
        let add = |i: usize| _ = sum.fetch_add(i + 1, Ordering::Relaxed);
        pool.install(|| step(|| (0..rounds).for_each(|_| for_each(tasks, &add))));
        sum.into_inner()
    }

    #[test]
    fn every_task_runs_once() {
        for threads in [1, 2, 3, 5] {
            for tasks in [0, 1, 2, 7, 64] {
                let rounds = if cfg!(miri) { 3 } else { 200 };
                assert_eq!(sums(threads, tasks, rounds), rounds * tasks * (tasks + 1) / 2);
            }
        }
    }

    #[test]
    fn a_task_may_divide_its_work_again() {
        let count = AtomicUsize::new(0);
        let inner = |_: usize| _ = count.fetch_add(1, Ordering::Relaxed);
        let rounds = if cfg!(miri) { 1 } else { 500 };
        for threads in [2, 3, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for _ in 0..rounds {
                pool.install(|| step(|| step(|| for_each(8, &|_| join(0, 4, &inner)))));
                // The caller itself may use rayon within its step.
                pool.install(|| step(|| join(0, 32, &inner)));
            }
        }
        assert_eq!(count.into_inner(), 3 * rounds * 64);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_step_can_end() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let panicky = |i: usize| assert!(i != 5, "task five");
        let caught = catch_unwind(AssertUnwindSafe(|| pool.install(|| step(|| for_each(16, &panicky)))));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"task five"));
        assert_eq!(sums(3, 7, 1), 28);
    }

    /// Were every worker to stand by, each for another step, nobody would be left to run what the steps wait for.
    #[test]
    fn steps_of_two_threads_do_not_wait_for_each_other() {
        let count = AtomicUsize::new(0);
        let add = |_: usize| _ = count.fetch_add(1, Ordering::Relaxed);
        let rounds = if cfg!(miri) { 2 } else { 500 };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..rounds {
                        step(|| {
                            for_each(8, &add);
                            rayon::join(|| add(0), || add(1));
                        });
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 3 * rounds * 10);
    }

    #[test]
    fn outside_a_pool_the_global_one_helps() {
        let count = AtomicUsize::new(0);
        let add = |_: usize| _ = count.fetch_add(1, Ordering::Relaxed);
        step(|| for_each(10, &add));
        for_each(10, &add);
        assert_eq!(count.into_inner(), 20);
    }
}
