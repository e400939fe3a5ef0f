//! Conversions of as much as fits, compared with those of a whole text.

#![cfg(feature = "alloc")]

use core::mem::MaybeUninit;

use super::convert::reference::{encode, has};
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::scale::Thin;
use trust8_transcode::KernelForms;
use trust8_transcode::handlers::{Handler, into_ascii, into_utf16, into_utf32};
use trust8_transcode::{BufferError, Encoding, Form, Progress, Utf16, Utf32};

/// Converts a text with a buffer of `room` units, as often as it takes.
fn in_parts<F: Form<Text = [u8]> + Copy>(from: F, text: &[u8], room: usize, lossy: bool) -> Vec<Vec<u16>> {
    let mut results = Vec::new();
    for kernel in kernels() {
        let (mut read, mut units) = (0, Vec::new());
        loop {
            let mut buffer = vec![MaybeUninit::uninit(); room];
            let rest = &text[read..];
            let progress = if lossy {
                trust8_transcode::convert_as_fits_lossy(kernel.form(from), Utf16, rest, &mut buffer)
            } else {
                match trust8_transcode::convert_as_fits(kernel.form(from), Utf16, rest, &mut buffer) {
                    Ok(progress) => progress,
                    Err(BufferError::Invalid { error, written }) => {
                        Progress { read: error.valid_up_to(), written }
                    }
                    Err(error) => panic!("{error}"),
                }
            };
            let (written, _) = buffer.split_at(progress.written);
            // SAFETY: these have been written.
            units.extend(written.iter().map(|unit| unsafe { unit.assume_init() }));
            read += progress.read;
            if progress.written == 0 {
                break;
            }
        }
        results.push(units);
    }
    results
}

#[test]
fn conversions_that_stop_where_the_buffer_ends() {
    let mut thin = Thin::new();
    for filler in ["a", "é", "日", "😀", "aé日😀"] {
        for len in [1, 5, 40, 300] {
            for room in [2, 3, 7, 16, 64, 100, 511] {
                if !thin.keep() {
                    continue;
                }
                let text = filler.repeat(len);
                let units: Vec<u16> = text.encode_utf16().collect();
                for lossy in [false, true] {
                    for result in in_parts(Encoding::Utf8, text.as_bytes(), room, lossy) {
                        assert_eq!(result, units, "{len} times {filler}, {room}");
                    }
                }
                let bytes = [text.as_bytes(), b"\xFF", text.as_bytes(), b"\xF0\x9F\x98"].concat();
                for result in in_parts(Encoding::Utf8, &bytes, room, false) {
                    assert_eq!(result, units, "{len} times {filler}, {room}");
                }
                let lossy: Vec<u16> = String::from_utf8_lossy(&bytes).encode_utf16().collect();
                for result in in_parts(Encoding::Utf8, &bytes, room, true) {
                    assert_eq!(result, lossy, "{len} times {filler}, {room}");
                }
            }
        }
    }
}

/// Returns the number of bytes that a character has.
fn len_in(encoding: Encoding, char: char) -> usize {
    encode(encoding, char).expect("the encoding has it").len()
}

/// A buffer ends inside any block, and inside any character of it. As many whole characters are
/// written as fit.
#[test]
fn every_pair_fills_buffers_of_every_length() {
    let mut thin = Thin::new();
    let fillers = [
        "a",
        "\u{E9}",
        "\u{44F}",
        "\u{65E5}",
        "\u{1F600}",
        "a\u{E9}b",
        "ab\u{1F600}cdefg\u{44F}\u{65E5}\u{65E5}",
    ];
    for (filler, from, to) in fillers.iter().flat_map(|filler| {
        Encoding::ALL.iter().flat_map(move |&from| Encoding::ALL.iter().map(move |&to| (*filler, from, to)))
    }) {
        let filler: String = filler.chars().filter(|&char| has(from, char) && has(to, char)).collect();
        let text: String = filler.chars().cycle().take(400).collect();
        for kernel in kernels() {
            let bytes =
                trust8_transcode::convert(kernel.form(Encoding::Utf8), from, text.as_bytes()).unwrap();
            let whole = trust8_transcode::convert(kernel.form(Encoding::Utf8), to, text.as_bytes()).unwrap();
            let mut buffer = vec![MaybeUninit::uninit(); whole.len()];
            let (mut chars, mut expected) = (text.chars().peekable(), Progress { read: 0, written: 0 });
            for room in 0..whole.len().min(700) {
                while let Some(char) = chars.next_if(|&char| expected.written + len_in(to, char) <= room) {
                    expected.read += len_in(from, char);
                    expected.written += len_in(to, char);
                }
                if !thin.keep() {
                    continue;
                }
                let got =
                    trust8_transcode::convert_as_fits(kernel.form(from), to, &bytes, &mut buffer[..room]);
                assert_eq!(got, Ok(expected), "{kernel:?}: {from:?} to {to:?}, {filler}, {room}");
                // SAFETY: these have been written.
                let written = buffer[..expected.written].iter().map(|byte| unsafe { byte.assume_init() });
                assert!(
                    written.eq(whole.iter().copied().take(expected.written)),
                    "{kernel:?}: {from:?} to {to:?}, {filler}, {room}"
                );
            }
        }
    }
}

