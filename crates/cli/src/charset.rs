//! The names of encodings on the command line: those of the WHATWG standard, the dialects of UTF-8,
//! UTF-32, code pages, and `auto`.
//!
//! All options take the same names with the same meanings. An option that can't use an encoding
//! says so.

use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use trust8_dialect::Dialect;
use trust8_transcode as transcode;

use crate::guess::Coding;
use crate::guess::pages::Page;

/// What a file is encoded in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Charset {
    /// To be guessed.
    Auto,
    Utf8,
    /// UTF-16 with a byte order mark, which gives the byte order and is not part of the text.
    /// Without one, it is little-endian.
    Utf16,
    /// An encoding of the WHATWG standard, decoded as browsers do.
    Encoding(&'static Encoding),
    /// A dialect of UTF-8.
    Dialect(Dialect),
    /// A code page that the WHATWG standard lacks.
    Page(Page),
    /// Johab, an encoding of Korean.
    Johab,
    /// UTF-32 with a byte order mark, which gives the byte order and is not part of the text.
    /// Without one, it is little-endian.
    Utf32,
    /// UTF-32, or Latin-1 in which every byte is the character of the same number.
    Exact(transcode::Encoding),
    /// ASCII, only as a target.
    Ascii,
}

/// The name of Latin-1 as ISO 8859-1 has it. `latin1` and `iso-8859-1` are windows-1252 everywhere,
/// as the WHATWG standard says: a text that is read as `latin1` and written as `latin1` is the same
/// bytes again.
pub(crate) const LATIN1_EXACT: &str = "latin1-exact";

/// The name of UTF-16 with a byte order mark.
const UTF_16: &str = "utf-16";

/// The name of UTF-32 with a byte order mark.
const UTF_32: &str = "utf-32";

const JOHAB: &str = "johab";

const IS_UTF8: &str = "UTF-8 needs no conversion; to repair it, leave out --from";

/// The encodings of the WHATWG standard other than UTF-8, by their names.
pub(crate) const WEB: [&Encoding; 38] = {
    use encoding_rs::*;
    [
        UTF_16LE,
        UTF_16BE,
        WINDOWS_1252,
        WINDOWS_1250,
        WINDOWS_1251,
        WINDOWS_1253,
        WINDOWS_1254,
        WINDOWS_1255,
        WINDOWS_1256,
        WINDOWS_1257,
        WINDOWS_1258,
        WINDOWS_874,
        ISO_8859_2,
        ISO_8859_3,
        ISO_8859_4,
        ISO_8859_5,
        ISO_8859_6,
        ISO_8859_7,
        ISO_8859_8,
        ISO_8859_8_I,
        ISO_8859_10,
        ISO_8859_13,
        ISO_8859_14,
        ISO_8859_15,
        ISO_8859_16,
        KOI8_R,
        KOI8_U,
        IBM866,
        MACINTOSH,
        X_MAC_CYRILLIC,
        X_USER_DEFINED,
        SHIFT_JIS,
        EUC_JP,
        ISO_2022_JP,
        GBK,
        GB18030,
        BIG5,
        EUC_KR,
    ]
};

