//! Turns C pointers into slices, after all possible checks of a pointer and its length.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;

/// Returns whether `data` and `len` can be `len` values of type `T`, as far as that can be checked.
fn is_plausible<T>(data: *const T, len: usize) -> bool {
    !data.is_null() && data.is_aligned() && len <= isize::MAX as usize / size_of::<T>()
}

/// Returns the values at `data`, or `None` if the pointer and the length are a misuse.
///
/// # Safety
///
/// - If the pointer is not null and the length is not 0, `data` points to `len` readable values,
///   which nobody changes while the result is in use.
#[inline(always)]
pub(crate) unsafe fn values<'a, T>(data: *const T, len: usize) -> Option<&'a [T]> {
    if len == 0 {
        return Some(&[]);
    }
    if !is_plausible(data, len) {
        return None;
    }
    // SAFETY: the pointer is aligned and not null, the length is no more than what fits into
    // memory, and the caller vouches for the values.
    Some(unsafe { slice::from_raw_parts(data, len) })
}

/// Returns the bytes at `data`, or `None` if the pointer and the length are a misuse.
///
/// For short text, the call overhead matters, so there is only one branch, which a correct program
/// never takes. Empty text is handled like any other: the lengths in a program vary, so a branch on
/// it would be mispredicted.
///
/// # Safety
///
/// - The same as for [`values`].
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(data: *const c_void, len: usize) -> Option<&'a [u8]> {
    let most = if data.is_null() { 0 } else { isize::MAX as usize };
    if len > most {
        cold_path();
        return None;
    }
    let start = NonNull::new(data.cast_mut().cast()).unwrap_or(NonNull::dangling());
    // SAFETY: the pointer is not null, bytes need no alignment, the length is no more than what
    // fits into memory, and 0 if `data` is null. Otherwise the caller vouches for the bytes.
    Some(unsafe { slice::from_raw_parts(start.as_ptr(), len) })
}

/// Returns the bytes as text.
///
/// # Safety
///
/// - The bytes are UTF-8.
#[inline(always)]
pub(crate) unsafe fn text(bytes: &[u8]) -> &str {
    // SAFETY: the caller vouches for it.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// Returns the memory at `data`, or `None` if the pointer and the capacity are a misuse.
///
/// # Safety
///
/// - If the pointer is not null and the capacity is not 0, `data` points to `cap` writable bytes,
///   which nobody else uses while the result is in use.
#[inline(always)]
pub(crate) unsafe fn room<'a>(data: *mut c_void, cap: usize) -> Option<&'a mut [MaybeUninit<u8>]> {
    if cap == 0 {
        return Some(&mut []);
    }
    if !is_plausible::<u8>(data.cast(), cap) {
        return None;
    }
    // SAFETY: the pointer is not null, bytes need no alignment, the capacity is no more than what
    // fits into memory, and the caller vouches for the bytes.
    Some(unsafe { slice::from_raw_parts_mut(data.cast(), cap) })
}

/// Fills memory with zeros and returns it as bytes.
pub(crate) fn zeroed(room: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    room.fill(MaybeUninit::new(0));
    // SAFETY: the line above has initialised all of it. Memory, length and borrow are the same.
    unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) }
}

/// Returns whether two memory ranges, each with its length in bytes, have no byte in common.
pub(crate) fn are_apart(a: (*const c_void, usize), b: (*const c_void, usize)) -> bool {
    let begins_in =
        |a: (*const c_void, usize), b: (*const c_void, usize)| a.0.addr().wrapping_sub(b.0.addr()) < b.1;
    a.1 == 0 || b.1 == 0 || !(begins_in(a, b) || begins_in(b, a))
}

/// Returns whether a struct has no byte in common with a memory range and its length in bytes. If
/// the pointer is null, there is no struct.
#[inline(always)]
pub(crate) fn is_apart<T>(of: *const T, place: (*const c_void, usize)) -> bool {
    of.is_null() || are_apart((of.cast(), size_of::<T>()), place)
}

/// Returns the input and the output of one call, or `None` if one of them is a misuse, or if they
/// overlap.
///
/// # Safety
///
/// - The same as for [`values`] and [`room`], except that the two may overlap.
pub(crate) unsafe fn both<'a>(
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> Option<(&'a [u8], &'a mut [MaybeUninit<u8>])> {
    if !are_apart((data, len), (out, cap)) {
        return None;
    }
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { bytes(data, len) }?;
    // SAFETY: the caller vouches for it, and the two do not overlap.
    let room = unsafe { room(out, cap) }?;
    Some((bytes, room))
}

/// Marks the path to this call as cold.
#[cold]
#[inline(always)]
fn cold_path() {}

/// Writes `value` to `out`, unless that is null.
///
/// # Safety
///
/// - If `out` is not null, it points to memory for a `T`. The memory need not be aligned.
#[inline(always)]
pub(crate) unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: the caller vouches for the memory.
        unsafe { out.write_unaligned(value) }
    }
}

/// Reads the value at `from`, unless that is null.
///
/// # Safety
///
/// - If `from` is not null, it points to a `T`. It need not be aligned.
#[inline(always)]
pub(crate) unsafe fn take<T: Copy>(from: *const T) -> Option<T> {
    if from.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the value.
    Some(unsafe { from.read_unaligned() })
}
