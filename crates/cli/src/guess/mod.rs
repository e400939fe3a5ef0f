//! Guesses what a file that is not UTF-8 is: for `--from auto`, for `inspect`, and for the web page.
//!
//! `evidence.rs` is the sample that decides. `rank.rs` ranks encodings, by what letters cost in each language
//! (`languages.rs`) and by code pages (`pages.rs`). `lines.rs` tells lines in another encoding from damage,
//! `declared.rs` finds what a file says it is, `magic.rs` recognises binary files, and `dialects.rs` the dialects
//! of UTF-8.
//!
//! The module of the web page compiles this folder and `charset.rs` too, so nothing here needs anything else of the command.

mod common;
pub(crate) mod declared;
pub(crate) mod dialects;
pub(crate) mod evidence;
mod languages;
pub(crate) mod lines;
pub(crate) mod magic;
pub mod pages;
mod rank;

use std::io::{self, Read};

use encoding_rs::{ISO_2022_JP, UTF_16BE, UTF_16LE};
use trust8::Bom;
use trust8_transcode as transcode;

use crate::charset::Charset;
use dialects::AcceptedBy;
use evidence::Evidence;
use lines::{ENOUGH, Others, choose};
use rank::decode;
pub use rank::{Coding, Ranked, Ranking, cost, cost_of_text, rank};

/// What a file that is not UTF-8 seems to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Guess {
    /// The file is in this encoding.
    From(Charset),
    /// The file is UTF-8, except for some lines that are in another encoding, and bytes that are
    /// damaged.
    Lines(Option<Others>),
    /// The file is none of these, for this reason.
    Unknown(String),
}

impl Guess {
    /// Returns the options of `trust8 fix` that convert the file.
    pub(crate) fn options(&self) -> Option<String> {
        match self {
            Self::From(charset) => Some(format!("--from {}", charset.label())),
            Self::Lines(Some(others)) if others.charset.is_single_byte() => {
                Some(format!("--invalid-as {}", others.charset.label()))
            }
            Self::Lines(Some(_)) => Some("--from auto".to_owned()),
            Self::Lines(None) | Self::Unknown(_) => None,
        }
    }
}

/// Returns, in this order:
///
/// 1. the encoding that the byte order mark names; nothing for a file that begins as binary files
///    do;
/// 2. the preferred dialect of UTF-8 that accepts the whole file and can be converted;
/// 3. UTF-16 or UTF-32 without a byte order mark, if there are NULs or other control characters;
/// 4. UTF-8, if it makes a likelier text of the lines that are valid than any other encoding does;
/// 5. the encoding that makes the likeliest text of the whole file, if all others are much less likely.
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
    if evidence.has_controls()
        && let Some(utf16) = evidence.utf16()
    {
        return Guess::From(Charset::Encoding(utf16));
    }
    if evidence.has_nul()
        && let Some(utf32) = evidence.utf32()
    {
        return Guess::From(Charset::Exact(utf32));
    }
    let sorted = lines::Sorted::of(evidence);
    let pieces: Vec<_> = evidence.pieces().collect();
    let ranking = rank(&pieces, evidence.is_whole());
    if sorted.is_utf8(&ranking) {
        return Guess::Lines(sorted.others(mark == Some(Bom::Utf8)));
    }
    if evidence.has_controls() {
        return Guess::Unknown(if evidence.has_nul() { HAS_NUL } else { HAS_CONTROLS }.to_owned());
    }
    let declared = declared::charset(evidence.first_piece());
    let coding = match choose(&ranking) {
        Ok(coding) => coding,
        Err(why) => match declared.and_then(|it| declared_coding(it, &ranking)) {
            Some(coding) => coding,
            None => return Guess::Unknown(why.to_owned()),
        },
    };
    let charset = Charset::from(coding);
    // In a text of a few bytes, any pairs of letters can be characters of UTF-16. In the longer
    // ones of East Asian encodings, many pairs can.
    if (charset.is_single_byte() || evidence.is_short()) && evidence.may_be_utf16() {
        let label = charset.label();
        return Guess::Unknown(format!("it may be utf-16 as well as {label}: name the encoding with --from"));
    }
    Guess::From(charset)
}

/// Returns the encoding that the file declares, if its text is about as likely as the likeliest.
fn declared_coding(declared: Charset, ranking: &Ranking) -> Option<Coding> {
    let coding = declared.coding()?;
    let found = ranking.codings.iter().find(|it| it.coding == coding)?;
    let is_likely = found.cost < ranking.noise && found.cost - ranking.codings.first()?.cost < ENOUGH;
    is_likely.then_some(coding)
}

/// Returns what a file that is UTF-8 by its bytes seems to be nevertheless: UTF-16 or UTF-32 in which all
/// bytes are ASCII, most of them NULs, or ISO-2022-JP, which is ASCII with escape sequences.
pub(crate) fn guess_valid(evidence: &Evidence) -> Option<Charset> {
    let wide = || evidence.utf16().map(Charset::Encoding).or_else(|| evidence.utf32().map(Charset::Exact));
    let japanese = || evidence.is_iso_2022_jp().then_some(Charset::Encoding(ISO_2022_JP));
    evidence.has_nul().then(wide).flatten().or_else(japanese)
}

