//! Characters that are valid but harmful, according to the library's profiles.

use trust8_profile::{Class, Profile, ProfileError};

use crate::memory::{both, output, place};
use crate::text::write;

/// Returns the number of a character's class, or 255 if it has none.
#[unsafe(no_mangle)]
pub extern "C" fn class_of(code_point: u32) -> u32 {
    char::from_u32(code_point).and_then(Class::of).map_or(255, |class| class.code().into())
}

/// Writes the name of a class, a line feed and the reason to forbid it. Returns the length: 0 if no class has the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_words(number: usize, out: *mut u8, capacity: usize) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let out = unsafe { output(out, capacity) };
    Class::ALL
        .get(number)
        .map_or(0, |class| write(out, &format_args!("{}\n{}", class.name(), class.reason())))
}

/// Writes the name of a preset. Returns its length: 0 if no preset has the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn preset(number: usize, out: *mut u8, capacity: usize) -> usize {
    let Some((name, _)) = Profile::PRESETS.get(number) else { return 0 };
    // SAFETY: the caller keeps the promises of `memory`.
    write(unsafe { output(out, capacity) }, name)
}

/// Finds the characters of `len` bytes at `at` that the preset with this number forbids. Writes the first ones to `out` (offset, and in one number the
/// code point and, from bit 24 on, the class) and the number of all to `total`. Returns how many were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forbidden(
    preset: usize,
    at: *const u8,
    len: usize,
    out: *mut [u32; 2],
    capacity: usize,
    total: *mut u32,
) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { both(at, len, out, capacity) };
    let found = Profile::PRESETS[preset].1.errors(bytes).filter_map(packed);
    // SAFETY: as above.
    list(found, out, unsafe { place(total) })
}

/// Does the same for runs of such characters. `out` also gets the length of each in bytes, and its number of characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forbidden_runs(
    preset: usize,
    at: *const u8,
    len: usize,
    out: *mut [u32; 4],
    capacity: usize,
    total: *mut u32,
) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { both(at, len, out, capacity) };
    let found = Profile::PRESETS[preset].1.errors(bytes).runs().filter_map(|run| {
        let [offset, word] = packed(run.first())?;
        Some([offset, word, run.range().len() as u32, run.characters() as u32])
    });
    // SAFETY: as above.
    list(found, out, unsafe { place(total) })
}

fn packed(error: ProfileError) -> Option<[u32; 2]> {
    let ProfileError::Forbidden(found) = error else { return None };
    let class = u32::from(found.class().code());
    Some([found.offset() as u32, u32::from(found.character()) | class << 24])
}

fn list<T>(found: impl Iterator<Item = T>, out: &mut [T], total: &mut u32) -> usize {
    *total = 0;
    for one in found {
        if let Some(slot) = out.get_mut(*total as usize) {
            *slot = one;
        }
        *total += 1;
    }
    (*total as usize).min(out.len())
}
