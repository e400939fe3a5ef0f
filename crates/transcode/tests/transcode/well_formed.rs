//! UTF-16 made well-formed, with every kernel, against `core`.

use std::borrow::Cow;

use super::between;
#[cfg(unix)]
use super::support::guarded::Guarded;
use super::support::kernels::kernels;
use super::support::random::cases;
use super::support::scale::Thin;
use proptest::prelude::*;
use trust8_transcode::KernelForms;
use trust8_transcode::{Utf16, make_well_formed, to_well_formed};

/// Returns the text with each unpaired surrogate replaced.
fn mended(units: &[u16]) -> Vec<u16> {
    let chars =
        char::decode_utf16(units.iter().copied()).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    chars.flat_map(|char| char.encode_utf16(&mut [0; 2]).to_vec()).collect()
}

fn check(units: &[u16]) {
    let expected = mended(units);
    for kernel in kernels() {
        let mut copy = units.to_vec();
        make_well_formed(kernel.form(Utf16), &mut copy);
        assert!(copy == expected, "{kernel:?}: {units:04X?} became {copy:04X?}");
        let text = to_well_formed(kernel.form(Utf16), units);
        assert!(*text == *expected, "{kernel:?}: {units:04X?} became {text:04X?}");
        assert_eq!(matches!(text, Cow::Borrowed(_)), units == expected);
    }
}

#[test]
fn every_part_at_every_place() {
    const PARTS: [&[u16]; 9] = [
        &[],
        &[0xD800],
        &[0xDFFF],
        &[0xDBFF, 0xDC00],
        &[0xDC00, 0xD800],
        &[0xD800, 0xD800, 0xDC00, 0xDC00],
        &[0xDC00; 40],
        &[0xD800; 40],
        &[0xFFFD],
    ];
    let mut thin = Thin::new();
    for filler in [&[0x41][..], &[0x65E5], &[0xD83D, 0xDE00]] {
        for before in (0..70).chain(120..140).chain(250..262).chain([500, 510, 511, 512, 700]) {
            for part in PARTS {
                for after in [0, 1, 2, 31, 33, 300] {
                    if before < 20 || thin.keep() {
                        check(&between(filler, before, part, after));
                    }
                }
            }
        }
    }
}

#[test]
fn every_length_of_one_kind() {
    for unit in [0x41, 0xD800, 0xDC00] {
        for len in (0..300).chain([511, 512, 513]) {
            check(&vec![unit; len]);
        }
    }
    // Pairs without their first half or their last one.
    let pairs: Vec<u16> = [0xD83D, 0xDE00].repeat(200);
    for from in 0..2 {
        for to in from..pairs.len() {
            check(&pairs[from..to]);
        }
    }
}

#[test]
#[cfg(unix)]
fn no_unit_outside_is_touched() {
    let mut memory = Guarded::new(4096);
    for len in 0..300 {
        for kernel in kernels() {
            for unit in [0x41_u16, 0xD800, 0xDC00] {
                let units = memory.last::<u16>(len);
                for to in units.iter_mut() {
                    to.write(unit);
                }
                // SAFETY: all of them were written just now.
                let units = unsafe { units.assume_init_mut() };
                make_well_formed(kernel.form(Utf16), units);
                let expected = if unit == 0x41 { unit } else { 0xFFFD };
                assert!(units.iter().all(|&unit| unit == expected), "{kernel:?}, {len}");
            }
        }
    }
}

#[test]
fn the_functions_are_the_best_kernels() {
    let mut units = [0xDC00, 0x41, 0xD83D, 0xDE00];
    assert_eq!(to_well_formed(Utf16, &units), [0xFFFD, 0x41, 0xD83D, 0xDE00].as_slice());
    make_well_formed(Utf16, &mut units);
    assert_eq!(units, [0xFFFD, 0x41, 0xD83D, 0xDE00]);
}

proptest! {
    #![proptest_config(cases(4000, 32))]

    #[test]
    fn random_units(units in prop::collection::vec(prop::sample::select(vec![
        0x41, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000,
    ]), 0..=400), before in 0..200_usize) {
        check(&[vec![0x42; before], units].concat());
    }
}