/// Returns why a file that is UTF-8 by its bytes is not taken for UTF-8.
pub(crate) fn seems_to_be(charset: Charset) -> String {
    let name = charset.label();
    format!("it is valid UTF-8, but seems to be {name}; --from {name} converts it")
}

const HAS_NUL: &str = "it has NULs, so it may be binary, or UTF-16 or UTF-32: name the encoding with --from";
const HAS_CONTROLS: &str =
    "it has control characters, so it may be binary or UTF-16: name the encoding with --from";

/// Returns the encodings that a file may be in, the likeliest first: that of `guess`, and those that make likely text of the sample.
/// Returns none if the file is UTF-8 in some lines.
pub(crate) fn likely(guess: &Guess, evidence: &Evidence) -> Vec<Charset> {
    let (mut charsets, may_be_others) = match guess {
        Guess::From(charset) => (vec![*charset], charset.coding().is_some()),
        Guess::Lines(_) => return Vec::new(),
        Guess::Unknown(_) => {
            (Vec::new(), !evidence.has_controls() && magic::binary(evidence.first_piece()).is_none())
        }
    };
    if may_be_others {
        let pieces: Vec<_> = evidence.pieces().collect();
        let ranking = rank(&pieces, evidence.is_whole());
        // What is shown beside a likely reading may be less likely.
        const NEAR: f64 = 20.0;
        let first = ranking.codings.first().map_or(0.0, |it| it.cost);
        let most_bits = if first < ranking.noise { ranking.noise.max(first + NEAR) } else { ranking.noise };
        for likely in ranking.codings.iter().filter(|it| it.cost < most_bits) {
            let charset = Charset::from(likely.coding);
            if !charsets.contains(&charset) {
                charsets.push(charset);
            }
        }
    }
    charsets
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
            Guess::Lines(None) => "damage".to_owned(),
            Guess::Lines(Some(others)) => format!("lines in {}", others.charset.label()),
            Guess::Unknown(why) => why,
        }
    }

    #[test]
    fn marks_come_before_dialects_and_dialects_before_encodings() {
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
        for bytes in [
            &b"Gr\xC3\xB6\xC3\x9Fe: \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E caf\xE9"[..],
            b"\xC3\xA9 \xE9",
            "Größe 日本\u{65e5}".as_bytes().split_last().unwrap().1,
            b"gr\xC3\xB6\xC3\x9Fer\nlog \xFF\n",
        ] {
            assert_eq!(guess(bytes), "damage", "{bytes:X?}");
        }
        for text in [
            "日本語のテキスト。\n",
            "Съешь ещё этих мягких французских булок. \n",
            "naïve, größer, élève. \n",
        ] {
            let mut bytes = text.repeat(50).into_bytes();
            bytes.extend(b"\xE9\n");
            assert_eq!(guess(&bytes), "damage", "{text}");
            bytes.extend(b"Gr\xFC\xDFe aus M\xFCnchen, stra\xDFe, h\xF6ren\n");
            assert_eq!(guess(&bytes), "lines in windows-1252", "{text}");
        }
    }

    /// By chance, most bytes of the Japanese line are characters of UTF-8.
    #[test]
    fn lines_without_damage_say_whether_a_file_is_utf8() {
        let (japanese, ..) =
            encoding_rs::EUC_JP.encode("出典: フリー百科事典『ウィキペディア（Wikipedia）』");
        let bytes = [
            "serem comunicações de rádio vindas de outro\n".as_bytes(),
            &japanese,
            "\nporque a gravidade de superfície de Marte é de\n".as_bytes(),
        ]
        .concat();
        assert_eq!(guess(&bytes), "damage");
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

    /// One word is valid UTF-8 by chance, or seems to be damaged UTF-8, and all other lines became those of a mixed file.
    #[test]
    fn a_word_or_two_in_a_list_do_not_make_it_utf8() {
        let czech =
            "Příliš žluťoučký kůň úpěl ďábelské ódy včera večer jsme šli k sousedům, abychom viděli zápas";
        let korean = "치환 한국어 텍스트 문자 인코딩 확인하고 있습니다 이것은 어제 저녁에 우리는 경기를 보러 이웃집에 갔습니다";
        let page = pages::Page::all().find(|page| page.name() == "ibm852").unwrap();
        let byte = |c: char| (0..=255).find(|byte| page.character(*byte) == Some(c)).unwrap();
        let lines =
            |text: &str| text.split(' ').map(|word| format!("word = \"{word}\"\n")).collect::<String>();
        assert_eq!(guess(&lines(czech).chars().map(byte).collect::<Vec<_>>()), "ibm852");
        let (bytes, ..) = encoding_rs::EUC_KR.encode(korean);
        assert!(bytes.starts_with("ġȯ".as_bytes()));
        let bytes: Vec<_> = bytes.iter().map(|byte| if *byte == b' ' { b'\n' } else { *byte }).collect();
        assert_eq!(guess(&bytes), "euc-kr");
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
