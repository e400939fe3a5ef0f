//! Invisible characters, judged by their context: pairs and triples of representatives of every
//! class, everywhere in a text, in pieces, in parts and in rows.

use super::oracle::{BY_CONTEXT, allowed};
use super::support::kernels::kernels;
use super::support::random::Random;
use super::support::scale::Thin;
use trust8_columns::Offsets;
use trust8_profile::{
    Class, KernelProfiles, Profile, ProfileError, ProfilePart, ProfileStreamError, ProfileValidator,
    refused_rows,
};
#[cfg(feature = "alloc")]
use trust8_profile::{ProfilePolicy, Repairer};

/// At least one of each kind of character that the rules tell apart.
const KINDS: &str = "a0_ #/\n\x0C\r<>\u{AD}é\u{300}\u{34F}\u{489}\u{5D0}\u{5B0}\u{605}\u{61C}\u{628}\u{661}\u{6CC}\u{6F1}\u{70F}\u{710}\u{730}\u{915}\u{94D}\u{93F}\u{DCA}\u{E01}\u{E31}\
    \u{1000}\u{1100}\u{115F}\u{1160}\u{1161}\u{11AB}\u{1780}\u{17B4}\u{1820}\u{180B}\u{180E}\u{2009}\u{200A}\u{200B}\u{200C}\u{200D}\u{200E}\
    \u{200F}\u{202E}\u{2060}\u{2062}\u{20E3}\u{2211}❤\u{2800}\u{2801}\u{3000}\u{3131}\u{3164}日\u{E000}\u{FE00}\u{FE07}\u{FE0E}\u{FE0F}\u{FEFF}\
    \u{FFA0}\u{FFA1}\u{FFF9}\u{FFFC}\u{FFFD}\u{16FE4}\u{18B00}\u{1BC00}\u{1BCA0}\u{1D100}\u{1D159}\u{1F3F4}😀\u{E0067}\u{E0062}\u{E007F}\u{E0100}\
    \u{E0101}\u{E0130}\u{F0000}";

fn by_context() -> impl Iterator<Item = (&'static str, &'static Profile)> {
    Profile::PRESETS
        .iter()
        .filter(|(name, _)| BY_CONTEXT.contains(name))
        .map(|(name, profile)| (*name, profile))
}

/// Returns where a text is first forbidden, by the oracle.
fn expected(preset: &str, text: &str) -> Option<usize> {
    text.char_indices()
        .zip(allowed(preset, text, true))
        .find(|(_, is_allowed)| !is_allowed)
        .map(|((at, _), _)| at)
}

fn all_expected(preset: &str, text: &str) -> Vec<usize> {
    let allowed = allowed(preset, text, true);
    text.char_indices().zip(allowed).filter(|(_, is_allowed)| !is_allowed).map(|((at, _), _)| at).collect()
}

fn check(text: &str) {
    for (name, profile) in by_context() {
        let expected = expected(name, text);
        for kernel in kernels() {
            let found = kernel.profile(profile).from_utf8(text.as_bytes()).err();
            assert_eq!(found.map(|error| error.valid_up_to()), expected, "{name}, {kernel:?}: {text:?}");
        }
    }
}

/// The same for all errors.
fn check_all(text: &str) {
    for (name, profile) in by_context() {
        let expected = all_expected(name, text);
        for kernel in kernels() {
            let found = kernel.profile(profile).errors(text.as_bytes());
            assert!(
                found.map(|error| error.valid_up_to()).eq(expected.iter().copied()),
                "{name}, {kernel:?}: {text:?}"
            );
        }
    }
}

#[test]
fn pairs() {
    let kinds: Vec<char> = KINDS.chars().collect();
    for &a in &kinds {
        for &b in &kinds {
            check(&format!("{a}{b}"));
            check(&format!("x{a}{b}x"));
            check(&format!("ه{a}{b}ه"));
            check(&format!("{}日{a}{b}日", "Ж".repeat(31)));
        }
    }
}

