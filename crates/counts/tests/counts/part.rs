//! Parts: however a text is cut, and whichever neighbours are joined first, the judgement is that of one pass over the whole.

use super::support::kernels::{kernels, ways};
use super::support::malformed::MALFORMED;
use super::support::oracle;
use super::support::random::{Mutation, Random, cases, lines, mutation, passage};
use super::support::scale::{Thin, scale};
use proptest::prelude::*;
use proptest::sample::Index;
use trust8::{ErrorKind, Kernel, locate};
use trust8_counts::{KernelCounts, Part};

/// The result of one pass over a text: its counts, and the first error with its line and column.
#[derive(PartialEq, Debug)]
struct Answer {
    bytes: u64,
    chars_by_len: [u64; 4],
    utf16_len: u64,
    newlines: u64,
    error: Option<(Option<usize>, ErrorKind, u64, u64, String)>,
}

fn one_pass(text: &[u8]) -> Answer {
    let fault = oracle::fault(text);
    let valid = &text[..fault.map_or(text.len(), |fault| fault.valid_up_to)];
    let valid = std::str::from_utf8(valid).unwrap();
    let mut chars_by_len = [0; 4];
    valid.chars().for_each(|character| chars_by_len[character.len_utf8() - 1] += 1);
    let error = fault.map(|fault| {
        let location = locate(text, fault.valid_up_to);
        let message = trust8::from_utf8(text).unwrap_err().to_string();
        (fault.error_len, fault.kind, location.line as u64, location.column as u64, message)
    });
    Answer {
        bytes: valid.len() as u64,
        chars_by_len,
        utf16_len: valid.encode_utf16().count() as u64,
        newlines: valid.matches('\n').count() as u64,
        error,
    }
}

fn answer(part: &Part) -> Answer {
    let (tally, error) = match part.finish() {
        Ok(tally) => (tally, None),
        Err(error) => {
            assert_eq!(error.valid_up_to(), error.before().bytes());
            let reason = (error.error_len(), error.kind(), error.line(), error.column(), error.to_string());
            (error.before(), Some(reason))
        }
    };
    assert_eq!(tally.chars(), tally.chars_by_len().iter().sum::<u64>());
    Answer {
        bytes: tally.bytes(),
        chars_by_len: tally.chars_by_len(),
        utf16_len: tally.utf16_len(),
        newlines: tally.newlines(),
        error,
    }
}

/// Joins neighbours, which `choose` chooses, until one part is left.
fn join(mut parts: Vec<Part>, mut choose: impl FnMut(usize) -> usize) -> Part {
    while parts.len() > 1 {
        let left = choose(parts.len() - 2);
        let right = parts.remove(left + 1);
        parts[left] = parts[left].then(&right);
    }
    parts.pop().unwrap_or_default()
}

/// Cuts a text at these places, which ascend.
fn parts(kernel: &Kernel, text: &[u8], cuts: &[usize]) -> Vec<Part> {
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| kernel.part(&text[start..end])).collect()
}

/// Every text of up to six bytes, by classes of bytes, cut in every way, and joined from the left and from the right.
#[test]
fn every_short_text_in_every_cut() {
    const BYTES: [u8; 15] =
        [b'a', b'\n', 0x80, 0x90, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4, 0xFF];
    let mut thin = Thin::new();
    for len in 0..=6_u32 {
        // Of the longest ones, one in seven.
        let stride = if len == 6 { 7 } else { 1 };
        for number in (0..15_usize.pow(len)).step_by(stride) {
            if len > 3 && !thin.keep() {
                continue;
            }
            let text: Vec<u8> = (0..len).map(|i| BYTES[number / 15_usize.pow(i) % 15]).collect();
            let whole = Part::of(&text);
            let expected = one_pass(&text);
            assert_eq!(answer(&whole), expected, "{text:02X?}");
            for mask in 1..1_usize << len.saturating_sub(1) {
                let cuts: Vec<usize> = (1..text.len()).filter(|cut| mask >> (cut - 1) & 1 == 1).collect();
                let parts = parts(Kernel::best(), &text, &cuts);
                let joined = [join(parts.clone(), |_| 0), join(parts, |last| last)];
                assert_eq!(joined, [whole; 2], "{text:02X?} cut at {cuts:?}");
            }
        }
    }
}

/// Each malformed sequence after and before text of each length, with a cut at each place near it.
#[test]
fn every_malformed_sequence_at_every_cut() {
    let mut thin = Thin::new();
    for malformed in &MALFORMED {
        for filler in ["", "a", "é\n", "日本", "😀", "\n"] {
            for times in [1, 40] {
                if !thin.keep() {
                    continue;
                }
                let (before, after) = (filler.repeat(times), filler.repeat(2 * times));
                let text = [before.as_bytes(), malformed.bytes, after.as_bytes()].concat();
                let expected = one_pass(&text);
                for way in ways() {
                    let whole = way.kernel.part(&text);
                    assert_eq!(answer(&whole), expected, "{}: {text:02X?}", way.name);
                    for cut in before.len().saturating_sub(4)..(before.len() + 9).min(text.len()) {
                        let [left, right] = parts(way.kernel, &text, &[cut]).try_into().unwrap();
                        assert_eq!(left.then(&right), whole, "{}: {text:02X?} at {cut}", way.name);
                    }
                }
            }
        }
    }
}

#[test]
fn the_part_of_no_bytes_changes_nothing() {
    let empty = Part::default();
    assert_eq!(Part::of(b""), empty);
    assert!(empty.is_empty() && empty.finish().unwrap().bytes() == 0);
    for malformed in &MALFORMED {
        let part = Part::of(malformed.bytes);
        assert_eq!([empty.then(&part), part.then(&empty)], [part; 2]);
    }
}

