//! Converts other encodings and the dialects of UTF-8 into UTF-8.
//!
//! The crate encoding_rs has the encodings of the WHATWG standard, and the library has the dialects.

use std::io::{Read, Write};

use encoding_rs::{DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use trust8::Kernel;
use trust8::dialect::{Dialect, DialectError, DialectErrorKind};
use trust8::testing;

use super::FileError;
use super::charset::Charset;
use super::repair::apply;
use crate::args::Remedy;
use crate::dialects::DialectChunks;
use crate::hex::Hex;
use crate::source::{self, CHUNK};

/// Writes the text of `reader`, which is encoded in `charset`, to `out`. Returns how many sequences were invalid.
///
/// Without a remedy, the first invalid sequence is an error.
pub(super) fn decode(
    kernel: &'static Kernel,
    charset: Charset,
    reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    match charset {
        Charset::Dialect(dialect) => from_dialect(kernel, dialect, reader, remedy, out),
        Charset::Encoding(encoding) => from_encoding(encoding, reader, remedy, out),
        Charset::Auto => Err(FileError::Unconvertible("the encoding was not guessed".to_owned())),
    }
}

fn from_dialect(
    kernel: &'static Kernel,
    dialect: Dialect,
    reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let mut chunks = DialectChunks::new(reader);
    let mut invalid = 0;
    let mut offset = 0;
    while let Some(chunk) = chunks.next().map_err(FileError::Read)? {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (text, error) = match testing::dialect::to_utf8(kernel, dialect, rest) {
                Ok(text) => (text, None),
                // There is no error before this one, so nothing is lost here.
                Err(error) => (
                    testing::dialect::to_utf8_lossy(kernel, dialect, &rest[..error.valid_up_to()]),
                    Some(error),
                ),
            };
            out.write_all(text.as_bytes()).map_err(FileError::Write)?;
            let Some(error) = error else { break };
            let after_text = &rest[error.valid_up_to()..];
            let sequence = &after_text[..error.error_len().unwrap_or(after_text.len())];
            let Some(remedy) = remedy else {
                return Err(invalid_in_dialect(
                    &error,
                    offset + (chunk.len() - after_text.len()) as u64,
                    sequence,
                ));
            };
            apply(remedy, sequence, out)?;
            invalid += 1;
            rest = &after_text[sequence.len()..];
        }
        offset += chunk.len() as u64;
    }
    Ok(invalid)
}

/// Returns the message for `error`, whose own offset is relative to a chunk. In the input, the offset is `offset`.
fn invalid_in_dialect(error: &DialectError, offset: u64, sequence: &[u8]) -> FileError {
    let dialect = error.dialect();
    let hex = Hex(sequence);
    FileError::Unconvertible(match (error.kind(), error.code_point()) {
        (DialectErrorKind::Inexpressible, Some(value)) => {
            format!("byte {offset}: {hex} is U+{value:04X} in {dialect}, which UTF-8 cannot encode{HINT}")
        }
        _ => format!("byte {offset}: {hex} is not valid {dialect}{HINT}"),
    })
}

const HINT: &str = " (to continue, use --replace, --skip or --escape)";

/// How many bytes before a chunk are kept. When encoding_rs finds that a sequence is malformed, it may have read up to 7
/// bytes since the sequence began.
const KEPT: usize = 8;

