//! A kernel for tests that counts the bytes it is given. So a test can show without a clock that no
//! text makes a search restart kernels again and again.

#![forbid(unsafe_code)]

use core::cell::Cell;
use std::thread_local;

use super::job::Isa;
use super::verdict::Verdict;
use super::{Kernel, detect};

thread_local! {
    static GIVEN: Cell<usize> = const { Cell::new(0) };
}

static COUNTED: Kernel = Kernel { name: "counted", isa: Isa::scalar, validate };

fn validate(bytes: &[u8], (): ()) -> Verdict {
    GIVEN.set(GIVEN.get() + bytes.len());
    detect::available().last().map_or(Verdict::suspect(0), |scalar| scalar.verdict(bytes))
}

/// Returns how many bytes the kernel was given while `work` ran with it.
fn given(work: impl FnOnce(&'static Kernel)) -> usize {
    GIVEN.set(0);
    work(&COUNTED);
    GIVEN.get()
}

/// Asserts that `work` gives the kernel each byte only a few times, for texts with ill-formed
/// sequences, or sequences of some dialect, at all distances.
pub fn assert_linear(name: &str, work: impl Fn(&'static Kernel, &[u8])) {
    const SEQUENCES: [&[u8]; 9] = [
        b"\xFF",
        b"\xC3",
        b"\x80",
        b"\xE2\x82",
        b"\xF0\x9F\x98",
        b"\xC0\x80",
        b"\xED\xA0\x80",
        b"\xED\xA0\xBD\xED\xB8\x80",
        b"\xF8\x88\x80\x80\x80",
    ];
    // All small distances, those near the lengths at which a search changes its method, and some
    // large ones.
    let near = [30, 57, 58, 59, 64, 65, 128, 250, 512, 600, 1030, 3000, 4090, 4096, 4170, 20_000];
    let distances = (0_usize..18).chain(near);
    for distance in distances {
        for sequence in SEQUENCES {
            for filler in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}"] {
                let mut unit = filler.repeat(distance.div_ceil(filler.len())).into_bytes();
                unit.extend_from_slice(sequence);
                let text = unit.repeat((6000 / unit.len()).max(3));
                let given = given(|kernel| work(kernel, &text));
                assert!(
                    given <= 6 * text.len() + 1000,
                    "{name} gives {given} bytes of {} to the kernel: {sequence:02X?} after {distance} bytes of {filler}",
                    text.len()
                );
            }
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    static LATE: Kernel = Kernel { name: "late", isa: Isa::scalar, validate: late };

    /// Suspects the end of the text, wherever the fault is.
    fn late(bytes: &[u8], (): ()) -> Verdict {
        if core::str::from_utf8(bytes).is_ok() { Verdict::VALID } else { Verdict::suspect(bytes.len()) }
    }

    /// A search validates what precedes a suspicion once more, so that a wrong one costs time, and
    /// no invalid text comes out.
    #[test]
    fn a_late_suspicion_hides_no_fault() {
        for len in [30, 200, 700, 5000, 70_000] {
            for (fault, filler) in [(0, "a"), (1, "\u{E9}"), (2, "\u{65E5}"), (3, "a"), (4, "\u{1F600}")] {
                let mut text = filler.repeat(len / filler.len() + 1).into_bytes();
                text[len / 5 * fault] = 0xFF;
                assert_eq!(LATE.from_utf8_lossy(&text), String::from_utf8_lossy(&text), "{len}, {fault}");
                let found: Vec<_> = LATE.errors(&text).map(|error| error.valid_up_to()).collect();
                let mut at = 0;
                let expected = text.utf8_chunks().filter_map(|chunk| {
                    let fault = at + chunk.valid().len();
                    at = fault + chunk.invalid().len();
                    (!chunk.invalid().is_empty()).then_some(fault)
                });
                assert_eq!(found, expected.collect::<Vec<_>>(), "{len}, {fault}");
            }
        }
    }
}
