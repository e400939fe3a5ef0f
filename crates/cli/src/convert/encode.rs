//! Encodes text in UTF-8, for targets that the library has no direct conversion to.

use std::io::{self, Write};

use encoding_rs::{Encoder, EncoderResult, Encoding};
use trust8::Bom;
use trust8_dialect::Dialect;
use trust8_transcode::{self as transcode, Transcoder};

use super::place::Place;
use crate::charset::Charset;

/// Encodes what is written to it, which is UTF-8 in whole characters, and passes it on.
pub(super) struct Encode<'a> {
    out: &'a mut dyn Write,
    target: Target,
    /// The name of the encoding.
    name: String,
    replace: bool,
    place: Place,
    buffer: Vec<u8>,
    /// Why the text can't be encoded.
    pub(super) error: Option<String>,
}

enum Target {
    /// UTF-16 or UTF-32. A byte order mark is still to be written if `mark` is true.
    Exact {
        transcoder: Box<Transcoder<transcode::Encoding, transcode::Encoding>>,
        mark: bool,
    },
    Web(Box<Encoder>),
    Dialect(Dialect),
    /// The characters up to this one, each as the byte of the same number: ASCII or Latin-1.
    UpTo(char),
}

impl<'a> Encode<'a> {
    /// `place` is where the text begins.
    pub(super) fn new(to: Charset, replace: bool, place: Place, out: &'a mut dyn Write) -> Self {
        let exact = |to, mark| Target::Exact {
            transcoder: Box::new(Transcoder::new(transcode::Encoding::Utf8, to)),
            mark,
        };
        let target = match to {
            Charset::Ascii => Target::UpTo('\u{7F}'),
            Charset::Exact(transcode::Encoding::Latin1) => Target::UpTo('\u{FF}'),
            Charset::Utf16 => exact(transcode::Encoding::Utf16Le, true),
            Charset::Dialect(dialect) => Target::Dialect(dialect),
            Charset::Auto | Charset::Utf8 => Target::Dialect(Dialect::Utf8),
            Charset::Exact(encoding) => exact(encoding, false),
            Charset::Encoding(encoding) => match to.exact() {
                Some(encoding) => exact(encoding, false),
                None => Target::Web(Box::new(encoding.new_encoder())),
            },
        };
        Self { out, target, name: to.label(), replace, place, buffer: Vec::new(), error: None }
    }

    /// Writes what the encoding requires at the end of a text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.encode("", true)
    }

    /// Keeps the reason, and returns a placeholder for it.
    fn fail(&mut self, why: String) -> io::Error {
        self.error = Some(why);
        io::Error::other("the text cannot be encoded")
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.buffer);
        self.buffer.clear();
        written
    }

    /// Encodes `text`. A character that does not survive a round trip counts as missing from the
    /// encoding.
    fn encode(&mut self, mut text: &str, last: bool) -> io::Result<()> {
        let Target::Web(encoder) = &self.target else { return Ok(()) };
        let encoding = encoder.encoding();
        while let Some((at, c)) = one_way(text, encoding) {
            self.encode_all(&text[..at], false)?;
            if !self.replace {
                let why = self.place.lacking(c, "would be another character in", &self.name);
                return Err(self.fail(why));
            }
            self.encode_all("?", false)?;
            text = &text[at + c.len_utf8()..];
        }
        self.encode_all(text, last)
    }

    /// Writes `text`, each character as one byte. `last` is the last one that has a byte.
    fn write_up_to(&mut self, mut text: &str, last: char) -> io::Result<()> {
        loop {
            let lacking = text.char_indices().find(|(_, c)| *c > last);
            let before = &text[..lacking.map_or(text.len(), |(at, _)| at)];
            self.buffer.extend(before.chars().filter_map(|c| u8::try_from(c).ok()));
            self.place.pass(before);
            if lacking.is_some() && self.replace {
                self.buffer.push(b'?');
            }
            self.write_buffer()?;
            let Some((at, c)) = lacking else { return Ok(()) };
            if !self.replace {
                let why = self.place.lacking(c, "is not in", &self.name);
                return Err(self.fail(why));
            }
            text = &text[at + c.len_utf8()..];
        }
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
            // An unmappable character has been read as well. For a control character that would
            // change the state of ISO-2022-JP, the encoder names U+FFFD instead.
            let lacking = match result {
                EncoderResult::Unmappable(c) => Some(text[..read].chars().next_back().unwrap_or(c)),
                _ => None,
            };
            let passed = read - lacking.map_or(0, char::len_utf8);
            if !self.replace {
                self.place.pass(&text[..passed]);
            }
            text = &text[read..];
            match result {
                EncoderResult::InputEmpty => break,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(_) if self.replace => self.buffer.push(b'?'),
                EncoderResult::Unmappable(c) => {
                    unmappable = Some(self.place.lacking(lacking.unwrap_or(c), "is not in", &self.name));
                    break;
                }
            }
        }
        self.write_buffer()?;
        unmappable.map_or(Ok(()), |why| Err(self.fail(why)))
    }
}

/// Returns the first character of `text` that `encoding` encodes as another one: the WHATWG
/// standard has such entries, as `\\` for `¥` in Shift_JIS.
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
        let text = trust8::from_utf8(bytes).map_err(io::Error::other)?;
        match &mut self.target {
            Target::Exact { transcoder, mark } => {
                // A mark that is there already is the first character.
                if std::mem::take(mark) && !text.starts_with('\u{FEFF}') {
                    self.buffer.extend(Bom::Utf16Le.bytes());
                }
                // `bytes` are whole characters, and the encoding has all of them.
                transcoder.push(bytes, &mut self.buffer).map_err(io::Error::other)?;
                self.write_buffer()?;
            }
            Target::Web(_) => self.encode(text, false)?,
            Target::Dialect(dialect) => self.out.write_all(&dialect.from_utf8(text))?,
            Target::UpTo(last) => {
                let last = *last;
                self.write_up_to(text, last)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
