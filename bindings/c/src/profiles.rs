//! # Profiles
//!
//! A profile is a set of classes of forbidden characters: bit n is class n. The presets are
//! constants. Any other set is possible too, and then each call takes some microseconds more.

use core::ffi::{CStr, c_char, c_void};

use trust8::engine::is_same_name;
use trust8_profile::{Class, Profile, ProfileError, Run};

use crate::errors::{TRUST8_FORBIDDEN, TRUST8_NO_ERROR, TRUST8_NONE, misuse, trust8_error};
use crate::{memory, names};

/// The characters of XML 1.0.
pub const TRUST8_PROFILE_XML: u64 = 0x000000229;
/// The unicode assignables of RFC 9839: no legacy controls and no noncharacters.
pub const TRUST8_PROFILE_ASSIGNABLES: u64 = 0x0000007E9;
/// The strings of I-JSON (RFC 7493): no noncharacters.
pub const TRUST8_PROFILE_I_JSON: u64 = 0x000000600;
/// The text of PostgreSQL: no NUL.
pub const TRUST8_PROFILE_POSTGRES: u64 = 0x000000001;
/// Text that is shown in a terminal.
pub const TRUST8_PROFILE_TERMINAL: u64 = 0x57E0C09E9;
/// Source code: nothing that hides code from a reader.
pub const TRUST8_PROFILE_SOURCE: u64 = 0x5FE0C0FE1;
/// Text for a language model: nothing that hides text from a reader.
pub const TRUST8_PROFILE_PROMPT: u64 = 0x5FE0C0FE9;
/// A file name, without folders.
pub const TRUST8_PROFILE_FILE_NAME: u64 = 0x7FE8C0FFF;

/// Returns the classes of the preset with this name, or UINT64_MAX if there is none. The names are
/// "scalars" (no classes), "xml", "assignables", "i-json", "postgres", "terminal", "source",
/// "prompt" and "file-name".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_profile_by_name(name: *const c_char) -> u64 {
    // SAFETY: the caller vouches for the string.
    let Some(name) = (unsafe { names::given(name) }) else { return u64::MAX };
    let named = Profile::PRESETS.iter().find(|(known, _)| is_same_name(known, name));
    named.map_or(u64::MAX, |(_, profile)| profile.bits())
}

/// Returns the name of a class, such as "c0-control", or NULL if there is no such class.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_class_name(number: u8) -> *const c_char {
    NAMES.get(usize::from(number)).map_or(core::ptr::null(), |name| name.as_ptr())
}

/// Returns the number of a character's class, or 255 if it has none that does not depend on the
/// characters around it.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_class_of(character: u32) -> u8 {
    char::from_u32(character).and_then(Class::of).map_or(u8::MAX, Class::code)
}

/// Returns whether the bytes are UTF-8 without a character of these classes. If not, `error` is the
/// first error. For a forbidden character, its kind is TRUST8_FORBIDDEN, and its `bytes` are those
/// of the character.
///
/// A bit without a class is a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_profile_validate(
    classes: u64,
    data: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let (Some(bytes), Some(profile)) = (bytes, profile(classes)) else {
        // SAFETY: the caller vouches for the memory.
        return unsafe { misuse(error) };
    };
    let found = match profile.get().from_utf8(bytes) {
        Ok(_) => trust8_error::at(len as u64, TRUST8_NO_ERROR),
        Err(ProfileError::NotUtf8(found)) => found.into(),
        Err(ProfileError::Forbidden(found)) => {
            let mut buffer = [0; 4];
            let bytes = found.character().encode_utf8(&mut buffer).as_bytes();
            trust8_error::new(found.offset(), TRUST8_FORBIDDEN, Some(bytes.len()), bytes)
        }
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.kind == TRUST8_NO_ERROR
}

/// Some bytes that a profile refuses: an ill-formed sequence, or characters that follow each other.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_run {
    /// The number of bytes before them.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
    /// The number of characters: 1 for an ill-formed sequence.
    pub characters: u64,
    /// TRUST8_FORBIDDEN, or the rule of UTF-8 that the sequence breaks.
    pub kind: u8,
    /// The class of the first character, or 255 for an ill-formed sequence.
    pub first_class: u8,
    /// Zeros.
    pub reserved: [u8; 6],
}

