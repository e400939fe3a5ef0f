//! Signals that end the program, such as Ctrl-C.
//!
//! The program cleans up first. Then it dies of the same signal, so that a shell that runs it in a
//! loop ends the loop too.

use std::sync::{Mutex, PoisonError};

type Cleanup = Box<dyn FnOnce() + Send>;

static CLEANUPS: Mutex<Vec<Cleanup>> = Mutex::new(Vec::new());

/// Registers `cleanup` to be called if a signal ends the program. All other threads may still be
/// running then.
pub(crate) fn on_signal(cleanup: impl FnOnce() + Send + 'static) {
    let mut cleanups = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
    if cleanups.is_empty() {
        watch();
    }
    cleanups.push(Box::new(cleanup));
}

/// Starts a thread that waits for signals. A signal handler itself could do almost nothing safely.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // If this fails, a signal ends the program at once, without the cleanups.
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            for cleanup in CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                cleanup();
            }
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Whether the program was started with `signal` ignored. `nohup` does that, and so does a shell
/// for a command that a script runs in the background. Only Linux reveals it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

#[cfg(not(unix))]
fn watch() {}
