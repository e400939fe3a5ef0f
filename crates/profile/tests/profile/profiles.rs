//! Profiles, with every kernel, against the grammars of RFC 9839 and lists of code points.

use super::oracle::{BY_CONTEXT, allowed};
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::random::Random;
use super::support::scale::{Thin, slow_cases};
use trust8_columns::{Column, FixedSize, Offsets, Validity, Views};
use trust8_profile::{
    Class, KernelProfiles, Profile, ProfileError, ProfileStreamError, ProfileValidator, refused_rows,
};
#[cfg(feature = "alloc")]
use trust8_profile::{ProfilePolicy, Repairer};

/// Returns where the first error is, whether it is a forbidden character, and its length, if it
/// does not end the input.
pub(super) fn expected(preset: &str, bytes: &[u8]) -> Option<(usize, bool, Option<usize>)> {
    let (text, error) = match core::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = core::str::from_utf8(&bytes[..error.valid_up_to()]).expect("std says so");
            (valid, Some((error.valid_up_to(), false, error.error_len())))
        }
    };
    text.char_indices()
        .zip(allowed(preset, text, true))
        .find(|&(_, is_allowed)| !is_allowed)
        .map(|((at, c), _)| (at, true, Some(c.len_utf8())))
        .or(error)
}

fn found(error: &ProfileError) -> (usize, bool, Option<usize>) {
    (error.valid_up_to(), matches!(error, ProfileError::Forbidden(_)), error.error_len())
}

fn check(bytes: &[u8]) {
    for (name, profile) in Profile::PRESETS {
        let expected = expected(name, bytes);
        for kernel in kernels() {
            let result = kernel.profile(profile).from_utf8(bytes);
            assert_eq!(
                result.as_ref().err().map(found),
                expected,
                "{name}, {kernel:?}, {} bytes: {bytes:02X?}",
                bytes.len()
            );
            if let Ok(text) = result {
                assert!(core::ptr::eq(text.as_bytes(), bytes));
            }
        }
    }
}

fn scalars() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// The characters next to which an answer changes, and some more.
pub(super) fn interesting() -> Vec<char> {
    let is_special =
        |n| char::from_u32(n).is_some_and(|c| Class::of(c).is_some_and(|class| class != Class::PrivateUse));
    let mut characters: Vec<char> = scalars()
        .filter(|&c| {
            let n = u32::from(c);
            (n < 0xE_0000 || n % 0x40 == 0x3F || n % 0x40 == 0)
                && (is_special(n) || is_special(n + 1) || n > 0 && is_special(n - 1))
        })
        .collect();
    characters.extend("aé日“”…•😀\u{E000}\u{F8FF}\u{F0000}\u{10FFFD}\u{FF0C}\u{A0}".chars());
    characters.extend("\u{2009}\u{2800}\u{FFFC}\u{1D159}ه\u{94D}\u{1F3F4}❤".chars());
    characters
}

/// No character begins in a whole chunk. A search that steps back to where one begins would leave
/// the chunk, and answer for text that nothing has validated.
#[test]
fn continuations_fill_chunks() {
    // A search ends where a chunk does, before the last character that is valid.
    let chunk = "é".repeat(8192) + "a";
    let more = [chunk.as_bytes(), "\u{202E}".as_bytes(), &[b'a'; 5000]];
    for before in [&b""[..], b"a", b"\xF0\x8F\xBF\xBF", b"\xE2\x80"].into_iter().chain(more) {
        for len in [8_190, 9_000, 16_384, 24_577, 30_000, 70_000] {
            check(&[before, &vec![0x80; len], b"a\0"].concat());
        }
    }
    // Quadratic time would take minutes. Node 20 crashes at its end if this test has made
    // WebAssembly's memory so large.
    let long = vec![0x80; if cfg!(target_family = "wasm") { 4 << 20 } else { 64 << 20 }];
    assert_eq!(Profile::XML_1_0.from_utf8(&long).unwrap_err().valid_up_to(), 0);
}

