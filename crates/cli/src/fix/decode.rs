//! Converts other encodings and the dialects of UTF-8 into UTF-8.
//!
//! The crate encoding_rs has the encodings of the WHATWG standard, and the library has the
//! dialects.

use std::io::{Read, Write};

use encoding_rs::{DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use trust8::Kernel;
use trust8_dialect::{Dialect, DialectError, DialectErrorKind};
use trust8_transcode as transcode;

use super::repair::apply;
use super::{FileError, HINT};
use crate::args::Remedy;
use crate::charset::Charset;
use crate::dialects::DialectChunks;
use crate::guess::pages::johab;
use crate::hex::Hex;
use crate::progress::Progress;
use crate::segments::{Segment, Segments};
use crate::source::{self, CHUNK_BYTES, aligned_buffer};

/// Writes the text of `reader`, which is encoded in `charset`, to `out`. Returns how many sequences
/// were invalid.
///
/// Without a remedy, the first invalid sequence is an error.
pub(crate) fn decode(
    charset: Charset,
    reader: &mut dyn Read,
    remedy: Option<Remedy>,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let reader = Counted { reader, progress };
    match charset {
        Charset::Dialect(dialect) => from_dialect(dialect, reader, remedy, out),
        Charset::Encoding(encoding) => from_encoding(encoding, reader, remedy, out),
        Charset::Utf16 => from_encoding(UTF_16LE, reader, remedy, out),
        Charset::Utf32 => from_utf32(reader, remedy, out),
        Charset::Exact(transcode::Encoding::Latin1) => {
            let character = |bytes: &[u8]| Some((char::from(bytes[0]), 1));
            from_characters(transcode::Encoding::Latin1.name(), 1, character, reader, remedy, out)
        }
        Charset::Exact(encoding) => from_exact_utf32(encoding, reader, remedy, out),
        Charset::Page(page) => {
            let character = |bytes: &[u8]| Some((page.character(bytes[0])?, 1));
            from_characters(&charset.label(), 1, character, reader, remedy, out)
        }
        Charset::Johab => from_characters(&charset.label(), 1, johab, reader, remedy, out),
        Charset::Utf8 => from_utf8(reader, remedy, out),
        Charset::Auto | Charset::Ascii => {
            Err(FileError::Unconvertible("the encoding was not guessed".to_owned()))
        }
    }
}

/// Adds what is read to the progress.
struct Counted<'a> {
    reader: &'a mut dyn Read,
    progress: &'a Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.progress.add(n as u64);
        Ok(n)
    }
}

fn from_utf8(reader: Counted<'_>, remedy: Option<Remedy>, out: &mut dyn Write) -> Result<u64, FileError> {
    let mut segments = Segments::new(Kernel::best(), None, reader);
    let mut invalid = 0;
    while let Some(segment) = segments.next().map_err(FileError::Read)? {
        match segment {
            Segment::Reading => {}
            Segment::Valid(text) => out.write_all(text).map_err(FileError::Write)?,
            Segment::Invalid { offset, error, rest, .. } => {
                let sequence = &rest[..error.error_len().unwrap_or(rest.len())];
                let Some(remedy) = remedy else { return Err(invalid_at(offset, sequence, "UTF-8")) };
                apply(remedy, sequence, out)?;
                invalid += 1;
                let len = sequence.len();
                segments.skip(len);
            }
        }
    }
    Ok(invalid)
}

/// Returns the message for a sequence that is not valid.
fn invalid_at(offset: u64, sequence: &[u8], name: &str) -> FileError {
    FileError::Unconvertible(format!("byte {offset}: {} is not valid {name}{HINT}", Hex(sequence)))
}

/// Decodes UTF-32 of the byte order that its mark says, or else in little-endian order.
fn from_utf32(
    mut reader: Counted<'_>,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let mut first = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut first).map_err(FileError::Read)?;
    let is_big = first == [0, 0, 0xFE, 0xFF];
    let encoding = if is_big { transcode::Encoding::Utf32Be } else { transcode::Encoding::Utf32Le };
    let progress = reader.progress;
    from_exact_utf32(encoding, Counted { reader: &mut first.chain(reader), progress }, remedy, out)
}

/// Decodes UTF-32 of this byte order.
fn from_exact_utf32(
    encoding: transcode::Encoding,
    reader: Counted<'_>,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let is_big = encoding == transcode::Encoding::Utf32Be;
    let number = if is_big { u32::from_be_bytes } else { u32::from_le_bytes };
    let character = |bytes: &[u8]| Some((char::from_u32(number(*bytes.first_chunk()?))?, 4));
    from_characters(encoding.name(), 4, character, reader, remedy, out)
}