/// Faults are near and far, in text of each width, and a buffer ends anywhere. The rest of the text
/// becomes the rest of the result.
#[test]
fn faulty_text_fills_buffers_of_every_length() {
    let mut thin = Thin::new();
    for filler in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}", "ab\u{1F600}c\u{44F}\u{65E5}\u{65E5}"] {
        for between in [1, 7, 40, 700] {
            let mut text = filler.repeat(50).into_bytes();
            for malformed in &MALFORMED[..if between == 700 { 3 } else { 48 }] {
                text.extend_from_slice(malformed.bytes);
                text.extend(filler.bytes().cycle().take(between / filler.len() * filler.len()));
            }
            let expected: Vec<u16> = String::from_utf8_lossy(&text).encode_utf16().collect();
            let expected_of = |rest: &[u8]| String::from_utf8_lossy(rest).encode_utf16().count();
            for kernel in kernels() {
                let mut buffer = vec![MaybeUninit::uninit(); expected.len()];
                for room in 0..=expected.len() {
                    if room != expected.len() && !thin.keep() {
                        continue;
                    }
                    let context = || format!("{kernel:?}: {filler}, {between}, {room}");
                    let Progress { read, written } = trust8_transcode::convert_as_fits_lossy(
                        kernel.form(Encoding::Utf8),
                        Utf16,
                        &text,
                        &mut buffer[..room],
                    );
                    // SAFETY: these have been written.
                    let units = buffer[..written].iter().map(|unit| unsafe { unit.assume_init() });
                    assert!(units.eq(expected[..written].iter().copied()), "{}", context());
                    // A character of two units may not fit.
                    assert!(written == room || written + 1 == room && expected[written] & 0xFC00 == 0xD800);
                    assert_eq!(expected_of(&text[read..]), expected.len() - written, "{}", context());
                }
            }
        }
    }
}

/// After some sound blocks, text is checked in groups of 128 bytes before it is converted: so here
/// is a fault after every sound length that ends in the first groups.
#[test]
fn a_fault_after_every_sound_length() {
    let mut thin = Thin::new();
    for filler in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}", "ab\u{1F600}c\u{44F}\u{65E5}\u{65E5}"] {
        for sound in 200..700 {
            for malformed in &MALFORMED {
                // About there, the first group begins.
                if !(280..300).contains(&sound) && !thin.keep() {
                    continue;
                }
                // Before a filler that ends where it should, ASCII.
                let mut text = b"\xFF".to_vec();
                for end in [malformed.bytes, b"\xFF"] {
                    text.extend(std::iter::repeat_n(b'.', sound % filler.len()));
                    text.extend_from_slice(filler.repeat(sound / filler.len()).as_bytes());
                    text.extend_from_slice(end);
                }
                let expected = String::from_utf8_lossy(&text);
                for kernel in kernels() {
                    let context = || format!("{kernel:?}: {filler}, {sound}, {:02X?}", malformed.bytes);
                    let utf16 = trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Utf16, &text);
                    assert!(utf16.iter().copied().eq(expected.encode_utf16()), "{}", context());
                    let utf32 = trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Utf32, &text);
                    assert!(utf32.iter().copied().eq(expected.chars().map(u32::from)), "{}", context());
                }
            }
        }
    }
}