#[test]
fn every_scalar_is_in_the_profiles_that_have_it() {
    for (name, profile) in Profile::PRESETS {
        let (mut thin, mut before) = (Thin::where_slow(), None);
        for character in scalars() {
            // Where few are tested, the first of each range is.
            let is_first = std::mem::replace(&mut before, Class::of(character)) != before;
            if !thin.keep() && !is_first {
                continue;
            }
            let text = format!("x{character}");
            let expected = allowed(name, &text, true)[1];
            let found = profile.check(&text).err();
            assert_eq!(found.is_none(), expected, "{name}, {character:?}");
            if !BY_CONTEXT.contains(name) {
                let class = Class::of(character).filter(|&class| profile.forbids(class));
                assert_eq!(found.map(|found| found.class()), class, "{name}, {character:?}");
            }
        }
    }
}

/// Each scalar follows text, so that a byte order mark is inside it. The kernels' tables may not
/// miss one, whatever class is forbidden.
#[test]
fn every_scalar_of_every_class_is_found_by_every_kernel() {
    let mut thin = Thin::new();
    let profiles: Vec<(Class, Profile)> =
        Class::ALL.iter().map(|&class| (class, Profile::new().forbid(class))).collect();
    for character in scalars() {
        let Some(class) = Class::of(character) else { continue };
        let contextual = |forbidden: Class| forbidden.code() >= Class::StrayJoiner.code();
        if class == Class::PrivateUse && u32::from(character) % 61 > 0 || !thin.keep() {
            continue;
        }
        let text = format!("text{character}");
        for kernel in kernels() {
            for (forbidden, profile) in &profiles {
                let found = kernel.profile(profile).check(&text).err();
                let found = found.map(|found| (found.offset(), found.character(), found.class()));
                let expected = (*forbidden == class).then_some((4, character, class));
                if !contextual(*forbidden) {
                    assert_eq!(found, expected, "{kernel:?}, {forbidden:?}");
                }
            }
        }
    }
}