fn from_encoding(
    encoding: &'static Encoding,
    mut reader: impl Read,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    // A byte order mark decides between the two kinds of UTF-16. In other encodings it is only removed.
    let mut decoder =
        if is_utf16(encoding) { encoding.new_decoder() } else { encoding.new_decoder_with_bom_removal() };
    let mut bytes = vec![0; KEPT + CHUNK];
    let mut text = vec![0; 3 * CHUNK];
    // How many of the `KEPT` bytes before the chunk are from the input.
    let mut kept = 0;
    let mut offset = 0;
    let mut invalid = 0;
    loop {
        let n = source::read(&mut reader, &mut bytes[KEPT..]).map_err(FileError::Read)?;
        let end = KEPT + n;
        let mut at = KEPT;
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(&bytes[at..end], &mut text, n == 0);
            at += read;
            out.write_all(&text[..written]).map_err(FileError::Write)?;
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, read_after) => {
                    let stop = at - usize::from(read_after);
                    let start = stop.saturating_sub(usize::from(len)).max(KEPT - kept);
                    let sequence = &bytes[start..stop];
                    let Some(remedy) = remedy else {
                        let hex = Hex(sequence);
                        let place = offset + start as u64 - KEPT as u64;
                        let name = encoding.name();
                        let message = format!("byte {place}: {hex} is not valid {name}{HINT}");
                        return Err(FileError::Unconvertible(message));
                    };
                    apply(remedy, sequence, out)?;
                    invalid += 1;
                }
            }
        }
        if n == 0 {
            return Ok(invalid);
        }
        bytes.copy_within(end - KEPT..end, 0);
        kept = KEPT.min(kept + n);
        offset += n as u64;
    }
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(charset: &str, bytes: &[u8], remedy: Option<Remedy>) -> Result<(String, u64), String> {
        let mut out = Vec::new();
        match decode(Kernel::best(), charset.parse().unwrap(), bytes, remedy, &mut out) {
            Ok(invalid) => Ok((String::from_utf8(out).unwrap(), invalid)),
            Err(FileError::Unconvertible(why)) => Err(why),
            Err(FileError::Read(error) | FileError::Write(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn invalid_sequences_are_errors_or_remedied() {
        let sjis = b"\x93\xFA\x96\x7B\x81 ok \x81\x39";
        assert_eq!(decoded("shift_jis", sjis, None), Err(format!("byte 4: 81 is not valid Shift_JIS{HINT}")));
        assert_eq!(
            decoded("shift_jis", sjis, Some(Remedy::Replace)),
            Ok(("日本\u{FFFD} ok \u{FFFD}9".to_owned(), 2))
        );
        assert_eq!(
            decoded("shift_jis", sjis, Some(Remedy::Escape)),
            Ok(("日本\\x81 ok \\x819".to_owned(), 2))
        );
        let wtf8 = b"a\xED\xA0\x80b\xFFc";
        assert_eq!(
            decoded("wtf-8", wtf8, None),
            Err(format!("byte 1: ED A0 80 is U+D800 in WTF-8, which UTF-8 cannot encode{HINT}"))
        );
        assert_eq!(decoded("wtf-8", wtf8, Some(Remedy::Skip)), Ok(("abc".to_owned(), 2)));
        assert_eq!(
            decoded("wtf-8", wtf8, Some(Remedy::Escape)),
            Ok(("a\\xED\\xA0\\x80b\\xFFc".to_owned(), 2))
        );
    }

    /// Sequences that begin in one chunk and end in the next.
    #[test]
    fn offsets_are_right_across_chunks() {
        for before in CHUNK - 6..CHUNK + 3 {
            for (charset, bad, hex) in [
                ("euc-jp", &b"\x8F\xA2!"[..], "8F A2"),
                ("gb18030", b"\x81!", "81"),
                ("shift_jis", b"\x81!", "81"),
                ("cesu-8", b"\xF0\x9F\x98\x80", "F0 9F 98 80"),
            ] {
                let bytes = [&vec![b'a'; before][..], bad, b"bc"].concat();
                let why = decoded(charset, &bytes, None).unwrap_err();
                assert!(why.starts_with(&format!("byte {before}: {hex} is n")), "{before} {charset}: {why}");
                let (text, invalid) = decoded(charset, &bytes, Some(Remedy::Escape)).unwrap();
                assert_eq!(invalid, 1);
                assert!(text[before..].starts_with(&format!("\\x{}", hex.replace(' ', "\\x"))), "{charset}");
            }
        }
    }

    #[test]
    fn the_byte_order_mark_decides_between_the_kinds_of_utf16() {
        for label in ["utf-16", "utf-16le", "utf-16be"] {
            assert_eq!(decoded(label, b"\xFE\xFF\0a", None), Ok(("a".to_owned(), 0)));
            assert_eq!(decoded(label, b"\xFF\xFEa\0", None), Ok(("a".to_owned(), 0)));
        }
        assert_eq!(decoded("utf-16be", b"\0a", None), Ok(("a".to_owned(), 0)));
        assert_eq!(decoded("windows-1252", b"\xFF\xFEa", None), Ok(("ÿþa".to_owned(), 0)));
    }
}
