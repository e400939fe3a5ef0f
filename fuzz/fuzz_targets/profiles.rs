//! Every preset and one profile of the fuzzer's choice, on every kernel, against a loop over the characters. A long input takes its time,
//! and has one of the profiles.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_fuzz::input;
use trust8_fuzz::kernels::kernels;
use trust8_profile::{
    Class, KernelProfiles, Profile, ProfileError, ProfilePart, ProfilePolicy, ProfileValidator,
};

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;
    let chosen =
        Profile::from_bits(data.iter().rev().take(8).fold(0, |bits, &byte| bits << 8 | u64::from(byte)));
    // The loop knows only the classes that do not depend on the context.
    let by_context = u64::MAX << Class::StrayJoiner.code();
    let profiles = Profile::PRESETS.iter().map(|preset| preset.1).chain([chosen]);
    let profiles = profiles.map(|profile| Profile::from_bits(profile.bits() & !by_context));
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
        let answer = |error: ProfileError| match error {
            ProfileError::NotUtf8(error) => (error.valid_up_to(), None),
            ProfileError::Forbidden(found) => (found.offset() as usize, Some(found.class())),
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
    judge_by_context(&chosen, bytes);
});

/// Whatever the kernel and the pieces, a character is judged alike. Repaired text passes.
fn judge_by_context(profile: &Profile, bytes: &[u8]) {
    let mut all: Option<Vec<_>> = None;
    for kernel in kernels() {
        let found: Vec<_> = kernel.profile(profile).errors(bytes).collect();
        let first = kernel.profile(profile).from_utf8(bytes).err();
        assert_eq!(first, found.first().copied(), "{kernel:?}, {profile:?}");
        assert_eq!(*all.get_or_insert_with(|| found.clone()), found, "{kernel:?}, {profile:?}");
    }
    let first = all.and_then(|all| all.first().map(ProfileError::valid_up_to));
    let cut = bytes.iter().fold(0, |sum, &byte| sum + usize::from(byte)) % (bytes.len() + 1);
    let (left, right) = bytes.split_at(cut);
    let mut validator = ProfileValidator::new(*profile);
    let streamed =
        validator.push(left).and_then(|()| validator.push(right)).and_then(|()| validator.finish());
    assert_eq!(streamed.is_err(), first.is_some(), "{profile:?}");
    let joined = ProfilePart::of(profile, left).then(&ProfilePart::of(profile, right));
    assert_eq!(joined, ProfilePart::of(profile, bytes), "{profile:?}");
    assert_eq!(joined.finish().err().map(|error| error.valid_up_to() as usize), first, "{profile:?}");
    if let Ok(text) = core::str::from_utf8(bytes) {
        for &policy in ProfilePolicy::ALL {
            let repaired = profile.repair(text, policy);
            assert_eq!(profile.check(&repaired), Ok(()), "{policy:?}, {profile:?}");
        }
    }
}