/// Common names that are not labels of the WHATWG standard, and the names that they mean.
pub(crate) const SPELLINGS: [(&str, &str); 52] = [
    ("874", "windows-874"),
    ("932", "shift_jis"),
    ("936", "gbk"),
    ("949", "euc-kr"),
    ("950", "big5"),
    ("1200", "utf-16le"),
    ("1201", "utf-16be"),
    ("1250", "windows-1250"),
    ("1251", "windows-1251"),
    ("1252", "windows-1252"),
    ("1253", "windows-1253"),
    ("1254", "windows-1254"),
    ("1255", "windows-1255"),
    ("1256", "windows-1256"),
    ("1257", "windows-1257"),
    ("1258", "windows-1258"),
    ("866", "ibm866"),
    ("12000", "utf-32le"),
    ("12001", "utf-32be"),
    ("20866", "koi8-r"),
    ("21866", "koi8-u"),
    ("51949", "euc-kr"),
    ("54936", "gb18030"),
    ("65001", "utf-8"),
    ("ansi", "windows-1252"),
    ("macroman", "macintosh"),
    ("xmacroman", "macintosh"),
    ("maccyrillic", "x-mac-cyrillic"),
    ("ms932", "shift_jis"),
    ("cp1252", "windows-1252"),
    ("latin9", "iso-8859-15"),
    ("ucs2", "utf-16le"),
    ("utf16", "utf-16"),
    ("utf32", "utf-32"),
    ("ucs4", "utf-32"),
    ("1361", "johab"),
    ("ksc56011992", "johab"),
    ("10006", "x-mac-greek"),
    ("macgreek", "x-mac-greek"),
    ("10081", "x-mac-turkish"),
    ("macturkish", "x-mac-turkish"),
    ("10029", "x-mac-ce"),
    ("maclatin2", "x-mac-ce"),
    ("maccentraleurope", "x-mac-ce"),
    ("maccroatian", "x-mac-croatian"),
    ("macromanian", "x-mac-romanian"),
    ("macicelandic", "x-mac-icelandic"),
    ("1048", "kz-1048"),
    ("ptcp154", "pt154"),
    ("tcvn57121", "tcvn"),
    ("tcvn5712", "tcvn"),
    ("utf8sig", "utf-8"),
];

/// Encodings that people ask for and this command lacks, with their names in iconv.
const OTHERS: [(&str, &str); 5] =
    [("864", "CP864"), ("ebcdic", "EBCDIC-US"), ("037", "CP037"), ("500", "CP500"), ("utf7", "UTF-7")];

/// Returns `name` in lower case, without the characters that people leave out.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '.' | ':'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns `bare` without the prefix of a code page's number.
fn code_page(bare: &str) -> &str {
    ["windows", "codepage", "win", "ibm", "cp", "dos", "oem"]
        .iter()
        .find_map(|prefix| bare.strip_prefix(prefix))
        .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or(bare)
}

impl FromStr for Charset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Some(known) = Self::known(name) {
            return Ok(known);
        }
        let bare = bare(name);
        // The standard has labels without hyphens, such as iso88591.
        if let Some(known) = Self::known(&bare) {
            return Ok(known);
        }
        let page = code_page(&bare);
        if let Some((_, name)) = SPELLINGS.iter().find(|(spelling, _)| *spelling == page)
            && let Some(known) = Self::known(name)
        {
            return Ok(known);
        }
        let is_named = |label: String| self::bare(&label) == bare || code_page(&self::bare(&label)) == page;
        if let Some(known) = Self::all().into_iter().find(|charset| is_named(charset.label())) {
            return Ok(known);
        }
        let unknown =
            "not a label of the WHATWG Encoding Standard, and not another name that `trust8 encodings` lists";
        if let Some((_, iconv)) = OTHERS.iter().find(|(other, _)| *other == page) {
            return Err(format!("{unknown}; try `iconv -f {iconv} -t UTF-8`"));
        }
        match Self::similar(&bare) {
            Some(similar) => Err(format!("{unknown}; did you mean {similar}?")),
            None => Err(unknown.to_owned()),
        }
    }
}

impl Charset {
    /// Returns the encoding that has this name or label in one of the standards.
    fn known(name: &str) -> Option<Self> {
        let ours =
            [Self::Auto, Self::Utf16, Self::Utf32, Self::Johab, Self::Exact(transcode::Encoding::Latin1)];
        let mut ours = ours.into_iter().chain(Page::all().map(Self::Page));
        if let Some(known) = ours.find(|known| name.eq_ignore_ascii_case(&known.label())) {
            return Some(known);
        }
        match Dialect::by_name(name) {
            Some(Dialect::Utf8) => return Some(Self::Utf8),
            Some(dialect) => return Some(Self::Dialect(dialect)),
            None => {}
        }
        match Encoding::for_label_no_replacement(name.as_bytes()) {
            // The standard has labels for UTF-8 that `Dialect::by_name` does not know, such as
            // unicode-1-1-utf-8.
            Some(encoding) if encoding == UTF_8 => Some(Self::Utf8),
            Some(encoding) => Some(Self::Encoding(encoding)),
            None => match transcode::Encoding::by_name(name) {
                Some(utf32 @ (transcode::Encoding::Utf32Le | transcode::Encoding::Utf32Be)) => {
                    Some(Self::Exact(utf32))
                }
                _ => None,
            },
        }
    }

