//! From other encodings into UTF-8, and which one it is where that is to be guessed.
//!
//! The WHATWG encodings are the crate encoding_rs's, the guess among them is chardetng's, as in Firefox. UTF-8's
//! relatives are the library's.

use std::io::{self, Read, Write};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use trust8::dialect::{Dialect, DialectError, DialectErrorKind};
use trust8::testing;
use trust8::{Bom, Kernel};

use super::Trouble;
use super::charset::Charset;
use super::repair::apply;
use crate::args::Remedy;
use crate::culprit::Hex;
use crate::read::CHUNK;
use crate::relatives::{Chunks, fitting};

/// Writes what is read, converted; what can't be is treated with the remedy, or an error. Says how many sequences
/// that were.
pub(super) fn convert(
    kernel: &'static Kernel,
    charset: Charset,
    reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, Trouble> {
    match charset {
        Charset::Dialect(dialect) => from_dialect(kernel, dialect, reader, remedy, out),
        Charset::Encoding(encoding) => from_encoding(encoding, reader, remedy, out),
        Charset::Auto => {
            Err(Trouble::Unconvertible("an encoding that was to be guessed, and was not".to_owned()))
        }
    }
}

fn from_dialect(
    kernel: &'static Kernel,
    dialect: Dialect,
    reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, Trouble> {
    let mut chunks = Chunks::new(reader);
    let mut remedied = 0;
    let mut offset = 0;
    while let Some(chunk) = chunks.next().map_err(Trouble::Reading)? {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (text, fault) = match testing::dialect::to_utf8(kernel, dialect, rest) {
                Ok(text) => (text, None),
                // What comes before the error has none.
                Err(error) => {
                    (testing::dialect::to_utf8_lossy(kernel, dialect, &rest[..error.offset()]), Some(error))
                }
            };
            out.write_all(text.as_bytes()).map_err(Trouble::Writing)?;
            let Some(error) = fault else { break };
            let faulty = &rest[error.offset()..];
            let sequence = &faulty[..error.error_len().unwrap_or(faulty.len())];
            let Some(remedy) = remedy else {
                return Err(not_of_dialect(&error, offset + (chunk.len() - faulty.len()) as u64, sequence));
            };
            apply(remedy, sequence, out)?;
            remedied += 1;
            rest = &faulty[sequence.len()..];
        }
        offset += chunk.len() as u64;
    }
    Ok(remedied)
}

/// The library's error knows only of its chunk.
fn not_of_dialect(error: &DialectError, offset: u64, sequence: &[u8]) -> Trouble {
    let dialect = error.dialect();
    let hex = Hex(sequence);
    Trouble::Unconvertible(match (error.kind(), error.code_point()) {
        (DialectErrorKind::Inexpressible, Some(number)) => {
            format!("byte {offset}: {hex} is U+{number:04X} in {dialect}, which UTF-8 has not{HINT}")
        }
        _ => format!("byte {offset}: {hex} is not {dialect}{HINT}"),
    })
}

const HINT: &str = " (--replace, --skip or --escape would go on)";

/// Before a malformed sequence is known to be one, at most so many bytes of it and behind it have been read:
/// encoding_rs documents 7, and no less are kept.
const TRACE: usize = 8;

fn from_encoding(
    encoding: &'static Encoding,
    mut reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, Trouble> {
    // Of UTF-16 its mark says which; elsewhere it is no more than a mark.
    let mut decoder =
        if is_utf16(encoding) { encoding.new_decoder() } else { encoding.new_decoder_with_bom_removal() };
    let mut bytes = vec![0; TRACE + CHUNK];
    let mut text = vec![0; 3 * CHUNK];
    // The bytes before the chunk, as far as there are any, stand before it.
    let mut known = 0;
    let mut offset = 0;
    let mut remedied = 0;
    loop {
        let n = read(&mut reader, &mut bytes[TRACE..]).map_err(Trouble::Reading)?;
        let end = TRACE + n;
        let mut at = TRACE;
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(&bytes[at..end], &mut text, n == 0);
            at += read;
            out.write_all(&text[..written]).map_err(Trouble::Writing)?;
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, behind) => {
                    let stop = at - usize::from(behind);
                    let start = stop.saturating_sub(usize::from(len)).max(TRACE - known);
                    let sequence = &bytes[start..stop];
                    let Some(remedy) = remedy else {
                        let hex = Hex(sequence);
                        let place = offset + start as u64 - TRACE as u64;
                        return Err(Trouble::Unconvertible(format!(
                            "byte {place}: {hex} is nothing in {}{HINT}",
                            encoding.name()
                        )));
                    };
                    apply(remedy, sequence, out)?;
                    remedied += 1;
                }
            }
        }
        if n == 0 {
            return Ok(remedied);
        }
        bytes.copy_within(end - TRACE..end, 0);
        known = TRACE.min(known + n);
        offset += n as u64;
    }
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// What the bytes, which are not UTF-8, seem to be: what their mark says, or a relative of UTF-8 that accepts
/// them all, or what chardetng takes them for.
///
/// `from` reads them from any place on.
pub(crate) fn guess<R: Read>(kernel: &'static Kernel, from: impl Fn(u64) -> R) -> Result<Charset, Trouble> {
    let mut first = Vec::new();
    from(0).take(4).read_to_end(&mut first).map_err(Trouble::Reading)?;
    match Bom::detect(&first) {
        Some((Bom::Utf16Le, _)) => return Ok(Charset::Encoding(UTF_16LE)),
        Some((Bom::Utf16Be, _)) => return Ok(Charset::Encoding(UTF_16BE)),
        Some((bom @ (Bom::Utf32Le | Bom::Utf32Be), _)) => {
            return Err(Trouble::Unconvertible(format!(
                "it seems to be {}, which is not supported",
                bom.encoding()
            )));
        }
        Some((Bom::Utf8, _)) | None => {}
    }
    let fits = fitting(kernel, &from, 0).map_err(Trouble::Reading)?;
    if let Some(fit) = fits.iter().find(|fit| fit.convertible) {
        return Ok(Charset::Dialect(fit.dialect));
    }
    Ok(Charset::Encoding(guess_encoding(from(0)).map_err(Trouble::Reading)?))
}

