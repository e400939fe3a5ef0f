//! Every malformed sequence at every place.
//!
//! A kernel works in vectors, blocks, superblocks and runs. It must see a fault at each place of each of them, and across
//! their ends. The innermost loops combine two parameters in full, and let the others rotate at rates that have no common
//! divisor with them.

use super::support::kernels::{check, check_for, ways};
use super::support::malformed::MALFORMED;
use super::support::scale::{Thin, scale, slow_scale};
use super::support::text::{Filler, Place};

/// How many bytes of valid text follow a fault: they end in the same vector, block or superblock, or after it.
const FOLLOWERS: [usize; 7] = [1, 3, 17, 70, 130, 260, 700];

/// Offsets 0 to 1100, one by one, after every filler, and before nothing, ASCII and multi-byte text. Alignments rotate.
#[test]
fn every_offset_behind_and_before_every_script() {
    let fillers = Filler::all();
    let [ascii, _, _, _, mixed] = &fillers[..] else { unreachable!() };
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for filler in &fillers {
        for malformed in &MALFORMED {
            for offset in 0..=1100 {
                if !thin.keep() {
                    continue;
                }
                turn += 1;
                let [pad, before] = filler.before(offset);
                let input = place.put(turn % 64, &[pad, before, malformed.bytes]);
                check_for(input, Some(malformed.fault_at_end(offset)));

                let follower = FOLLOWERS[turn % FOLLOWERS.len()];
                for after in [ascii, mixed] {
                    let [after, pad_after] = after.after(follower);
                    let input = place.put(turn % 63, &[pad, before, malformed.bytes, after, pad_after]);
                    check_for(input, Some(malformed.fault_between(offset)));
                }
            }
        }
    }
}

/// All offsets from 0 to 1100 at all alignments from 0 to 63. The texts before and after rotate.
#[test]
fn every_offset_at_every_alignment() {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for offset in 0..=1100 {
        for alignment in 0..64 {
            // A quarter of the sequences at each place. Four neighbours have all of them.
            for malformed in MALFORMED.iter().skip((offset + alignment) % 4).step_by(4) {
                if !thin.keep() {
                    continue;
                }
                turn += 1;
                let [pad, before] = fillers[turn % 5].before(offset);
                let (input, fault) = if turn % 3 == 0 {
                    (place.put(alignment, &[pad, before, malformed.bytes]), malformed.fault_at_end(offset))
                } else {
                    let follower = FOLLOWERS[turn % FOLLOWERS.len()];
                    let [after, pad_after] = fillers[turn / 5 % 5].after(follower);
                    let parts = [pad, before, malformed.bytes, after, pad_after];
                    (place.put(alignment, &parts), malformed.fault_between(offset))
                };
                check_for(input, Some(fault));
            }
        }
    }
}

/// Offsets up to 6000, where runs of superblocks and runs of ASCII end.
#[test]
fn far_offsets() {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for filler in &fillers {
        for malformed in &MALFORMED {
            for offset in (1101..=6000).step_by(11) {
                if !thin.keep() {
                    continue;
                }
                turn += 1;
                let offset = offset + turn % 11;
                let [pad, before] = filler.before(offset);
                let follower = [0, 1, 40, 600, 1500][turn % 5];
                let [after, pad_after] = fillers[turn / 5 % 5].after(follower);
                let input = place.put(turn % 64, &[pad, before, malformed.bytes, after, pad_after]);
                let fault = if follower == 0 {
                    malformed.fault_at_end(offset)
                } else {
                    malformed.fault_between(offset)
                };
                check_for(input, Some(fault));
            }
        }
    }
}

/// Offsets up to 80,000, after text in one script. Dense text of this length goes through several chunks of each kernel.
#[test]
fn offsets_within_long_runs_of_a_script() {
    let fillers = Filler::all();
    let mut place = Place::new(96 * 1024);
    let mut turn = 0;
    for filler in &fillers {
        for offset in (6000..80_000).step_by(101 * scale().min(8) * slow_scale().min(4)) {
            turn += 1;
            let offset = offset + turn % 101;
            let malformed = &MALFORMED[turn * 7 % MALFORMED.len()];
            let [pad, before] = filler.before(offset);
            let [after, pad_after] = filler.after(85_000 - offset);
            let input = place.put(turn % 64, &[pad, before, malformed.bytes, after, pad_after]);
            check_for(input, Some(malformed.fault_between(offset)));
        }
    }
}

/// Where one kind of text follows another, every kernel changes its loop. It must not forget there that a character is
/// unfinished.
#[test]
fn faults_where_the_script_changes() {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for first in &fillers {
        for second in &fillers {
            for malformed in &MALFORMED {
                for offset in (500..4000).step_by(37) {
                    if !thin.keep() {
                        continue;
                    }
                    turn += 1;
                    let offset = offset + turn % 37;
                    let [pad, before] = first.before(offset);
                    let [after, pad_after] = second.after(1300);
                    let parts = [pad, before, malformed.bytes, after, pad_after];
                    check_for(place.put(turn % 64, &parts), Some(malformed.fault_between(offset)));
                }
            }
        }
    }
}