#[test]
fn triples() {
    let kinds: Vec<char> = KINDS.chars().collect();
    let (mut thin, mut some) = (Thin::to_one_in(7), Thin::to_one_in(16));
    for &a in &kinds {
        for &b in &kinds {
            for &c in kinds.iter().filter(|_| some.keep()) {
                let text: String = [a, b, c].iter().collect();
                // The oracle knows all of them. The kernels find the same suspects in any text.
                for (name, profile) in by_context() {
                    assert_eq!(
                        profile.check(&text).err().map(|found| found.offset() as usize),
                        expected(name, &text),
                        "{name}: {text:?}"
                    );
                }
                if thin.keep() {
                    check(&text);
                }
            }
        }
    }
}

/// Texts of many characters of few kinds, in which the limits are reached.
fn random_text(random: &mut Random, len: usize) -> String {
    const GROUPS: [&str; 23] = [
        "\u{628}\u{645}\u{200C}\u{200D}\u{200E} ",
        "\u{915}\u{94D}\u{937}\u{200C}\u{200D}",
        "❤😀👩\u{FE0E}\u{FE0F}\u{200D}\u{1F3FD}",
        "日本\u{E0100}\u{E0101}\u{E0102}\u{E0103}\u{FE00}\u{FE01}",
        "\u{5D0}\u{5D1}\u{200E}\u{200F}\u{61C} a",
        "0/\u{200F}\u{200F}\u{200E}",
        "\u{E01}\u{E02}\u{E31}\u{200B}\u{2060}",
        "\u{1780}\u{1781}\u{17B6}\u{200B} a",
        "\u{200B}\u{200B}\u{200B}\u{200B}>\u{AA00}日\u{200E}\u{E000}",
        "日本\u{200B}\u{3042}a",
        "\u{605}\u{601}\u{661}\u{6CC}\u{6F1}\u{70F}\u{710}\u{730}a",
        "ab\u{AD}éc\u{5D0}\u{E01}",
        "\u{1820}\u{1821}\u{180B}\u{180E}",
        "a \u{2009}\u{200A}\u{2003}b",
        "a\u{A0}\u{2009}",
        "a1_\n(?—日❤\u{2009}\u{2009}",
        "\u{E000}\u{E001}\u{F0000}a",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E007F}\u{E0075}\u{E0073}",
        "\u{2800}\u{2801} \n\x0C\r",
        "\u{1100}\u{115F}\u{1160}\u{1161}\u{3164}\u{3131}\u{300}\u{34F}",
        "\u{115F}\u{1160}\u{11AB}",
        "\u{300}\u{36F}\u{489}\u{FE20}\u{5B0}\u{34F}",
        "a\u{FEFF}\u{202E}日\0\u{1B}\u{FFFC}",
    ];
    let mut text = String::new();
    while text.len() < len {
        let group: Vec<char> = random.one_of(&GROUPS).chars().collect();
        for _ in 0..1 + random.index(12) {
            text.push(random.one_of(&group));
        }
    }
    text
}

#[test]
fn random_texts() {
    let mut random = Random::new(75);
    for _ in 0..super::support::scale::slow_cases(600, 50) {
        let len = random.index(200);
        let text = random_text(&mut random, len);
        check(&text);
        check_all(&text);
        for (name, profile) in by_context() {
            let expected = all_expected(name, &text);
            assert_eq!(profile.census(&text).total() as usize, expected.len());
            #[cfg(feature = "alloc")]
            {
                let repaired = super::profiles::repaired_by_oracle(name, &text);
                assert_eq!(profile.repair(&text, ProfilePolicy::Drop), repaired, "{name}: {text:?}");
                for &policy in ProfilePolicy::ALL {
                    let repaired = profile.repair(&text, policy);
                    assert_eq!(profile.check(&repaired), Ok(()), "{name}, {policy:?}: {text:?}");
                    assert_eq!(profile.repair(&repaired, policy), repaired);
                    let (mut pieces, mut streamed) = (Repairer::new(profile, policy), String::new());
                    let mut count = 0;
                    for piece in text.split_inclusive(|_| random.below(3) == 0) {
                        count += pieces.push(piece, &mut streamed);
                    }
                    count += pieces.finish(&mut streamed);
                    assert_eq!(streamed, repaired, "{name}, {policy:?}: {text:?}");
                    assert_eq!(count == 0, repaired == text);
                }
            }
        }
    }
}

