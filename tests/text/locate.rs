//! Lines and columns, against `core` on the same text.

use super::support::faulty::{in_lines, near_each_other};
use super::support::kernels::kernels;
use super::support::places::locations;
use super::support::random::cases;
use proptest::prelude::*;
use trust8::locate;

fn check(bytes: &[u8]) {
    let all = locations(bytes);
    for (offset, &expected) in all.iter().enumerate() {
        let location = locate(bytes, offset);
        let found = (location.line, location.column, location.byte_column);
        assert_eq!(found, expected, "offset {offset} of {bytes:02X?}");
        for kernel in kernels() {
            assert_eq!(kernel.locate(bytes, offset), location, "{kernel:?}, {offset}: {bytes:02X?}");
        }
    }
    for (kernel, step) in kernels().iter().flat_map(|kernel| [1, 2, 3, 7].map(|step| (kernel, step))) {
        let mut locator = kernel.locator(bytes);
        // The same place twice, and at last an earlier one.
        for offset in
            (0..=bytes.len()).step_by(step).flat_map(|offset| [offset, offset]).chain([bytes.len() / 2])
        {
            assert_eq!(
                locator.locate(offset),
                locate(bytes, offset),
                "{kernel:?}, {step}, {offset}: {bytes:02X?}"
            );
        }
    }
    assert_eq!(locate(bytes, usize::MAX), locate(bytes, bytes.len()));
    assert_eq!(locate(bytes, bytes.len() + 1), locate(bytes, bytes.len()));
}

#[test]
fn places_around_every_malformed_sequence() {
    in_lines(check);
    check("line\r\nligne é\n行 二\n\n😀😀\n".as_bytes());
}

/// Ill-formed sequences at every distance from the positions where a search continues block by
/// block.
#[test]
fn places_in_lines_with_many_malformed_sequences() {
    near_each_other(check);
}

proptest! {
    #![proptest_config(cases(4000, 32))]

    #[test]
    fn places_in_random_bytes(bytes in prop::collection::vec(prop::sample::select(vec![
        b'\n', b'a', 0x80, 0x8F, 0x90, 0xA0, 0xBF, 0xC2, 0xE0, 0xE6, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xFF,
    ]), 0..=24)) {
        check(&bytes);
    }
}