/// Kernels do not leave their ASCII loop for a short passage of other text. The fault is at the start, in the middle or at
/// the end of such a passage, with more ASCII after it.
#[test]
fn faults_in_islands_within_ascii() {
    let fillers = Filler::all();
    let ascii = [b'.'; 2048];
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for filler in &fillers[1..] {
        for malformed in &MALFORMED {
            for offset in (600..1700).step_by(5) {
                for len in [0, 7, 61, 130, 260, 500] {
                    if !thin.keep() {
                        continue;
                    }
                    turn += 1;
                    let offset = offset + turn % 5;
                    let len = len + turn % 64;
                    let before_fault = [0, len / 2, len][turn % 3];
                    let [pad, before] = filler.before(before_fault);
                    let [after, pad_after] = filler.after(len - before_fault);
                    let (ascii_before, ascii_after) = (&ascii[..offset], &ascii[..900 + turn % 700]);
                    let parts = [ascii_before, pad, before, malformed.bytes, after, pad_after, ascii_after];
                    let fault = malformed.fault_between(offset + before_fault);
                    check_for(place.put(turn % 64, &parts), Some(fault));
                }
            }
        }
    }
}

/// ASCII of 12,000 bytes with a character here and there, and a fault at every place. Kernels ask large chunks of such text where it is
/// not ASCII, and check only there.
#[test]
fn faults_in_sparse_text() {
    const LEN: usize = 12_000;
    let mut place = Place::new(2 * LEN);
    let mut thin = Thin::new();
    let mut turn = 0;
    for character in ["", "é", "日", "😀"] {
        // Three densities, so that a chunk has few such characters, some or many.
        for distance in [1000, 190, 50] {
            let mut text = Vec::new();
            while text.len() < LEN {
                text.extend(".".repeat(distance - text.len() % 7).bytes());
                text.extend(character.bytes());
            }
            text.extend(b"...");
            for at in 0..LEN {
                if !thin.keep() {
                    continue;
                }
                turn += 1;
                let malformed = &MALFORMED[turn % MALFORMED.len()];
                let at = (at..).find(|&at| text[at].is_ascii()).expect("a text ends with ASCII");
                let parts = [&text[..at], malformed.bytes, &text[at..]];
                check_for(place.put(turn % 64, &parts), Some(malformed.fault_between(at)));
            }
        }
    }
}

/// Sparse text, then 650 bytes with a character in each word of eight bytes, and ASCII. The fault is in these 650 bytes. A kernel that lists
/// words may have no room for the ASCII's when these are listed.
#[test]
fn faults_in_a_dense_passage_of_sparse_text() {
    let mut place = Place::new(16_384);
    let mut thin = Thin::new();
    let mut turn = 0;
    let dense = "......é".repeat(82);
    let ascii = ".".repeat(5000);
    for (distance, chunk, malformed) in MALFORMED.iter().flat_map(|m| [(200, 2048, m), (1000, 4096, m)]) {
        let sparse = format!("{}é", ".".repeat(distance - 2)).repeat(12_000 / distance);
        // The passage begins anywhere in a chunk.
        for begin in (chunk + 500..2 * chunk + 500).step_by(chunk / 64) {
            for at in (0..dense.len()).step_by(8) {
                if !thin.keep() {
                    continue;
                }
                turn += 1;
                // All that is cut is cut after whole characters.
                let start = (0..)
                    .map(|n| sparse.len() - begin - n)
                    .find(|&start| sparse.is_char_boundary(start))
                    .unwrap();
                let parts = [
                    &sparse.as_bytes()[start..],
                    &dense.as_bytes()[..at],
                    malformed.bytes,
                    &dense.as_bytes()[at..],
                    ascii.as_bytes(),
                ];
                let fault = malformed.fault_between(sparse.len() - start + at);
                check_for(place.put(turn % 64, &parts), Some(fault));
            }
        }
    }
}

/// Text in which few places of 64 bytes are not ASCII, but all words of eight bytes: a character across each second border of words. A
/// sparse run begins there and has no room for the words, at any alignment of what comes before.
#[test]
fn few_places_and_all_words() {
    let mut place = Place::new(16_384);
    let dense = ".......é.......".repeat(350);
    for (start, unit) in [("", "語"), ("é", "語"), ("é", "é")] {
        for len in [100, 448, 449, 488, 500, 640, 1000] {
            let head = unit.repeat(len / unit.len());
            let ascii = ".".repeat(128 - start.len() % 128);
            let parts = [start.as_bytes(), ascii.as_bytes(), head.as_bytes(), dense.as_bytes()];
            for alignment in (0..64).step_by(scale().min(8)) {
                check_for(place.put(alignment, &parts), None);
            }
        }
    }
}

