//! Conversions touch no byte after the text or the buffer: both end at a page that can be neither
//! read nor written.

#![cfg(all(unix, feature = "alloc"))]

use super::support::guarded::Guarded;
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::scale::{Thin, scale};
use trust8::Kernel;
use trust8_transcode::{BufferError, Encoding, KernelForms, Str, Utf16, Utf32};

const TEXTS: [&str; 7] = ["a", "é", "敏", "😀", "aé敏😀", "Straße, Größe ", "plain ASCII, and then 敏 "];

/// Repeats the text, with as many characters as fit into this number of bytes.
fn repeated(text: &str, bytes: usize) -> String {
    let mut long = text.repeat(bytes / text.len() + 1);
    while long.len() > bytes {
        long.pop();
    }
    long
}

/// Buffers of exactly the length that is needed, of one unit less, of no units, and shorter by up
/// to two vectors.
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
            let latin1 = trust8_transcode::convert(Kernel::best().form(Str), Encoding::Latin1, &text).ok();
            for kernel in kernels() {
                let bytes = source.copy(text.as_bytes());
                for less in shorter(utf32.len(), len) {
                    let room = utf32.len() - less;
                    let result = trust8_transcode::convert_into(
                        kernel.form(Encoding::Utf8),
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
                            trust8_transcode::convert_into(kernel.form(from), to, bytes, target.last(room));
                        check(result.map(|got| &*got), &latin1[..], room, latin1.len());
                    }
                    let latin1 = source.copy(latin1);
                    for less in shorter(text.len(), len) {
                        let room = text.len() - less;
                        let (from, to) = (Encoding::Latin1, Encoding::Utf8);
                        let result =
                            trust8_transcode::convert_into(kernel.form(from), to, latin1, target.last(room));
                        check(result.map(|got| &*got), text.as_bytes(), room, text.len());
                    }
                }
                let copy = source.copy(&utf32);
                for less in shorter(text.len(), len) {
                    let room = text.len() - less;
                    let result = trust8_transcode::convert_into(
                        kernel.form(Utf32),
                        Encoding::Utf8,
                        copy,
                        target.last(room),
                    );
                    check(result.map(|got| &*got), text.as_bytes(), room, text.len());
                }
                for less in shorter(units.len(), len) {
                    let room = units.len() - less;
                    let result =
                        trust8_transcode::convert_into(kernel.form(Utf32), Utf16, copy, target.last(room));
                    check(result.map(|got| &*got), &units[..], room, units.len());
                }
                let copy = source.copy(&units);
                for less in shorter(utf32.len(), len) {
                    let room = utf32.len() - less;
                    let result =
                        trust8_transcode::convert_into(kernel.form(Utf16), Utf32, copy, target.last(room));
                    check(result.map(|got| &*got), &utf32[..], room, utf32.len());
                }
                let bytes = source.copy(text.as_bytes());
                assert_eq!(trust8_transcode::len(kernel.form(Encoding::Utf8), Utf16, bytes), units.len());
                for less in shorter(units.len(), len) {
                    let room = units.len() - less;
                    let result = trust8_transcode::convert_into(
                        kernel.form(Encoding::Utf8),
                        Utf16,
                        bytes,
                        target.last(room),
                    );
                    check(result.map(|got| &*got), &units[..], room, units.len());
                }
                let units = source.copy(&units);
                assert_eq!(trust8_transcode::len(kernel.form(Utf16), Str, units), text.len());
                for less in shorter(text.len(), len) {
                    let room = text.len() - less;
                    let result = trust8_transcode::convert_into(
                        kernel.form(Utf16),
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

/// Returns by how much buffers are too short: 0, 1, some numbers up to 130, and all of it.
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

/// Every pair of encodings, with errors and without, into buffers of the exact length, of one byte
/// less, and of none.
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
            for &from in Encoding::ALL {
                let Ok(mut bytes) = trust8_transcode::convert(Kernel::best().form(Str), from, &text) else {
                    continue;
                };
                if len % 2 == 1 {
                    // Malformed in most encodings.
                    bytes.extend(b"\xFF\xDC\xFF");
                }
                for &to in Encoding::ALL {
                    for kernel in kernels() {
                        let bytes = source.copy(&bytes);
                        let lossy = trust8_transcode::convert_lossy(kernel.form(from), to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            let result = trust8_transcode::convert_into_lossy(
                                kernel.form(from),
                                to,
                                bytes,
                                target.last(room),
                            );
                            check(result.map(|got| &*got), &lossy[..], room, lossy.len());
                        }
                        let strict = trust8_transcode::convert(kernel.form(from), to, bytes);
                        for room in [lossy.len(), lossy.len().saturating_sub(1), 0] {
                            match (
                                trust8_transcode::convert_into(
                                    kernel.form(from),
                                    to,
                                    bytes,
                                    target.last(room),
                                ),
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

/// Returns exactly this number of bytes, in characters like those of `text`.
fn exactly(text: &str, bytes: usize) -> String {
    let mut filler = repeated(text, bytes);
    filler.extend(core::iter::repeat_n('a', bytes - filler.len()));
    filler
}

/// Returns exactly this number of units, in characters like those of `text`.
fn exactly_units(text: &str, units: usize) -> Vec<u16> {
    let mut filler: Vec<u16> = text.encode_utf16().cycle().take(units).collect();
    if let Some(half @ 0xD800..=0xDBFF) = filler.last_mut() {
        *half = u16::from(b'a');
    }
    filler
}

/// Every malformed sequence at every place of every short text. The buffer has room for all that
/// comes before the sequence, for a unit less, or for nothing.
///
/// Short texts are converted in their own way, which loads, checks and stores a whole vector, or a
/// part of it.
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
                        match trust8_transcode::convert_into(
                            kernel.form(Encoding::Utf8),
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
                        trust8_transcode::convert_into_lossy(kernel.form(Encoding::Utf8), Utf16, bytes, room);
                    check(result.map(|got| &*got), &lossy[..], lossy.len(), lossy.len());
                }
            }
        }
    }
}

/// The same for surrogates without a partner.
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
                            match trust8_transcode::convert_into(
                                kernel.form(Utf16),
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
                        let result = trust8_transcode::convert_into_lossy(
                            kernel.form(Utf16),
                            Encoding::Utf8,
                            text,
                            room,
                        );
                        check(result.map(|got| &*got), lossy.as_bytes(), lossy.len(), lossy.len());
                    }
                }
            }
        }
    }
}