#[test]
fn every_scalar_in_every_preset_alone() {
    let mut thin = Thin::new();
    for character in scalars() {
        let n = u32::from(character);
        // Whole blocks of unsuspicious characters are thinned out.
        if Class::of(character).is_some_and(|class| class != Class::PrivateUse) || n % 17 == 0 && thin.keep()
        {
            check(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[test]
fn at_every_offset_of_a_block() {
    let mut thin = Thin::new();
    let mut characters = interesting();
    // The selectors of a plane are alike.
    characters.retain(|&c| !('\u{E0041}'..='\u{E01AF}').contains(&c));
    for (i, &character) in characters.iter().enumerate() {
        if !thin.keep() {
            continue;
        }
        for filler in ["a", "é", "日", "😀"] {
            // One filler for each character and place, in turn, is enough: what is before a
            // character does not matter to it.
            for before in (0..330).filter(|before| (before + i + filler.len()) % 23 == 0) {
                let text = format!(
                    "{}{}{character}{}",
                    "a".repeat(before % filler.len()),
                    filler.repeat(before / filler.len()),
                    filler.repeat((before * 7 + i) % 90)
                );
                check(text.as_bytes());
            }
        }
    }
}

/// Texts of each length take other vectors, which overlap in other places.
#[test]
fn in_ascii_of_every_length() {
    let mut thin = Thin::new();
    for len in (1..=160).chain([200, 255, 256, 257, 300, 511, 512, 513, 700]) {
        let mut text = vec![b'a'; len];
        check(&text);
        for at in 0..len {
            if !thin.keep() {
                continue;
            }
            for byte in [b'\0', b'\t', 0x1B, 0x7F, 0xFF] {
                text[at] = byte;
                check(&text);
            }
            text[at] = b'a';
        }
    }
}

/// CR and LF at every place of the vectors that are tested together, and what differs from them in few bits.
#[test]
fn line_ends_in_ascii() {
    let mut thin = Thin::new();
    let bare = Class::BareCarriageReturn;
    let profiles = [
        Profile::SOURCE_CODE,
        Profile::FILE_NAME,
        Profile::TERMINAL.forbid(Class::WindowsReserved),
        Profile::POSTGRES.forbid(bare),
        Profile::SCALARS.forbid(bare).forbid(Class::LineFeed),
    ];
    let others = b"J*M\r\x0B".map(|next| [b'\r', next]);
    let ends = b"\r\0\x0E\x0F\x10\x1A\x1D\x1F?/@\\\x7F".map(|byte| [byte, b'\n']);
    let check = |text: &[u8]| {
        for profile in &profiles {
            let is_forbidden = |&at: &usize| {
                let class = Class::of(text[at].into());
                let ends_line = text.get(at + 1) == Some(&b'\n') && !profile.forbids(Class::LineFeed);
                class.is_some_and(|class| profile.forbids(class))
                    || text[at] == b'\r' && profile.forbids(bare) && !ends_line
            };
            let expected = (0..text.len()).find(is_forbidden);
            for kernel in kernels() {
                let found = kernel.profile(profile).from_utf8(text).err().map(|error| error.valid_up_to());
                assert_eq!(found, expected, "{profile:?}, {kernel:?}, {text:02X?}");
            }
        }
    };
    for len in [33, 34, 66, 130, 258, 300] {
        for (at, start) in (0..=len - 2).flat_map(|at| [(at, b"aa"), (at, b"\r\n")]) {
            for pair in others.into_iter().chain(ends).chain([*b"\n\r"]).filter(|_| thin.keep()) {
                let mut text = vec![b'a'; len];
                text[..2].copy_from_slice(start);
                text[len / 2..][..2].copy_from_slice(start);
                text[at..][..2].copy_from_slice(&pair);
                check(&text);
            }
            check(&[&b"\r\n".repeat(len / 2)[..], b"\r", &[b'\n'; 300][..at]].concat());
        }
    }
}

#[test]
fn at_the_ends_of_chunks() {
    let mut thin = Thin::to_one_in(16);
    for character in ['\0', '\u{85}', '\u{FFFE}', '\u{202E}', '\u{FEFF}', '\u{E0041}', '\u{10FFFF}'] {
        for at in (16_370..16_390).chain(32_760..32_772) {
            for end in ["", "é", "\u{1F600}"].into_iter().filter(|_| thin.keep()) {
                let text = format!("{}{character}{end}", "é".repeat(at / 2) + &"a"[..at % 2]);
                check(text.as_bytes());
                check(&text.as_bytes()[..text.len() - 1]);
                check(&[text.as_bytes(), b"\x80", &[b'a'; 20]].concat());
            }
        }
    }
}

#[test]
fn line_ends_at_the_ends_of_chunks() {
    for (at, next) in (16_378..16_388).flat_map(|at| [(at, "\n"), (at, "é")]) {
        check(format!("{}\r{next}", "é".repeat(at / 2) + &"a"[..at % 2]).as_bytes());
    }
}

#[test]
fn ill_formed_sequences_are_no_characters() {
    let alike: [&[u8]; 12] = [
        b"\xC0\x80",
        b"\xE2\x80",
        b"\xE2\x80a",
        b"\xEF\xBF",
        b"\xEF\xBFa",
        b"\xC2",
        b"\xC2\0",
        b"\xF3\xA0",
        b"\xF3\xA0\x80",
        b"\xF0\x82\x80\xAE",
        b"\xE0\x80\x80",
        b"\xED\xA0\x80",
    ];
    for sequence in alike.iter().copied().chain(MALFORMED.iter().map(|case| case.bytes)) {
        for before in [0, 1, 60, 63, 64, 200, 255, 256, 300] {
            let plain = &vec![b'a'; before][..];
            check(&[plain, sequence].concat());
            check(&[plain, sequence, &b"\0"[..]].concat());
            check(&[plain, "\u{202E}".as_bytes(), sequence].concat());
        }
    }
}

pub(super) fn random_text(random: &mut Random, characters: &[char], len: usize) -> String {
    (0..len)
        .map(|_| {
            if random.below(4) == 0 {
                random.one_of(characters)
            } else {
                random.one_of(&['a', 'é', '日', '😀'])
            }
        })
        .collect()
}

#[test]
fn all_errors_of_random_text() {
    let (mut random, characters) = (Random::new(9839), interesting());
    for round in 0..400 {
        let len = random.index(300);
        let mut bytes = random_text(&mut random, &characters, len).into_bytes();
        for _ in 0..random.index(3) {
            if !bytes.is_empty() {
                let at = random.index(bytes.len());
                bytes[at] = random.one_of(&[0x80, 0xC0, 0xFF, 0xE2, b'a']);
            }
        }
        check(&bytes);
        for (name, profile) in Profile::PRESETS {
            let mut expected = Vec::new();
            let mut offset = 0;
            for chunk in bytes.utf8_chunks() {
                let text = chunk.valid();
                for ((at, _), is_allowed) in text.char_indices().zip(allowed(name, text, offset == 0)) {
                    if !is_allowed {
                        expected.push((offset + at, true));
                    }
                }
                offset += chunk.valid().len();
                if !chunk.invalid().is_empty() {
                    expected.push((offset, false));
                }
                offset += chunk.invalid().len();
            }
            for kernel in kernels() {
                let found: Vec<_> = kernel
                    .profile(profile)
                    .errors(&bytes)
                    .map(|error| (error.valid_up_to(), matches!(error, ProfileError::Forbidden(_))))
                    .collect();
                assert_eq!(found, expected, "round {round}, {name}, {kernel:?}");
            }
            if let Ok(text) = core::str::from_utf8(&bytes) {
                assert_eq!(profile.census(text).total(), expected.len() as u64, "{name}");
            }
        }
    }
}

#[test]
fn streams_cut_at_every_byte() {
    let texts: [&[u8]; 8] = [
        b"\r\n\ra\n\r\r\n",
        "a\u{85}é\u{202E}日\u{FFFF}".as_bytes(),
        "\u{FEFF}日\u{FEFF}".as_bytes(),
        "é\u{1FFFE}\0".as_bytes(),
        "日\u{E0041}".as_bytes(),
        b"ab\0\xFFcd",
        b"ab\xFF\0",
        b"\xE2\x80\xAE\xE2\x80",
    ];
    for bytes in texts {
        for (name, profile) in Profile::PRESETS {
            for kernel in kernels() {
                for (i, j) in (0..=bytes.len()).flat_map(|j| (0..=j).map(move |i| (i, j))) {
                    let mut validator = ProfileValidator::new(*profile);
                    let result = [&bytes[..i], &bytes[i..j], &bytes[j..]]
                        .into_iter()
                        .try_for_each(|piece| kernel.push_profile(&mut validator, piece))
                        .and_then(|()| validator.finish());
                    let found = result.err().map(|error| match error {
                        ProfileStreamError::NotUtf8(error) => {
                            (error.valid_up_to() as usize, false, error.error_len())
                        }
                        ProfileStreamError::Forbidden(found) => {
                            (found.offset() as usize, true, Some(found.character().len_utf8()))
                        }
                    });
                    assert_eq!(found, expected(name, bytes), "{name}, {kernel:?}, {i}, {j}: {bytes:02X?}");
                }
            }
            for (i, j) in (0..=bytes.len()).flat_map(|j| (0..=j).map(move |i| (i, j))) {
                let (mut validator, mut text) = (ProfileValidator::new(*profile), String::new());
                for piece in [&bytes[..i], &bytes[i..j], &bytes[j..]] {
                    text.extend(&validator.decode_up_to_error(piece).0);
                }
                let len = expected(name, bytes).map_or(bytes.len(), |error| error.0);
                // A character that depends on the next one may be there before the error.
                let more = text.len() - len;
                let is_held = [i, j, bytes.len()].contains(&text.len());
                assert!(
                    more == 0 || (matches!(more, 3 | 4) || more == 1 && bytes[len] == b'\r') && is_held,
                    "{name}, {i}, {j}: {bytes:02X?}"
                );
                assert_eq!(text.as_bytes(), &bytes[..len + more], "{name}, {i}, {j}: {bytes:02X?}");
                let result = validator.finish();
                assert_eq!(result.is_ok(), len == bytes.len());
                let valid = validator.valid_up_to() as usize;
                assert!(valid == len || valid == len + more, "{name}, {i}, {j}: {bytes:02X?}");
            }
        }
    }
}

/// Returns the text without the characters that are forbidden after the repaired text before them.
#[cfg(feature = "alloc")]
pub(super) fn repaired_by_oracle(preset: &str, text: &str) -> String {
    let mut repaired = String::new();
    for (at, character) in text.char_indices() {
        let (count, next) = (repaired.chars().count(), text[at + character.len_utf8()..].chars().next());
        let context: String = repaired.chars().chain([character]).chain(next).collect();
        // A byte order mark that is not at the start stays one.
        let is_moved = character == '\u{FEFF}' && at > 0 && BY_CONTEXT.contains(&preset);
        // Of two fillers before a final consonant, both are at home or neither is. So it is of two U+200B before a word.
        let pair: String = repaired.chars().chain(text[at..].chars().take(3)).collect();
        let is_first =
            ["\u{115F}\u{1160}", "\u{200B}\u{200B}"].iter().any(|pair| text[at..].starts_with(pair));
        let dangles = is_first && !allowed(preset, &pair, true)[count + 1];
        // CR may be dropped, and blanks between a blank and something else.
        let is_lost = |row: &[char]| {
            let far = text[at + character.len_utf8()..].chars().find(|next| !row.contains(next));
            let far: String = repaired.chars().chain([character]).chain(far).collect();
            !allowed(preset, &far, true)[count]
        };
        let is_before_other = is_lost(&['\r']) || character == '\u{2800}' && is_lost(&['\r', character]);
        if allowed(preset, &context, true)[count] && !is_moved && !dangles && !is_before_other {
            repaired.push(character);
        }
    }
    repaired
}

#[cfg(feature = "alloc")]
const POLICIES: [ProfilePolicy; 5] = [
    ProfilePolicy::Replace,
    ProfilePolicy::Drop,
    ProfilePolicy::Escape,
    ProfilePolicy::Caret,
    ProfilePolicy::CharacterReference,
];

/// In a row of one character, the first ones have another context, and so has the last one.
#[test]
fn rows_of_one_character() {
    let mut thin = Thin::where_slow();
    // Of U+200B, the last two are judged together.
    for character in interesting().into_iter().filter(|&character| thin.keep() || character == '\u{200B}') {
        let row = String::from(character).repeat(100);
        let text = format!("a{row}\n\u{5D0}{row}\u{1160}\u{11A8}>{row}\u{1780}");
        for (name, profile) in Profile::PRESETS {
            let allowed = allowed(name, &text, true);
            let expected =
                || text.char_indices().zip(&allowed).filter(|(_, allowed)| !**allowed).map(|((at, _), _)| at);
            for kernel in kernels() {
                let found = kernel.profile(profile).errors(text.as_bytes()).map(|error| error.valid_up_to());
                assert!(found.eq(expected()), "{name}, {kernel:?}: {text:?}");
            }
            assert_eq!(profile.census(&text).total(), expected().count() as u64, "{name}: {text:?}");
            #[cfg(feature = "alloc")]
            assert_eq!(
                profile.repair(&text, ProfilePolicy::Drop),
                repaired_by_oracle(name, &text),
                "{name}: {text:?}"
            );
        }
    }
}

#[cfg(feature = "alloc")]
#[test]
fn repaired_text_is_allowed() {
    let (mut random, characters) = (Random::new(1), interesting());
    for round in 0..slow_cases(200, 20) {
        let text = random_text(&mut random, &characters, 100);
        for (name, profile) in Profile::PRESETS {
            let expected = repaired_by_oracle(name, &text);
            assert_eq!(profile.repair(&text, ProfilePolicy::Drop), expected, "{round}, {name}: {text:?}");
            for policy in POLICIES {
                let repaired = profile.repair(&text, policy);
                assert_eq!(profile.check(&repaired), Ok(()), "{round}, {name}, {policy:?}: {text:?}");
                assert_eq!(repaired == text, expected == text, "{round}, {name}, {policy:?}: {text:?}");
                assert_eq!(profile.repair(&repaired, policy), repaired, "{round}, {name}, {policy:?}");
            }
        }
    }
}

#[test]
fn rows_of_columns() {
    let (mut random, characters) = (Random::new(58), interesting());
    for round in 0..slow_cases(200, 20) {
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        for _ in 0..random.index(40) {
            let len = random.index(12);
            values.extend_from_slice(random_text(&mut random, &characters, len).as_bytes());
            if random.below(9) == 0 {
                values.push(0xE2);
            }
            offsets.push(values.len() as i64);
        }
        let nulls: Vec<u8> = (0..5).map(|_| random.below(256) as u8).collect();
        let is_valid = |row: usize| nulls[row / 8] >> (row % 8) & 1 == 1;
        let column = Offsets::new(&values, &offsets, Some(Validity::new(&nulls, 0))).expect("it is a column");
        for (name, profile) in Profile::PRESETS {
            let rows =
                || offsets.windows(2).map(|pair| &values[pair[0] as usize..pair[1] as usize]).enumerate();
            let expected: Vec<_> = rows()
                .filter(|&(row, _)| is_valid(row))
                .filter_map(|(row, bytes)| Some((row, expected(name, bytes)?)))
                .collect();
            let found: Vec<_> =
                refused_rows(column, profile).map(|(row, error)| (row, found(&error))).collect();
            assert_eq!(found, expected, "{round}, {name}");
            let mut bitmap = vec![0xFF; column.rows().div_ceil(8)];
            assert_eq!(refused_rows(column, profile).bitmap(&mut bitmap), Ok(expected.len()));
            for (row, _) in rows() {
                let is_refused = expected.iter().any(|refused| refused.0 == row);
                assert_eq!(bitmap[row / 8] >> (row % 8) & 1 == 1, is_refused, "{round}, {name}, {row}");
                #[cfg(feature = "alloc")]
                match refused_rows(column, profile).validity() {
                    Some(bitmap) => assert_eq!(
                        bitmap[row / 8] >> (row % 8) & 1 == 1,
                        is_valid(row) && !is_refused,
                        "{round}, {name}, {row}"
                    ),
                    None => assert!(expected.is_empty(), "{round}, {name}"),
                }
            }
        }
    }
}

/// The bitmap had one bit for each of them.
#[cfg(feature = "alloc")]
#[test]
fn rows_without_bytes_need_no_memory() {
    let column = FixedSize::<i32>::new(b"", 0, usize::MAX / 2, None).expect("there are no bytes");
    assert_eq!(refused_rows(column, &Profile::POSTGRES).validity(), None);
}

/// After the first views, the errors of the buffers are listed, and the rows are not read.
#[test]
fn rows_that_overlap() {
    let (mut random, characters) = (Random::new(59), interesting());
    for round in 0..slow_cases(60, 18) as usize {
        let buffers: [Vec<u8>; 2] = std::array::from_fn(|_| {
            let mut buffer = [&b"...."[..], b"\xEF\xBB\xBF", b"\xFF\xEF\xBB\xBF"][random.index(3)].to_vec();
            while buffer.len() < 400 {
                buffer.extend_from_slice(random_text(&mut random, &characters, round % 9).as_bytes());
                buffer.extend_from_slice(["plain text", "é日😀", ""][random.index(3)].as_bytes());
                if random.below(5) == 0 {
                    buffer.push([0xE2, 0x80, 0xFF, 0xED][random.index(4)]);
                }
                if random.below(9) == 0 {
                    buffer.extend_from_slice("\u{FEFF}".repeat(1 + random.index(2)).as_bytes());
                }
            }
            buffer
        });
        let (mut views, mut rows) = (Vec::new(), Vec::new());
        for _ in 0..300 {
            let number = random.index(2);
            let buffer = &buffers[number];
            let from = random.index(buffer.len() - 13);
            let most = (buffer.len() - from - 12).min(1 << random.below(9));
            let to = from + 13 + random.index(most);
            let [len, from_word] = [to - from, from].map(|number| number as u128);
            let prefix = buffer[from..from + 4].try_into().map(u32::from_le_bytes).expect("four bytes");
            views.push(len | u128::from(prefix) << 32 | (number as u128) << 64 | from_word << 96);
            rows.push(&buffer[from..to]);
            views.push(u128::from_le_bytes(*b"\x03\0\0\0a\0\xFF\0\0\0\0\0\0\0\0\0"));
            rows.push(b"a\0\xFF");
        }
        let column = Views::new(&views, &buffers, None).expect("the views lie in the buffers");
        for (name, profile) in Profile::PRESETS {
            let expected: Vec<_> =
                (0..).zip(&rows).filter_map(|(row, bytes)| Some((row, expected(name, bytes)?))).collect();
            let found: Vec<_> =
                refused_rows(column, profile).map(|(row, error)| (row, found(&error))).collect();
            assert_eq!(found, expected, "{round}, {name}");
        }
    }
}

/// Rows of listed buffers that end in the middle of a character, which the one before it needs, or after a continuation too many.
#[test]
fn rows_that_are_cut_off() {
    let buffer = [&[b'a'; 500][..], "1\u{FE0F}\u{20E3}1\u{FE0F}😀".as_bytes(), &[0x80; 9]].concat();
    let ends = || (0..9).flat_map(|from| (490..=buffer.len()).map(move |to| from..to));
    let view =
        |row: std::ops::Range<usize>| row.len() as u128 | 0x6161_6161 << 32 | (row.start as u128) << 96;
    let views: Vec<u128> = ends().map(view).collect();
    let buffers = [&buffer];
    let column = Views::new(&views, &buffers, None).expect("the views lie in the buffer");
    let rows = || (0..).zip(ends().map(|row| &buffer[row]));
    let expected = rows().filter_map(|(row, bytes)| Some((row, expected("source", bytes)?)));
    let found = refused_rows(column, &Profile::SOURCE_CODE).map(|(row, error)| (row, found(&error)));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

/// The example of RFC 9839, section 1: `"\u0000\u0089\uDEAD\uD9BF\uDFFF"` in JSON. A lone surrogate
/// is not even UTF-8.
#[test]
fn the_example_of_rfc_9839() {
    let text = "\0\u{89}\u{7FFFF}";
    for kernel in kernels() {
        let classes = |profile| -> Vec<_> {
            let errors = kernel.profile(profile).errors(text.as_bytes());
            errors
                .map(|error| match error {
                    ProfileError::Forbidden(found) => found.class(),
                    ProfileError::NotUtf8(error) => panic!("{error}"),
                })
                .collect()
        };
        assert_eq!(classes(&Profile::SCALARS), []);
        assert_eq!(classes(&Profile::XML_1_0), [Class::Nul]);
        assert_eq!(classes(&Profile::ASSIGNABLES), [Class::Nul, Class::C1Control, Class::Noncharacter]);
        for (name, profile) in Profile::PRESETS {
            let error = kernel.profile(profile).from_utf8(b"a\xED\xBA\xAD").expect_err("it is a surrogate");
            assert!(matches!(error, ProfileError::NotUtf8(_)), "{name}, {kernel:?}");
            assert_eq!(found(&error), (1, false, Some(1)), "{name}, {kernel:?}");
        }
    }
}

/// RFC 7493, section 2.1, forbids surrogates and the 66 noncharacters. Everything else is allowed:
/// controls (RFC 8259 wants them escaped, and then JSON's text does not have them), private use,
/// and code points without a character.
#[test]
fn what_i_json_forbids() {
    let all: String = scalars().collect();
    let census = Profile::I_JSON.census(&all);
    assert_eq!(
        (census.total(), census.count(Class::FffeFfff), census.count(Class::Noncharacter)),
        (66, 2, 64)
    );
    for surrogate in 0xD800..0xE000_u32 {
        let bytes = [0xED, 0x80 | (surrogate >> 6 & 0x3F) as u8, 0x80 | (surrogate & 0x3F) as u8];
        assert!(matches!(Profile::I_JSON.from_utf8(&bytes), Err(ProfileError::NotUtf8(_))), "{surrogate:X}");
    }
    assert_eq!(Profile::I_JSON.check("\0\u{7F}\u{85}\u{E000}\u{FEFF}\u{378}\u{10FFFD}"), Ok(()));
}

/// The attacks of 'Trojan Source' (CVE-2021-42574): comments that reach out, strings that are
/// stretched, functions that are hidden.
#[test]
fn code_that_is_not_what_it_seems() {
    for line in [
        "/*\u{202E} }\u{2066}if (is_admin)\u{2069} \u{2066} begin admins only */",
        "if access_level != 'user\u{202E} \u{2066}// only admins\u{2069} \u{2066}' {",
        "def f():\n    ''' pays \u{2067}''' ;return",
        "fn say\u{200B}hello() {}",
        "let \u{3164} = env();",
    ] {
        assert!(!Profile::SOURCE_CODE.is_valid(line.as_bytes()), "{line:?}");
    }
    let fine = "\u{C}// שלום, “quoted” – 👩‍👩‍👧 می‌خواهم\r\n\tlet x = 1;\n\u{C}\n";
    assert_eq!(Profile::SOURCE_CODE.check(fine), Ok(()));
    assert_eq!(Profile::PROMPT.check(&fine.replace('\u{C}', "")), Ok(()));
}

#[test]
fn names_and_numbers_are_unique() {
    for (i, class) in Class::ALL.iter().enumerate() {
        assert_eq!((usize::from(class.code()), class.to_string().parse()), (i, Ok(*class)));
        assert_eq!(Class::by_name(&class.name().to_uppercase().replace('-', " ")), Some(*class));
        assert_eq!(Profile::new().forbid(*class).to_string().contains(class.name()), *class != Class::Nul);
    }
    for (name, profile) in Profile::PRESETS {
        assert_eq!(Profile::by_name(&name.to_uppercase().replace('-', "_")), Some(*profile));
        assert_eq!(profile.to_string().parse(), Ok(*profile));
        assert_eq!(Profile::from_bits(profile.bits()), *profile);
    }
    let error = "json".parse::<Profile>().unwrap_err();
    assert!(error.to_string().starts_with("no profile has this name; the names are scalars, xml, "));
    assert_eq!("tags".parse::<Class>().unwrap_err().names().len(), Class::ALL.len());
}

/// The last character is found, also where the zeros around a short text are no suspects, and after text without suspects.
#[test]
fn a_suspect_ends_the_text() {
    let profile = Profile::new().forbid(Class::Delete).forbid(Class::StrayJoiner).forbid(Class::SoftHyphen);
    for kernel in kernels() {
        for count in (0..140).chain(185..200).chain(250..262).chain(440..520) {
            let text = "é".repeat(count / 2) + &"a".repeat(count % 2);
            assert_eq!(kernel.profile(&profile).from_utf8(text.as_bytes()), Ok(&*text), "{kernel:?}");
            for last in ["\x7F", "\u{AD}", "\u{200D}"] {
                let text = text.clone() + last;
                let found = kernel.profile(&profile).from_utf8(text.as_bytes());
                assert_eq!(found.map_err(|error| error.valid_up_to()), Err(count), "{kernel:?}, {last:?}");
            }
        }
    }
}

/// Text without suspects takes a shorter path, on which only the kernel finds what is not UTF-8.
#[test]
fn a_fault_in_text_without_suspects() {
    let text = "слово, und Häuser, 日本 ".repeat(1100);
    for kernel in kernels() {
        for len in (1..140).chain([200, 300, 1000, 16_380, 16_390, 33_000]) {
            let text = &text.as_bytes()[..len];
            let check = |bytes: &[u8]| {
                let expected = core::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
                let found = kernel.profile(&Profile::TERMINAL).from_utf8(bytes);
                assert_eq!(
                    found.map_err(|error| error.valid_up_to()),
                    expected,
                    "{kernel:?}, {len}: {bytes:02X?}"
                );
            };
            // The end may cut off a character.
            check(text);
            for at in (0..len).step_by(1 + len / 150) {
                let mut bytes = text.to_vec();
                bytes[at] = [b'a', 0xBF, 0xFF][at % 3];
                check(&bytes);
            }
        }
    }
}

#[cfg(feature = "alloc")]
#[test]
fn blanks_before_words_and_what_is_before_carriage_returns_are_repaired() {
    let long = [
        ("\u{200B}", 22),
        ("\u{200B}", 1400),
        ("\u{2800}", 40),
        ("\u{2800}", 1400),
        ("\u{2800}\u{200B}", 700),
    ];
    let mut long = long.map(|(unit, times)| format!("\u{2800}{}word", unit.repeat(times))).to_vec();
    long.extend([40, 4200, 9000].map(|times| format!("ه\u{200C}{}word", "\r".repeat(times))));
    for text in long.iter().map(String::as_str).chain([
        "ه\u{200C}\rword",
        "é\u{2060}\r\r\r\nx",
        "\u{FFFC}\r\u{E000} \u{FFFC}\r\n",
        "\n\u{2800}\u{2800}code",
        "\u{2800}\u{2800}\u{2800}x",
        "a\n\u{2800}\u{200B}\u{2800}b",
        "\u{2800}\u{E000}w",
        "\u{2800}\u{2800}\u{FE0F}\u{2800}\u{E000}.",
        "\u{2800}\r\u{2800}\r\n\u{2800}\r\u{E000}",
        "\u{2801}é\u{2800}\u{2800}\r\u{2800}\u{2800}\r",
        "\u{2800}\u{200B}c",
        "\u{2801}\u{2800}\u{2800}d",
    ]) {
        for policy in POLICIES {
            let repaired = Profile::SOURCE_CODE.repair(text, policy);
            assert_eq!(Profile::SOURCE_CODE.check(&repaired), Ok(()), "{text:?}, {policy:?}: {repaired:?}");
            assert_eq!(Profile::SOURCE_CODE.repair(&repaired, policy), repaired, "{text:?}, {policy:?}");
            for (cut, _) in text.char_indices().step_by(text.len() / 64 + 1) {
                let (mut repairer, mut out) = (Repairer::new(&Profile::SOURCE_CODE, policy), String::new());
                repairer.push(&text[..cut], &mut out);
                repairer.push(&text[cut..], &mut out);
                repairer.finish(&mut out);
                assert_eq!(out, repaired, "{text:?}, {policy:?}, {cut}");
            }
        }
    }
}
