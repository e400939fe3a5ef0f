//! Encodes text in UTF-8, for targets that the library has no direct conversion to.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write};

use encoding_rs::{Encoder, EncoderResult, Encoding};
use trust8::Bom;
use trust8_dialect::Dialect;
use trust8_transcode::{self as transcode, Transcoder};

use super::place::Place;
use crate::charset::Charset;
use crate::guess::pages::johab;

/// Encodes what is written to it, which is UTF-8 in whole characters, and passes it on.
pub(super) struct Encode<'a> {
    out: &'a mut dyn Write,
    target: Target,
    /// The name of the encoding.
    name: String,
    replace: bool,
    place: Place,
    /// Whether the output has a byte order mark.
    is_marked: &'a Cell<bool>,
    buffer: Vec<u8>,
    /// Why the text can't be encoded.
    pub(super) error: Option<String>,
}

enum Target {
    /// UTF-16 or UTF-32. `mark` is still to be written.
    Exact {
        transcoder: Box<Transcoder<transcode::Encoding, transcode::Encoding>>,
        mark: Option<Bom>,
    },
    Web(Box<Encoder>),
    Dialect(Dialect),
    /// A code page or Johab: the bytes of the characters outside ASCII.
    Table(HashMap<char, Vec<u8>>),
    /// The characters up to this one, each as the byte of the same number: ASCII or Latin-1.
    UpTo(char),
}

impl<'a> Encode<'a> {
    /// `place` is where the text begins.
    pub(super) fn new(
        to: Charset,
        replace: bool,
        place: Place,
        is_marked: &'a Cell<bool>,
        out: &'a mut dyn Write,
    ) -> Self {
        let exact = |to, mark| Target::Exact {
            transcoder: Box::new(Transcoder::new(transcode::Encoding::Utf8, to)),
            mark,
        };
        let target = match to {
            Charset::Ascii => Target::UpTo('\u{7F}'),
            Charset::Exact(transcode::Encoding::Latin1) => Target::UpTo('\u{FF}'),
            Charset::Utf16 => exact(transcode::Encoding::Utf16Le, Some(Bom::Utf16Le)),
            Charset::Utf32 => exact(transcode::Encoding::Utf32Le, Some(Bom::Utf32Le)),
            Charset::Page(page) => {
                let characters =
                    (0x80..=0xFF).rev().filter_map(|byte| Some((page.character(byte)?, vec![byte])));
                Target::Table(characters.collect())
            }
            Charset::Johab => {
                let pairs =
                    (0x84..=0xF9).rev().flat_map(|first| (0x31..=0xFE).map(move |second| [first, second]));
                Target::Table(pairs.filter_map(|pair| Some((johab(&pair)?.0, pair.to_vec()))).collect())
            }
            Charset::Dialect(dialect) => Target::Dialect(dialect),
            Charset::Auto | Charset::Utf8 => Target::Dialect(Dialect::Utf8),
            Charset::Exact(encoding) => exact(encoding, None),
            Charset::Encoding(encoding) => match to.exact() {
                Some(encoding) => exact(encoding, None),
                None => Target::Web(Box::new(encoding.new_encoder())),
            },
        };
        Self { out, target, name: to.label(), replace, place, is_marked, buffer: Vec::new(), error: None }
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

    /// Writes `text`, each character on its own.
    fn write_each(&mut self, mut text: &str) -> io::Result<()> {
        loop {
            let is_lacking = |c: char| match &self.target {
                Target::UpTo(last) => c > *last,
                Target::Table(table) => !c.is_ascii() && !table.contains_key(&c),
                _ => false,
            };
            let lacking = text.char_indices().find(|(_, c)| is_lacking(*c));
            let before = &text[..lacking.map_or(text.len(), |(at, _)| at)];
            for c in before.chars() {
                match &self.target {
                    Target::Table(table) if !c.is_ascii() => {
                        self.buffer.extend(table.get(&c).into_iter().flatten())
                    }
                    _ => self.buffer.extend(u8::try_from(c)),
                }
            }
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
                if let Some(mark) = mark.take()
                    && !self.is_marked.replace(true)
                    && !text.starts_with('\u{FEFF}')
                {
                    self.buffer.extend(mark.bytes());
                }
                // `bytes` are whole characters, and the encoding has all of them.
                transcoder.push(bytes, &mut self.buffer).map_err(io::Error::other)?;
                self.write_buffer()?;
            }
            Target::Web(_) => self.encode(text, false)?,
            Target::Dialect(dialect) => self.out.write_all(&dialect.from_utf8(text))?,
            Target::UpTo(_) | Target::Table(_) => self.write_each(text)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
