//! Lossy text, chunks and lists of errors are those of the standard library, for every kernel and way.

#![cfg(feature = "alloc")]

use std::borrow::Cow;
use std::mem::MaybeUninit;

use super::support::kernels::{Way, fault_of, kernels, ways};
use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::oracle::{self, Fault};
use super::support::random::{Random, cases};
use super::support::scale::{Thin, scale};
use super::support::text::{Filler, Place};
use proptest::prelude::*;
use trust8::{
    Kernel, TooSmall, copy_utf8_lossy, errors, from_utf8_lossy, from_utf8_lossy_owned, lossy_into, lossy_len,
    string_from_utf8, utf8_chunks,
};

/// The standard library's result for an input.
struct Expected {
    text: String,
    /// Valid text, and the invalid sequence after it.
    chunks: Vec<(String, Vec<u8>)>,
}

impl Expected {
    fn of(input: &[u8]) -> Self {
        let chunks = input.utf8_chunks().map(|chunk| (chunk.valid().to_owned(), chunk.invalid().to_vec()));
        Self { text: String::from_utf8_lossy(input).into_owned(), chunks: chunks.collect() }
    }
}

/// Returns every fault according to the grammar. After each one the search continues in the rest.
fn all_faults(input: &[u8]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut at = 0;
    while let Some(fault) = oracle::fault(&input[at..]) {
        faults.push(Fault { valid_up_to: at + fault.valid_up_to, ..fault });
        at += fault.valid_up_to + fault.error_len.unwrap_or(input.len() - at - fault.valid_up_to);
    }
    faults
}

/// Compares one way with the standard library.
fn check_way(way: &Way, input: &[u8], expected: &Expected) {
    let Way { name, kernel, .. } = way;
    let text = kernel.from_utf8_lossy(input);
    assert!(text == expected.text, "{name}: {input:02X?}\n became {text:?}\n and not {:?}", expected.text);
    match text {
        Cow::Borrowed(text) => assert!(core::ptr::eq(text.as_bytes(), input), "{name}"),
        Cow::Owned(_) => assert!(std::str::from_utf8(input).is_err(), "{name} has copied valid text"),
    }
    check_chunks(way, input, expected);
    check_copy(way, input, expected);
}

/// Checks the length, a buffer of exactly that length, and one that is too small by one.
fn check_copy(way: &Way, input: &[u8], expected: &Expected) {
    let Way { name, kernel, .. } = way;
    let needed = expected.text.len();
    assert_eq!(kernel.lossy_len(input), needed, "{name}: {input:02X?}");
    let mut buffer = vec![MaybeUninit::uninit(); needed];
    let text = kernel.copy_utf8_lossy(input, &mut buffer);
    assert_eq!(text.as_deref(), Ok(&*expected.text), "{name}: {input:02X?}");
    if let Some(len) = needed.checked_sub(1) {
        let error = kernel.copy_utf8_lossy(input, &mut buffer[..len]);
        assert_eq!(error, Err(TooSmall { needed, len }), "{name}: {input:02X?}");
    }
}

fn check_chunks(way: &Way, input: &[u8], expected: &Expected) {
    let name = &way.name;
    let mut offset = 0;
    let mut chunks = way.kernel.utf8_chunks(input);
    for (valid, invalid) in &expected.chunks {
        let chunk = chunks.next().expect("as many chunks as core has");
        assert_eq!((chunk.valid(), chunk.invalid()), (&**valid, &**invalid), "{name}: {input:02X?}");
        assert_eq!(chunk.offset(), offset, "{name}: {input:02X?}");
        assert_eq!(chunk.invalid_offset(), offset + valid.len());
        offset += valid.len() + invalid.len();
        match chunk.error() {
            None => assert!(invalid.is_empty()),
            Some(error) => {
                let len = error.error_len().unwrap_or(input.len() - error.valid_up_to());
                assert_eq!((error.valid_up_to(), len), (offset - invalid.len(), invalid.len()), "{name}");
                assert_eq!(Some(error.kind()), chunk.kind());
            }
        }
    }
    assert_eq!(chunks.next(), None, "{name}: {input:02X?}");
    assert_eq!(chunks.next(), None);
    // They are shown by way of a buffer, which may end inside a character.
    assert_eq!(way.kernel.utf8_chunks(input).to_string(), expected.text, "{name}: {input:02X?}");
    assert_eq!(offset, input.len());
}