/// What `handlers` does, by the standard library.
fn handled(bytes: &[u8], handler: Handler) -> Vec<u32> {
    let mut units = Vec::new();
    for chunk in bytes.utf8_chunks() {
        units.extend(chunk.valid().chars().map(u32::from));
        match handler {
            Handler::Ignore => {}
            Handler::Replace => units.extend((!chunk.invalid().is_empty()).then_some(0xFFFD)),
            Handler::SurrogateEscape => {
                units.extend(chunk.invalid().iter().map(|byte| 0xDC00 | u32::from(*byte)));
            }
        }
    }
    units
}

#[test]
fn handlers_of_faults_that_stop_where_the_buffer_ends() {
    let mut converted = 0;
    for filler in ["a", "é", "日", "😀", "aé日😀"] {
        for fault in [&b"\xFF"[..], b"\xE2\x82", b"\xF0\x9F\x98", b"\x80\x80\x80\x80", b"\xED\xA0\x80"] {
            for (before, room) in
                [130, 59, 58, 57, 20, 1].iter().flat_map(|n| [1000, 100, 64, 63, 5].map(|m| (*n, m)))
            {
                let text = filler.repeat(before);
                let bytes = [text.as_bytes(), fault].concat().repeat(5);
                for (kernel, handler) in kernels().iter().flat_map(|kernel| {
                    [Handler::Ignore, Handler::Replace, Handler::SurrogateEscape].map(|h| (kernel, h))
                }) {
                    let (mut narrow, mut wide) =
                        (vec![MaybeUninit::uninit(); room], vec![MaybeUninit::uninit(); room]);
                    let progress = into_utf16(kernel, &bytes, &mut narrow, handler);
                    // SAFETY: these have been written.
                    let units = narrow[..progress.written].iter().map(|unit| unsafe { unit.assume_init() });
                    let wanted: Vec<u16> = handled(&bytes[..progress.read], handler)
                        .into_iter()
                        .flat_map(|unit| {
                            char::from_u32(unit)
                                .map_or(vec![unit as u16], |c| c.encode_utf16(&mut [0; 2]).to_vec())
                        })
                        .collect();
                    assert!(units.eq(wanted), "{kernel:?}, {bytes:02X?}, {room}, {handler:?}");
                    let progress = into_utf32(kernel, &bytes, &mut wide, handler);
                    // SAFETY: these have been written.
                    let units = wide[..progress.written].iter().map(|unit| unsafe { unit.assume_init() });
                    assert!(
                        units.eq(handled(&bytes[..progress.read], handler)),
                        "{kernel:?}, {bytes:02X?}, {room}, {handler:?}"
                    );
                    converted += progress.read;
                }
            }
        }
    }
    assert!(converted > 0 || kernels().len() == 1);
}

#[test]
fn ascii_without_its_faults_up_to_another_character() {
    let faults = [&b"\xFF"[..], b"\xE2", b"\x80\x80\x80", b"\xFF\x80", b"\xE2\x82", b"\xF0\x9F\x98"];
    for sequence in
        faults.into_iter().chain(["\u{E9}".as_bytes(), "\u{20AC}".as_bytes(), "\u{1F600}".as_bytes()])
    {
        for (before, again) in (0..=130).flat_map(|n| [1, 3, 70].map(|m| (n, m))) {
            let bytes = [&"a line of text. ".repeat(9).as_bytes()[..before], sequence].concat().repeat(again);
            let stop = if faults.contains(&sequence) { bytes.len() } else { before };
            for (kernel, room) in
                kernels().iter().flat_map(|k| [bytes.len(), 130, 64, 5].map(|room| (k, room)))
            {
                let mut buffer = vec![MaybeUninit::uninit(); room];
                let progress = into_ascii(kernel, &bytes, &mut buffer);
                // SAFETY: these have been written.
                let ascii = buffer[..progress.written].iter().map(|byte| unsafe { byte.assume_init() });
                let wanted = bytes[..progress.read].iter().copied().filter(u8::is_ascii);
                assert!(ascii.eq(wanted), "{kernel:?}, {bytes:02X?}, {room}");
                // It may stop a vector early, but not if all can be copied.
                let all = stop == bytes.len() && room == stop;
                let least = if all { stop } else { stop.min(room).saturating_sub(64) };
                let least = if kernel.name() == "scalar" { 0 } else { least };
                assert!((least..=stop).contains(&progress.read), "{kernel:?}, {bytes:02X?}, {room}");
            }
        }
    }
}
