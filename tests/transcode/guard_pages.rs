//! Conversions touch no byte outside of the text and the buffer: the text ends at, and the buffer ends at, a page
//! that can be neither read nor written.
//!
//! A byte too many ends the process with a signal, whatever is done with it.

#![cfg(all(unix, feature = "alloc"))]

use std::mem::MaybeUninit;
use std::ptr;

use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::scale::{Thin, scale};
use trust8::Kernel;
use trust8::testing;
use trust8::transcode::{BufferError, Encoding, Str, Utf16, Utf32};

/// Pages of memory, and one after them that can't be touched.
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
            let utf32: Vec<u32> = text.chars().map(u32::from).collect();
            let latin1 = testing::transcode::convert(Kernel::best(), Str, Encoding::Latin1, &text).ok();
            for kernel in kernels() {
                let bytes = source.copy(text.as_bytes());
                for less in shorter(utf32.len(), len) {
                    let room = utf32.len() - less;
                    let result = testing::transcode::convert_into(
                        kernel,
                        Encoding::Utf8,
                        Utf32,
                        bytes,
                        target.last(room),
                    );
                    check(result.map(|got| &*got), &utf32[..], room, utf32.len());
                }
                if let Some(latin1) = &latin1 {
                    for less in shorter(latin1.len(), len) {
                        let room = latin1.len() - less;
                        let (from, to) = (Encoding::Utf8, Encoding::Latin1);
                        let result =
                            testing::transcode::convert_into(kernel, from, to, bytes, target.last(room));
                        check(result.map(|got| &*got), &latin1[..], room, latin1.len());
                    }
                    let latin1 = source.copy(latin1);
                    for less in shorter(text.len(), len) {
                        let room = text.len() - less;
                        let (from, to) = (Encoding::Latin1, Encoding::Utf8);
                        let result =
                            testing::transcode::convert_into(kernel, from, to, latin1, target.last(room));
                        check(result.map(|got| &*got), text.as_bytes(), room, text.len());
                    }
                }
                let copy = source.copy(&utf32);
                for less in shorter(text.len(), len) {
                    let room = text.len() - less;
                    let result = testing::transcode::convert_into(
                        kernel,
                        Utf32,
                        Encoding::Utf8,
                        copy,
                        target.last(room),
                    );
                    check(result.map(|got| &*got), text.as_bytes(), room, text.len());
                }
                for less in shorter(units.len(), len) {
                    let room = units.len() - less;
                    let result =
                        testing::transcode::convert_into(kernel, Utf32, Utf16, copy, target.last(room));
                    check(result.map(|got| &*got), &units[..], room, units.len());
                }
                let copy = source.copy(&units);
                for less in shorter(utf32.len(), len) {
                    let room = utf32.len() - less;
                    let result =
                        testing::transcode::convert_into(kernel, Utf16, Utf32, copy, target.last(room));
                    check(result.map(|got| &*got), &utf32[..], room, utf32.len());
                }
                let bytes = source.copy(text.as_bytes());
                assert_eq!(testing::transcode::len(kernel, Encoding::Utf8, Utf16, bytes), units.len());
                for less in shorter(units.len(), len) {
                    let room = units.len() - less;
                    let result = testing::transcode::convert_into(
                        kernel,
                        Encoding::Utf8,
                        Utf16,
                        bytes,
                        target.last(room),
                    );
                    check(result.map(|got| &*got), &units[..], room, units.len());
                }
                let units = source.copy(&units);
                assert_eq!(testing::transcode::len(kernel, Utf16, Str, units), text.len());
                for less in shorter(text.len(), len) {
                    let room = text.len() - less;
                    let result = testing::transcode::convert_into(
                        kernel,
                        Utf16,
                        Encoding::Utf8,
                        units,
                        target.last(room),
                    );
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
        Err(error) => assert_eq!(error, BufferError::TooSmall(trust8::TooSmall { needed, len: room })),
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
                let Ok(mut bytes) = testing::transcode::convert(Kernel::best(), Str, from, &text) else {
                    continue;
                };
                if len % 2 == 1 {
                    // Malformed in most encodings.
                    bytes.extend(b"\xFF\xDC\xFF");
                }
                for to in Encoding::ALL {
                    for kernel in kernels() {
                        let bytes = source.copy(&bytes);
                        let lossy = testing::transcode::convert_lossy(kernel, from, to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            let result = testing::transcode::convert_into_lossy(
                                kernel,
                                from,
                                to,
                                bytes,
                                target.last(room),
                            );
                            check(result.map(|got| &*got), &lossy[..], room, lossy.len());
                        }
                        let strict = testing::transcode::convert(kernel, from, to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            match (
                                testing::transcode::convert_into(kernel, from, to, bytes, target.last(room)),
                                &strict,
                            ) {
                                (Ok(got), Ok(all)) => assert_eq!(got, all),
                                (Err(BufferError::TooSmall(trust8::TooSmall { needed, .. })), Ok(all)) => {
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

/// So many bytes of characters like those of `text`.
fn exactly(text: &str, bytes: usize) -> String {
    let mut filler = repeated(text, bytes);
    filler.extend(core::iter::repeat_n('a', bytes - filler.len()));
    filler
}

/// So many units of characters like those of `text`.
fn exactly_units(text: &str, units: usize) -> Vec<u16> {
    let mut filler: Vec<u16> = text.encode_utf16().cycle().take(units).collect();
    if let Some(half @ 0xD800..=0xDBFF) = filler.last_mut() {
        *half = u16::from(b'a');
    }
    filler
}

/// Every malformed sequence at every place of every short text, into buffers that what is before it fills, or fills
/// but for a byte, or none.
///
/// Short texts have a way of their own, which loads, checks and stores a whole vector, or a part of it.
#[test]
fn malformed_utf8_everywhere_in_short_texts() {
    const LONGEST: usize = 150;
    let (mut source, mut target) = (Guarded::new(4096), Guarded::new(4096));
    let mut thin = Thin::new();
    for (turn, malformed) in MALFORMED.iter().enumerate() {
        for len in malformed.bytes.len()..=LONGEST {
            for before in 0..=len - malformed.bytes.len() {
                if !thin.keep() {
                    continue;
                }
                let filler = TEXTS[(turn + len + before) % TEXTS.len()];
                let mut text = exactly(filler, before).into_bytes();
                text.extend(malformed.bytes);
                text.extend(exactly(filler, len - text.len()).bytes());
                let Err(std) = core::str::from_utf8(&text) else { unreachable!("it is malformed") };
                let valid = std.valid_up_to();
                let fits = core::str::from_utf8(&text[..valid]).map_or(0, |text| text.encode_utf16().count());
                let lossy: Vec<u16> = String::from_utf8_lossy(&text).encode_utf16().collect();
                for kernel in kernels() {
                    let bytes = source.copy(&text);
                    for room in [fits, fits.saturating_sub(1), 0] {
                        match testing::transcode::convert_into(
                            kernel,
                            Encoding::Utf8,
                            Utf16,
                            bytes,
                            target.last(room),
                        ) {
                            Err(BufferError::Invalid { error, .. }) => assert_eq!(error.valid_up_to(), valid),
                            other => panic!("{other:?} of {text:02X?}, {}", kernel.name()),
                        }
                    }
                    let room = target.last(lossy.len());
                    let result =
                        testing::transcode::convert_into_lossy(kernel, Encoding::Utf8, Utf16, bytes, room);
                    check(result.map(|got| &*got), &lossy[..], lossy.len(), lossy.len());
                }
            }
        }
    }
}

/// The same of surrogates that have no partner.
#[test]
fn lone_surrogates_everywhere_in_short_texts() {
    const WRONG: [&[u16]; 5] =
        [&[0xD800], &[0xDC00], &[0xDFFF, 0xDBFF], &[0xD83D, 0xD83D], &[0xDE00, 0xDE00]];
    const LONGEST: usize = 80;
    let (mut source, mut target) = (Guarded::new(4096), Guarded::new(4096));
    let mut thin = Thin::new();
    for wrong in WRONG {
        for filler in TEXTS {
            for len in wrong.len()..=LONGEST {
                for before in 0..=len - wrong.len() {
                    if !thin.keep() {
                        continue;
                    }
                    let mut text = exactly_units(filler, before);
                    text.extend(wrong);
                    text.extend(exactly_units(filler, len - text.len()));
                    let lossy = String::from_utf16_lossy(&text);
                    let fits = String::from_utf16_lossy(&text[..before]).len();
                    for kernel in kernels() {
                        let text = source.copy(&text);
                        for room in [fits, fits.saturating_sub(1), 0] {
                            match testing::transcode::convert_into(
                                kernel,
                                Utf16,
                                Encoding::Utf8,
                                text,
                                target.last(room),
                            ) {
                                Err(BufferError::Invalid { error, .. }) => {
                                    assert_eq!(error.valid_up_to(), before)
                                }
                                other => panic!("{other:?} of {text:04X?}, {}", kernel.name()),
                            }
                        }
                        let room = target.last(lossy.len());
                        let result =
                            testing::transcode::convert_into_lossy(kernel, Utf16, Encoding::Utf8, text, room);
                        check(result.map(|got| &*got), lossy.as_bytes(), lossy.len(), lossy.len());
                    }
                }
            }
        }
    }
}