fn check_errors(way: &Way, input: &[u8], faults: &[Fault]) {
    let found = way.kernel.errors(input).map(|error| fault_of(&error));
    assert!(found.eq(faults.iter().copied()), "{}: {input:02X?}", way.name);
    // The errors are counted in another way, and after some of them have been returned.
    for returned in 0..faults.len().min(3) {
        let mut errors = way.kernel.errors(input);
        assert!(errors.by_ref().take(returned).all(|_| true));
        assert!(errors.size_hint().1.is_some_and(|most| most >= faults.len() - returned));
        assert_eq!(errors.count(), faults.len() - returned, "{}: {input:02X?}", way.name);
    }
}

fn check(input: &[u8]) {
    let expected = Expected::of(input);
    let faults = all_faults(input);
    for way in ways() {
        check_way(way, input, &expected);
        check_errors(way, input, &faults);
    }
}

/// Compares the functions that choose the kernel themselves.
fn check_dispatched(input: &[u8]) {
    let expected = Expected::of(input);
    assert_eq!(from_utf8_lossy(input), expected.text);
    assert_eq!(from_utf8_lossy_owned(input.to_vec()), expected.text);
    let mut text = "before".to_owned();
    lossy_into(input, &mut text);
    assert_eq!(text.strip_prefix("before"), Some(&*expected.text));
    match string_from_utf8(input.to_vec()) {
        Ok(text) => assert_eq!(text, expected.text),
        Err(error) => assert_eq!(error.into_utf8_lossy(), expected.text),
    }
    assert!(utf8_chunks(input).eq(Kernel::best().utf8_chunks(input)));
    let mut buffer = vec![MaybeUninit::uninit(); lossy_len(input)];
    let copied = copy_utf8_lossy(input, &mut buffer).unwrap();
    assert_eq!(*copied, *String::from_utf8_lossy(input));
    assert!(errors(input).map(|error| fault_of(&error)).eq(all_faults(input)));
    assert_eq!(format!("{}", utf8_chunks(input)), expected.text);
    assert_eq!(format!("{:?}", utf8_chunks(input)), format!("{:?}", input.utf8_chunks()));
}

/// A byte of each class that the grammar tells apart, and the edges of each.
const CLASSES: [u8; 20] = [
    0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
    0xF1, 0xF4, 0xF5,
];

#[test]
fn all_short_inputs_by_class() {
    let mut thin = Thin::new();
    let mut input = Vec::new();
    for len in 0..=4 {
        for number in 0..CLASSES.len().pow(len) {
            if len == 4 && !thin.keep() {
                continue;
            }
            input.clear();
            let mut digits = number;
            for _ in 0..len {
                input.push(CLASSES[digits % CLASSES.len()]);
                digits /= CLASSES.len();
            }
            let expected = Expected::of(&input);
            // All ways of a kernel have its functions for errors.
            for way in ways().iter().filter(|way| way.is_kernel) {
                check_way(way, &input, &expected);
            }
        }
    }
}

#[test]
fn every_malformed_sequence_at_every_offset() {
    const AROUND: usize = 700;
    let mut thin = Thin::where_slow();
    let mut place = Place::new(2 * AROUND);
    for filler in Filler::all() {
        for malformed in &MALFORMED {
            for offset in 0..=600 {
                // Text follows it, or nothing.
                for after in [AROUND - offset, 0] {
                    if !thin.keep() {
                        continue;
                    }
                    let [a, b] = filler.before(offset);
                    let [c, d] = filler.after(after);
                    let input = place.put(offset % 64, &[a, b, malformed.bytes, c, d]);
                    let expected = String::from_utf8_lossy(input);
                    for kernel in kernels() {
                        let text = kernel.from_utf8_lossy(input);
                        assert!(text == expected, "{kernel:?}: {input:02X?}");
                    }
                }
            }
        }
    }
}

#[test]
fn malformed_sequences_at_every_distance() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for distance in 0..150 {
            for (i, malformed) in MALFORMED.iter().enumerate() {
                if !thin.keep() {
                    continue;
                }
                let other = &MALFORMED[(i * 7 + distance) % MALFORMED.len()];
                let mut input = Vec::new();
                while input.len() < 1000 {
                    for malformed in [malformed, other] {
                        filler.after(distance).iter().for_each(|part| input.extend_from_slice(part));
                        input.extend_from_slice(malformed.bytes);
                    }
                }
                let expected = Expected::of(&input);
                for way in ways().iter().filter(|way| way.is_kernel) {
                    check_way(way, &input, &expected);
                }
            }
        }
    }
}

