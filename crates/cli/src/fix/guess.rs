//! Guesses what a file that is not UTF-8 is, for `--from auto` and for `inspect`.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, IBM866, ISO_2022_JP, ISO_8859_2, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1254, X_MAC_CYRILLIC, X_USER_DEFINED,
};
use trust8::Bom;
use trust8_transcode as transcode;
use unicode_width::UnicodeWidthStr;

use super::decode::decode;
use super::evidence::{Evidence, Shares};
use super::magic;
use super::plausible::{Plausibility, is_east_asian};
use crate::args::Remedy;
use crate::charset::{Charset, WEB};
use crate::dialects::AcceptedBy;
use crate::progress::Progress;
use crate::visible::visible;

/// What a file that is not UTF-8 seems to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Guess {
    /// The file is in this encoding.
    From(Charset),
    /// The file is UTF-8, except for some bytes that are in this encoding.
    InvalidAs(&'static Encoding),
    /// The file is none of these, for this reason.
    Unknown(String),
}

impl Guess {
    /// Returns the options of `trust8 fix` that convert the file.
    pub(crate) fn options(&self) -> Option<String> {
        match self {
            Self::From(charset) => Some(format!("--from {}", charset.label())),
            Self::InvalidAs(encoding) => {
                Some(format!("--invalid-as {}", Charset::Encoding(encoding).label()))
            }
            Self::Unknown(_) => None,
        }
    }
}

/// Returns, in this order:
///
/// 1. the encoding that the byte order mark names; nothing for a file that begins as binary files
///    do;
/// 2. the preferred dialect of UTF-8 that accepts the whole file and can be converted;
/// 3. UTF-16 without a byte order mark, if there are NULs or other control characters;
/// 4. the encoding that chardetng guesses for the whole file, as Firefox does;
/// 5. UTF-8 with some bytes in another encoding.
///
/// Of the last two, the one that makes plausible text is chosen; if both do, the fourth, unless
/// nearly all of the file is UTF-8. If neither does, the file is none of these.
///
/// `accepted` are the dialects of UTF-8 that accept the whole file.
pub(crate) fn guess(mark: Option<Bom>, accepted: &[AcceptedBy], evidence: &Evidence) -> Guess {
    match mark {
        Some(Bom::Utf16Le) => return Guess::From(Charset::Encoding(UTF_16LE)),
        Some(Bom::Utf16Be) => return Guess::From(Charset::Encoding(UTF_16BE)),
        Some(Bom::Utf32Le) => return Guess::From(Charset::Exact(transcode::Encoding::Utf32Le)),
        Some(Bom::Utf32Be) => return Guess::From(Charset::Exact(transcode::Encoding::Utf32Be)),
        _ => {}
    }
    if let Some(binary) = magic::binary(evidence.first_piece()) {
        return Guess::Unknown(format!("it looks like {binary}"));
    }
    if let Some(by) = accepted.iter().find(|by| by.convertible) {
        return Guess::From(Charset::Dialect(by.dialect));
    }
    let Shares { valid, invalid } = evidence.shares();
    let is_nearly_utf8 = valid * 3 >= (valid + invalid) * 2 && valid > 0;
    if evidence.has_controls() {
        if let Some(utf16) = evidence.utf16() {
            return Guess::From(Charset::Encoding(utf16));
        }
        if evidence.has_nul() || !is_nearly_utf8 {
            return Guess::Unknown(if evidence.has_nul() { HAS_NUL } else { HAS_CONTROLS }.to_owned());
        }
    }
    let whole = if is_nearly_utf8 { Err(IMPLAUSIBLE) } else { plausible_encoding(evidence) };
    let guess = match whole {
        Ok(guess) => guess,
        Err(why) => {
            let of_invalid = encoding_of_invalid(evidence);
            let is_utf8 = valid > 0 && valid * 2 >= invalid && is_plausible_utf8(evidence, of_invalid);
            return if is_utf8 { Guess::InvalidAs(of_invalid) } else { Guess::Unknown(why.to_owned()) };
        }
    };
    // In a text of a few bytes, any pairs of letters can be characters of UTF-16. In the longer
    // ones of East Asian encodings, many pairs can.
    if (guess.is_single_byte() || evidence.is_short()) && evidence.may_be_utf16() {
        let label = Charset::Encoding(guess).label();
        return Guess::Unknown(format!("it may be utf-16 as well as {label}: name the encoding with --from"));
    }
    Guess::From(Charset::Encoding(guess))
}

