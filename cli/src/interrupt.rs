//! Ctrl-C: what is to be cleared away, and then the end that the signal would have brought by itself, so that a
//! shell that runs this in a loop ends the loop as well.

use std::sync::{Mutex, PoisonError};

type Duty = Box<dyn FnOnce() + Send>;

static DUTIES: Mutex<Vec<Duty>> = Mutex::new(Vec::new());

/// Has something done if a signal ends the program. It may be done while all other threads go on.
pub(crate) fn before_the_end(duty: impl FnOnce() + Send + 'static) {
    let mut duties = DUTIES.lock().unwrap_or_else(PoisonError::into_inner);
    if duties.is_empty() {
        watch();
    }
    duties.push(Box::new(duty));
}

/// Waits for signals in a thread: what a signal handler itself may do is next to nothing.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // If it can't be had, the signal ends the program as ever, and leaves something behind.
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            for duty in DUTIES.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                duty();
            }
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Whether whoever started the program wants it to ignore the signal, as `nohup` does, and shells do for what runs in
/// the background of a script. Only Linux tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

#[cfg(not(unix))]
fn watch() {}
