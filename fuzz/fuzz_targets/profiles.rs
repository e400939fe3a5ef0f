//! Every preset and one profile of the fuzzer's choice, on every kernel, against a loop over the characters. A long input takes its time,
//! and has one of the profiles.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_fuzz::input;
use trust8_fuzz::kernels::kernels;
use trust8_profile::{Class, Error, Profile, KernelProfiles};

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;
    let chosen =
        Profile::from_bits(data.iter().rev().take(4).fold(0, |bits, &byte| bits << 8 | u32::from(byte)));
    let profiles = Profile::PRESETS.iter().map(|preset| preset.1).chain([chosen]);
    let one = bytes.len() % (Profile::PRESETS.len() + 1);
    for (_, profile) in profiles.enumerate().filter(|(i, _)| bytes.len() < 1000 || *i == one) {
        let mut expected = Vec::new();
        let mut offset = 0;
        for chunk in bytes.utf8_chunks() {
            for (at, character) in chunk.valid().char_indices() {
                let class = Class::of(character).filter(|&class| profile.forbids(class));
                if class.is_some() && (offset + at, class) != (0, Some(Class::ByteOrderMark)) {
                    expected.push((offset + at, class));
                }
            }
            offset += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                expected.push((offset, None));
            }
            offset += chunk.invalid().len();
        }
        let answer = |error: Error| match error {
            Error::NotUtf8(error) => (error.valid_up_to(), None),
            Error::Forbidden(found) => (found.offset() as usize, Some(found.class())),
        };
        for kernel in kernels() {
            let first = kernel.profile(&profile).from_utf8(bytes).err().map(answer);
            assert_eq!(first, expected.first().copied(), "{kernel:?}, {profile:?}");
            assert!(
                kernel.profile(&profile).errors(bytes).map(answer).eq(expected.iter().copied()),
                "{kernel:?}, {profile:?}"
            );
        }
    }
});
