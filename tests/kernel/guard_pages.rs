//! No kernel reads outside its input: the input begins after a page that cannot be read, or ends at one.

#![cfg(unix)]

use super::support::guarded::Guarded;
use super::support::kernels::{check_for, ways};
use super::support::malformed::MALFORMED;
use super::support::scale::{Thin, scale};
use super::support::text::Filler;

#[test]
fn valid_text_of_every_length_to_600() {
    let mut guarded = Guarded::new(600);
    for filler in Filler::all() {
        for len in 0..=600 {
            check_for(guarded.put_at_end(&filler.before(len)), None);
            check_for(guarded.put_at_end(&filler.after(len)), None);
            check_for(guarded.put_at_start(&filler.before(len)), None);
            check_for(guarded.put_at_start(&filler.after(len)), None);
        }
    }
}

#[test]
fn faults_at_the_end_of_every_length_to_600() {
    let mut guarded = Guarded::new(610);
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for malformed in &MALFORMED {
            for len in malformed.bytes.len()..=600 {
                if !thin.keep() {
                    continue;
                }
                let before = len - malformed.bytes.len();
                let [pad, text] = filler.before(before);
                let fault = Some(malformed.fault_at_end(before));
                check_for(guarded.put_at_end(&[pad, text, malformed.bytes]), fault);
                check_for(guarded.put_at_start(&[pad, text, malformed.bytes]), fault);
            }
        }
    }
}

#[test]
fn faults_at_the_start_of_every_length_to_600() {
    let mut guarded = Guarded::new(610);
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for malformed in &MALFORMED {
            for len in malformed.bytes.len() + 1..=600 {
                if !thin.keep() {
                    continue;
                }
                let [text, pad] = filler.after(len - malformed.bytes.len());
                let fault = Some(malformed.fault_between(0));
                check_for(guarded.put_at_start(&[malformed.bytes, text, pad]), fault);
                check_for(guarded.put_at_end(&[malformed.bytes, text, pad]), fault);
            }
        }
    }
}

/// Every position of every length to 300, at both guards, with a quarter of the malformed sequences at each position. Four
/// neighbours have all of them.
#[test]
fn faults_at_every_position_of_every_length_to_300() {
    faults_at_every_position(4);
}

/// The same with every malformed sequence at every position, which takes a minute:
///
/// ```sh
/// cargo test --release --test kernel guard_pages:: -- --ignored
/// ```
#[test]
#[ignore = "takes a minute"]
fn every_fault_at_every_position_of_every_length_to_300() {
    faults_at_every_position(1);
}

fn faults_at_every_position(one_in: usize) {
    let fillers = Filler::all();
    let mut guarded = Guarded::new(300);
    let mut thin = Thin::new();
    let mut turn = 0;
    for (number, malformed) in MALFORMED.iter().enumerate() {
        for len in malformed.bytes.len()..=300 {
            let last = len - malformed.bytes.len();
            for position in 0..=last {
                if !(number + len + position).is_multiple_of(one_in) || !thin.keep() {
                    continue;
                }
                turn += 1;
                let [pad, before] = fillers[turn % 5].before(position);
                let [after, pad_after] = fillers[turn / 5 % 5].after(last - position);
                let parts = [pad, before, malformed.bytes, after, pad_after];
                let fault = match last - position {
                    0 => malformed.fault_at_end(position),
                    _ => malformed.fault_between(position),
                };
                check_for(guarded.put_at_end(&parts), Some(fault));
                check_for(guarded.put_at_start(&parts), Some(fault));
            }
        }
    }
}