    /// Returns all of them, in the order of a list.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Auto, Self::Utf8, Self::Utf16];
        all.extend(WEB.map(Self::Encoding));
        all.extend(Page::all().map(Self::Page));
        all.extend([Self::Johab, Self::Utf32]);
        all.extend([transcode::Encoding::Utf32Le, transcode::Encoding::Utf32Be].map(Self::Exact));
        all.push(Self::Exact(transcode::Encoding::Latin1));
        all.extend(
            Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::Utf8).map(|&it| Self::Dialect(it)),
        );
        all
    }

    /// Returns the name that is most similar to `bare`, if any is similar.
    fn similar(bare: &str) -> Option<String> {
        let spellings = SPELLINGS.iter().map(|(spelling, name)| ((*spelling).to_owned(), (*name).to_owned()));
        let names = Self::all().into_iter().map(|charset| (self::bare(&charset.label()), charset.label()));
        names
            .chain(spellings)
            .map(|(known, name)| (strsim::jaro_winkler(bare, &known), name))
            .filter(|(similarity, _)| *similarity > 0.85)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, name)| name)
    }

    /// Returns the name that the command line uses.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf16 => UTF_16.to_owned(),
            Self::Encoding(encoding) => encoding.name().to_ascii_lowercase(),
            Self::Dialect(dialect) => dialect.name().to_owned(),
            Self::Page(page) => page.name().to_owned(),
            Self::Johab => JOHAB.to_owned(),
            Self::Utf32 => UTF_32.to_owned(),
            Self::Exact(transcode::Encoding::Latin1) => LATIN1_EXACT.to_owned(),
            Self::Exact(encoding) => encoding.name().to_owned(),
            Self::Ascii => "ascii".to_owned(),
        }
    }

    /// Whether text in ASCII is the same bytes in this encoding, so that text in UTF-8 is easily
    /// told from it.
    pub(crate) fn has_ascii(&self) -> bool {
        match self {
            Self::Encoding(encoding) => encoding.is_ascii_compatible(),
            Self::Exact(encoding) => *encoding == transcode::Encoding::Latin1,
            Self::Utf16 | Self::Utf32 => false,
            _ => true,
        }
    }

    /// Whether each byte is a character.
    pub(crate) fn is_single_byte(&self) -> bool {
        match self {
            Self::Encoding(encoding) => encoding.is_single_byte(),
            Self::Exact(encoding) => *encoding == transcode::Encoding::Latin1,
            Self::Page(_) => true,
            _ => false,
        }
    }

    /// Returns the character of a byte, if it is one.
    pub(crate) fn character(&self, byte: u8) -> Option<char> {
        match self {
            Self::Encoding(encoding) => {
                let bytes = [byte];
                let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
                text.chars().next()
            }
            Self::Page(page) => page.character(byte),
            _ => Some(char::from(byte)),
        }
    }

    /// Returns the encoding for `guess`, if it is one that extends ASCII.
    pub(crate) fn coding(&self) -> Option<Coding> {
        match self {
            Self::Encoding(encoding) if encoding.is_ascii_compatible() => Some(Coding::Web(encoding)),
            Self::Page(page) => Some(Coding::Page(*page)),
            Self::Johab => Some(Coding::Johab),
            _ => None,
        }
    }

    /// Returns the library's encoding for this one, in which a byte order mark is a character like
    /// any other.
    pub(crate) fn exact(&self) -> Option<transcode::Encoding> {
        match self {
            Self::Utf8 => Some(transcode::Encoding::Utf8),
            Self::Exact(encoding) => Some(*encoding),
            Self::Encoding(encoding) if *encoding == UTF_16LE => Some(transcode::Encoding::Utf16Le),
            Self::Encoding(encoding) if *encoding == UTF_16BE => Some(transcode::Encoding::Utf16Be),
            _ => None,
        }
    }
}

impl From<Coding> for Charset {
    fn from(coding: Coding) -> Self {
        match coding {
            Coding::Web(encoding) => Self::Encoding(encoding),
            Coding::Page(page) => Self::Page(page),
            Coding::Johab => Self::Johab,
        }
    }
}

