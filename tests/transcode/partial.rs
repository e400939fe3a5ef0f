//! Conversions of as much as fits, compared with those of a whole text.

#![cfg(all(feature = "alloc", feature = "transcode"))]

use core::mem::MaybeUninit;

use super::support::kernels::kernels;
use super::support::scale::Thin;
use trust8::testing::transcode as with;
use trust8::transcode::{BufferError, Encoding, Form, Progress, Utf16};

/// Converts a text with a buffer of `room` units, as often as it takes.
fn in_parts<F: Form<Text = [u8]> + Copy>(from: F, text: &[u8], room: usize, lossy: bool) -> Vec<Vec<u16>> {
    let mut results = Vec::new();
    for kernel in kernels() {
        let (mut read, mut units) = (0, Vec::new());
        loop {
            let mut buffer = vec![MaybeUninit::uninit(); room];
            let rest = &text[read..];
            let progress = if lossy {
                with::convert_as_fits_lossy(kernel, from, Utf16, rest, &mut buffer)
            } else {
                match with::convert_as_fits(kernel, from, Utf16, rest, &mut buffer) {
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
