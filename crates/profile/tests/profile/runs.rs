//! Errors with each run of forbidden characters as one.

use trust8::Kernel;
use trust8_profile::{Class, KernelProfiles, Profile, ProfileError};

/// Runs of text from these pieces are those of a plain loop over the single errors.
#[test]
fn runs_join_the_errors_that_follow_each_other() {
    let pieces = [
        "a",
        "\n",
        "é",
        "\u{E0101}",
        "\u{200B}",
        "\u{200C}",
        "\u{202E}",
        "\0",
        "\u{85}",
        "日",
        "\u{FEFF}",
        "\u{E0041}",
    ];
    let bytes = |mut number: usize| {
        let mut bytes = Vec::new();
        for place in 0..5 {
            bytes.extend(pieces[number % pieces.len()].as_bytes());
            if number % 7 == 3 && place == 2 {
                bytes.push(0xFF);
            }
            number /= pieces.len();
        }
        if number == 0 {
            bytes.push(0xE2);
        }
        bytes
    };
    for number in (0..pieces.len().pow(5)).step_by(97) {
        let bytes = bytes(number);
        for profile in [Profile::SOURCE_CODE, Profile::FILE_NAME] {
            let mut expected: Vec<(usize, usize, usize, Option<Class>)> = Vec::new();
            for error in profile.errors(&bytes) {
                let start = error.valid_up_to();
                let end = error.error_len().map_or(bytes.len(), |len| start + len);
                let class = match error {
                    ProfileError::Forbidden(found) => Some(found.class()),
                    ProfileError::NotUtf8(_) => None,
                };
                match (expected.last_mut(), class) {
                    (Some((_, last, characters, Some(before))), Some(class))
                        if *last == start && before.joins(class) =>
                    {
                        (*last, *before) = (end, class);
                        *characters += 1;
                    }
                    _ => expected.push((start, end, 1, class)),
                }
            }
            for kernel in Kernel::available() {
                let runs = kernel.profile(&profile).errors(&bytes).runs();
                let found: Vec<_> =
                    runs.map(|run| (run.range().start, run.range().end, run.characters())).collect();
                let plain: Vec<_> =
                    expected.iter().map(|(start, end, characters, _)| (*start, *end, *characters)).collect();
                assert_eq!(found, plain, "{} {bytes:X?}", kernel.name());
            }
        }
    }
}

#[test]
fn hidden_code_is_one_finding() {
    let text = format!("let s = '{}';\0\0 \u{200B}\u{200C}", "\u{E0141}".repeat(400));
    for kernel in Kernel::available() {
        let runs: Vec<_> = kernel.profile(&Profile::SOURCE_CODE).errors(text.as_bytes()).runs().collect();
        let shape: Vec<_> = runs.iter().map(|run| (run.range().len(), run.characters())).collect();
        assert_eq!(shape, [(1600, 400), (2, 2), (6, 2)], "{}", kernel.name());
        assert!(runs[0].to_string().ends_with(", the first of 400 up to byte 1609"), "{}", runs[0]);
        assert_eq!(runs[0].first().valid_up_to(), 9);
    }
}