/// After some sound blocks, text is checked in groups of 256 bytes and copied, and after many groups in chunks: so here is
/// a fault after every sound length that ends in the first groups, and around the place where the groups end.
#[test]
fn a_fault_after_every_sound_length() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for sound in (200..700).chain((4280..4600).step_by(3)) {
            for malformed in MALFORMED.iter() {
                if !thin.keep() {
                    continue;
                }
                let [start, rest] = filler.after(sound);
                // The first fault is after the first block: one inside it is handled before any group is.
                let input =
                    [&[b'a'; 100][..], b"\xFF", start, rest, malformed.bytes, &[b'b'; 512], b"\xFF"].concat();
                let expected = Expected::of(&input);
                for way in ways().iter().filter(|way| way.is_kernel) {
                    check_way(way, &input, &expected);
                }
            }
        }
    }
}

/// A group that begins inside a character needs the bytes before it. When it was checked as the beginning of a text, an
/// invalid `String` came out of this input.
#[test]
fn a_group_continues_the_character_before_it() {
    let chinese = "\u{65E5}".repeat(169);
    for ascii in 100..200 {
        let (first, last) = ("a".repeat(ascii), "\u{65E5}".repeat(120));
        let input = [first.as_bytes(), b"\xFFa", chinese.as_bytes(), b"\xE6", last.as_bytes()].concat();
        let expected = String::from_utf8_lossy(&input);
        for kernel in kernels() {
            assert_eq!(kernel.from_utf8_lossy(&input), expected, "{kernel:?}: {ascii}");
        }
    }
}

/// Long stretches without a fault are left to the kernel in pieces that grow; here are faults at and around the ends
/// of all of them.
#[test]
fn faults_where_pieces_end() {
    let ends = [512, 1024, 1536, 2048, 3584, 7680, 15_872, 32_256, 65_024, 65_536, 66_048];
    for filler in Filler::all() {
        let [sound, rest] = filler.after(90_000);
        for malformed in MALFORMED.iter().step_by(5 * scale().min(8)) {
            let mut thin = Thin::to_one_in(3);
            for end in ends {
                for at in (end - 4..=end + 4).filter(|_| thin.keep()) {
                    let mut input = [sound, rest].concat();
                    let at = (at..).find(|&at| input[at] & 0xC0 != 0x80).expect("a character begins there");
                    input.splice(at..at, malformed.bytes.iter().copied());
                    let expected = String::from_utf8_lossy(&input);
                    for kernel in kernels() {
                        assert!(kernel.from_utf8_lossy(&input) == expected, "{kernel:?}: at {at}");
                    }
                }
            }
        }
    }
}

/// Faults at every average distance, so that the search uses every mode, and all changes between them.
#[test]
fn texts_spoiled_at_every_rate() {
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    for filler in Filler::all() {
        for rate in [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] {
            for _ in 0..(6 / scale()).max(1) {
                let mut input = filler.after(20_000).concat();
                input.truncate(19_000 + random.index(1000));
                // Also a part without a fault, so that the mode for rare faults begins and ends.
                let start = random.index(19_000);
                let sound = start..start + random.index(8000);
                for (at, byte) in input.iter_mut().enumerate() {
                    if random.below(rate) == 0 && !sound.contains(&at) {
                        *byte = random.below(256) as u8;
                    }
                }
                let expected = String::from_utf8_lossy(&input);
                for way in ways() {
                    let text = way.kernel.from_utf8_lossy(&input);
                    assert!(text == expected, "{}: one in {rate}: {input:02X?}", way.name);
                }
            }
        }
    }
}

/// One byte repeated: a search that goes back would take quadratic time there.
#[test]
fn one_byte_over_and_over() {
    for byte in [0x00, 0x80, 0xBF, 0xC2, 0xC0, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF] {
        let mut thin = Thin::to_one_in(3);
        for len in (0..140).filter(|_| thin.keep()).chain([511, 512, 513, 1023, 1024, 5000]) {
            check(&vec![byte; len]);
        }
    }
}

#[test]
fn text_that_is_appended_to_stays() {
    for way in ways() {
        let mut text = "é".to_owned();
        for input in [&b"a\xFF"[..], b"", b"\xC3", b"\xA9", "日本".as_bytes()] {
            way.kernel.lossy_into(input, &mut text);
        }
        assert_eq!(text, "éa\u{FFFD}\u{FFFD}\u{FFFD}日本", "{}", way.name);
    }
}