/// Joiners and U+200B between letters, as rare as in text and more frequent: the search itself judges most of them.
#[test]
fn joiners_between_letters() {
    /// Letters and marks at both ends of what the search knows.
    const SCRIPTS: [&str; 7] = [
        "\u{5C0}\u{5D0}\u{61B}\u{61D}\u{620}\u{6CC}\u{7FF}",
        "\u{E01}\u{E2F}\u{E30}\u{E40}\u{E44}\u{E45}\u{E81}\u{EAF}\u{EB0}\u{EC4}\u{EC8}\u{E4D}",
        "\u{1000}\u{102A}\u{102B}\u{1050}\u{1780}\u{17AF}\u{17B3}\u{17B6}\u{F40}",
        "\u{900}\u{915}\u{94D}\u{93F}\u{9CD}\u{DCA}\u{DFF}\u{8FF}\u{800}\u{84D}",
        "\u{1820}\u{18AF}\u{10A00}\u{10FFF}\u{11000}\u{11660}\u{1167F}\u{1E900}\u{1E95F}",
        "\u{647}\u{647}\u{6CC}",
        "\u{1200}\u{E01}\u{17B3}\u{17B4}\u{17B6}\u{115F}\u{180B}",
    ];
    const OTHERS: &str = "a_ é日\u{58F}\u{59F}\u{10D0}\u{600}\u{605}\u{61C}\u{70F}\u{17B5}\u{180E}\u{16FE4}";
    const KINDS: [&str; 5] =
        ["\u{200B}", "\u{200C}", "\u{200D}", "\u{200C}\u{200D}", "\u{200B}\u{200C}\u{200D}"];
    let mut random = Random::new(79);
    for _ in 0..super::support::scale::slow_cases(3_000, 100) {
        let [kinds, letters, others] = [random.one_of(&KINDS), random.one_of(&SCRIPTS), OTHERS];
        let (most, gap, len) = (random.below(8), 1 + random.below(16), random.index(250));
        let mut text = String::new();
        while text.len() < len {
            let characters = match (random.below(gap), random.below(100)) {
                (0, _) => kinds,
                (_, n) if n < most => others,
                _ => letters,
            };
            text.push(random.one_of(&characters.chars().collect::<Vec<_>>()));
        }
        check_all(&text);
    }
}

