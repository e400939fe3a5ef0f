//! Text in aligned parts, each of one kind, with one border between two parts spoiled.
//!
//! A kernel treats a block according to its kind, so its mistakes hide where kinds meet. In random text, kinds rarely meet
//! at a multiple of 64, and a random mutation rarely falls there.

use super::support::kernels::{check, ways};
use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::random::Random;
use super::support::scale::{Thin, scale};

/// Fills a part with ASCII, with ASCII and one character in it, or with one script.
fn fill(part: &mut [u8], kind: usize, random: &mut Random) {
    part.fill(b'a');
    let character = ["", "é", "é", "日", "😀"][kind].as_bytes();
    match kind {
        1 | 4 if part.len() > character.len() => {
            let at = random.index(part.len() - character.len());
            part[at..at + character.len()].copy_from_slice(character);
        }
        2 | 3 => part.chunks_exact_mut(character.len()).for_each(|place| place.copy_from_slice(character)),
        _ => {}
    }
}

/// Bytes to put at a border, with the number of them before it. Some are well-formed.
const AT_BORDERS: [(&[u8], usize); 19] = [
    (b"\xC3", 1),
    (b"\xC0", 1),
    (b"\xE2", 1),
    (b"\xE2\x82", 2),
    (b"\xF0\x9F\x98", 3),
    (b"\xF1\x80", 2),
    (b"\xFF", 1),
    (b"\xF4", 1),
    (b"\x80", 0),
    (b"\xC3\xA9", 1),
    (b"\xE2\x82\xAC", 1),
    (b"\xE2\x82\xAC", 2),
    (b"\xF0\x9F\x98\x80", 2),
    (b"\xF0\x9F\x98\x80", 3),
    (b"\xE0\x80\x80", 1),
    (b"\xED\xA0\x80", 1),
    (b"\xF4\x90\x80\x80", 1),
    (b"\xC1\x80", 1),
    (b"\xC3\xA9\x80", 2),
];

#[test]
fn where_kinds_meet() {
    let mut random = Random::new(0x000D_EADB_EEF1_2345);
    let mut memory = vec![0; 1 << 13];
    let aligned = memory.as_ptr().align_offset(64);
    for _ in 0..40_000 / scale() {
        let shift = if random.index(2) == 0 { 0 } else { random.index(64) };
        let len = 1024 + random.index(5000);
        let text = &mut memory[aligned + shift..][..len];
        let part_len = random.one_of(&[16, 32, 64, 64, 64, 128, 61, 488, 512]);
        let change_one_in = random.one_of(&[2, 4, 8, 16]);
        let kinds = random.one_of(&[2, 3, 4, 5]);

        let (mut at, mut end, mut kind) = (0, 64 - shift, 0);
        let mut borders = vec![];
        while at < len {
            borders.push(at);
            end = end.min(len);
            fill(&mut text[at..end], kind, &mut random);
            (at, end) = (end, end + part_len);
            if random.index(change_one_in) == 0 {
                kind = random.index(kinds);
            }
        }
        borders.push(len);

        let border = random.one_of(&borders);
        let (bytes, before) = random.one_of(&AT_BORDERS);
        for (i, &byte) in bytes.iter().enumerate() {
            if let Some(place) = (border + i).checked_sub(before).and_then(|at| text.get_mut(at)) {
                *place = byte;
            }
        }
        let expected = std::str::from_utf8(text).err().map(|e| (e.valid_up_to(), e.error_len()));
        for way in ways() {
            let found = way.kernel.from_utf8(text).err().map(|e| (e.valid_up_to(), e.error_len()));
            let what =
                format!("{}: {bytes:X?} at {border} of {len}, {shift} off, parts of {part_len}", way.name);
            assert_eq!(found, expected, "{what}");
            assert_eq!(way.kernel.is_utf8(text), expected.is_none(), "{what}");
        }
    }
}

/// A kernel may skip all ASCII, so it must not miss the edges of the rest. Each sequence is
/// surrounded by ASCII, with another character before or after it at every place and distance.
/// Further up in the text there is nothing else, or a character of two bytes, or one of three.
#[test]
fn two_places_in_ascii() {
    const BLOCK: usize = 64;
    let mut thin = Thin::new();
    let mut memory = vec![0; 1 << 11];
    let aligned = memory.as_ptr().align_offset(BLOCK);
    let text = &mut memory[aligned..][..16 * BLOCK + 7];
    let other = "\u{65E5}".as_bytes();
    let characters = BOUNDARY_CHARACTERS.map(String::from);
    let characters = characters.iter().map(String::as_bytes);
    for sequence in MALFORMED.iter().map(|malformed| malformed.bytes).chain(characters) {
        for (place, distance) in
            (0..BLOCK).flat_map(|place| (0..BLOCK).map(move |distance| (place, distance)))
        {
            for pair in [[sequence, other], [other, sequence]] {
                for run in ["", "\u{E9}", "\u{65E5}"].map(str::as_bytes) {
                    if !thin.keep() {
                        continue;
                    }
                    text.fill(b'a');
                    // The kind of run.
                    text[3 * BLOCK..][..run.len()].copy_from_slice(run);
                    let first = 8 * BLOCK + place;
                    text[first..][..pair[0].len()].copy_from_slice(pair[0]);
                    text[first + pair[0].len() + distance..][..pair[1].len()].copy_from_slice(pair[1]);
                    check(text);
                }
            }
        }
    }
}

/// Dense text is checked without a look at each block. So every border of its first blocks is spoiled, and the kind of text changes
/// in each of them, with each kind of text before and after.
#[test]
fn dense_text_that_changes_its_kind() {
    const BLOCK: usize = 64;
    let mut thin = Thin::new();
    let mut random = Random::new(0x0DE5_5E7E_2718_2818);
    let mut memory = vec![0; 1 << 13];
    let aligned = memory.as_ptr().align_offset(BLOCK);
    for (first, second) in (0..5).flat_map(|first| (0..5).map(move |second| (first, second))) {
        // The blocks before dense text, three times as many as a kernel looks at together, and one.
        for change in 1..64 {
            for (bytes, before) in AT_BORDERS {
                if !thin.keep() {
                    continue;
                }
                let text = &mut memory[aligned..][..80 * BLOCK + 3];
                for (block, part) in text.chunks_mut(BLOCK).enumerate() {
                    let kind = if block < change { first } else { second };
                    // `fill` knows dense text of two and of three bytes as 2 and 3.
                    fill(part, kind, &mut random);
                    if kind == 4 {
                        part.fill(b'a');
                        part.chunks_exact_mut(4)
                            .for_each(|place| place.copy_from_slice("\u{1F600}".as_bytes()));
                    }
                }
                let border = (change + random.index(20)).min(79) * BLOCK;
                text[border - before..][..bytes.len()].copy_from_slice(bytes);
                check(text);
            }
        }
    }
}
