//! Mistakes that kernels made once, each with its story.

use super::support::kernels::ways;

/// In a run of ASCII, a kernel checks up to four blocks of other text, and continues the run if the last of
/// them is ASCII again. After four blocks that were not ASCII, the AVX-512 kernel looked at the *fifth*,
/// which it had loaded but not checked. That block was ASCII, so the kernel continued, and missed a character
/// that the end of the fourth block cut off. A property test with short passages of other text in ASCII found
/// it.
#[test]
fn the_longest_passage_in_ascii_that_ends_inside_a_character() {
    for blocks in 1..=9 {
        for cut in ["é", "日", "😀"].map(str::as_bytes) {
            for (kept, shift) in (1..cut.len()).flat_map(|kept| (0..64).map(move |shift| (kept, shift))) {
                let passage = "é".repeat(blocks * 32);
                let mut text = vec![b'a'; 1024 + shift];
                text.extend_from_slice(&passage.as_bytes()[..passage.len() - kept / 2 * 2]);
                text.truncate(1024 + shift + blocks * 64 - kept);
                // An odd number of bytes is left before the cut character, so half an 'é' is replaced.
                if kept % 2 == 1 {
                    text.pop();
                    text.push(b'a');
                }
                let valid_up_to = text.len();
                text.extend_from_slice(&cut[..kept]);
                assert_eq!(text.len() % 64, shift % 64);
                text.extend_from_slice(&[b'a'; 1024]);
                let expected = std::str::from_utf8(&text).unwrap_err();
                assert_eq!((expected.valid_up_to(), expected.error_len()), (valid_up_to, Some(kept)));
                for way in ways() {
                    let error = way.kernel.from_utf8(&text).expect_err(&way.name);
                    assert_eq!(error.valid_up_to(), valid_up_to, "{}", way.name);
                    assert_eq!(error.error_len(), Some(kept), "{}", way.name);
                    assert!(!way.kernel.is_utf8(&text), "{}", way.name);
                }
            }
        }
    }
}