/// Returns what a file that is UTF-8 by its bytes seems to be nevertheless: UTF-16 in which all
/// bytes are ASCII, about half of them NULs, or ISO-2022-JP, which is ASCII with escape sequences.
pub(crate) fn guess_valid(evidence: &Evidence) -> Option<Charset> {
    let utf16 = if evidence.has_nul() { evidence.utf16() } else { None };
    let encoding = utf16.or_else(|| evidence.is_iso_2022_jp().then_some(ISO_2022_JP));
    encoding.map(Charset::Encoding)
}

/// Returns why a file that is UTF-8 by its bytes is not taken for UTF-8.
pub(crate) fn seems_to_be(charset: Charset) -> String {
    let name = charset.label();
    format!("it is valid UTF-8, but seems to be {name}; --from {name} converts it")
}

const HAS_NUL: &str = "it has NULs, so it may be binary, or UTF-16 or UTF-32: name the encoding with --from";
const HAS_CONTROLS: &str =
    "it has control characters, so it may be binary or UTF-16: name the encoding with --from";
const IMPLAUSIBLE: &str = "no encoding makes plausible text of it: name the encoding with --from";

const AMBIGUOUS: &str = "more than one encoding makes plausible text of it: name the encoding with --from";

/// Returns the encoding in which all of the sample is plausible text: the one that chardetng
/// guesses, or one that it mistakes for another. If there is none, returns why.
fn plausible_encoding(evidence: &Evidence) -> Result<&'static Encoding, &'static str> {
    let guess = encoding_of_all(evidence);
    let (text, plausibility) = decoded(evidence, guess).ok_or(IMPLAUSIBLE)?;
    if guess == WINDOWS_1251
        && let Some((mac, mac_plausibility)) = decoded(evidence, X_MAC_CYRILLIC)
        && mac_plausibility.is_perfect()
    {
        // chardetng mistakes Apple's Cyrillic for Microsoft's. Only the capital letters differ.
        let is_capital = |c: char| matches!(c, 'А'..='Я');
        match (plausibility.is_perfect(), mac.contains(is_capital), text.contains(is_capital)) {
            (false, ..) => return Ok(X_MAC_CYRILLIC),
            (true, true, false) => return Err(AMBIGUOUS),
            _ => {}
        }
    }
    if !plausibility.fits() {
        return Err(IMPLAUSIBLE);
    }
    // The capital letters of IBM866 are the letters of CP862, which is Hebrew.
    if guess == IBM866 && !text.chars().any(|c| !c.is_ascii() && c.is_lowercase()) {
        return Err(IMPLAUSIBLE);
    }
    if guess == WINDOWS_1252 {
        for (encoding, wrong, certain, all) in NOT_WESTERN {
            let has = |letters: &str| text.contains(|c| letters.contains(c));
            let is_all = |text: &str| {
                text.to_lowercase().chars().all(|c| !c.is_alphabetic() || c.is_ascii() || all.contains(c))
            };
            if has(wrong) && has(certain) && is_all(&text) {
                return Ok(encoding);
            }
        }
    }
    if is_ambiguous(evidence, guess, &text) { Err(AMBIGUOUS) } else { Ok(guess) }
}