/// Finds all that trust8_profile_validate refuses, in order. Forbidden characters that follow each
/// other are one run: 400 variation selectors in a row are one finding. Writes the first `cap` runs
/// to `runs`, which may be NULL if `cap` is 0. Returns the number of all, or TRUST8_NONE for a
/// misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_profile_runs(
    classes: u64,
    data: *const c_void,
    len: usize,
    runs: *mut trust8_run,
    cap: usize,
) -> usize {
    let room = (runs.cast_const().cast(), cap.saturating_mul(size_of::<trust8_run>()));
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let (Some(bytes), Some(profile)) = (bytes, profile(classes)) else { return TRUST8_NONE };
    if cap > 0 && runs.is_null() || !memory::are_apart((data, len), room) {
        return TRUST8_NONE;
    }
    let mut count = 0;
    for run in profile.get().errors(bytes).runs() {
        if count < cap {
            // SAFETY: the caller vouches for the memory of `cap` structs.
            unsafe { memory::put(runs.wrapping_add(count), run.into()) };
        }
        count += 1;
    }
    count
}

impl From<Run> for trust8_run {
    fn from(run: Run) -> Self {
        let (kind, first_class) = match run.first() {
            ProfileError::NotUtf8(error) => (error.kind().code(), u8::MAX),
            ProfileError::Forbidden(found) => (TRUST8_FORBIDDEN, found.class().code()),
        };
        let (range, characters) = (run.range(), run.characters() as u64);
        let (offset, len) = (range.start as u64, range.len() as u64);
        Self { offset, len, characters, kind, first_class, reserved: [0; 6] }
    }
}

/// The names of the classes, by their numbers.
const NAMES: &[&CStr] = &[
    c"nul",
    c"tab",
    c"line-feed",
    c"form-feed",
    c"carriage-return",
    c"c0-control",
    c"delete",
    c"next-line",
    c"c1-control",
    c"fffe-ffff",
    c"noncharacter",
    c"bidi-control",
    c"bidi-mark",
    c"zero-width",
    c"joiner",
    c"tag",
    c"variation-selector",
    c"emoji-selector",
    c"separator",
    c"byte-order-mark",
    c"private-use",
    c"soft-hyphen",
    c"invisible",
    c"slash",
    c"windows-reserved",
    c"stray-joiner",
    c"stray-selector",
    c"stray-tag",
    c"stray-mark",
    c"stray-space",
    c"stray-filler",
    c"private-use-run",
    c"bare-carriage-return",
    c"leading-mark",
    c"stacked-marks",
];

/// A preset, or a profile made for this call.
#[expect(
    clippy::large_enum_variant,
    reason = "it is on the stack for one call, and nothing is allocated here"
)]
enum Chosen {
    Preset(&'static Profile),
    Made(Profile),
}

impl Chosen {
    const fn get(&self) -> &Profile {
        match self {
            Self::Preset(profile) => profile,
            Self::Made(profile) => profile,
        }
    }
}

/// Returns the profile that forbids these classes, if all of them exist.
fn profile(classes: u64) -> Option<Chosen> {
    if classes >> Class::ALL.len() != 0 {
        return None;
    }
    let preset = Profile::PRESETS.iter().find(|preset| preset.1.bits() == classes);
    Some(preset.map_or_else(|| Chosen::Made(Profile::from_bits(classes)), |preset| Chosen::Preset(&preset.1)))
}

#[cfg(test)]
mod tests {
    use core::mem::MaybeUninit;

    use super::*;

    fn validate(classes: u64, bytes: &[u8]) -> trust8_error {
        let mut error = MaybeUninit::uninit();
        // SAFETY: the pointers are those of a slice and of memory for the struct.
        let valid = unsafe {
            trust8_profile_validate(classes, bytes.as_ptr().cast(), bytes.len(), error.as_mut_ptr())
        };
        // SAFETY: the function fills the struct in any case.
        let error = unsafe { error.assume_init() };
        assert_eq!(valid, error.kind == TRUST8_NO_ERROR);
        error
    }

    #[test]
    fn presets_have_the_classes_of_the_library() {
        for (name, classes) in [
            (c"xml", TRUST8_PROFILE_XML),
            (c"assignables", TRUST8_PROFILE_ASSIGNABLES),
            (c"i-json", TRUST8_PROFILE_I_JSON),
            (c"postgres", TRUST8_PROFILE_POSTGRES),
            (c"terminal", TRUST8_PROFILE_TERMINAL),
            (c"source", TRUST8_PROFILE_SOURCE),
            (c"prompt", TRUST8_PROFILE_PROMPT),
            (c"file-name", TRUST8_PROFILE_FILE_NAME),
            (c"File_Name", TRUST8_PROFILE_FILE_NAME),
            (c"scalars", 0),
            (c"xml1", u64::MAX),
        ] {
            // SAFETY: it is a string.
            assert_eq!(unsafe { trust8_profile_by_name(name.as_ptr()) }, classes, "{name:?}");
        }
    }