/// Up to 70,000 bytes of fillers, several in a row where the input is longer than 8 KiB.
#[test]
fn long_input() {
    const LONGEST: usize = 70_000;
    let mut guarded = Guarded::new(LONGEST);
    let fillers = Filler::all();
    let mut turn = 0;
    let step = if scale() == 1 { 331 } else { 2521 };
    for len in (601..LONGEST).step_by(step) {
        for first in 0..fillers.len() {
            turn += 1;
            let malformed = &MALFORMED[turn % MALFORMED.len()];
            let before = len - malformed.bytes.len();
            // Passages of 3000 to 8000 bytes, each in another script, or all in the same.
            let mut parts: Vec<&[u8]> = Vec::new();
            let mut rest = before;
            for number in 0.. {
                let filler = if turn % 2 == 0 { first } else { (first + number) % fillers.len() };
                let len = rest.min(3000 + 997 * (number % 6));
                parts.extend(fillers[filler].before(len));
                rest -= len;
                if rest == 0 {
                    break;
                }
            }
            check_for(guarded.put_at_end(&parts), None);
            check_for(guarded.put_at_start(&parts), None);
            parts.push(malformed.bytes);
            check_for(guarded.put_at_end(&parts), Some(malformed.fault_at_end(before)));
            check_for(guarded.put_at_start(&parts), Some(malformed.fault_at_end(before)));
        }
    }
}

/// A kernel reports a fault near the start without reading the input to its end. The system provides a page when it is read
/// first, so hardly any of 64 MiB are there when the kernel has answered.
///
/// A way for short input may read all of it.
#[cfg(target_os = "linux")]
#[test]
fn early_faults_end_the_reading() {
    const LEN: usize = 64 << 20;
    /// How many bytes may be read. Kernels need a few KiB, but the system may provide 2 MiB at once.
    const READ: usize = 4 << 20;
    let fillers = Filler::all();
    // Ways for short input have no reason to stop early.
    let kernels = ways().iter().filter(|way| way.is_kernel);
    for (turn, way) in kernels.enumerate() {
        for offset in [0, 100, 1000, 5000] {
            for (number, filler) in fillers.iter().enumerate() {
                let malformed = &MALFORMED[(turn + 7 * number + offset) % MALFORMED.len()];
                let mut guarded = Guarded::new(LEN);
                let [pad, before] = filler.before(offset);
                let [after, pad_after] = filler.after(8000);
                guarded.put_at_start(&[pad, before, malformed.bytes, after, pad_after]);
                // Everything after that is zeros, which are ASCII.
                way.check(guarded.bytes(), Some(malformed.fault_between(offset)));
                let read = guarded.bytes_present();
                assert!(read < READ, "kernel '{}' has read {read} bytes of {LEN}", way.name);
                if turn == 0 && number == 0 {
                    // The count tells untouched pages from others.
                    assert!(read > 0);
                    assert!(guarded.bytes().iter().all(|&byte| byte != 0xFE));
                    assert_eq!(guarded.bytes_present(), LEN);
                }
            }
        }
    }
}

/// A read of one byte too many is noticed, on which all tests of this file rely. A child process makes such a read on each
/// side, and must die of it.
#[test]
fn the_guards_guard() {
    for side in [0, 1] {
        let guarded = Guarded::new(1);
        let outside = if side == 0 { guarded.start().wrapping_sub(1) } else { guarded.end() };
        // An emulator hangs in a child that was made while another thread held one of the emulator's locks.
        let status = (0..5).find_map(|_| status_of_reader(outside)).expect("one of five children ends");
        // Ended by a signal; or by a sanitizer, which turns that signal into a report and a failure.
        assert_ne!(status, 0, "the child has read a byte that nobody can read");
    }
}

/// Returns the status with which a child process ends that reads a byte, or `None` if it does not end in ten seconds.
fn status_of_reader(byte: *const u8) -> Option<i32> {
    // SAFETY: the child calls only what may be called after a fork: no allocation, no locks.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "no child process");
    if child == 0 {
        // SAFETY: none; the byte can't be read, and the process must end here, which is the test.
        unsafe { byte.read_volatile() };
        // SAFETY: ends the child at once, if it has come this far.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    for _ in 0..1000 {
        // SAFETY: asks for the child made above; `status` is a place for its answer.
        let ended = unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) };
        assert!(ended == child || ended == 0, "there is no such child");
        if ended == child {
            return Some(status);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // SAFETY: the child made above still runs, or is not waited for.
    unsafe { libc::kill(child, libc::SIGKILL) };
    // SAFETY: waits for the same child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    None
}