/// Decodes an encoding in units of `unit` bytes. `character` returns the character that bytes begin
/// with and its length, at most one unit or two bytes, or `None` if they begin with none. A byte order
/// mark is removed.
fn from_characters(
    name: &str,
    unit: usize,
    character: impl Fn(&[u8]) -> Option<(char, usize)>,
    mut reader: Counted<'_>,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let mut bytes = vec![0; CHUNK_BYTES];
    let (mut filled, mut offset, mut invalid) = (0, 0, 0);
    let mut text = String::new();
    loop {
        let n = source::read(&mut reader, &mut bytes[filled..]).map_err(FileError::Read)?;
        filled += n;
        let mut at = 0;
        while at < filled {
            match character(&bytes[at..filled]) {
                Some(('\u{FEFF}', len)) if offset == 0 && at == 0 => at += len,
                Some((c, len)) => {
                    text.push(c);
                    at += len;
                }
                // The rest of the character may be in the next chunk.
                None if filled - at < unit.max(2) && n > 0 => break,
                None => {
                    out.write_all(text.as_bytes()).map_err(FileError::Write)?;
                    text.clear();
                    let sequence = &bytes[at..filled.min(at + unit)];
                    let Some(remedy) = remedy else {
                        return Err(invalid_at(offset + at as u64, sequence, name));
                    };
                    apply(remedy, sequence, out)?;
                    invalid += 1;
                    at += sequence.len();
                }
            }
        }
        out.write_all(text.as_bytes()).map_err(FileError::Write)?;
        text.clear();
        if n == 0 {
            return Ok(invalid);
        }
        bytes.copy_within(at..filled, 0);
        filled -= at;
        offset += at as u64;
    }
}

fn from_dialect(
    dialect: Dialect,
    reader: Counted<'_>,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let mut chunks = DialectChunks::new(reader);
    let mut invalid = 0;
    let mut offset = 0;
    while let Some(chunk) = chunks.next().map_err(FileError::Read)? {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (text, error) = match dialect.to_utf8(rest) {
                Ok(text) => (text, None),
                // There is no error before this one, so nothing is lost here.
                Err(error) => (dialect.to_utf8_lossy(&rest[..error.valid_up_to()]), Some(error)),
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

/// Returns the message for `error`, whose own offset is relative to a chunk. In the input, the
/// offset is `offset`.
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

/// How many bytes before a chunk are kept. When encoding_rs finds that a sequence is malformed, it
/// may have read up to 7 bytes since the sequence began.
const KEPT_BYTES: usize = 8;

fn from_encoding(
    encoding: &'static Encoding,
    mut reader: Counted<'_>,
    remedy: Option<Remedy>,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    // A byte order mark decides between the two kinds of UTF-16. In other encodings it is only
    // removed.
    let mut decoder =
        if is_utf16(encoding) { encoding.new_decoder() } else { encoding.new_decoder_with_bom_removal() };
    let (mut bytes, start_of_chunk) = aligned_buffer(KEPT_BYTES);
    let mut text = vec![0; 3 * CHUNK_BYTES];
    // How many of the `KEPT_BYTES` bytes before the chunk are from the input.
    let mut kept = 0;
    let mut offset = 0;
    let mut invalid = 0;
    loop {
        let n = source::read(&mut reader, &mut bytes[start_of_chunk..][..CHUNK_BYTES])
            .map_err(FileError::Read)?;
        let end = start_of_chunk + n;
        let mut at = start_of_chunk;
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
                    let start = stop.saturating_sub(usize::from(len)).max(start_of_chunk - kept);
                    let sequence = &bytes[start..stop];
                    let Some(remedy) = remedy else {
                        let place = offset + start as u64 - start_of_chunk as u64;
                        return Err(invalid_at(place, sequence, encoding.name()));
                    };
                    apply(remedy, sequence, out)?;
                    invalid += 1;
                }
            }
        }
        if n == 0 {
            return Ok(invalid);
        }
        bytes.copy_within(end - KEPT_BYTES..end, start_of_chunk - KEPT_BYTES);
        kept = KEPT_BYTES.min(kept + n);
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
        match decode(charset.parse().unwrap(), &mut &bytes[..], remedy, &Progress::none(), &mut out) {
            Ok(invalid) => Ok((String::from_utf8(out).unwrap(), invalid)),
            Err(FileError::Unconvertible(why) | FileError::Guarded(why)) => Err(why),
            Err(FileError::Read(error) | FileError::Write(error) | FileError::Target(_, error)) => {
                panic!("{error}")
            }
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
        assert_eq!(decoded("wtf-8", wtf8, Some(Remedy::Drop)), Ok(("abc".to_owned(), 2)));
        assert_eq!(
            decoded("wtf-8", wtf8, Some(Remedy::Escape)),
            Ok(("a\\xED\\xA0\\x80b\\xFFc".to_owned(), 2))
        );
    }

    #[test]
    fn utf32_and_latin1_are_decoded_unit_by_unit() {
        assert_eq!(decoded("utf-32le", b"\xFF\xFE\0\0\xE9\0\0\0", None), Ok(("é".to_owned(), 0)));
        let bad = b"\0\0\0a\0\0\xD8\0\0\0";
        assert_eq!(
            decoded("utf-32be", bad, None),
            Err(format!("byte 4: 00 00 D8 00 is not valid utf-32be{HINT}"))
        );
        assert_eq!(decoded("utf-32be", bad, Some(Remedy::Replace)), Ok(("a\u{FFFD}\u{FFFD}".to_owned(), 2)));
        assert_eq!(decoded("latin1-exact", b"\x80\xE9", None), Ok(("\u{80}é".to_owned(), 0)));
        assert_eq!(decoded("utf-8", b"a\xFF", Some(Remedy::Escape)), Ok(("a\\xFF".to_owned(), 1)));
    }

    /// Sequences that begin in one chunk and end in the next.
    #[test]
    fn offsets_are_right_across_chunks() {
        for before in CHUNK_BYTES - 6..CHUNK_BYTES + 3 {
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