/// Styles and joiners of few emoji, which alternate or not: the search itself judges most of them.
#[test]
fn styles_and_joiners_of_emoji() {
    /// Characters at both ends of what the search knows, and after them.
    const BASES: &str = "#*09/:a\u{A9}\u{203C}\u{20FF}\u{2100}\u{213F}\u{2140}\u{2190}\u{219F}\u{21A0}\u{21BF}\u{21C0}\u{23FF}\u{2400}\u{245F}\
        \u{2480}\u{24FF}\u{2500}\u{259F}\u{25A0}\u{25BF}\u{25C0}\u{27BF}\u{27C0}\u{28FF}\u{2900}\u{297F}\u{2980}\u{2AFF}\u{2B00}\u{2BFF}\u{2C00}\
        \u{3030}\u{3297}\u{1F000}\u{1F2FF}\u{1F300}\u{1F336}\u{1F337}\u{1F33F}\u{1F340}\u{1F37F}\u{1F380}\u{1F392}\u{1F393}\u{1F3BF}\u{1F3C0}\
        \u{1F3FA}\u{1F3FB}\u{1F3FF}\u{1F400}\u{1F430}\u{1F43F}\u{1F440}\u{1F47F}\u{1F480}\u{1F4BF}\u{1F4C0}\u{1F5FF}\u{1F600}\u{1F610}\u{1F63F}\u{1F640}\
        \u{1F64F}\u{1F650}\u{1F67F}\u{1F680}\u{1F6BF}\u{1F6C0}\u{1F8FF}\u{1F900}\u{1F91D}\u{1F93F}\u{1F940}\u{1F97F}\u{1F980}\u{1FAFF}\u{1FB00}\
        \u{1FFBF}\u{2F00F}日";
    const AFTER: [&str; 12] = [
        "",
        "",
        " ",
        "ok ",
        "\u{20E3}",
        "\u{200D}",
        "\u{200D}",
        "\u{FE0F}",
        "\u{FE0F}\u{20E4}",
        "\u{FE0F}\u{20E3}",
        "\u{FE0F}\u{200D}",
        "\u{FE0E}",
    ];
    const STRANGE: [&str; 6] = ["\u{200C}", "\u{200B}", "\u{FE00}", "\u{E0100}", "\u{E0067}", "\u{FDCF}"];
    let mut random = Random::new(80);
    let all: Vec<char> = BASES.chars().collect();
    for _ in 0..super::support::scale::slow_cases(4_000, 100) {
        let bases = [random.one_of(&all), random.one_of(&all), random.one_of(&all)];
        let (kinds, plain, strange, len) =
            (1 + random.index(12), random.below(4), random.below(3), random.index(250));
        let mut text = "é".repeat(random.index(4));
        while text.len() < len {
            text.push(random.one_of(&bases[..1 + kinds % 3]));
            if random.below(4) >= plain {
                text.push_str(random.one_of(&AFTER[12 - kinds..]));
            }
            if strange == 0 && random.below(20) == 0 {
                text.push_str(random.one_of(&STRANGE));
            }
        }
        check_all(&text);
    }
}

/// Rows of a character where it is at home, and one more after a gap: each limit is reached, and passed by one.
#[test]
fn each_limit() {
    const HOMES: [&str; 43] = [
        "\u{647}\u{200C}",
        "≥\u{20D2}",
        "a\u{200C}ه",
        "]\u{200D}ಗ",
        "日\u{200B}",
        "ก\u{200B}",
        "'\u{200B}日",
        ".\u{200B}\u{200B}",
        "é\u{2060}a",
        "a\u{2060}é",
        "\u{1820}\u{180E}",
        "\u{1820}\u{180E}\u{1820}",
        "\u{1820}\u{180B}",
        "\u{1820}\u{180F}",
        "\u{5D0}\u{200E}",
        "\u{5D0}\u{61C}",
        "日\u{FE00}",
        "∑\u{FE00}",
        "0\u{FE00}",
        "日“\u{FE00}",
        "日\u{E0100}",
        "\u{115F}\u{1161}",
        "\u{115F}\u{D7B0}",
        "\u{115F}\u{1160}",
        "\u{115F}\u{1160}\u{11AB}",
        "\u{115F}\u{1160}\u{D7CB}",
        "\u{1100}\u{1160}",
        "\u{A960}\u{1160}",
        "\u{3131}\u{3164}",
        "\u{3164}\u{3131}",
        "\u{FFA1}\u{FFA0}",
        "\u{FFA0}\u{FFA1}",
        "\u{605}\u{661}",
        "\u{605}\u{6F1}",
        "\u{70F}\u{710}",
        "\u{1780}\u{17B4}",
        "\u{5B0}\u{34F}\u{5B0}",
        ">\u{2062}<",
        "a\u{FFFC}",
        "\u{1D100}\u{1D159}",
        "\u{1D173}\u{1D100}",
        "\u{1BC00}\u{1BCA0}",
        "\u{18B00}\u{16FE4}",
    ];
    for home in HOMES {
        for (count, gap) in (1..=9).flat_map(|count| (0..=36).step_by(4).map(move |gap| (count, gap))) {
            let text = format!("{}{}{home}", home.repeat(count), ".".repeat(gap));
            let found = Profile::PROMPT.errors(text.as_bytes()).map(|error| error.valid_up_to());
            assert!(found.eq(all_expected("prompt", &text)), "{text:?}");
        }
    }
}

