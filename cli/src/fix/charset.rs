//! The values of `--from`: the encodings of the WHATWG standard, the dialects of UTF-8, and `auto`.

use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8};
use trust8::dialect::Dialect;

/// What a file is encoded in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Charset {
    /// To be guessed.
    Auto,
    /// An encoding of the WHATWG standard, decoded as browsers do.
    Encoding(&'static Encoding),
    /// A dialect of UTF-8.
    Dialect(Dialect),
}

const IS_UTF8: &str = "UTF-8 needs no conversion; to repair it, leave out --from";

impl FromStr for Charset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        match Dialect::by_name(name) {
            Some(Dialect::Utf8) => Err(IS_UTF8.to_owned()),
            Some(dialect) => Ok(Self::Dialect(dialect)),
            None => match Encoding::for_label_no_replacement(name.as_bytes()) {
                // The standard has labels for UTF-8 that `Dialect::by_name` does not know, such as unicode-1-1-utf-8.
                Some(encoding) if encoding == UTF_8 => Err(IS_UTF8.to_owned()),
                Some(encoding) => Ok(Self::Encoding(encoding)),
                None => Err("not a label of the WHATWG Encoding Standard, and not one of auto, cesu-8, mutf-8, wtf-8, utf-8-rfc2279"
                    .to_owned()),
            },
        }
    }
}

impl Charset {
    /// Returns the name that the command line uses.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Encoding(encoding) => encoding.name().to_ascii_lowercase(),
            Self::Dialect(dialect) => dialect.name().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_browsers_and_of_dialects_are_known() {
        let parse = |name: &str| name.parse::<Charset>();
        assert_eq!(parse("Auto"), Ok(Charset::Auto));
        for latin1 in ["latin1", "ISO-8859-1", "windows-1252", "cp1252", "ascii"] {
            assert_eq!(parse(latin1), Ok(Charset::Encoding(encoding_rs::WINDOWS_1252)), "{latin1}");
        }
        assert_eq!(parse("sjis"), Ok(Charset::Encoding(encoding_rs::SHIFT_JIS)));
        for &dialect in Dialect::ALL {
            let expected = if dialect == Dialect::Utf8 { None } else { Some(Charset::Dialect(dialect)) };
            assert_eq!(parse(dialect.name()).ok(), expected);
            if let Some(charset) = expected {
                assert_eq!(parse(&charset.label()), Ok(charset));
            }
        }
        for unknown in ["", "utf8", "latin-99", "replacement"] {
            assert!(parse(unknown).is_err(), "{unknown}");
        }
    }
}
