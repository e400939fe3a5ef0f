//! Parts: however a text is cut, and whichever neighbours are joined first, the judgement is that
//! of one pass over the whole.

use super::profiles::{expected, interesting, random_text};
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::random::Random;
use super::support::scale::{Thin, slow_cases};
use trust8_profile::{KernelProfiles, Profile, ProfilePart, ProfilePartError};

/// Checks a judgement on a whole text against the oracle.
fn check(part: &ProfilePart, name: &str, text: &[u8]) {
    let (before, error) = match part.finish() {
        Ok(tally) => (tally, None),
        Err(error) => {
            let is_forbidden = matches!(error, ProfilePartError::Forbidden { .. });
            if let ProfilePartError::Forbidden { found, .. } = error {
                assert_eq!(found.offset(), error.valid_up_to());
                assert!(
                    text[found.offset() as usize..].starts_with(found.character().to_string().as_bytes())
                );
            }
            let before = std::str::from_utf8(&text[..error.valid_up_to() as usize]).expect("it is valid");
            let (line, column) =
                (before.matches('\n').count(), before.chars().rev().take_while(|&c| c != '\n'));
            assert_eq!((error.line(), error.column()), (line as u64 + 1, column.count() as u64 + 1));
            (error.before(), Some((error.valid_up_to() as usize, is_forbidden, error.error_len())))
        }
    };
    assert_eq!(error, expected(name, text), "{name}: {text:02X?}");
    let allowed = std::str::from_utf8(&text[..before.bytes() as usize]).expect("it is valid");
    assert_eq!(before.chars(), allowed.chars().count() as u64, "{name}: {text:02X?}");
    assert_eq!((part.len(), part.is_empty()), (text.len() as u64, text.is_empty()));
}

/// Joins neighbours, which `choose` chooses, until one part is left.
fn join(mut parts: Vec<ProfilePart>, mut choose: impl FnMut(usize) -> usize) -> ProfilePart {
    while parts.len() > 1 {
        let left = choose(parts.len() - 2);
        let right = parts.remove(left + 1);
        parts[left] = parts[left].then(&right);
    }
    parts.pop().unwrap_or_default()
}

/// Texts whose characters the profiles forbid, in the middle of it and at its start, or almost.
fn texts() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = [
        "a\u{85}é\u{202E}日\u{FFFF}".as_bytes(),
        "\u{FEFF}日\u{FEFF}".as_bytes(),
        "\u{FEFF}\u{FEFF}".as_bytes(),
        "é\n\u{1FFFE}\0".as_bytes(),
        "日\n\u{E0041}".as_bytes(),
        "\u{10FFFF}\n".as_bytes(),
        b"\xBB\xBFa\xEF\xBB\xBF",
        b"\x80\xEF\xBB\xBF",
        b"\x80\x80\x80\x80\0",
        b"ab\0\xFFcd",
        b"ab\xFF\0",
        b"\xE2\x80\0",
        b"\xE2\x80\xEF\xBB\xBF",
        b"\xE2\x80\xAE\xE2\x80",
        b"\xE2\x80\xAE\x80",
        b"\xC2\x85\x85\xC2",
        b"\xF0\x82\x80\xAE\x1B",
    ]
    .map(Vec::from)
    .into();
    texts.extend(MALFORMED.iter().map(|case| [case.bytes, "\u{202E}".as_bytes()].concat()));
    texts.extend(MALFORMED.iter().map(|case| ["\u{85}".as_bytes(), case.bytes].concat()));
    texts
}

