//! The progress bar. It appears on a terminal if the work takes longer than half a second.
//!
//! The threads that read only add to a number. A thread of its own waits for half a second and then draws the bar.
//! Another one then goes through the folders to find out how much there is to read. Without a bar nobody needs that
//! number, so nobody looks for it.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long the work must take before the bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two drawings of the bar.
const TICK: Duration = Duration::from_millis(100);

/// Counts the bytes that were read, and shows them.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Shared>>);

struct Shared {
    bytes: AtomicU64,
    bar: Mutex<Option<ProgressBar>>,
    /// Dropped when the work is done.
    running: Mutex<Option<Sender<()>>>,
}

impl Progress {
    /// Shows nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Shows the progress if `wanted` is true and standard error is a terminal. `total` returns the number of bytes to
    /// read, if it can be known.
    pub(crate) fn start(wanted: bool, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Self {
        if !wanted || !stderr().is_terminal() {
            return Self::none();
        }
        let (running, done) = channel();
        let shared = Arc::new(Shared {
            bytes: AtomicU64::new(0),
            bar: Mutex::new(None),
            running: Mutex::new(Some(running)),
        });
        let progress = Self(Some(Arc::clone(&shared)));
        // If the thread can't be started there is no bar, and the work goes on.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || draw(&shared, &done, total));
        progress
    }

    /// Counts `bytes` more bytes as read.
    pub(crate) fn add(&self, bytes: u64) {
        if let Some(shared) = &self.0 {
            shared.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Counts `bytes` bytes as not read yet, because they will be read again.
    pub(crate) fn take_back(&self, bytes: u64) {
        if let Some(shared) = &self.0 {
            shared.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Calls `f`, which may write to the terminal, while the bar is hidden.
    pub(crate) fn suspend<T>(&self, f: impl FnOnce() -> T) -> T {
        let Some(shared) = &self.0 else { return f() };
        let bar = lock(&shared.bar);
        match &*bar {
            Some(bar) => bar.suspend(f),
            None => f(),
        }
    }

    /// Removes the bar. It will not appear again.
    pub(crate) fn finish(&self) {
        if let Some(shared) = &self.0 {
            *lock(&shared.running) = None;
            if let Some(bar) = lock(&shared.bar).take() {
                bar.finish_and_clear();
            }
        }
    }
}

/// Locks `mutex`, even if a thread has panicked while it held the lock: the bar is still usable.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn draw(shared: &Arc<Shared>, done: &Receiver<()>, total: impl FnOnce() -> Option<u64> + Send + 'static) {
    let is_done_after = |time| done.recv_timeout(time) == Err(RecvTimeoutError::Disconnected);
    // The bar measures the speed, so it exists from the start and only stays hidden at first.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(style(WITHOUT_TOTAL));
    for _ in 0..PATIENCE.as_millis() / TICK.as_millis() {
        if is_done_after(TICK) {
            return;
        }
        bar.set_position(shared.bytes.load(Ordering::Relaxed));
    }
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let totalling = thread::Builder::new().name("total".to_owned()).spawn({
        let bar = bar.clone();
        move || {
            if let Some(total) = total() {
                bar.set_length(total);
                bar.set_style(style(WITH_TOTAL));
            }
        }
    });
    // If that thread can't be started, the bar is shown without the total.
    drop(totalling);
    *lock(&shared.bar) = Some(bar);
    while !is_done_after(TICK) {
        if let Some(bar) = &*lock(&shared.bar) {
            bar.set_position(shared.bytes.load(Ordering::Relaxed));
            bar.tick();
        }
    }
}

/// For input of unknown length, and while the total is being found out.
const WITHOUT_TOTAL: &str = "{spinner} {bytes} in {elapsed}, {bytes_per_sec}";
const WITH_TOTAL: &str = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a test parses both templates")
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_templates_can_be_parsed() {
        super::style(super::WITHOUT_TOTAL);
        super::style(super::WITH_TOTAL);
    }
}
