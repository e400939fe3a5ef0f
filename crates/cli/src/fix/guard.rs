//! What `fix` says about a file that it leaves alone, because the command line does not say what to
//! do with invalid sequences.
//!
//! U+FFFD would lose the damaged characters of UTF-8, every letter outside ASCII of a text in
//! another encoding, and all of a binary file. So nothing is replaced until the command line says
//! what the file is (`--from`, `--invalid-as`) or what to do with it (`--replace`).

use std::io::{self, Read};

use trust8::Bom;

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
pub(super) struct Watch<R> {
    reader: R,
    /// What is refused, if anything is.
    pub(super) refused: Refused,
}

/// Which bytes are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    Nothing,
    Nul,
    Controls,
}

impl<R> Watch<R> {
    pub(super) fn new(reader: R, refused: Refused) -> Self {
        Self { reader, refused }
    }
}

impl<R: Read> Read for Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        let bytes = &buffer[..n];
        let is_refused = match self.refused {
            Refused::Nothing => false,
            Refused::Nul => memchr::memchr(0, bytes).is_some(),
            // Without an early exit, the compiler vectorizes this.
            Refused::Controls => bytes.iter().fold(false, |found, byte| found | is_control(*byte)),
        };
        if is_refused {
            return Err(io::Error::new(io::ErrorKind::InvalidData, Unlikely));
        }
        Ok(n)
    }
}

/// The error of `Watch`.
#[derive(Debug)]
pub(super) struct Unlikely;

impl std::fmt::Display for Unlikely {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it has control characters, so it may be binary: name the encoding with --from")
    }
}

impl std::error::Error for Unlikely {}
