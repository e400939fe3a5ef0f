//! Inputs that fill a separate allocation, for tools that watch the heap. AddressSanitizer and Valgrind
//! notice a read of a byte before or after the input, even if its value is masked out again. Valgrind also
//! notices a decision that depends on uninitialised bytes.

use super::support::kernels::check_for;
use super::support::malformed::MALFORMED;
use super::support::scale::Thin;
use super::support::text::Filler;

/// Returns the parts in an allocation of exactly their length.
fn boxed(parts: &[&[u8]]) -> Box<[u8]> {
    parts.concat().into_boxed_slice()
}

#[test]
fn text_of_every_length_to_600() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for len in 0..=600 {
            // All lengths of one vector or block, and some of the others.
            if len <= 68 || thin.keep() {
                check_for(&boxed(&filler.before(len)), None);
                check_for(&boxed(&filler.after(len)), None);
            }
        }
    }
}

#[test]
fn faults_at_the_end_and_at_the_start() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for len in 0..=600 {
            for malformed in &MALFORMED {
                if !thin.keep() {
                    continue;
                }
                let [pad, text] = filler.before(len);
                check_for(&boxed(&[pad, text, malformed.bytes]), Some(malformed.fault_at_end(len)));
                let [text, pad] = filler.after(len + 1);
                check_for(&boxed(&[malformed.bytes, text, pad]), Some(malformed.fault_between(0)));
            }
        }
    }
}

/// Long enough for superblocks.
#[test]
fn long_text() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for len in (601..12_000).step_by(97) {
            if thin.keep() {
                check_for(&boxed(&filler.before(len)), None);
                check_for(&boxed(&filler.after(len)), None);
                let [pad, text] = filler.before(len);
                check_for(&boxed(&[pad, text, b"\xF0\x9F\x98"]), {
                    let cut = MALFORMED.iter().find(|malformed| malformed.bytes == b"\xF3\x80\x80");
                    cut.map(|malformed| malformed.fault_at_end(len))
                });
            }
        }
    }
}
