//! Texts with malformed sequences, for tests of what comes after the first one.

use super::malformed::MALFORMED;
use super::scale::Thin;

/// Calls `check` with each malformed sequence between pieces of lines.
pub fn in_lines(check: impl Fn(&[u8])) {
    for malformed in &MALFORMED {
        for before in ["", "\n", "é\n日", "a\nbc日"] {
            for after in ["", "\n", "a", "é", "日\n😀x"] {
                check(&[before.as_bytes(), malformed.bytes, after.as_bytes()].concat());
            }
        }
    }
}

/// Calls `check` with texts of each malformed sequence at many distances from itself.
pub fn near_each_other(check: impl Fn(&[u8])) {
    let mut thin = Thin::new();
    for malformed in &MALFORMED {
        for distance in [0, 1, 2, 3, 5, 30, 50, 57, 58, 59, 62, 65, 200] {
            for filler in ["a", "日"] {
                if thin.keep() {
                    let unit = [malformed.bytes, filler.repeat(distance).as_bytes()].concat();
                    check(&unit.repeat((130 / unit.len()).max(2)));
                }
            }
        }
    }
}