/// Some MiB, in which kernels prefetch: with a fault at places all over it, and without.
#[test]
fn very_long_input() {
    // Also where that is slow, it is longer than the least length for prefetching.
    let len = if slow_scale() == 1 { (13 << 20) + 12_345 } else { (4 << 20) + 12_345 };
    let places = (96 / scale()).max(12);
    for (number, unit) in
        ["日本語", "aé日😀bcöд語한😁!~üé", "привет, мир ", "plain and simple. "].iter().enumerate()
    {
        let mut text = unit.repeat(len / unit.len()).into_bytes();
        check_for(&text, None);
        for turn in 0..places / 4 {
            // Near the start, near multiples of 1 MiB, and anywhere.
            let about = match turn % 3 {
                0 => (turn << 20) / 3 + 40 * number,
                1 => len / places * 4 * turn + 131 * number,
                _ => turn * 509 + 2000 * number,
            };
            // The sequence, and then ASCII, are written over whole units.
            let at = about.min(text.len() - 64) / unit.len() * unit.len();
            let malformed = &MALFORMED[(turn * 5 + number) % MALFORMED.len()];
            let end = (at + malformed.bytes.len() + 1).div_ceil(unit.len()) * unit.len();
            let kept = text[at..end].to_vec();
            text[at..end].fill(b'.');
            text[at..at + malformed.bytes.len()].copy_from_slice(malformed.bytes);
            // Where that is slow, each way gets a third of the faults, and so at least one in each kind of text.
            for (number, way) in ways().iter().enumerate() {
                if slow_scale() == 1 || (number + turn).is_multiple_of(3) {
                    way.check(&text, Some(malformed.fault_between(at)));
                }
            }
            text[at..end].copy_from_slice(&kept);
        }
    }
}

/// Valid text of every length up to 300 at every alignment, and of more lengths up to 6000.
#[test]
fn valid_text_of_every_length_at_every_alignment() {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    for filler in &fillers {
        for len in 0..=300 {
            for alignment in (len % scale().min(64)..64).step_by(scale().min(64)) {
                check(place.put(alignment, &filler.before(len)));
                check_for(place.put(alignment, &filler.after(len)), None);
            }
        }
        for (turn, len) in (301..=6000).step_by(scale()).enumerate() {
            check_for(place.put(turn * 7 % 64, &filler.before(len)), None);
            check_for(place.put(turn * 7 % 64, &filler.after(len)), None);
        }
    }
}

/// Input of up to 70 bytes: every length, every alignment, every malformed sequence at every position.
#[test]
fn short_input_in_full() {
    short_input(0..=70, 1);
}

/// Input of 71 to 300 bytes: every length and every malformed sequence at every position. The alignment changes from one
/// position to the next.
#[test]
fn short_input_beyond_a_vector() {
    short_input(71..=300, 64);
}

/// Input of 71 to 300 bytes: every length, every alignment, every malformed sequence at every position. This takes minutes:
///
/// ```sh
/// cargo test --release --test kernel positions:: -- --ignored
/// ```
#[test]
#[ignore = "takes minutes"]
fn short_input_beyond_a_vector_in_full() {
    short_input(71..=300, 1);
}

fn short_input(lengths: std::ops::RangeInclusive<usize>, alignment_step: usize) {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    let mut thin = Thin::new();
    let mut turn = 0;
    for len in lengths {
        for malformed in &MALFORMED {
            let Some(last) = len.checked_sub(malformed.bytes.len()) else { continue };
            for position in 0..=last {
                let (step, filler, filler_after) =
                    (alignment_step, &fillers[turn % 5], &fillers[turn / 5 % 5]);
                let [pad, before] = filler.before(position);
                let [after, pad_after] = filler_after.after(last - position);
                let parts = [pad, before, malformed.bytes, after, pad_after];
                let fault = match last - position {
                    0 => malformed.fault_at_end(position),
                    _ => malformed.fault_between(position),
                };
                for alignment in (turn % step..64).step_by(step) {
                    if thin.keep() {
                        check_for(place.put(alignment, &parts), Some(fault));
                    }
                }
                turn += 1;
            }
        }
    }
}

/// The inputs of this file are what they claim to be: they are compared with the oracle and `core::str`.
#[test]
fn what_is_put_in_place_is_what_is_expected() {
    let fillers = Filler::all();
    let mut place = Place::new(8192);
    for (turn, malformed) in MALFORMED.iter().cycle().take(3000 / slow_scale().min(8)).enumerate() {
        let [pad, before] = fillers[turn % 5].before(turn % 1100);
        let follower = FOLLOWERS[turn % FOLLOWERS.len()];
        let [after, pad_after] = fillers[turn / 5 % 5].after(follower);
        let parts = [pad, before, malformed.bytes, after, pad_after];
        let whole = parts.concat();
        let input = place.put(turn % 64, &parts);
        assert_eq!(input, whole);
        assert_eq!(super::support::oracle::fault(input), Some(malformed.fault_between(turn % 1100)));
        check(input);
        let input = place.put(turn % 64, &parts[..3]);
        assert_eq!(super::support::oracle::fault(input), Some(malformed.fault_at_end(turn % 1100)));
        check(input);
    }
}