/// Whether so little of the sample speaks for `guess`, in which it is `text`, that another encoding
/// is as likely. It is, if
///
/// 1. an encoding of East Asia makes few of its characters, or more of others;
/// 2. all letters outside ASCII are bytes below A0, where MacRoman and the pages of DOS have their
///    letters, or there are no such letters, but dashes in words, such as `Ma–ana`, or dots for a
///    word; or a word ends with `ÿ`, the hard space of DOS;
/// 3. there are few letters outside ASCII, and no language has them all.
fn is_ambiguous(evidence: &Evidence, guess: &'static Encoding, text: &str) -> bool {
    if !guess.is_single_byte() {
        let (east_asian, others): (Vec<_>, Vec<_>) =
            text.chars().filter(|c| !c.is_ascii()).partition(|c| is_east_asian(*c));
        return east_asian.len() < 4.max(others.len());
    }
    let bytes = evidence.pieces().flatten();
    let letters: Vec<_> =
        text.chars().zip(bytes).filter(|(c, _)| !c.is_ascii() && c.is_alphabetic()).collect();
    if letters.is_empty() {
        /// In fewer characters, such a dash is taken for a letter.
        const SPARSE: usize = 100;
        let pairs = text.chars().zip(text.chars().skip(1));
        let dashes = pairs.filter(|(c, dash)| c.is_alphabetic() && matches!(dash, '–' | '—')).count();
        let has_quotes = text.contains(['“', '„']);
        return (dashes + text.matches(" … ").count()) * SPARSE > text.len() && !has_quotes;
    }
    let ends_with = |letter| text.split(|c: char| !c.is_alphabetic()).any(|word| word.ends_with(letter));
    if letters.iter().all(|(_, byte)| **byte < 0xA0) || ends_with('ÿ') {
        return true;
    }
    let has_all =
        |language: &str| letters.iter().all(|(c, _)| c.to_lowercase().all(|c| language.contains(c)));
    let is_one_of = |languages: &[&str]| languages.iter().any(|language| has_all(language));
    /// In more letters, chardetng is right.
    const MANY: usize = 64;
    match guess {
        _ if letters.len() >= MANY => false,
        // In Portuguese, too, `õ` may be all there is.
        it if it == WINDOWS_1252 => text.contains('õ') && has_all(HUNGARIAN_IN_1252),
        it if it == WINDOWS_1254 => !has_all(TURKISH),
        // `«` is `Ť` here, and in the pages of DOS `»` is `Ż`.
        it if it == WINDOWS_1250 || it == ISO_8859_2 => {
            !is_one_of(&CENTRAL_EUROPEAN) || text.contains('Ť') || letters.iter().all(|(c, _)| *c == 'Ż')
        }
        _ => false,
    }
}

/// The letters outside ASCII of the languages of Central Europe: Polish, Czech and Slovak,
/// Hungarian, Romanian, those of former Yugoslavia, German and Albanian.
const CENTRAL_EUROPEAN: [&str; 7] =
    ["ąćęłńóśźż", "áäčďéěíĺľňóôŕřšťúůýž", "áéíóöőúüű", "ăâîşţ", "čćđšž", "äöüßé", "çë"];
/// Those of Turkish. In lower case, the capital `İ` is two characters.
const TURKISH: &str = "çğıöşüâîûi\u{307}";

/// Languages that chardetng mistakes for Western European ones: the encoding, letters that
/// windows-1252 has in place of the right ones, letters that show which language it is, and all its
/// letters.
const NOT_WESTERN: [(&Encoding, &str, &str, &str); 3] = [
    (WINDOWS_1250, "õûÕÛ", "öüÖÜ", HUNGARIAN_IN_1252),
    // French has `û` as well, but none of these.
    (WINDOWS_1250, "ûÛ", "áíóúÁÍÓÚ", HUNGARIAN_IN_1252),
    (WINDOWS_1254, "ðýþÐÝÞ", "çüÇÜ", "çðýöþüâîû"),
];
const HUNGARIAN_IN_1252: &str = "áéíóöõúüû";

/// A file that is not UTF-8, as text in an encoding.
pub(crate) struct Reading {
    /// The encoding of all of it, or of its invalid sequences.
    pub(crate) guess: Guess,
    /// What is around the first character outside ASCII, on the same line.
    pub(crate) excerpt: String,
}

