//! Whether a text is Latin-1, with every kernel, against the characters of the text.

use trust8::Kernel;
use trust8_transcode::{KernelForms, Str, latin1_up_to};

/// The characters around the limits of Latin-1 and of the lengths in UTF-8.
const CHARACTERS: [char; 10] =
    ['a', '\u{7F}', '\u{80}', '\u{BF}', '\u{C0}', '\u{FF}', '\u{100}', '\u{7FF}', '\u{800}', '\u{10FFFF}'];

#[test]
fn one_character_decides_wherever_it_is() {
    for kernel in Kernel::available() {
        for filler in ["a", "é"] {
            for before in (0..200).chain([4000, 4095, 4096, 4097, 9000]) {
                for character in CHARACTERS {
                    for after in [0, 1, 70, 5000] {
                        let text = [&filler.repeat(before), &String::from(character), &filler.repeat(after)]
                            .map(|part| &**part)
                            .concat();
                        let expected = text.chars().all(|character| character <= '\u{FF}');
                        assert_eq!(
                            latin1_up_to(kernel.form(Str), &text) == text.len(),
                            expected,
                            "{kernel:?}: {character:?} after {before} times {filler}"
                        );
                    }
                }
            }
        }
        assert_eq!(latin1_up_to(kernel.form(Str), ""), 0);
    }
}
