//! Encodes text in UTF-8, for targets that the library has no direct conversion to.

use std::io::{self, Write};

use encoding_rs::{Encoder, EncoderResult, Encoding};
use trust8_dialect::Dialect;
use trust8_transcode::{self as transcode, Transcoder};

use super::{REPLACE, unconvertible};
use crate::charset::Charset;

/// Encodes what is written to it, which is UTF-8 in whole characters, and passes it on.
pub(super) struct Encode<'a> {
    out: &'a mut dyn Write,
    target: Target,
    replace: bool,
    /// How many line feeds there were, to say where a character is.
    lines: u64,
    buffer: Vec<u8>,
    /// Why the text can't be encoded.
    pub(super) error: Option<String>,
}

enum Target {
    Exact(Box<Transcoder<transcode::Encoding, transcode::Encoding>>),
    Web(Box<Encoder>),
    Dialect(Dialect),
    Ascii,
}

impl<'a> Encode<'a> {
    pub(super) fn new(to: Charset, replace: bool, out: &'a mut dyn Write) -> Self {
        let transcoder = if replace { Transcoder::lossy } else { Transcoder::new };
        let target = match (to, to.exact()) {
            (_, Some(exact)) => Target::Exact(Box::new(transcoder(transcode::Encoding::Utf8, exact))),
            (Charset::Encoding(encoding), _) => Target::Web(Box::new(encoding.new_encoder())),
            (Charset::Dialect(dialect), _) => Target::Dialect(dialect),
            (Charset::Ascii, _) => Target::Ascii,
            (Charset::Auto | Charset::Utf8 | Charset::Exact(_), _) => Target::Dialect(Dialect::Utf8),
        };
        Self { out, target, replace, lines: 0, buffer: Vec::new(), error: None }
    }

    /// Writes what belongs to the end of the text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Exact(transcoder) => {
                let finished = transcoder.finish(&mut self.buffer);
                self.write_buffer()?;
                finished.map_err(|error| self.fail(unconvertible(&error)))
            }
            Target::Web(_) => self.encode("", true),
            Target::Dialect(_) | Target::Ascii => Ok(()),
        }
    }

    /// Keeps the reason, and returns an error that stands for it.
    fn fail(&mut self, why: String) -> io::Error {
        self.error = Some(why);
        io::Error::other("the text cannot be encoded")
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.buffer);
        self.buffer.clear();
        written
    }

    /// Encodes `text`. A character that would be another one when it is decoded is not in the encoding.
    fn encode(&mut self, mut text: &str, last: bool) -> io::Result<()> {
        let Target::Web(encoder) = &self.target else { return Ok(()) };
        let encoding = encoder.encoding();
        while let Some((at, c)) = one_way(text, encoding) {
            self.encode_all(&text[..at], false)?;
            if !self.replace {
                let (line, name) = (self.lines + 1, Charset::Encoding(encoding).label());
                let why = format!(
                    "line {line}: U+{:04X} would be another character in {name}{REPLACE}",
                    u32::from(c)
                );
                return Err(self.fail(why));
            }
            self.encode_all("?", false)?;
            text = &text[at + c.len_utf8()..];
        }
        self.encode_all(text, last)
    }

    /// Writes `text`, as far as it is ASCII.
    fn write_ascii(&mut self, mut text: &str) -> io::Result<()> {
        while let Some((at, c)) = text.char_indices().find(|(_, c)| !c.is_ascii()) {
            self.lines += text[..at].matches('\n').count() as u64;
            self.out.write_all(&text.as_bytes()[..at])?;
            if !self.replace {
                let why = format!("line {}: U+{:04X} is not in ascii{REPLACE}", self.lines + 1, u32::from(c));
                return Err(self.fail(why));
            }
            self.out.write_all(b"?")?;
            text = &text[at + c.len_utf8()..];
        }
        self.lines += text.matches('\n').count() as u64;
        self.out.write_all(text.as_bytes())
    }

    /// Encodes `text` with the crate encoding_rs.
    fn encode_all(&mut self, mut text: &str, last: bool) -> io::Result<()> {
        let Target::Web(encoder) = &mut self.target else { return Ok(()) };
        let mut encoded = vec![0; 4 * text.len() + 64];
        let mut unmappable = None;
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(text, &mut encoded, last);
            self.buffer.extend(&encoded[..written]);
            self.lines += text[..read].matches('\n').count() as u64;
            text = &text[read..];
            match result {
                EncoderResult::InputEmpty => break,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(_) if self.replace => self.buffer.push(b'?'),
                EncoderResult::Unmappable(c) => {
                    let name = Charset::Encoding(encoder.encoding()).label();
                    let line = self.lines + 1;
                    unmappable =
                        Some(format!("line {line}: U+{:04X} is not in {name}{REPLACE}", u32::from(c)));
                    break;
                }
            }
        }
        self.write_buffer()?;
        unmappable.map_or(Ok(()), |why| Err(self.fail(why)))
    }
}

/// Returns the first character of `text` that `encoding` encodes as another one: the WHATWG standard has such entries, as
/// `\\` for `¥` in Shift_JIS.
fn one_way(text: &str, encoding: &'static Encoding) -> Option<(usize, char)> {
    let is_same = |text: &str| {
        let (bytes, _, has_unmappable) = encoding.encode(text);
        has_unmappable || encoding.decode_without_bom_handling(&bytes).0 == text
    };
    let mut utf8 = [0; 4];
    let mut is_one_way = |c: char| !c.is_ascii() && !is_same(c.encode_utf8(&mut utf8));
    // Without an unmappable character, the whole text is compared at once.
    let (bytes, _, has_unmappable) = encoding.encode(text);
    if !has_unmappable && encoding.decode_without_bom_handling(&bytes).0 == text {
        return None;
    }
    text.char_indices().find(|(_, c)| is_one_way(*c))
}

impl Write for Encode<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        match &mut self.target {
            Target::Exact(transcoder) => {
                let pushed = transcoder.push(bytes, &mut self.buffer);
                self.write_buffer()?;
                pushed.map_err(|error| self.fail(unconvertible(&error)))?;
            }
            Target::Web(_) => self.encode(text, false)?,
            Target::Dialect(dialect) => self.out.write_all(&dialect.from_utf8(text))?,
            Target::Ascii => self.write_ascii(text)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
