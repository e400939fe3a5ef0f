//! No kernel reads outside its input: the input ends at, or begins after, a page that can't be read.
//!
//! A read of a single byte too many ends the process with a signal, whatever the kernel does with it.

#![cfg(unix)]

use std::ptr;

use super::support::kernels::{check_for, ways};
use super::support::malformed::MALFORMED;
use super::support::scale::{Thin, scale};
use super::support::text::Filler;
use trust8::testing;

/// Readable pages with an inaccessible one on each side.
struct Guarded {
    map: *mut libc::c_void,
    page: usize,
    pages: usize,
}

impl Guarded {
    /// Room for `len` bytes.
    fn new(len: usize) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let pages = len.div_ceil(page).max(1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping, at an address of the system's choice, takes no memory from anybody.
        let map = unsafe { libc::mmap(ptr::null_mut(), (pages + 2) * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        let guarded = Self { map, page, pages };
        // SAFETY: the pages lie inside the mapping just made, and nothing refers to them yet.
        let result = unsafe {
            libc::mprotect(guarded.middle().cast(), pages * page, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(result, 0, "the pages can't be made readable");
        guarded
    }

    fn middle(&self) -> *mut u8 {
        self.map.cast::<u8>().wrapping_add(self.page)
    }

    fn readable(&mut self) -> &mut [u8] {
        // SAFETY: these pages are readable and writable, zeroed, and borrowed together with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.middle(), self.pages * self.page) }
    }

    /// The parts, one after the other; the last byte is the last one that can be read.
    fn put_at_end(&mut self, parts: &[&[u8]]) -> &[u8] {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let readable = self.readable();
        let start = readable.len() - len;
        put(&mut readable[start..], parts)
    }

    /// The parts, one after the other; the first byte is the first one that can be read.
    fn put_at_start(&mut self, parts: &[&[u8]]) -> &[u8] {
        put(self.readable(), parts)
    }
}

fn put<'a>(memory: &'a mut [u8], parts: &[&[u8]]) -> &'a [u8] {
    let mut len = 0;
    for part in parts {
        memory[len..len + part.len()].copy_from_slice(part);
        len += part.len();
    }
    &memory[..len]
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, to which nothing refers any more.
        let result = unsafe { libc::munmap(self.map, (self.pages + 2) * self.page) };
        assert_eq!(result, 0);
    }
}

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

/// What counts reads no further than what checks.
#[test]
fn counts_of_every_length_to_600_and_some_longer() {
    let mut guarded = Guarded::new(5000);
    for filler in Filler::all() {
        for len in (0..=600).chain([1023, 1024, 1025, 1600, 4097, 5000]) {
            let bytes = guarded.put_at_end(&filler.after(len));
            let text = core::str::from_utf8(bytes).expect("filler is valid");
            let chars = text.chars().count();
            for way in ways() {
                assert_eq!(testing::inspect(way.kernel, bytes).chars(), chars, "{}: {len}", way.name);
                assert_eq!(way.kernel.count_chars(text), chars, "{}: {len}", way.name);
                assert!(way.kernel.utf16_len(text) >= chars, "{}: {len}", way.name);
            }
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
                let fault = Some(malformed.fault_behind(before));
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

/// Every position of every length to 300, before and after the guard: a quarter of the malformed sequences
/// at each, all of them at four neighbours.
#[test]
fn faults_at_every_position_of_every_length_to_300() {
    faults_at_every_position(4);
}

/// The same with every malformed sequence at every position. Takes a minute:
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
                    0 => malformed.fault_behind(position),
                    _ => malformed.fault_between(position),
                };
                check_for(guarded.put_at_end(&parts), Some(fault));
                check_for(guarded.put_at_start(&parts), Some(fault));
            }
        }
    }
}

/// Up to 8 KiB with fillers as they are, and beyond with several of them in a row, up to 70,000.
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
            // Stretches of 3000 to 8000 bytes, each of another script, or all of the same.
            let mut parts: Vec<&[u8]> = Vec::new();
            let mut rest = before;
            for number in 0.. {
                let filler = if turn % 2 == 0 { first } else { (first + number) % fillers.len() };
                let stretch = rest.min(3000 + 997 * (number % 6));
                parts.extend(fillers[filler].before(stretch));
                rest -= stretch;
                if rest == 0 {
                    break;
                }
            }
            check_for(guarded.put_at_end(&parts), None);
            check_for(guarded.put_at_start(&parts), None);
            parts.push(malformed.bytes);
            check_for(guarded.put_at_end(&parts), Some(malformed.fault_behind(before)));
            check_for(guarded.put_at_start(&parts), Some(malformed.fault_behind(before)));
        }
    }
}

/// A fault near the start is reported without reading the input to its end: of 64 MiB, which the system
/// provides page by page when they are read first, hardly any are there when the kernel has answered.
///
/// This is promised of kernels, not of each path: one that is made for short input reads all of it.
#[cfg(target_os = "linux")]
#[test]
fn early_faults_end_the_reading() {
    const LEN: usize = 64 << 20;
    /// So much may be read. Kernels need a few KiB; but the system may provide 2 MiB at once.
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
                put(guarded.readable(), &[pad, before, malformed.bytes, after, pad_after]);
                // All after that is zeros, which are ASCII, once somebody reads them.
                way.check(guarded.readable(), Some(malformed.fault_between(offset)));
                let read = guarded.bytes_present();
                assert!(read < READ, "kernel '{}' has read {read} bytes of {LEN}", way.name);
                if turn == 0 && number == 0 {
                    // That untouched pages are told from others at all.
                    assert!(read > 0);
                    assert!(guarded.readable().iter().all(|&byte| byte != 0xFE));
                    assert_eq!(guarded.bytes_present(), LEN);
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl Guarded {
    /// How many of the readable bytes lie in pages that the system has provided.
    fn bytes_present(&self) -> usize {
        let mut present = vec![0; self.pages];
        // SAFETY: asks about pages of our mapping; `present` has a byte for each.
        let result =
            unsafe { libc::mincore(self.middle().cast(), self.pages * self.page, present.as_mut_ptr()) };
        assert_eq!(result, 0, "the system does not tell");
        present.iter().filter(|&&page| page & 1 == 1).count() * self.page
    }
}

/// The test above all others: that a read of one byte too many would be noticed. A child process makes
/// one, on each side, and must die of it.
#[test]
fn the_guards_guard() {
    for side in [0, 1] {
        let guarded = Guarded::new(1);
        // SAFETY: the child calls only what may be called after a fork: no allocation, no locks.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no child process");
        if child == 0 {
            let outside = if side == 0 {
                guarded.middle().wrapping_sub(1)
            } else {
                guarded.middle().wrapping_add(guarded.page)
            };
            // SAFETY: none; the byte can't be read, and the process must end here, which is the test.
            unsafe { outside.read_volatile() };
            // SAFETY: ends the child at once, if it has come this far.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above; `status` is a place for its answer.
        let waited = unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(waited, child);
        // Ended by a signal; or by a sanitizer, which turns that signal into a report and a failure.
        assert_ne!(status, 0, "the child has read a byte that nobody can read");
    }
}
