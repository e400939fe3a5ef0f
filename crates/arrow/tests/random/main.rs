//! Random arrays.

#[expect(unreachable_pub, reason = "fuzz/ has this file as well")]
mod arrays;

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrays::{Choices, check};

/// Pseudo-random numbers (SplitMix64).
fn random(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// Checks random arrays, and returns how many of them were sound, and how many were not.
fn run(rounds: u64, lies: usize) -> [usize; 2] {
    let mut counts = [0; 2];
    for seed in 0..rounds {
        let mut choices = Choices::new(random(seed), lies);
        // Arrow panics at some of these, in its checks and where it makes an array.
        let checked = catch_unwind(AssertUnwindSafe(|| {
            check(&mut choices, |arrow| catch_unwind(AssertUnwindSafe(arrow)).ok())
        }));
        match checked {
            Ok(Some(is_sound)) => counts[usize::from(!is_sound)] += 1,
            Ok(None) => {}
            Err(_) => panic!("seed {seed}, lies {lies}"),
        }
    }
    counts
}

#[test]
fn sound_arrays() {
    let [sound, unsound] = run(4_000, 0);
    assert!(sound > 3_500 && unsound == 0, "{sound} and {unsound}");
}

#[test]
fn hostile_arrays() {
    let counts = [3, 10, 30].map(|lies| run(6_000, lies));
    let [sound, unsound] = counts.iter().fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    assert!(sound > 2_000 && unsound > 4_000, "{sound} and {unsound}");
}
