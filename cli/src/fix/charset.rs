//! What `--from` can name: the encodings of the WHATWG standard, UTF-8's relatives, and `auto`.

use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8};
use trust8::dialect::Dialect;

/// What bytes are to be taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Charset {
    /// Whatever they seem to be.
    Auto,
    /// By the WHATWG standard, as all browsers read it.
    Encoding(&'static Encoding),
    /// Almost UTF-8.
    Dialect(Dialect),
}

const IT_IS_UTF8: &str = "UTF-8 is what it becomes; without --from it is repaired";

impl FromStr for Charset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        match Dialect::by_name(name) {
            Some(Dialect::Utf8) => Err(IT_IS_UTF8.to_owned()),
            Some(dialect) => Ok(Self::Dialect(dialect)),
            None => match Encoding::for_label_no_replacement(name.as_bytes()) {
                // The standard has more labels for it than we have names, such as unicode-1-1-utf-8.
                Some(encoding) if encoding == UTF_8 => Err(IT_IS_UTF8.to_owned()),
                Some(encoding) => Ok(Self::Encoding(encoding)),
                None => Err("no label of the WHATWG Encoding Standard, and none of auto, cesu-8, mutf-8, wtf-8, rfc2279"
                    .to_owned()),
            },
        }
    }
}

impl Charset {
    /// What it is called on the command line.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Encoding(encoding) => encoding.name().to_ascii_lowercase(),
            Self::Dialect(dialect) => dialect_label(*dialect).to_owned(),
        }
    }
}

/// What a dialect is called on the command line.
pub(crate) fn dialect_label(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Utf8 => "utf-8",
        Dialect::Rfc2279 => "rfc2279",
        Dialect::Cesu8 => "cesu-8",
        Dialect::ModifiedUtf8 => "mutf-8",
        Dialect::Wtf8 => "wtf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_browsers_and_of_dialects() {
        let parse = |name: &str| name.parse::<Charset>();
        assert_eq!(parse("Auto"), Ok(Charset::Auto));
        for latin1 in ["latin1", "ISO-8859-1", "windows-1252", "cp1252", "ascii"] {
            assert_eq!(parse(latin1), Ok(Charset::Encoding(encoding_rs::WINDOWS_1252)), "{latin1}");
        }
        assert_eq!(parse("sjis"), Ok(Charset::Encoding(encoding_rs::SHIFT_JIS)));
        for dialect in Dialect::ALL {
            let expected = if dialect == Dialect::Utf8 { None } else { Some(Charset::Dialect(dialect)) };
            assert_eq!(parse(dialect_label(dialect)).ok(), expected);
            if let Some(charset) = expected {
                assert_eq!(parse(&charset.label()), Ok(charset));
            }
        }
        for nothing in ["", "utf8", "latin-99", "replacement"] {
            assert!(parse(nothing).is_err(), "{nothing}");
        }
    }
}
