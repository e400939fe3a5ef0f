//! What `fix` says about a file that it leaves alone, because the command line does not say what to
//! do with invalid sequences.
//!
//! U+FFFD would lose the damaged characters of UTF-8, every letter outside ASCII of a text in
//! another encoding, and all of a binary file. So nothing is replaced until the command line says
//! what the file is (`--from`, `--invalid-as`) or what to do with it (`--replace`).

use std::io::{self, Read};

use trust8::Bom;
use trust8_transcode::Encoding;

use super::FileError;
use crate::charset::Charset;
use crate::dialects::accepting_dialects;
use crate::guess::evidence::{Evidence, is_control};
use crate::guess::{self, Guess};

/// What a file that is not UTF-8 looks like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Look {
    /// What it looks like, unless it is UTF-8 with invalid sequences.
    what: Option<String>,
    /// The options that convert the file, or decode its invalid sequences.
    options: Option<String>,
    /// How many sequences these options decode, if not all.
    pub(super) decodable: Option<u64>,
}

impl Look {
    /// Looks like UTF-8 with invalid sequences.
    pub(super) const UTF8: Self = Self { what: None, options: None, decodable: None };

    /// Guesses what a file is from its beginning and a sample of it, and says what it looks like.
    /// `from` returns a reader that begins at an offset. The file has `len` bytes, and the first error
    /// is at `first_error` or after it.
    pub(super) fn find<R: Read>(
        from: impl Fn(u64) -> R,
        len: u64,
        first_error: u64,
    ) -> io::Result<(Guess, Self)> {
        let mark = guess::mark(&from)?;
        let accepted = accepting_dialects(&from, first_error)?;
        let guess = guess::guess(mark, &accepted, &Evidence::gather(&from, len, first_error)?);
        let what = match (&guess, mark) {
            (Guess::Lines(_), _) => None,
            (Guess::From(charset), Some(Bom::Utf16Le | Bom::Utf16Be | Bom::Utf32Le | Bom::Utf32Be)) => {
                Some(format!("begins with the byte order mark of {}", charset.label()))
            }
            (Guess::From(charset), _) => Some(format!("looks like {}", charset.label())),
            (Guess::Unknown(why), _) => Some(why.clone()),
        };
        let look = Self { what, options: guess.options(), decodable: None };
        Ok((guess, look))
    }

    /// Returns why the file is left alone, or that `left` invalid sequences are, and the options
    /// that do something with them.
    pub(super) fn message(&self, left: u64) -> String {
        let sequences = if left == 1 { "sequence" } else { "sequences" };
        let Some(what) = &self.what else {
            let decoding = match (&self.options, self.decodable) {
                (_, Some(0)) | (None, _) => "--invalid-as ENCODING decodes them".to_owned(),
                (Some(_), Some(some)) if some < left => format!("--from auto decodes {some} of them"),
                (Some(options), _) => format!("{options} decodes {left}"),
            };
            return format!("left alone: {left} invalid {sequences}; {decoding}, --replace replaces {left}");
        };
        let conversion =
            self.options.as_ref().map_or_else(String::new, |options| format!("{options} converts it, "));
        format!("left alone: {what}; {conversion}--replace replaces {left} {sequences}")
    }
}

/// Fails if what is read through it has bytes that no text has in the encoding that was guessed.
pub(crate) struct Watch<R> {
    reader: R,
    /// What is refused, if anything is.
    refused: Refused,
    ascii: Ascii,
}

/// Which bytes are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    Nothing,
    Nul,
    Controls,
    /// A line of ASCII, which as UTF-16 is Chinese: another program has appended it.
    Ascii,
}

impl Refused {
    /// Returns what is refused if the encoding of a whole file is a guess.
    pub(crate) fn in_guessed(charset: Charset) -> Self {
        match (charset, charset.exact()) {
            (Charset::Utf16, _) | (_, Some(Encoding::Utf16Le | Encoding::Utf16Be)) => Self::Ascii,
            _ if charset.coding().is_some() => Self::Controls,
            _ => Self::Nothing,
        }
    }
}

/// A run of printable ASCII.
#[derive(Default)]
struct Ascii {
    len: usize,
    /// Which characters are at even places and at odd ones.
    seen: [u128; 2],
}

impl Ascii {
    /// Adds `byte`. Returns whether the run is long, and as various as two lines of numbers or letters. In text of UTF-16,
    /// every other byte hardly varies in a run.
    fn is_line_with(&mut self, byte: u8) -> bool {
        const LONG: usize = 48;
        const VARIOUS: u32 = 6;
        if !matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~') {
            *self = Self::default();
            return false;
        }
        self.seen[self.len % 2] |= 1 << byte;
        self.len += 1;
        self.len >= LONG && self.seen.iter().all(|seen| seen.count_ones() >= VARIOUS)
    }
}

impl<R> Watch<R> {
    pub(crate) fn new(reader: R, refused: Refused) -> Self {
        Self { reader, refused, ascii: Ascii::default() }
    }
}

impl<R: Read> Read for Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const CONTROLS: &str =
            "it has control characters, so it may be binary: name the encoding with --from";
        const ASCII: &str =
            "it has a line of ASCII, so it may not all be UTF-16: name the encoding with --from";
        let n = self.reader.read(buffer)?;
        let bytes = &buffer[..n];
        let is_refused = match self.refused {
            Refused::Nothing => false,
            Refused::Nul => memchr::memchr(0, bytes).is_some(),
            // Without an early exit, the compiler vectorizes this.
            Refused::Controls => bytes.iter().fold(false, |found, byte| found | is_control(*byte)),
            Refused::Ascii => bytes.iter().any(|&byte| self.ascii.is_line_with(byte)),
        };
        if is_refused {
            let why = if self.refused == Refused::Ascii { ASCII } else { CONTROLS };
            return Err(io::Error::new(io::ErrorKind::InvalidData, Unlikely(why)));
        }
        Ok(n)
    }
}

/// The error of `Watch`.
#[derive(Debug)]
struct Unlikely(&'static str);

/// Returns `error`, or if it is that of `Watch`, that the file can't be converted.
pub(crate) fn unlikely(error: FileError) -> FileError {
    match error {
        FileError::Read(error) if error.get_ref().is_some_and(|it| it.is::<Unlikely>()) => {
            FileError::Unconvertible(error.to_string())
        }
        other => other,
    }
}

impl std::fmt::Display for Unlikely {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unlikely {}
