//! Validation on several threads gives the sequential answer, for every input and every size of the parts.

use super::support::kernels::ways;
use super::support::malformed::MALFORMED;
use super::support::random::cases;
use super::support::scale::{Thin, scale};
use super::support::text::Filler;
use proptest::prelude::*;
use trust8_counts::{KernelCounts, par_from_utf8, par_inspect};

fn check(input: &[u8], piece: usize) {
    let expected = trust8::from_utf8(input);
    for way in ways() {
        assert_eq!(
            way.kernel.par_from_utf8(piece, input),
            expected,
            "{} in pieces of {piece}: {input:02X?}",
            way.name
        );
        assert_eq!(
            way.kernel.par_inspect(piece, input),
            trust8_counts::inspect(input),
            "{} in pieces of {piece}: {input:02X?}",
            way.name
        );
    }
}

/// There is no chunk of zero bytes: each has one, at least.
#[test]
fn no_length_of_the_chunks_is_too_small() {
    for text in ["", "a", "aé日😀"] {
        check(text.as_bytes(), 0);
        check(&[text.as_bytes(), b"\xE6\x97"].concat(), 0);
    }
}

/// The last chunk has the bytes that fill no whole chunk, too.
#[test]
fn a_fault_in_the_last_bytes_is_found() {
    for len in 40..60 {
        let mut input = vec![b'a'; len];
        input[len - 1] = 0xFF;
        for piece in 3..20 {
            check(&input, piece);
        }
    }
}

#[test]
fn faults_at_every_place_around_the_cuts() {
    let mut thin = Thin::to_one_in(16);
    for filler in Filler::all() {
        for malformed in MALFORMED.iter().step_by(scale().min(5)) {
            for at in (0..70).filter(|_| thin.keep()) {
                let input = [filler.before(at).concat(), malformed.bytes.to_vec(), filler.after(40).concat()];
                check(&input.concat(), 16);
                check(&input.concat(), 33);
            }
        }
    }
}

#[test]
fn text_without_a_character_at_the_cut() {
    let mut thin = Thin::to_one_in(16);
    for piece in 1..20 {
        for byte in [0x80, 0xC2, 0xE2, 0xF0, 0xFF, b'a'] {
            for len in (0..50).filter(|_| thin.keep()) {
                check(&vec![byte; len], piece);
                check(&[b"a", &vec![byte; len][..], b"a"].concat(), piece);
            }
        }
    }
}

#[test]
fn the_first_of_many_errors_wins() {
    let mut input = "日本語".repeat(1_000_000).into_bytes();
    assert_eq!(par_from_utf8(&input).map(str::len), Ok(input.len()));
    for at in (0..input.len()).rev().step_by(1_234_567) {
        input[at] = 0xFF;
        assert_eq!(par_from_utf8(&input), trust8::from_utf8(&input));
        assert_eq!(par_inspect(&input), trust8_counts::inspect(&input));
    }
}

proptest! {
    #![proptest_config(cases(2000, 64))]

    #[test]
    fn any_bytes(input in prop::collection::vec(any::<u8>(), 0..200), piece in 1..70_usize) {
        check(&input, piece);
    }

    #[test]
    fn spoiled_text(text in "\\PC{0,60}", times in 1..20_usize, spots in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), piece in 1..200_usize) {
        let mut input = text.repeat(times).into_bytes();
        for (spot, byte) in spots {
            if !input.is_empty() {
                let at = spot.index(input.len());
                input[at] = byte;
            }
        }
        check(&input, piece);
    }
}