/// Four selectors are too many also if they differ in one bit of 32, and three are not.
#[test]
fn different_selectors_that_are_alike() {
    let near =
        |selectors: &[char]| selectors.iter().map(|selector| format!("日{selector}日本")).collect::<String>();
    let alike = ['\u{E0121}', '\u{E0120}', '\u{E0101}', '\u{E0100}'];
    for i in 0..alike.len() {
        let mut turned = alike;
        turned.rotate_left(i);
        check_all(&near(&turned));
        check_all(&near(&turned[1..]));
    }
}

/// As many changes as the window has room for, and one more or less.
#[test]
fn styles_with_joiners_and_without() {
    for (last, one) in
        ["1", "❤", "\u{1F525}"].iter().flat_map(|&base| ["1", "❤", "\u{1F525}"].map(|one| (base, one)))
    {
        for count in 0..7 {
            let text = format!("{one}\u{FE0F}\u{200D}{one}\u{FE0F}").repeat(count);
            check_all(&format!("{text}{last}\u{FE0F}\u{200D}❤\u{FE0F} "));
            check_all(&format!("{one}\u{FE0F}{text}{last}\u{FE0F}\u{200D}❤ "));
        }
    }
}

/// Few marks on a letter are no suspects for the rules. Others may continue a row, and a repair may join two.
#[test]
fn marks_on_letters() {
    let mut thin = Thin::new();
    for letter in ["a", "Z", "[", "é", "ω", "я", "א", "漢", "\u{1}", "\u{34F}", "\u{AD}", ""] {
        for marks in [
            &["\u{301}"][..],
            &["\u{300}", "\u{36F}"],
            &["\u{5B0}", "\u{301}"],
            &["\u{1DC0}", "\u{301}", "\u{301}"],
            &["\u{489}", "\u{301}"],
            &["\u{301}", "\u{302}", "\u{1}"],
        ] {
            for (before, count) in
                [0, 1, 50, 63].into_iter().flat_map(|n| (1..=12).map(move |count| (n, count)))
            {
                if !thin.keep() {
                    continue;
                }
                let stack: String = marks.iter().copied().cycle().take(count).collect();
                let text = format!("{}{letter}{stack}{letter}\u{301}\u{301}", "b".repeat(before));
                check_all(&text);
                #[cfg(feature = "alloc")]
                for (preset, profile) in by_context() {
                    let repaired = profile.repair(&text, trust8_profile::ProfilePolicy::Drop);
                    assert_eq!(expected(preset, &repaired), None, "{preset}: {text:?}");
                }
            }
        }
    }
}

/// Of four private-use characters before the fifth, two are too far from the sixth, which is at home.
#[test]
fn the_last_but_one_is_a_stray() {
    check_all(&format!("\u{E000}\u{E000}{}{}\u{F0000}\u{F0000}", "a".repeat(50), "\u{E000}a".repeat(2)));
}

/// The second of three spaces is at home after any number of strays with letters between, and so is a joiner of a text after strays and a
/// fault.
#[test]
fn what_is_between_ends_a_row() {
    check_all(&format!("{}\u{2009}\u{2009}\u{2009}", "a\u{2009}".repeat(80)));
    let bytes = ["a\u{200D}".as_bytes(), b"\xFF", "هه\u{200C}ا".as_bytes()].concat();
    assert!(Profile::PROMPT.errors(&bytes).map(|error| error.valid_up_to()).eq([1, 4]));
}