#[test]
fn a_judgement_survives_as_bytes() {
    let check = |part: Part| assert_eq!(Part::from_bytes(&part.to_bytes()), Some(part));
    for malformed in &MALFORMED {
        for cut in 0..=malformed.bytes.len() {
            check(Part::of(&malformed.bytes[..cut]));
            check(Part::of(&malformed.bytes[cut..]));
            check(Part::of(
                &[&malformed.bytes[cut..], "né\n日😀".as_bytes(), &malformed.bytes[..cut]].concat(),
            ));
        }
    }
    // The bytes are part of the interface, because other machines and other versions read them.
    let part = Part::of(b"\x82\xACa\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98");
    let mut expected = [0; Part::LEN];
    for (i, number) in [12, 7, 3, 1, 0, 1, 2].into_iter().enumerate() {
        expected[8 * i] = number;
    }
    expected[56..].copy_from_slice(b"\x82\xACa\xF0\x9F\x98\0\x0E");
    assert_eq!(part.to_bytes(), expected);
    let failed = Part::of(b"a\xE2\x82!").to_bytes();
    assert_eq!((failed[0], failed[8], &failed[56..]), (4, 1, &b"a\xE2\x82\xE2\x82!\0\x2C"[..]));
}

/// Bytes that no part gives are refused, or they are those of some judgement. Nothing panics then, not even in sums.
#[test]
fn made_up_bytes_do_no_harm() {
    let mut random = Random::new(0x005E_ED0F_9A27);
    let mut accepted = 0;
    for case in 0..200_000 / scale() {
        let malformed = MALFORMED[random.index(MALFORMED.len())].bytes;
        let mut bytes = Part::of(&[malformed, "né\n日😀".as_bytes()].concat()).to_bytes();
        for _ in 0..=random.below(3) {
            let at = if case % 2 == 0 { random.index(64) } else { 8 * random.index(7) + random.index(2) * 7 };
            bytes[at] = random.below(256) as u8;
        }
        let Some(part) = Part::from_bytes(&bytes) else { continue };
        accepted += 1;
        assert_eq!(part.to_bytes(), bytes);
        let mut sum = part;
        for _ in 0..80 {
            sum = sum.then(&sum);
            let _ = answer_unchecked(&sum);
        }
        let _ = format!("{part:?} {:?} {:?}", part.finish(), sum.then(&Part::of(b"\x80")).finish());
    }
    assert!(accepted > 0);
}

/// Counts that contradict each other are refused.
#[test]
fn counts_that_no_text_has_are_refused() {
    // Continuations, leads from E0 and from F0, newlines, and the characters of the last line: of four characters in ten bytes.
    let is_possible = |counts: [u64; 5]| {
        let mut bytes = Part::of("aé日😀".as_bytes()).to_bytes();
        for (number, count) in bytes[16..56].chunks_mut(8).zip(counts) {
            number.copy_from_slice(&count.to_le_bytes());
        }
        Part::from_bytes(&bytes).is_some()
    };
    for counts in [[6, 2, 1, 0, 4], [6, 2, 1, 1, 3], [6, 2, 1, 1, 0], [6, 2, 2, 0, 4], [6, 3, 0, 0, 4]] {
        assert!(is_possible(counts), "{counts:?}");
    }
    for counts in [
        [6, 1, 2, 0, 4],
        [6, 3, 1, 0, 4],
        [6, 2, 1, 2, 2],
        [6, 2, 1, 1, 4],
        [6, 2, 1, 0, 3],
        [6, 2, 1, 0, 5],
        [7, 2, 1, 0, 3],
        [2, 2, 1, 0, 8],
        [11, 2, 1, 0, 0],
    ] {
        assert!(!is_possible(counts), "{counts:?}");
    }
}

fn answer_unchecked(part: &Part) -> [u64; 4] {
    part.finish().map_or_else(|error| error.before().chars_by_len(), |tally| tally.chars_by_len())
}

proptest! {
    #![proptest_config(cases(3000, 100))]

    #[test]
    fn any_cut_and_any_grouping_equals_one_pass(
        passages in prop::collection::vec(passage(0..900_usize), 0..4),
        mutations in prop::collection::vec(mutation(), 0..3),
        cuts in prop::collection::vec(any::<Index>(), 0..12),
        seed in 1..=u64::MAX,
    ) {
        let mut text = lines(&passages);
        mutations.iter().for_each(|mutation: &Mutation| mutation.apply(&mut text));
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        let expected = one_pass(&text);
        for kernel in kernels() {
            let whole = kernel.part(&text);
            prop_assert_eq!(&answer(&whole), &expected);
            let parts = parts(kernel, &text, &cuts);
            let mut random = Random::new(seed);
            prop_assert_eq!(join(parts, |n| random.index(n + 1)), whole);
        }
    }

    #[test]
    fn joining_is_associative(
        bytes in prop::collection::vec(prop::sample::select(&b"a\n\x80\x9F\xA0\xC3\xE0\xE2\xED\xF0\xF4\xFF"[..]), 0..24),
        cuts in (any::<Index>(), any::<Index>()),
    ) {
        let (one, other) = (cuts.0.index(bytes.len() + 1), cuts.1.index(bytes.len() + 1));
        let [a, b, c] = [0..one.min(other), one.min(other)..one.max(other), one.max(other)..bytes.len()]
            .map(|range| Part::of(&bytes[range]));
        prop_assert_eq!(a.then(&b).then(&c), a.then(&b.then(&c)));
        prop_assert_eq!(a.then(&b).then(&c), Part::of(&bytes));
    }
}
