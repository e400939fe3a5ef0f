//! Guesses what a file that is not UTF-8 is encoded in, for `--from auto`.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use trust8::{Bom, Kernel};

use super::FileError;
use super::charset::Charset;
use crate::dialects::accepting_dialects;
use crate::source::{self, CHUNK};

/// Returns the encoding that the byte order mark names. Without one, returns the preferred dialect of UTF-8 that accepts
/// the whole file and can be converted. If there is none, guesses with chardetng.
///
/// The file is not UTF-8. `from` returns a reader that begins at an offset.
pub(super) fn guess<R: Read>(kernel: &'static Kernel, from: impl Fn(u64) -> R) -> Result<Charset, FileError> {
    let mut first = Vec::new();
    from(0).take(4).read_to_end(&mut first).map_err(FileError::Read)?;
    match Bom::detect(&first) {
        Some((Bom::Utf16Le, _)) => return Ok(Charset::Encoding(UTF_16LE)),
        Some((Bom::Utf16Be, _)) => return Ok(Charset::Encoding(UTF_16BE)),
        Some((mark @ (Bom::Utf32Le | Bom::Utf32Be), _)) => {
            return Err(FileError::Unconvertible(format!(
                "it seems to be {}, which only trust8 convert supports",
                mark.encoding()
            )));
        }
        Some(_) | None => {}
    }
    let accepted = accepting_dialects(kernel, &from, 0).map_err(FileError::Read)?;
    if let Some(by) = accepted.iter().find(|by| by.convertible) {
        return Ok(Charset::Dialect(by.dialect));
    }
    Ok(Charset::Encoding(guess_encoding(from(0)).map_err(FileError::Read)?))
}

/// Returns the encoding that chardetng guesses, as Firefox does.
pub(crate) fn guess_encoding(mut reader: impl Read) -> io::Result<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let mut bytes = vec![0; CHUNK];
    loop {
        let n = source::read(&mut reader, &mut bytes)?;
        detector.feed(&bytes[..n], n == 0);
        if n == 0 {
            return Ok(detector.guess(None, Utf8Detection::Deny));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_before_dialects_and_dialects_before_chardetng() {
        let guess = |bytes: &[u8]| match guess(Kernel::best(), |skip| &bytes[skip as usize..]) {
            Ok(charset) => charset.label(),
            Err(FileError::Unconvertible(why)) => why,
            Err(FileError::Read(error) | FileError::Write(error)) => panic!("{error}"),
        };
        assert_eq!(guess(b"\xFF\xFEa\0"), "utf-16le");
        assert_eq!(guess(b"\xFE\xFF\0a"), "utf-16be");
        assert!(guess(b"\xFF\xFE\0\0a\0\0\0").contains("utf-32le"));
        assert_eq!(guess(b"smile \xED\xA0\xBD\xED\xB8\x80"), "cesu-8");
        assert_eq!(guess(b"nothing \xC0\x80"), "mutf-8");
        assert_eq!(guess(b"Gr\xFC\xDFe aus M\xFCnchen, stra\xDFe, h\xF6ren"), "windows-1252");
        let (russian, ..) = encoding_rs::KOI8_U.encode("Съешь же ещё этих мягких французских булок");
        assert_eq!(guess(&russian), "koi8-u");
    }
}
