//! Whether `fix` may replace a file in place if the command line does not say what to do with
//! invalid sequences.
//!
//! In UTF-8 with a few errors, U+FFFD loses little. In a text in another encoding it loses every
//! letter outside ASCII, and in a binary file everything. So what looks like one of these is left
//! alone, until the command line says what it is (`--from`) or what to do with it (`--replace`).

use std::io::{self, Read};

use trust8::Bom;

use super::evidence::Evidence;
use super::guess::{self, Guess};
use crate::dialects::accepting_dialects;

/// What a file looks like, other than UTF-8 with errors.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Look {
    what: String,
    /// The options that convert the file, if it is text.
    options: Option<String>,
}

impl Look {
    /// Reads the beginning of a file and a sample of it. `from` returns a reader that begins at an
    /// offset. The file has `len` bytes, and the first error is at `first_error` or after it.
    pub(super) fn find<R: Read>(
        from: impl Fn(u64) -> R,
        len: u64,
        first_error: u64,
    ) -> io::Result<Option<Self>> {
        let mut first = Vec::new();
        from(0).take(LONGEST_MAGIC).read_to_end(&mut first)?;
        if let Some((name, _)) = MAGIC.iter().find(|(_, magic)| first.starts_with(magic)) {
            return Ok(Some(Self { what: format!("looks like {name}"), options: None }));
        }
        let mark = guess::mark(&from)?;
        let accepted = accepting_dialects(&from, first_error)?;
        let guess = guess::guess(mark, &accepted, &Evidence::gather(&from, len, first_error)?);
        let options = guess.options();
        Ok(match (guess, mark) {
            (Guess::InvalidAs(_), _) => None,
            (Guess::From(charset), Some(Bom::Utf16Le | Bom::Utf16Be | Bom::Utf32Le | Bom::Utf32Be)) => {
                Some(Self {
                    what: format!("begins with the byte order mark of {}", charset.label()),
                    options,
                })
            }
            (Guess::From(charset), _) => {
                Some(Self { what: format!("looks like {}", charset.label()), options })
            }
            (Guess::Unknown(why), _) => Some(Self { what: why, options }),
        })
    }

    /// Returns why the file is left alone, and what can be done. Its `invalid` sequences would be
    /// replaced.
    pub(super) fn message(&self, invalid: u64) -> String {
        let sequences = if invalid == 1 { "sequence" } else { "sequences" };
        let conversion =
            self.options.as_ref().map_or_else(String::new, |options| format!("{options} converts it, "));
        format!("left alone: {}; {conversion}--replace replaces {invalid} {sequences}", self.what)
    }
}

/// How binary files begin, and what they are.
const MAGIC: [(&str, &[u8]); 25] = [
    ("a PNG image", b"\x89PNG\r\n"),
    ("a JPEG image", b"\xFF\xD8\xFF"),
    ("a GIF image", b"GIF8"),
    ("a TIFF image", b"II*\0"),
    ("a TIFF image", b"MM\0*"),
    ("a PBM image", b"P4\n"),
    ("a PGM image", b"P5\n"),
    ("a PPM image", b"P6\n"),
    ("a PDF document", b"%PDF-"),
    ("a gzip archive", b"\x1F\x8B"),
    ("a bzip2 archive", b"BZh"),
    ("an xz archive", b"\xFD7zXZ\0"),
    ("a zstd archive", b"\x28\xB5\x2F\xFD"),
    ("a 7-Zip archive", b"7z\xBC\xAF\x27\x1C"),
    ("a ZIP archive", b"PK\x03\x04"),
    ("an RPM package", b"\xED\xAB\xEE\xDB"),
    ("an ELF file", b"\x7FELF"),
    ("a Mach-O file", b"\xCF\xFA\xED\xFE"),
    ("a Java class", b"\xCA\xFE\xBA\xBE"),
    ("a RIFF file", b"RIFF"),
    ("an Ogg file", b"OggS"),
    ("an MP3 file", b"ID3"),
    // Packets of OpenPGP: messages for a public key or a password, and keys.
    ("an OpenPGP message", b"\x85\x01"),
    ("an OpenPGP message", b"\x8C\x0D"),
    ("an OpenPGP key", b"\x99\x01"),
];

const LONGEST_MAGIC: u64 = 8;

/// Inspects everything that is read through it.
pub(super) struct Watch<R> {
    reader: R,
    active: bool,
    has_controls: bool,
    has_nul: bool,
}

impl<R> Watch<R> {
    /// Inspects nothing if `active` is false.
    pub(super) fn new(reader: R, active: bool) -> Self {
        Self { reader, active, has_controls: false, has_nul: false }
    }

    /// Returns what the bytes read so far look like.
    pub(super) fn look(&self) -> Option<Look> {
        let what = match (self.has_nul, self.has_controls) {
            (true, _) => "has NULs, so it may be binary",
            (false, true) => "has control characters, so it may be binary",
            (false, false) => return None,
        };
        Some(Look { what: what.to_owned(), options: None })
    }
}

impl<R: Read> Read for Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        let bytes = if self.active { &buffer[..n] } else { &[] };
        self.has_nul |= memchr::memchr(0, bytes).is_some();
        // Without an early exit, the compiler vectorizes this.
        self.has_controls |= bytes.iter().fold(false, |found, byte| found | is_control(*byte));
        Ok(n)
    }
}

/// Whether `byte` is a control character that is rare in text: any but a bell, a backspace, white
/// space and ESC.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0x00..=0x06 | 0x0E..=0x19 | 0x1C..=0x1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> Option<String> {
        let look = Look::find(|skip| &bytes[skip as usize..], bytes.len() as u64, 0).unwrap();
        let mut watch = Watch::new(bytes, true);
        io::copy(&mut watch, &mut io::sink()).unwrap();
        look.or_else(|| watch.look()).map(|look| look.message(2))
    }

    #[test]
    fn utf8_with_errors_may_be_repaired() {
        for bytes in
            [&b"na\xC3\xAFve \xC3\xA9 \xC3\xA9t\xC3\xA9, caf\xE9"[..], "日本語\u{1b}[0m\t\r\n".as_bytes()]
        {
            assert_eq!(message(&[bytes, b" \xFF"].concat()), None);
        }
    }

    #[test]
    fn what_looks_like_something_else_is_named_with_its_remedies() {
        let (japanese, ..) =
            encoding_rs::SHIFT_JIS.encode("これは日本語のテキストです。文字コードを調べています。");
        let controls =
            ["é ".repeat(400_000).as_bytes(), b"\xFF", "é ".repeat(10).as_bytes(), b"\x01"].concat();
        let late = ["é ".repeat(200_000).as_bytes(), b"\xFF\0"].concat();
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1A\n"[..], "looks like a PNG image; --replace replaces 2 sequences"),
            (&japanese, "looks like shift_jis; --from shift_jis converts it, --replace replaces 2 sequences"),
            (
                b"\xFF\xFEa\0",
                "begins with the byte order mark of utf-16le; --from utf-16le converts it, --replace replaces 2 sequences",
            ),
            (
                &late,
                "it has NULs, so it may be binary, or UTF-16 or UTF-32: name the encoding with --from; --replace replaces 2 sequences",
            ),
            (&controls, "has control characters, so it may be binary; --replace replaces 2 sequences"),
        ] {
            let message = message(bytes);
            assert_eq!(message, Some(format!("left alone: {expected}")), "{:X?}", &bytes[..8]);
        }
    }
}