/// A suspect and its context lie across the borders of vectors and chunks.
#[test]
fn at_every_border() {
    let mut thin = Thin::new();
    let texts = [
        "ه\u{200C}ا",
        "a\u{200D}a",
        "👩\u{200D}👧",
        "日\u{E0100}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "a\u{E0100}",
    ];
    for text in texts {
        for before in (0..140).chain(4_020..4_045).chain(16_370..16_390) {
            for filler in ["a", "é"] {
                if thin.keep() {
                    let start = filler.repeat(before / filler.len());
                    check(&format!("{start}{text}{}", filler.repeat(before % 70)));
                }
            }
        }
    }
}

/// Returns the offset of the first error of a text, a forbidden character or not.
fn first_error(preset: &str, bytes: &[u8]) -> Option<usize> {
    super::profiles::expected(preset, bytes).map(|(at, ..)| at)
}

fn texts() -> Vec<Vec<u8>> {
    let mut random = Random::new(64);
    let mut texts: Vec<Vec<u8>> = (0..14).map(|i| random_text(&mut random, 12 * i).into_bytes()).collect();
    texts.extend(
        [
            "👩\u{200D}👧 ه\u{200C}ا\r\n",
            "👩\u{200D}",
            "\u{FEFF}a\u{200D}",
            "a\r",
            "\u{200F}\u{5D0}",
            "\u{200F}a",
            "\x0Ca\n\x0Cb\x0C",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    texts.push(b"\xD9\x87\xE2\x80\x8C\xFF".to_vec());
    texts.push(b"\xF0\x9F\x98\x80\xE2\x80\x8D\xF0\x9F\x98".to_vec());
    texts.push([&[0x80; 3][..], "ه\u{200C}ا".as_bytes()].concat());
    // A fault ends the context in a text that is longer than any.
    texts.push(["ه\u{200C}".as_bytes(), b"\xFF", &[b'a'; 72]].concat());
    // Innocent, and longer than any context.
    texts.push("می\u{200C}خواهم 👩\u{200D}👧 日\u{E0100}本 ".repeat(3).into_bytes());
    texts.push(["می\u{200C}خواهم ".repeat(9), "a\u{200C}b".into()].concat().into_bytes());
    texts
}

#[test]
fn streams_cut_at_every_byte() {
    let mut thin = Thin::new();
    for text in texts() {
        for (name, profile) in by_context() {
            let expected = first_error(name, &text);
            for (i, j) in (0..=text.len()).flat_map(|j| (0..=j).map(move |i| (i, j))) {
                if !thin.keep() {
                    continue;
                }
                for kernel in kernels() {
                    let mut validator = ProfileValidator::new(*profile);
                    let result = [&text[..i], &text[i..j], &text[j..]]
                        .into_iter()
                        .try_for_each(|piece| kernel.push_profile(&mut validator, piece))
                        .and_then(|()| validator.finish());
                    let found = result.err().map(|error| match error {
                        ProfileStreamError::NotUtf8(error) => error.valid_up_to() as usize,
                        ProfileStreamError::Forbidden(found) => found.offset() as usize,
                    });
                    assert_eq!(found, expected, "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                }
            }
            let mut validator = ProfileValidator::new(*profile);
            let result =
                text.iter().try_for_each(|&byte| validator.push(&[byte])).and_then(|()| validator.finish());
            assert_eq!(result.is_err(), expected.is_some(), "{name}: {text:02X?}");
        }
    }
}

#[test]
fn parts_in_every_cut() {
    let mut thin = Thin::new();
    for text in texts() {
        for (name, profile) in by_context() {
            let expected = first_error(name, &text);
            for kernel in kernels() {
                let of = |range: std::ops::Range<usize>| kernel.profile(profile).part(&text[range]);
                let len = text.len();
                let whole = of(0..len);
                assert_eq!(
                    whole.finish().err().map(|error| error.valid_up_to() as usize),
                    expected,
                    "{name}, {kernel:?}: {text:02X?}"
                );
                for (i, j) in (0..=len).flat_map(|j| (0..=j).map(move |i| (i, j))) {
                    if !thin.keep() {
                        continue;
                    }
                    let [a, b, c] = [of(0..i), of(i..j), of(j..len)];
                    let joined = [a.then(&b).then(&c), a.then(&b.then(&c))];
                    assert_eq!(joined, [whole; 2], "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                    assert_eq!(b.then(&c), of(i..len), "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                    assert_eq!(ProfilePart::from_bytes(&b.to_bytes()), Some(b));
                    assert!(whole.finish().is_err() || ![a, b, c].iter().any(ProfilePart::has_failed));
                }
            }
        }
    }
}

#[test]
fn each_row_by_itself() {
    let mut random = Random::new(3);
    for _ in 0..100 {
        let (mut values, mut offsets) = (String::new(), vec![0]);
        for _ in 0..random.index(20) {
            let len = random.index(40);
            values.push_str(&random_text(&mut random, len));
            offsets.push(values.len() as i64);
        }
        let column = Offsets::new(values.as_bytes(), &offsets, None).expect("it is a column");
        for (name, profile) in by_context() {
            let rows = offsets.windows(2).map(|pair| &values[pair[0] as usize..pair[1] as usize]);
            let expected: Vec<_> =
                rows.enumerate().filter_map(|(row, text)| Some((row, expected(name, text)?))).collect();
            let found = refused_rows(column, profile).map(|(row, error)| (row, error.valid_up_to()));
            assert!(found.eq(expected), "{name}: {values:?}");
        }
    }
}

/// The class of each kind of stray.
#[test]
fn strays_have_their_class() {
    let class = |profile: &Profile, text: &str| match profile.from_utf8(text.as_bytes()) {
        Err(ProfileError::Forbidden(found)) => Some(found.class()),
        _ => None,
    };
    for (text, expected) in [
        ("a\u{200D}b", Class::StrayJoiner),
        ("a\u{FE0F}", Class::StraySelector),
        ("a\u{E0041}", Class::StrayTag),
        ("a\u{200F}b", Class::StrayMark),
        ("a\u{200B}b", Class::StraySpace),
        ("a\u{2062}b", Class::StrayFiller),
        ("\u{E000}\u{E001}\u{E002}\u{E003}\u{E004}", Class::PrivateUseRun),
        ("a\u{FEFF}", Class::ByteOrderMark),
        ("a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}", Class::StackedMarks),
    ] {
        assert_eq!(class(&Profile::SOURCE_CODE, text), Some(expected), "{text:?}");
    }
    // A class without context comes first, also after a stray.
    let profile = Profile::SOURCE_CODE.forbid(Class::VariationSelector);
    let classes = profile.errors("a\u{FE0F}\u{E0101}".as_bytes()).map(|error| match error {
        ProfileError::Forbidden(found) => Some(found.class()),
        ProfileError::NotUtf8(_) => None,
    });
    assert!(classes.eq([Class::StraySelector, Class::VariationSelector].map(Some)));
    for profile in [Profile::TERMINAL, Profile::SOURCE_CODE, Profile::PROMPT] {
        assert_eq!(class(&profile, "// a comment\rcode();\r\n"), Some(Class::BareCarriageReturn));
        assert_eq!(class(&profile, "// a comment\r\n"), None);
    }
    assert_eq!(class(&Profile::FILE_NAME, "a\rb"), Some(Class::CarriageReturn));
    assert_eq!(class(&Profile::FILE_NAME, "\u{FEFF}a"), Some(Class::LeadingMark));
    assert_eq!(class(&Profile::PROMPT, "\u{FEFF}a"), None);
}