/// Reads, again where a signal came first.
fn read(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// What chardetng takes it for.
pub(crate) fn guess_encoding(mut reader: impl Read) -> io::Result<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let mut bytes = vec![0; CHUNK];
    loop {
        let n = read(&mut reader, &mut bytes)?;
        detector.feed(&bytes[..n], n == 0);
        if n == 0 {
            return Ok(detector.guess(None, Utf8Detection::Deny));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(charset: &str, bytes: &[u8], remedy: Option<Remedy>) -> Result<(String, u64), String> {
        let mut out = Vec::new();
        match convert(Kernel::best(), charset.parse().unwrap(), bytes, remedy, &mut out) {
            Ok(remedied) => Ok((String::from_utf8(out).unwrap(), remedied)),
            Err(Trouble::Unconvertible(why)) => Err(why),
            Err(Trouble::Reading(error) | Trouble::Writing(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn what_is_no_character_is_an_error_or_remedied() {
        let sjis = b"\x93\xFA\x96\x7B\x81 ok \x81\x39";
        assert_eq!(
            converted("shift_jis", sjis, None),
            Err(format!("byte 4: 81 is nothing in Shift_JIS{HINT}"))
        );
        assert_eq!(
            converted("shift_jis", sjis, Some(Remedy::Replace)),
            Ok(("日本\u{FFFD} ok \u{FFFD}9".to_owned(), 2))
        );
        assert_eq!(
            converted("shift_jis", sjis, Some(Remedy::Escape)),
            Ok(("日本\\x81 ok \\x819".to_owned(), 2))
        );
        let wtf8 = b"a\xED\xA0\x80b\xFFc";
        assert_eq!(
            converted("wtf-8", wtf8, None),
            Err(format!("byte 1: ED A0 80 is U+D800 in WTF-8, which UTF-8 has not{HINT}"))
        );
        assert_eq!(converted("wtf-8", wtf8, Some(Remedy::Skip)), Ok(("abc".to_owned(), 2)));
        assert_eq!(
            converted("wtf-8", wtf8, Some(Remedy::Escape)),
            Ok(("a\\xED\\xA0\\x80b\\xFFc".to_owned(), 2))
        );
    }

    /// Errors at the seams between chunks are where they are.
    #[test]
    fn places_are_right_across_chunks() {
        for before in CHUNK - 6..CHUNK + 3 {
            for (charset, bad, hex) in [
                ("euc-jp", &b"\x8F\xA2!"[..], "8F A2"),
                ("gb18030", b"\x81!", "81"),
                ("shift_jis", b"\x81!", "81"),
                ("cesu-8", b"\xF0\x9F\x98\x80", "F0 9F 98 80"),
            ] {
                let bytes = [&vec![b'a'; before][..], bad, b"bc"].concat();
                let why = converted(charset, &bytes, None).unwrap_err();
                assert!(why.starts_with(&format!("byte {before}: {hex} is n")), "{before} {charset}: {why}");
                let (text, remedied) = converted(charset, &bytes, Some(Remedy::Escape)).unwrap();
                assert_eq!(remedied, 1);
                assert!(text[before..].starts_with(&format!("\\x{}", hex.replace(' ', "\\x"))), "{charset}");
            }
        }
    }

    #[test]
    fn utf16_is_what_its_mark_says() {
        for label in ["utf-16", "utf-16le", "utf-16be"] {
            assert_eq!(converted(label, b"\xFE\xFF\0a", None), Ok(("a".to_owned(), 0)));
            assert_eq!(converted(label, b"\xFF\xFEa\0", None), Ok(("a".to_owned(), 0)));
        }
        assert_eq!(converted("utf-16be", b"\0a", None), Ok(("a".to_owned(), 0)));
        assert_eq!(converted("windows-1252", b"\xFF\xFEa", None), Ok(("ÿþa".to_owned(), 0)));
    }

    #[test]
    fn guesses() {
        let guess = |bytes: &[u8]| match guess(Kernel::best(), |skip| &bytes[skip as usize..]) {
            Ok(charset) => charset.label(),
            Err(Trouble::Unconvertible(why)) => why,
            Err(Trouble::Reading(error) | Trouble::Writing(error)) => panic!("{error}"),
        };
        assert_eq!(guess(b"\xFF\xFEa\0"), "utf-16le");
        assert_eq!(guess(b"\xFE\xFF\0a"), "utf-16be");
        assert!(guess(b"\xFF\xFE\0\0a\0\0\0").contains("UTF-32LE"));
        assert_eq!(guess(b"smile \xED\xA0\xBD\xED\xB8\x80"), "cesu-8");
        assert_eq!(guess(b"nothing \xC0\x80"), "mutf-8");
        assert_eq!(guess(b"Gr\xFC\xDFe aus M\xFCnchen, stra\xDFe, h\xF6ren"), "windows-1252");
        let (russian, ..) = encoding_rs::KOI8_U.encode("Съешь же ещё этих мягких французских булок");
        assert_eq!(guess(&russian), "koi8-u");
    }
}
