//! The progress line. It appears on a terminal if the work takes longer than half a second.
//!
//! The threads that read only add to a number. A separate thread waits for half a second and then
//! draws the line. Another one then goes through the folders to find out how much there is to read.
//! Without a line, that number is not needed and not computed.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use terminal_size::{Width, terminal_size_of};

use crate::colors::is_dumb;
use crate::interrupt;

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
    /// The text that the terminal shows.
    Shown(String),
    /// The work is done, so the line must not appear any more.
    Finished,
}

impl Progress {
    /// Shows nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Shows the progress if `wanted` is true and standard error is a terminal, until it is finished or
    /// a signal ends the program. `total` returns the number of bytes to read, if it can be known.
    pub(crate) fn start(wanted: bool, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Self {
        let progress = Self::shown(wanted, total);
        interrupt::on_signal({
            let progress = progress.clone();
            move || progress.finish()
        });
        progress
    }

    fn shown(wanted: bool, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Self {
        if !wanted || !stderr().is_terminal() || is_dumb() {
            return Self::none();
        }
        let (running, done) = channel();
        let shared = Arc::new(Shared::new(Some(running)));
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
            Line::Shown(text) => {
                replace_line("");
                let result = f();
                replace_line(text);
                result
            }
            _ => f(),
        }
    }

    /// Removes the line. It will not appear again.
    pub(crate) fn finish(&self) {
        if let Some(shared) = &self.0 {
            *lock(&shared.running) = None;
            let mut line = lock(&shared.line);
            if let Line::Shown(_) = std::mem::replace(&mut *line, Line::Finished) {
                replace_line("");
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
    loop {
        {
            let mut line = lock(&shared.line);
            if matches!(*line, Line::Finished) {
                return;
            }
            let text = shared.text();
            replace_line(&text);
            *line = Line::Shown(text);
        }
        if is_done_after(TICK) {
            return;
        }
    }
}

/// Shows `text` in place of the terminal's last line. Cuts it off where the terminal ends: a line
/// that is broken into two could not be removed.
fn replace_line(text: &str) {
    let columns = terminal_size_of(stderr()).map_or(80, |(Width(columns), _)| columns.into());
    let mut line = "\r\x1B[2K".to_owned();
    line.extend(text.chars().take(columns));
    // An `AutoStream` makes Windows understand the escape sequence. A terminal that fails shows no
    // line, and the work continues.
    let _ = AutoStream::always(stderr()).write_all(line.as_bytes());
}

impl Shared {
    fn new(running: Option<Sender<()>>) -> Self {
        Self {
            started: Instant::now(),
            bytes: AtomicU64::new(0),
            total: AtomicU64::new(0),
            phase: Mutex::new("checking"),
            line: Mutex::new(Line::Hidden),
            running: Mutex::new(running),
        }
    }

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
    let per_second = size(rate as u64);
    match (100 * bytes).checked_div(total) {
        None => format!("{phase}  {} in {}, {per_second}/s", size(bytes), duration(time.as_secs_f64())),
        Some(share) => {
            let share = share.min(99);
            let left = duration(total.saturating_sub(bytes) as f64 / rate.max(1.0));
            format!("{phase} {share:>3} %  {} of {}, {per_second}/s, {left} left", size(bytes), size(total))
        }
    }
}

/// Returns `bytes` in the largest unit that makes it at least one.
fn size(bytes: u64) -> String {
    match bytes.checked_ilog2().unwrap_or(0) / 10 {
        0 => format!("{bytes} B"),
        power => {
            let unit = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power as usize - 1];
            format!("{:.2} {unit}", bytes as f64 / (1_u64 << (10 * power)) as f64)
        }
    }
}

/// Returns `seconds` in the largest unit that makes it at least two, if any does.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "day"), (3600.0, "hour"), (60.0, "minute")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= 1.5 * unit).unwrap_or((1.0, "second"));
    let number = (seconds / unit).round();
    format!("{number} {name}{}", if number == 1.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Progress {
        /// Counts, and shows nothing.
        pub(crate) fn hidden() -> Self {
            Self(Some(Arc::new(Shared::new(None))))
        }

        pub(crate) fn bytes(&self) -> u64 {
            self.0.as_ref().map_or(0, |shared| shared.bytes.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn sizes_and_durations_have_the_largest_unit_that_fits() {
        assert_eq!(
            [0, 1023, 1024, 1 << 20, u64::MAX].map(size),
            ["0 B", "1023 B", "1.00 KiB", "1.00 MiB", "16.00 EiB"]
        );
        assert_eq!(
            [0.4, 1.0, 89.0, 90.0, 3600.0, 5400.0, 1e6].map(duration),
            ["0 seconds", "1 second", "89 seconds", "2 minutes", "60 minutes", "2 hours", "12 days"]
        );
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
