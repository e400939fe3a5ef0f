//! The progress bar: on a terminal, when it takes longer than half a second.
//!
//! The threads that read only add to a number. A thread of its own waits for the half second, and then
//! draws; a second one goes ahead through the folders meanwhile, to know how much there is: nobody else needs to
//! know, so without a bar nobody asks.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Who waits for less sees no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// From one drawing to the next.
const TICK: Duration = Duration::from_millis(100);

/// How far it has got.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Shared>>);

struct Shared {
    bytes: AtomicU64,
    bar: Mutex<Option<ProgressBar>>,
    /// Dropped when all is done.
    running: Mutex<Option<Sender<()>>>,
}

impl Progress {
    /// Shows nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Shows how far it has got, if there is a terminal to show it on. `total` finds out how many bytes there are
    /// in all, if that can be known.
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
        // Without a thread there is no bar, and all else goes on.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || draw(&shared, &done, total));
        progress
    }

    /// So many bytes more.
    pub(crate) fn add(&self, bytes: u64) {
        if let Some(shared) = &self.0 {
            shared.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// So many bytes will be read again.
    pub(crate) fn take_back(&self, bytes: u64) {
        if let Some(shared) = &self.0 {
            shared.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Does something to the terminal, with the bar out of the way.
    pub(crate) fn aside<T>(&self, f: impl FnOnce() -> T) -> T {
        let Some(shared) = &self.0 else { return f() };
        let bar = lock(&shared.bar);
        match &*bar {
            Some(bar) => bar.suspend(f),
            None => f(),
        }
    }

    /// The end: there will be no bar any more.
    pub(crate) fn finish(&self) {
        if let Some(shared) = &self.0 {
            *lock(&shared.running) = None;
            if let Some(bar) = lock(&shared.bar).take() {
                bar.finish_and_clear();
            }
        }
    }
}

/// Whoever panicked while holding it: a bar is still a bar.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn draw(shared: &Arc<Shared>, done: &Receiver<()>, total: impl FnOnce() -> Option<u64> + Send + 'static) {
    let over = |time| done.recv_timeout(time) == Err(RecvTimeoutError::Disconnected);
    // From the start on, because it measures the speed; only not to be seen yet.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(style(WITHOUT_END));
    for _ in 0..PATIENCE.as_millis() / TICK.as_millis() {
        if over(TICK) {
            return;
        }
        bar.set_position(shared.bytes.load(Ordering::Relaxed));
    }
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let ahead = thread::Builder::new().name("total".to_owned()).spawn({
        let bar = bar.clone();
        move || {
            if let Some(total) = total() {
                bar.set_length(total);
                bar.set_style(style(WITH_END));
            }
        }
    });
    // Without that thread the end is not known, and the rest is shown.
    drop(ahead);
    *lock(&shared.bar) = Some(bar);
    while !over(TICK) {
        if let Some(bar) = &*lock(&shared.bar) {
            bar.set_position(shared.bytes.load(Ordering::Relaxed));
            bar.tick();
        }
    }
}

/// While nobody knows how much there is.
const WITHOUT_END: &str = "{spinner} {bytes} in {elapsed}, {bytes_per_sec}";
const WITH_END: &str = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("one of the two above, which a test tries")
}

#[cfg(test)]
mod tests {
    #[test]
    fn templates_are_templates() {
        super::style(super::WITHOUT_END);
        super::style(super::WITH_END);
    }
}