#[test]
fn every_text_in_every_cut() {
    let mut thin = Thin::new();
    for text in texts() {
        for (name, profile) in Profile::PRESETS {
            for kernel in kernels().iter().filter(|_| thin.keep()) {
                let of = |range: std::ops::Range<usize>| kernel.profile(profile).part(&text[range]);
                let len = text.len();
                let whole = of(0..len);
                check(&whole, name, &text);
                assert_eq!(ProfilePart::from_bytes(&whole.to_bytes()), Some(whole));
                for (i, j) in (0..=len).flat_map(|j| (0..=j).map(move |i| (i, j))) {
                    let [a, b, c] = [of(0..i), of(i..j), of(j..len)];
                    let joined = [a.then(&b).then(&c), a.then(&b.then(&c))];
                    assert_eq!(joined, [whole; 2], "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                    // An error of a part is an error of the text, and may come late.
                    assert!(whole.finish().is_err() || ![a, b, c].iter().any(ProfilePart::has_failed));
                    assert_eq!(a.then(&b), of(0..j), "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                    assert_eq!(b.then(&c), of(i..len), "{name}, {kernel:?}, {i}, {j}: {text:02X?}");
                    assert_eq!(ProfilePart::from_bytes(&b.to_bytes()), Some(b));
                }
            }
        }
    }
}

#[test]
fn random_text_in_random_parts() {
    let (mut random, characters) = (Random::new(58), interesting());
    for round in 0..slow_cases(600, 60) {
        let len = random.index(400);
        let mut text = random_text(&mut random, &characters, len).into_bytes();
        if round % 3 == 0 {
            // Nothing in it is forbidden before the fault, if there is one.
            text = "日é\n😀, words ".repeat(1 + len / 10).into_bytes();
        }
        if round % 2 == 0 && !text.is_empty() {
            let at = random.index(text.len());
            text[at] = random.one_of(&[0x80, 0xC0, 0xFF, 0xE2, b'a', 0]);
        }
        for (name, profile) in Profile::PRESETS {
            for kernel in kernels() {
                let whole = kernel.profile(profile).part(&text);
                check(&whole, name, &text);
                let mut cuts: Vec<usize> =
                    (0..random.index(9)).map(|_| random.index(text.len() + 1)).collect();
                cuts.extend([0, text.len()]);
                cuts.sort_unstable();
                let of = |cut: &[usize]| kernel.profile(profile).part(&text[cut[0]..cut[1]]);
                let joined = join(cuts.windows(2).map(of).collect(), |last| random.index(last + 1));
                assert_eq!(joined, whole, "{name}, {kernel:?}, {cuts:?}: {text:02X?}");
            }
        }
    }
}

/// What no part can say is refused, and forged judgements do not panic.
#[test]
fn forged_bytes() {
    let mut random = Random::new(8259);
    let [mut refused, mut taken] = [0; 2];
    let forgeries = slow_cases(2000, 200);
    for text in texts() {
        let honest = ProfilePart::of(&Profile::SOURCE_CODE, &text).to_bytes();
        for _ in 0..forgeries {
            let mut bytes = honest;
            for _ in 0..1 + random.index(2) {
                let at = random.index(bytes.len());
                bytes[at] = random.one_of(&[0, 1, 2, 3, 0x80, 0xE2, 0xFF, bytes[at] ^ 1]);
            }
            let Some(part) = ProfilePart::from_bytes(&bytes) else {
                refused += 1;
                continue;
            };
            taken += 1;
            assert_eq!(part.to_bytes(), bytes);
            let joined = part.then(&part).then(&ProfilePart::of(&Profile::PROMPT, b"\x80\xFE"));
            let _ = format!("{part:?} {:?} {:?} {}", part.finish(), joined.finish(), joined.has_failed());
        }
    }
    let many = forgeries / 2;
    assert!(refused > many && taken > many, "{refused} refused, {taken} taken");
    // A forbidden character that the profile allows, or that comes after the part.
    let mut bytes = ProfilePart::of(&Profile::TERMINAL, b"a\x1B").to_bytes();
    bytes[8] = b'a';
    assert_eq!(ProfilePart::from_bytes(&bytes), None);
    bytes[8] = 0x1B;
    assert!(ProfilePart::from_bytes(&bytes).is_some());
    bytes[12] = 1;
    assert_eq!(ProfilePart::from_bytes(&bytes), None);
}