/// Returns how the sample reads according to `guess`, and in the other encodings that make
/// plausible text of it: those first in which the evidence is not thin, and the fewest characters
/// are odd. At most `most` are returned. Each reads differently.
pub(crate) fn readings(guess: &Guess, evidence: &Evidence, most: usize, width: usize) -> Vec<Reading> {
    let mut texts = Vec::new();
    match guess {
        Guess::From(Charset::Encoding(encoding)) if encoding.is_ascii_compatible() => {
            texts.extend(decoded(evidence, encoding).map(|(text, _)| (guess.clone(), text)));
        }
        Guess::From(charset) => {
            let mut text = Vec::new();
            let first = evidence.first_piece();
            let replace = Some(Remedy::Replace);
            // Nothing fails here: invalid sequences are replaced, and the text goes to a vector.
            let _ = decode(*charset, &mut &first[..], replace, &Progress::none(), &mut text);
            texts.push((guess.clone(), String::from_utf8_lossy(&text).into_owned()));
        }
        Guess::InvalidAs(encoding) => {
            let mut text = String::new();
            for chunk in evidence.pieces().flat_map(<[u8]>::utf8_chunks) {
                text.push_str(chunk.valid());
                text.push_str(&encoding.decode_without_bom_handling(chunk.invalid()).0);
            }
            texts.push((guess.clone(), text));
        }
        Guess::Unknown(_) => {}
    }
    let may_be_others = match guess {
        Guess::From(charset) => charset.has_ascii() && matches!(charset, Charset::Encoding(_)),
        Guess::InvalidAs(_) => false,
        Guess::Unknown(_) => !evidence.has_controls(),
    };
    let others = WEB.iter().filter(|it| may_be_others && it.is_ascii_compatible() && **it != X_USER_DEFINED);
    let mut others: Vec<_> = others
        .filter_map(|&encoding| {
            let (text, plausibility) = decoded(evidence, encoding).filter(|(_, it)| it.fits())?;
            Some(((is_ambiguous(evidence, encoding, &text), plausibility.odd()), encoding, text))
        })
        .collect();
    others.sort_by_key(|(rank, ..)| *rank);
    texts.extend(others.into_iter().map(|(_, it, text)| (Guess::From(Charset::Encoding(it)), text)));
    let mut readings: Vec<Reading> = Vec::new();
    for (guess, text) in texts {
        let excerpt = excerpt(&text, width);
        if readings.len() < most && !readings.iter().any(|other| other.excerpt == excerpt) {
            readings.push(Reading { guess, excerpt });
        }
    }
    readings
}

/// Returns what is around the first character outside ASCII that is no mark, on the same line, in
/// at most `width` columns.
fn excerpt(text: &str, width: usize) -> String {
    let text = text.trim_start_matches('\u{FEFF}');
    let at = text.find(|c: char| !c.is_ascii()).unwrap_or(0);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[line..].lines().next().unwrap_or_default();
    let before = text[..at].rsplit('\n').next().unwrap_or_default().chars().count();
    let mut excerpt = String::new();
    let mut columns = 0;
    for c in line.chars().skip(before.saturating_sub(width / 3)) {
        let shown = visible(c.encode_utf8(&mut [0; 4]).as_bytes());
        columns += shown.width();
        if columns > width {
            break;
        }
        excerpt.push_str(&shown);
    }
    excerpt
}

/// Decodes the sample, if it has no errors in `encoding`.
fn decoded(evidence: &Evidence, encoding: &'static Encoding) -> Option<(String, Plausibility)> {
    let mut plausibility = Plausibility::default();
    let mut all = String::new();
    for piece in evidence.pieces() {
        let (text, has_errors) = encoding.decode_without_bom_handling(piece);
        // A piece of a large file can begin or end inside a character.
        if has_errors && evidence.is_whole() {
            return None;
        }
        plausibility.add(&text, encoding);
        all.push_str(&text);
    }
    Some((all, plausibility))
}

/// Whether the sample is plausible text in UTF-8, with its invalid sequences in `encoding`.
fn is_plausible_utf8(evidence: &Evidence, encoding: &'static Encoding) -> bool {
    let mut plausibility = Plausibility::default();
    for chunk in evidence.pieces().flat_map(<[u8]>::utf8_chunks) {
        plausibility.add(chunk.valid(), UTF_8);
        plausibility.add(&encoding.decode_without_bom_handling(chunk.invalid()).0, encoding);
    }
    plausibility.is_text()
}

