//! Which kernels are tested here, and whether the oracle that they are compared with is right.

use std::io::{Write, stderr};

use super::support::kernels::{check, kernels, ways};
use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::oracle::{self, Fault};
use super::support::scale::{Thin, scale};
use trust8::{ErrorKind, Kernel};

/// Fails if a kernel is missing that this machine must have. Prints the kernels, also when it passes: it writes to `stderr`
/// itself, because the harness hides the `println!` of tests that pass.
#[test]
fn the_required_kernels_are_here() {
    let ways = ways();
    let mut report = format!(
        "target: {} {} {}-bit {}-endian; kernels:",
        std::env::consts::ARCH,
        std::env::consts::OS,
        usize::BITS,
        if cfg!(target_endian = "big") { "big" } else { "little" },
    );
    for kernel in kernels() {
        let names: Vec<_> = kernel.ways().iter().map(Kernel::name).collect();
        report += &format!(" {}{names:?}", kernel.name());
    }
    let _ = writeln!(stderr(), "{report}; scale {}", scale());
    assert!(!ways.is_empty());
}

#[test]
fn kernels_have_distinct_names_and_scalar_is_the_last() {
    let mut names: Vec<_> = ways().iter().map(|way| &way.name).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
    assert_eq!(Kernel::available().last().map(Kernel::name), Some("scalar"));
    // The kernels here are the last of those that the target has.
    let here: Vec<_> = kernels().iter().map(Kernel::name).collect();
    assert!(trust8::engine::KERNEL_NAMES.ends_with(&here), "{here:?}");
}

/// A way that is missing would not be tested at any length but its own.
#[test]
fn each_kernel_has_its_ways() {
    for kernel in kernels() {
        let ways: Vec<_> = kernel.ways().iter().map(Kernel::name).collect();
        let expected: &[&str] = match kernel.name() {
            "avx512" => &["blocks", "superblocks"],
            "scalar" => &[],
            _ => &["short"],
        };
        assert_eq!(ways, expected, "{}", kernel.name());
        // A way has no ways.
        assert!(kernel.ways().iter().all(|way| way.ways().is_empty()));
    }
}

fn std_fault(bytes: &[u8]) -> Option<(usize, Option<usize>)> {
    core::str::from_utf8(bytes).err().map(|error| (error.valid_up_to(), error.error_len()))
}

fn oracle_fault(bytes: &[u8]) -> Option<(usize, Option<usize>)> {
    oracle::fault(bytes).map(|fault| (fault.valid_up_to, fault.error_len))
}

/// This covers the whole grammar: no character has more than four bytes, and text after an
/// ill-formed sequence does not matter.
#[test]
fn the_oracle_agrees_with_core_on_up_to_four_bytes() {
    let edges = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
        0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF,
    ];
    let mut thin = Thin::where_slow();
    let agree = |bytes: &[u8]| assert_eq!(oracle_fault(bytes), std_fault(bytes), "{bytes:02X?}");
    agree(&[]);
    for a in 0..=255 {
        agree(&[a]);
        for b in 0..=255 {
            agree(&[a, b]);
            if scale() > 1 && !edges.contains(&b) {
                continue;
            }
            for c in edges {
                agree(&[a, b, c]);
                for d in edges {
                    if thin.keep() {
                        agree(&[a, b, c, d]);
                    }
                }
            }
        }
    }
}

/// Every character there is, one by one and in one text.
#[test]
fn the_oracle_and_the_kernels_accept_every_character() {
    let mut thin = Thin::new();
    let mut text = String::new();
    for character in '\0'..=char::MAX {
        text.push(character);
        if thin.keep() {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            assert_eq!(oracle::fault(bytes), None);
            check(bytes);
        }
    }
    assert_eq!(oracle::fault(text.as_bytes()), None);
    check(text.as_bytes());
}

#[test]
fn boundary_characters_are_accepted_in_every_order() {
    for first in BOUNDARY_CHARACTERS {
        for second in BOUNDARY_CHARACTERS {
            for third in BOUNDARY_CHARACTERS {
                check(String::from_iter([first, second, third]).as_bytes());
            }
        }
    }
}

#[test]
fn the_list_of_malformed_sequences_is_right() {
    for malformed in &MALFORMED {
        let bytes = malformed.bytes;
        assert_eq!(oracle::fault(bytes), Some(malformed.fault_at_end(0)), "{bytes:02X?}");
        assert_eq!(std_fault(bytes), Some((malformed.at, malformed.error_len)), "{bytes:02X?}");
        check(bytes);
        for (before, after) in [("", "!"), ("é", "日"), ("日本", "é"), ("a", "😀")] {
            let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
            assert_eq!(oracle::fault(&text), Some(malformed.fault_between(before.len())), "{text:02X?}");
            check(&text);
        }
    }
    use ErrorKind::*;
    for kind in [UnexpectedContinuation, InvalidByte, Overlong, Surrogate, TooLarge, Truncated, Incomplete] {
        assert!(MALFORMED.iter().any(|malformed| malformed.kind == kind), "{kind:?}");
    }
}

/// The oracle's kinds at the edges between them, once more in plain values.
#[test]
fn the_oracle_knows_the_kinds() {
    use ErrorKind::*;
    let is = |bytes: &[u8], kind, error_len| {
        assert_eq!(oracle::fault(bytes), Some(Fault { valid_up_to: 0, error_len, kind }), "{bytes:02X?}");
    };
    for byte in 0x80..=0xFF {
        let (kind, len) = match byte {
            0x00..=0xBF => (UnexpectedContinuation, Some(1)),
            0xC0..=0xC1 => (Overlong, Some(1)),
            0xC2..=0xF4 => (Incomplete, None),
            0xF5..=0xF7 => (TooLarge, Some(1)),
            0xF8..=0xFF => (InvalidByte, Some(1)),
        };
        is(&[byte], kind, len);
    }
    for second in 0x80..=0xBF {
        if second < 0xA0 {
            is(&[0xE0, second], Overlong, Some(1));
            is(&[0xED, second], Incomplete, None);
        } else {
            is(&[0xE0, second], Incomplete, None);
            is(&[0xED, second], Surrogate, Some(1));
        }
        if second < 0x90 {
            is(&[0xF0, second], Overlong, Some(1));
            is(&[0xF4, second], Incomplete, None);
        } else {
            is(&[0xF0, second], Incomplete, None);
            is(&[0xF4, second], TooLarge, Some(1));
        }
    }
}