/// What `fix --from` takes.
pub(crate) fn from_fix(name: &str) -> Result<Charset, String> {
    match name.parse()? {
        Charset::Utf8 => Err(IS_UTF8.to_owned()),
        charset => Ok(charset),
    }
}

/// What `fix --invalid-as` takes.
pub(crate) fn from_single_byte(name: &str) -> Result<Charset, String> {
    match name.parse::<Charset>()? {
        charset if charset.is_single_byte() => Ok(charset),
        other => Err(format!(
            "in {} not every byte is a character; to convert all of a file, use --from",
            other.label()
        )),
    }
}

/// What `convert --from` takes.
pub(crate) fn from_source(name: &str) -> Result<Charset, String> {
    name.parse().map_err(|why| format!("{why} (expected one of {}, or another one)", exact_names()))
}

/// What `convert --to` takes.
pub(crate) fn from_target(name: &str) -> Result<Charset, String> {
    // As a source, `ascii` is windows-1252, which has no other meaning for the bytes of ASCII. As a
    // target, that would be more.
    if matches!(&*bare(name), "ascii" | "usascii") {
        return Ok(Charset::Ascii);
    }
    match name
        .parse()
        .map_err(|why: String| format!("{why} (expected one of {}, or another one)", exact_names()))?
    {
        Charset::Auto => Err("only the encoding of the input can be guessed".to_owned()),
        charset => Ok(charset),
    }
}

fn exact_names() -> String {
    let names = transcode::Encoding::ALL.iter().map(|encoding| match encoding {
        transcode::Encoding::Latin1 => LATIN1_EXACT,
        other => other.name(),
    });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_browsers_and_of_dialects_are_known() {
        let parse = |name: &str| from_fix(name);
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

    /// `latin1` was windows-1252 when it was read, and ISO 8859-1 when it was written.
    #[test]
    fn every_option_means_the_same_by_a_name() {
        for name in [
            "latin1",
            "l1",
            "ISO-8859-1",
            "latin1-exact",
            "koi8-r",
            "utf-32le",
            "wtf-8",
            "sjis",
            "utf-16be",
            "utf-16",
        ] {
            let charset = name.parse::<Charset>();
            assert_eq!(
                [from_fix(name), from_source(name), from_target(name)],
                [charset.clone(), charset.clone(), charset],
                "{name}"
            );
        }
        assert_eq!(from_target("US-ASCII"), Ok(Charset::Ascii));
        assert_eq!(from_target("latin1"), Ok(Charset::Encoding(encoding_rs::WINDOWS_1252)));
    }

    #[test]
    fn every_name_stands_for_itself() {
        for charset in Charset::all() {
            assert_eq!(charset.label().parse(), Ok(charset));
            assert_eq!(bare(&charset.label()).parse(), Ok(charset));
        }
    }

    #[test]
    fn spellings_that_people_type_are_taken_or_answered_with_a_suggestion() {
        for (typed, name) in [
            ("utf8", "utf-8"),
            ("UTF8", "utf-8"),
            ("utf16", "utf-16"),
            ("UTF_16BE", "utf-16be"),
            ("utf32", "utf-32"),
            ("cp437", "ibm437"),
            ("850", "ibm850"),
            ("CP-866", "ibm866"),
            ("1252", "windows-1252"),
            ("CP1251", "windows-1251"),
            ("win1250", "windows-1250"),
            ("codepage-932", "shift_jis"),
            ("macroman", "macintosh"),
            ("Mac Roman", "macintosh"),
            ("Shift-JIS", "shift_jis"),
            ("koi8r", "koi8-r"),
            ("iso8859-15", "iso-8859-15"),
            ("ISO8859_1", "windows-1252"),
            ("latin-1", "windows-1252"),
        ] {
            assert_eq!(
                typed.parse::<Charset>().map(|charset| charset.label()),
                Ok(name.to_owned()),
                "{typed}"
            );
        }
        let why = |name: &str| name.parse::<Charset>().unwrap_err();
        assert!(why("cp037").ends_with("try `iconv -f CP037 -t UTF-8`"));
        assert!(why("windows-125").contains("did you mean windows-125"), "{}", why("windows-125"));
        assert!(why("shfit_jis").ends_with("did you mean shift_jis?"));
    }
}