#[test]
fn an_owned_text_keeps_its_allocation_if_it_is_valid() {
    let bytes = "日本語".repeat(100).into_bytes();
    let (place, capacity) = (bytes.as_ptr(), bytes.capacity());
    let text = from_utf8_lossy_owned(bytes);
    assert_eq!((text.as_ptr(), text.capacity()), (place, capacity));
}

#[test]
fn room_that_is_there_is_used() {
    let mut text = String::with_capacity(1000);
    let place = text.as_ptr();
    lossy_into(&b"abc\xFFdef".repeat(60), &mut text);
    assert_eq!(text, "abc\u{FFFD}def".repeat(60));
    assert_eq!(text.as_ptr(), place);
}

#[test]
fn chunks_are_shown_as_the_standard_library_shows_them() {
    let inputs: [&[u8]; 7] = [
        b"",
        b"plain",
        b"it's \"quoted\"\n\t\\ \x7F\0",
        b"na\xEFve \xF0\x9F\x98!",
        "e\u{301} \u{200B} \u{1F600} \u{AD} \u{301}".as_bytes(),
        b"\xFF\xFE\x80",
        b"a\xCC\x81\xFF\xCC\x81",
    ];
    for input in inputs {
        check_dispatched(input);
        // The iterator shows what is still to come, as core's does.
        let (mut chunks, mut core) = (utf8_chunks(input), input.utf8_chunks());
        while let Some(chunk) = chunks.next() {
            let theirs = core.next().expect("as many");
            let ours = format!("{chunk:?}");
            let begin = format!("{theirs:?}").replace(" }", ", offset: ");
            assert!(ours.starts_with(&begin), "{ours} {begin}");
            assert_eq!(format!("{chunks:?}"), format!("{core:?}"));
        }
    }
    let chunk = utf8_chunks(b"ab\xFF").next().unwrap();
    assert_eq!(
        format!("{chunk:?}"),
        "Utf8Chunk { valid: \"ab\", invalid: [255], offset: 0, kind: Some(InvalidByte) }"
    );
    assert_eq!(format!("{:?}", errors(b"a\xFF")), format!("[{:?}]", errors(b"a\xFF").next().unwrap()));
}

#[test]
fn chunks_are_padded_as_text_is() {
    for input in [&b""[..], b"a\xFFb", "日本".as_bytes()] {
        let text = String::from_utf8_lossy(input);
        let chunks = utf8_chunks(input);
        assert_eq!(format!("{chunks:7}|"), format!("{text:7}|"));
        assert_eq!(format!("{chunks:<7}|"), format!("{text:<7}|"));
        assert_eq!(format!("{chunks:>7}|"), format!("{text:>7}|"));
        assert_eq!(format!("{chunks:*^8}|"), format!("{text:*^8}|"));
        assert_eq!(format!("{chunks:1}|"), format!("{text:1}|"));
    }
}

/// Returns a part of an input: text, or not.
fn part() -> impl Strategy<Value = Vec<u8>> {
    let character = prop_oneof![
        any::<char>(),
        prop::sample::select(BOUNDARY_CHARACTERS.to_vec()),
        prop::char::range('а', 'я'),
        prop::char::range(' ', '~'),
    ];
    prop_oneof![
        4 => (prop::collection::vec(character, 1..12), 1..20_usize)
            .prop_map(|(characters, times)| String::from_iter(characters).repeat(times).into_bytes()),
        1 => (1..40_usize).prop_map(|times| "all of it is ASCII. ".repeat(times).into_bytes()),
        3 => (0..MALFORMED.len()).prop_map(|i| MALFORMED[i].bytes.to_vec()),
        2 => prop::collection::vec(any::<u8>(), 1..40),
        2 => prop::collection::vec(prop::sample::select(CLASSES.to_vec()), 1..40),
    ]
}

proptest! {
    #![proptest_config(cases(3000, 64))]

    #[test]
    fn any_mixture(parts in prop::collection::vec(part(), 0..12), cut in 0..4_usize) {
        let mut input = parts.concat();
        input.truncate(input.len().saturating_sub(cut));
        check(&input);
        check_dispatched(&input);
    }

    #[test]
    fn any_bytes(input in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&input);
    }

    #[test]
    fn spoiled_text(text in "\\PC{0,200}", times in 1..20_usize, spots in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..10)) {
        let mut input = text.repeat(times).into_bytes();
        for (spot, byte) in spots {
            if !input.is_empty() {
                let at = spot.index(input.len());
                input[at] = byte;
            }
        }
        check(&input);
    }
}
