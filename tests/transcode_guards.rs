//! Conversions touch no byte outside of the text and the buffer: the text ends at, and the buffer ends at, a page
//! that can be neither read nor written.
//!
//! A byte too many ends the process with a signal, whatever is done with it.

#![cfg(all(unix, feature = "alloc"))]

mod common;

use std::mem::MaybeUninit;
use std::ptr;

use common::{Thin, scale};
use trust8::Kernel;
use trust8::transcode::{
    BufferError, Encoding, Str, Utf16, convert_into_lossy_with, convert_into_with, convert_with, len_with,
};

/// Pages of memory, and one behind them that can't be touched.
struct Guarded {
    map: *mut libc::c_void,
    len: usize,
    page: usize,
}

impl Guarded {
    fn new(len: usize) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let len = len.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping, at an address of the system's choice, takes no memory from anybody.
        let map = unsafe { libc::mmap(ptr::null_mut(), len + page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        // SAFETY: the pages lie inside the mapping just made, and nothing refers to them yet.
        let result = unsafe { libc::mprotect(map, len, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(result, 0, "the pages can't be made accessible");
        Self { map, len, page }
    }

    /// The last `n` units before the page that can't be touched.
    fn last<U: Copy>(&mut self, n: usize) -> &mut [MaybeUninit<U>] {
        assert!(n * size_of::<U>() <= self.len);
        let end = self.map.cast::<u8>().wrapping_add(self.len);
        let start = end.wrapping_sub(n * size_of::<U>()).cast();
        // SAFETY: these pages are accessible and borrowed together with `self`; a page is aligned for any unit,
        // and so is what lies a multiple of its size before one.
        unsafe { std::slice::from_raw_parts_mut(start, n) }
    }

    /// A copy of these units, the last of which is the last that can be read.
    fn copy<U: Copy>(&mut self, units: &[U]) -> &[U] {
        let copy = self.last::<U>(units.len());
        for (to, unit) in copy.iter_mut().zip(units) {
            to.write(*unit);
        }
        let copy = ptr::from_ref(copy) as *const [U];
        // SAFETY: all of them were written just now; the borrow is that of `self`.
        unsafe { &*copy }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, to which nothing refers any more.
        let result = unsafe { libc::munmap(self.map, self.len + self.page) };
        assert_eq!(result, 0);
    }
}

const TEXTS: [&str; 7] = ["a", "é", "敏", "😀", "aé敏😀", "Straße, Größe ", "plain ASCII, and then 敏 "];

/// The text over and over: as many characters as fit into so many bytes.
fn repeated(text: &str, bytes: usize) -> String {
    let mut long = text.repeat(bytes / text.len() + 1);
    while long.len() > bytes {
        long.pop();
    }
    long
}

/// Buffers of exactly the size needed, one less, and none, and all that are shorter by less than two vectors.
#[test]
fn buffers_of_every_critical_length() {
    let (mut source, mut target) = (Guarded::new(4096), Guarded::new(8192));
    let mut thin = Thin::new();
    for text in TEXTS {
        for len in (0..=300).chain([511, 512, 513, 600, 1000]) {
            if !thin.keep() && scale() > 1 {
                continue;
            }
            let text = repeated(text, len);
            let units: Vec<u16> = text.encode_utf16().collect();
            for kernel in Kernel::available() {
                let bytes = source.copy(text.as_bytes());
                assert_eq!(len_with(kernel, Encoding::Utf8, Utf16, bytes), units.len());
                for less in shorter(units.len(), len) {
                    let room = units.len() - less;
                    let result = convert_into_with(kernel, Encoding::Utf8, Utf16, bytes, target.last(room));
                    check(result.map(|got| &*got), &units[..], room, units.len());
                }
                let units = source.copy(&units);
                assert_eq!(len_with(kernel, Utf16, Str, units), text.len());
                for less in shorter(text.len(), len) {
                    let room = text.len() - less;
                    let result = convert_into_with(kernel, Utf16, Encoding::Utf8, units, target.last(room));
                    check(result.map(|got| &*got), text.as_bytes(), room, text.len());
                }
            }
        }
    }
}

/// By how much buffers are too short: everything up to 130, sparsely.
fn shorter(needed: usize, turn: usize) -> impl Iterator<Item = usize> {
    let some = (2..130).filter(move |less| (less + turn).is_multiple_of(23));
    [0, 1].into_iter().chain(some).chain([needed]).filter(move |&less| less <= needed)
}

#[track_caller]
fn check<T: PartialEq + ?Sized + std::fmt::Debug>(
    result: Result<&T, BufferError>,
    expected: &T,
    room: usize,
    needed: usize,
) {
    match result {
        Ok(got) => {
            assert_eq!(room, needed);
            assert_eq!(got, expected);
        }
        Err(error) => assert_eq!(error, BufferError::TooSmall { needed, len: room }),
    }
}

/// Every pair of encodings, with errors and without, through buffers of the exact size, one less, and none.
#[test]
fn every_pair_of_encodings() {
    let (mut source, mut target) = (Guarded::new(4096), Guarded::new(16384));
    let mut thin = Thin::new();
    for text in TEXTS {
        for len in (0..=200).step_by(3).chain([255, 256, 257, 700]) {
            if !thin.keep() && scale() > 1 {
                continue;
            }
            let text = repeated(text, len);
            for from in Encoding::ALL {
                let Ok(mut bytes) = convert_with(Kernel::best(), Str, from, &text) else { continue };
                if len % 2 == 1 {
                    // Malformed in most encodings.
                    bytes.extend(b"\xFF\xDC\xFF");
                }
                for to in Encoding::ALL {
                    for kernel in Kernel::available() {
                        let bytes = source.copy(&bytes);
                        let lossy = trust8::transcode::convert_lossy_with(kernel, from, to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            let result = convert_into_lossy_with(kernel, from, to, bytes, target.last(room));
                            check(result.map(|got| &*got), &lossy[..], room, lossy.len());
                        }
                        let strict = convert_with(kernel, from, to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            match (convert_into_with(kernel, from, to, bytes, target.last(room)), &strict) {
                                (Ok(got), Ok(all)) => assert_eq!(got, all),
                                (Err(BufferError::TooSmall { needed, .. }), Ok(all)) => {
                                    assert_eq!(needed, all.len());
                                }
                                (Err(BufferError::Invalid { error, .. }), Err(same)) => {
                                    assert_eq!(error, *same)
                                }
                                (got, strict) => panic!("{got:?} and {strict:?}"),
                            }
                        }
                    }
                }
            }
        }
    }
}