fn encoding_of_all(evidence: &Evidence) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    for piece in evidence.pieces() {
        detector.feed(piece, false);
    }
    detector.feed(b"", true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns the encoding of the invalid sequences, in which each byte is a character.
fn encoding_of_invalid(evidence: &Evidence) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for chunk in evidence.pieces().flat_map(<[u8]>::utf8_chunks) {
        // Without its valid UTF-8 outside ASCII, the sample is text in the other encoding.
        for text in chunk.valid().split(|c: char| !c.is_ascii()) {
            detector.feed(text.as_bytes(), false);
        }
        detector.feed(chunk.invalid(), false);
    }
    detector.feed(b"", true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if guess.is_single_byte() { guess } else { WINDOWS_1252 }
}

/// Returns the byte order mark that the file begins with. `from` returns a reader that begins at an
/// offset.
pub(crate) fn mark<R: Read>(from: impl Fn(u64) -> R) -> io::Result<Option<Bom>> {
    let mut first = Vec::new();
    from(0).take(4).read_to_end(&mut first)?;
    Ok(Bom::detect(&first).map(|(mark, _)| mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::accepting_dialects;

    fn guess(bytes: &[u8]) -> String {
        let from = |skip: u64| &bytes[skip as usize..];
        let evidence = Evidence::gather(from, bytes.len() as u64, 0).unwrap();
        let accepted = accepting_dialects(from, 0).unwrap();
        match super::guess(mark(from).unwrap(), &accepted, &evidence) {
            Guess::From(charset) => charset.label(),
            Guess::InvalidAs(encoding) => format!("invalid as {}", encoding.name()),
            Guess::Unknown(why) => why,
        }
    }

    #[test]
    fn marks_come_before_dialects_and_dialects_before_chardetng() {
        assert_eq!(guess(b"\xFF\xFEa\0"), "utf-16le");
        assert_eq!(guess(b"\xFE\xFF\0a"), "utf-16be");
        assert!(guess(b"\xFF\xFE\0\0a\0\0\0").contains("utf-32le"));
        assert_eq!(guess(b"smile \xED\xA0\xBD\xED\xB8\x80"), "cesu-8");
        assert_eq!(guess(b"nothing \xC0\x80"), "mutf-8");
        assert_eq!(guess(b"Gr\xFC\xDFe aus M\xFCnchen, stra\xDFe, h\xF6ren"), "windows-1252");
        let (russian, ..) = encoding_rs::KOI8_U.encode("Съешь же ещё этих мягких французских булок");
        assert_eq!(guess(&russian), "koi8-u");
    }

    #[test]
    fn a_file_that_is_mostly_utf8_is_not_converted() {
        for (bytes, invalid_as) in [
            (&b"Gr\xC3\xB6\xC3\x9Fe: \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E caf\xE9"[..], "windows-1252"),
            (b"\xC3\xA9 \xE9", "windows-1252"),
            (b"\xE2\x80\x9Cquoted\xE2\x80\x9D and \x93quoted\x94 and \x93quoted\x94", "windows-1252"),
        ] {
            assert_eq!(guess(bytes), format!("invalid as {invalid_as}"), "{bytes:X?}");
        }
        for text in
            ["日本語のテキスト。", "Съешь ещё этих мягких французских булок. ", "naïve, größer, élève. "]
        {
            let mut bytes = text.repeat(50).into_bytes();
            bytes.extend(b"\xE9\n");
            assert!(guess(&bytes).starts_with("invalid as "), "{text}: {}", guess(&bytes));
        }
    }

    /// Pairs of bytes that UTF-8 has as well, such as `ß` before a quotation mark.
    #[test]
    fn text_in_another_encoding_is_not_taken_for_utf8() {
        for (encoding, text) in [
            (encoding_rs::WINDOWS_1252, "Sie sagte: „Das macht mir viel Spaß“, und ging nach Hause."),
            (encoding_rs::EUC_JP, "これは日本語のテキストです。文字コードを調べています。"),
            (encoding_rs::SHIFT_JIS, "これは日本語のテキストです。文字コードを調べています。"),
            (encoding_rs::GBK, "这是一个中文文本。我们在检查字符编码，看看结果如何。"),
            (encoding_rs::BIG5, "這是一個中文文本。我們在檢查字符編碼，看看結果如何。"),
            (encoding_rs::EUC_KR, "이것은 한국어 텍스트입니다. 문자 인코딩을 확인하고 있습니다."),
            (encoding_rs::WINDOWS_1251, "Съешь же ещё этих мягких французских булок, да выпей чаю."),
        ] {
            let (bytes, ..) = encoding.encode(text);
            assert_eq!(guess(&bytes), Charset::Encoding(encoding).label(), "{text}");
        }
    }

    #[test]
    fn utf16_without_a_mark_is_recognised_or_refused() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(guess(&utf16("Größe: 12 cm, naïve\r\n")), "utf-16le");
        assert_eq!(guess(&utf16("日本語のテキスト。文字コード")), "utf-16le");
        for text in ["日本", "é\0", "ÿ", "中文"] {
            let guess = guess(&utf16(text));
            assert!(
                guess == "utf-16le" || guess.contains("name the encoding with --from"),
                "{text}: {guess}"
            );
        }
        assert!(guess(b"\x7FXYZ\xFF\0\0\0").contains("has NULs"));
        assert_eq!(guess(b"\x7FELF\xFF\0\0\0"), "it looks like an ELF file");
    }
}