    #[test]
    fn classes_have_names_and_numbers() {
        for class in Class::ALL {
            let name = trust8_class_name(class.code());
            // SAFETY: it is the string of a class that exists.
            assert_eq!(unsafe { CStr::from_ptr(name) }.to_str(), Ok(class.name()));
        }
        assert!(trust8_class_name(Class::ALL.len() as u8).is_null());
        assert_eq!(
            [0x202E, 0x41, 0xD800, 0x11_0000].map(|character| trust8_class_of(character)),
            [11, 255, 255, 255]
        );
    }

    #[test]
    fn errors_say_what_is_forbidden() {
        let error = validate(TRUST8_PROFILE_SOURCE, "ab\u{202E}\u{FF}".as_bytes());
        assert_eq!((error.valid_up_to, error.kind, error.error_len), (2, TRUST8_FORBIDDEN, 3));
        assert_eq!(error.seen(), "\u{202E}".as_bytes());
        assert_eq!(validate(TRUST8_PROFILE_SOURCE, b"ab\xFF\0").kind, crate::errors::TRUST8_INVALID_BYTE);
        assert_eq!(validate(TRUST8_PROFILE_POSTGRES, b"\x01").valid_up_to, 1);
        // A set that is no preset.
        assert_eq!(validate(1 << 2, b"a\nb").valid_up_to, 1);
        assert_eq!(validate(1 << 35, b"").kind, crate::errors::TRUST8_MISUSE);
    }

    /// The number of runs, and those that are written to memory for three, which nothing aligns.
    fn runs(classes: u64, bytes: &[u8]) -> (usize, Vec<trust8_run>) {
        let mut memory = [MaybeUninit::<[u8; 32]>::uninit(); 4];
        let first = memory.as_mut_ptr().cast::<u8>().wrapping_add(1).cast::<trust8_run>();
        // SAFETY: the pointers are those of a slice and of memory for three structs.
        let count = unsafe { trust8_profile_runs(classes, bytes.as_ptr().cast(), bytes.len(), first, 3) };
        let written = if count == TRUST8_NONE { 0 } else { count.min(3) };
        // SAFETY: the function has filled this many structs.
        let filled = |i| unsafe { first.wrapping_add(i).read_unaligned() };
        (count, (0..written).map(filled).collect())
    }

    #[test]
    fn runs_are_one_finding_each() {
        let text = ["x\u{E0101}\u{E0102}\u{200B}".as_bytes(), b"\xFF\0\0", "\u{202E}y".as_bytes()].concat();
        let (count, found) = runs(TRUST8_PROFILE_SOURCE, &text);
        let found: Vec<_> = found
            .iter()
            .map(|run| (run.offset, run.len, run.characters, run.kind, run.first_class, run.reserved))
            .collect();
        let [selector, nul] = [Class::StraySelector, Class::Nul].map(Class::code);
        let expected = [
            (1, 11, 3, TRUST8_FORBIDDEN, selector, [0; 6]),
            (12, 1, 1, crate::errors::TRUST8_INVALID_BYTE, 255, [0; 6]),
            (13, 2, 2, TRUST8_FORBIDDEN, nul, [0; 6]),
        ];
        assert_eq!((count, found.as_slice()), (4, expected.as_slice()));
        assert_eq!(runs(0, b"a\xE2\x82").1[0].len, 2);
        assert_eq!(runs(TRUST8_PROFILE_SOURCE, b"text").0, 0);
        assert_eq!(runs(1 << 35, b"text").0, TRUST8_NONE);
        let data = text.as_ptr().cast();
        // SAFETY: the capacity is 0, or the arguments are a misuse, so nothing is written.
        let call =
            |runs, cap| unsafe { trust8_profile_runs(TRUST8_PROFILE_SOURCE, data, text.len(), runs, cap) };
        assert_eq!(call(core::ptr::null_mut(), 0), 4);
        assert_eq!(call(core::ptr::null_mut(), 1), TRUST8_NONE);
        assert_eq!(call(data.cast_mut().cast(), usize::MAX), TRUST8_NONE);
    }
}
