//! Conversions that append, and that say what they replaced.

#![cfg(feature = "alloc")]

use super::support::kernels::kernels;
use trust8_transcode::{Encoding, KernelForms, Transcoder, convert, convert_lossy};

/// Parts of a text: clean text, text that some encoding lacks, and what is malformed in some
/// encoding.
const PARTS: [&[u8]; 8] = [
    b"plain",
    "naïve".as_bytes(),
    "日本😀".as_bytes(),
    b"\xFF",
    b"\xE2\x82",
    b"\x00\xD8\x00",
    b"\xDC\x00\xD8",
    &[b'a'; 300],
];

/// Calls `test` with texts of up to three parts.
fn texts(mut test: impl FnMut(&[u8])) {
    for number in 0..PARTS.len().pow(3) {
        let part = |place: u32| PARTS[number / PARTS.len().pow(place) % PARTS.len()];
        test(&[part(0), part(1), part(2)].concat());
    }
}

#[test]
fn append_says_what_convert_says() {
    texts(|text| {
        for (&from, &to) in
            Encoding::ALL.iter().flat_map(|from| Encoding::ALL.iter().map(move |to| (from, to)))
        {
            let expected = convert(from, to, text);
            let lossy = convert_lossy(from, to, text);
            for kernel in kernels() {
                let mut bytes = b"before".to_vec();
                let appended = trust8_transcode::append(kernel.form(from), to, text, &mut bytes);
                assert_eq!(appended, expected.as_ref().map(|_| ()).map_err(|error| *error));
                let whole = expected.as_ref().map_or(&lossy, |whole| whole);
                assert!(whole.starts_with(bytes.strip_prefix(b"before").unwrap()));
            }
        }
    });
}

#[test]
fn transcoder_remembers_what_it_replaced_first() {
    texts(|text| {
        for (&from, len) in Encoding::ALL.iter().zip([1, 2, 3, 100].into_iter().cycle()) {
            for to in [Encoding::Utf8, Encoding::Latin1] {
                let expected = convert(from, to, text).err();
                let (mut transcoder, mut bytes) = (Transcoder::lossy(from, to), Vec::new());
                for piece in text.chunks(len) {
                    transcoder.push(piece, &mut bytes).unwrap();
                }
                transcoder.finish(&mut bytes).unwrap();
                assert_eq!(bytes, convert_lossy(from, to, text), "{from} to {to}, {len}: {text:02X?}");
                assert_eq!(transcoder.position(), text.len() as u64, "{from} to {to}, {len}: {text:02X?}");
                let place =
                    transcoder.replaced().map(|error| (error.valid_up_to(), error.error_len(), error.kind()));
                let expected =
                    expected.map(|error| (error.valid_up_to() as u64, error.error_len(), error.kind()));
                assert_eq!(place, expected, "{from} to {to}, {len}: {text:02X?}");
            }
        }
    });
}
