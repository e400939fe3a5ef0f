//! The progress line. It appears on a terminal if the work takes longer than half a second.
//!
//! The threads that read only add to a number. A separate thread waits for half a second and then
//! draws the line. Another one then goes through the folders to find out how much there is to read.
//! Without a line, that number is not needed and not computed.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long the work must take before the line appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two drawings of the line.
const TICK: Duration = Duration::from_millis(100);

/// Counts the bytes that were read, and shows them.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Shared>>);

struct Shared {
    started: Instant,
    bytes: AtomicU64,
    /// How many bytes there are to read, or 0 if that is not known.
    total: AtomicU64,
    /// What is being done.
    phase: Mutex<&'static str>,
    line: Mutex<Line>,
    /// Dropped when the work is done.
    running: Mutex<Option<Sender<()>>>,
}

enum Line {
    Hidden,
    Shown(ProgressBar),
    /// The work is done, so the line must not appear any more.
    Finished,
}

impl Progress {
    /// Shows nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Shows the progress if `wanted` is true and standard error is a terminal. `total` returns the
    /// number of bytes to read, if it can be known.
    pub(crate) fn start(wanted: bool, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Self {
        if !wanted || !stderr().is_terminal() {
            return Self::none();
        }
        let (running, done) = channel();
        let shared = Arc::new(Shared {
            started: Instant::now(),
            bytes: AtomicU64::new(0),
            total: AtomicU64::new(0),
            phase: Mutex::new("checking"),
            line: Mutex::new(Line::Hidden),
            running: Mutex::new(Some(running)),
        });
        let progress = Self(Some(Arc::clone(&shared)));
        // If the thread can't be started, there is no line, and the work continues.
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

    /// Says what is being done.
    pub(crate) fn phase(&self, phase: &'static str) {
        if let Some(shared) = &self.0 {
            *lock(&shared.phase) = phase;
        }
    }

    /// Calls `f`, which may write to the terminal, while the line is hidden.
    pub(crate) fn suspend<T>(&self, f: impl FnOnce() -> T) -> T {
        let Some(shared) = &self.0 else { return f() };
        let line = lock(&shared.line);
        match &*line {
            Line::Shown(bar) => bar.suspend(f),
            _ => f(),
        }
    }

    /// Removes the line. It will not appear again.
    pub(crate) fn finish(&self) {
        if let Some(shared) = &self.0 {
            *lock(&shared.running) = None;
            let mut line = lock(&shared.line);
            if let Line::Shown(bar) = std::mem::replace(&mut *line, Line::Finished) {
                bar.finish_and_clear();
            }
        }
    }
}

/// Locks `mutex`, even if a thread has panicked while it held the lock: the line is still usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn draw(shared: &Arc<Shared>, done: &Receiver<()>, total: impl FnOnce() -> Option<u64> + Send + 'static) {
    let is_done_after = |time| done.recv_timeout(time) == Err(RecvTimeoutError::Disconnected);
    if is_done_after(PATIENCE) {
        return;
    }
    // If that thread can't be started, the line is shown without the total.
    let _ = thread::Builder::new().name("total".to_owned()).spawn({
        let shared = Arc::clone(shared);
        move || shared.total.store(total().unwrap_or(0), Ordering::Relaxed)
    });
    {
        let mut line = lock(&shared.line);
        if matches!(*line, Line::Finished) {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style());
        *line = Line::Shown(bar);
    }
    while !is_done_after(TICK) {
        if let Line::Shown(bar) = &*lock(&shared.line) {
            bar.set_message(shared.text());
        }
    }
}

/// Cuts the line off where the terminal ends: a line that is broken into two could not be removed.
fn style() -> ProgressStyle {
    ProgressStyle::with_template("{wide_msg}").expect("a test parses the template")
}

impl Shared {
    fn text(&self) -> String {
        let total = self.total.load(Ordering::Relaxed);
        describe(*lock(&self.phase), self.bytes.load(Ordering::Relaxed), total, self.started.elapsed())
    }
}

/// Returns the text of the line. `total` is 0 if it is not known.
///
/// Bytes that are read again do not count twice. So when all of them have been read there may be
/// more to do, and the share that is done stays below 100 %.
fn describe(phase: &str, bytes: u64, total: u64, time: Duration) -> String {
    let rate = bytes as f64 / time.as_secs_f64().max(0.001);
    let per_second = BinaryBytes(rate as u64);
    let mut text = phase.to_owned();
    // Writing to a string never fails.
    let _ = match (100 * bytes).checked_div(total) {
        None => write!(text, "  {} in {}, {per_second}/s", BinaryBytes(bytes), HumanDuration(time)),
        Some(share) => {
            let share = share.min(99);
            let left = Duration::from_secs_f64(total.saturating_sub(bytes) as f64 / rate.max(1.0));
            let (bytes, total, left) = (BinaryBytes(bytes), BinaryBytes(total), HumanDuration(left));
            write!(text, " {share:>3} %  {bytes} of {total}, {per_second}/s, {left} left")
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_can_be_parsed() {
        style();
    }

    #[test]
    fn the_line_tells_the_phase_and_never_says_that_all_is_done() {
        let second = Duration::from_secs(1);
        assert_eq!(describe("checking", 3 << 20, 0, second), "checking  3.00 MiB in 1 second, 3.00 MiB/s");
        assert_eq!(
            describe("converting", 1 << 20, 4 << 20, second),
            "converting  25 %  1.00 MiB of 4.00 MiB, 1.00 MiB/s, 3 seconds left"
        );
        assert!(
            describe("syncing", 4 << 20, 4 << 20, second).starts_with("syncing  99 %  4.00 MiB of 4.00 MiB")
        );
        assert!(describe("checking", 5, 4, Duration::ZERO).starts_with("checking  99 %"));
    }
}
