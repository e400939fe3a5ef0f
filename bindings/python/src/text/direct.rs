//! Creates strings directly in their memory.
//!
//! `PyUnicode_New` creates a string whose characters are not written yet. Nobody else has the
//! object before it is finished, so its memory is an ordinary buffer, which the library's
//! conversions fill.

use std::mem::{self, MaybeUninit};
use std::ptr::NonNull;
use std::slice;

use pyo3::exceptions::{PySystemError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use trust8::boundary::floor;
use trust8::{Kernel, is_utf8};
use trust8_counts::{count_starts, inspect};
use trust8_transcode::handlers::into_ascii;
use trust8_transcode::{self as transcode, Encoding, Str, Utf16, Utf32};

use super::faulty::{
    BUFFER_UNITS, Pass, SEARCHED_BYTES, Stop, UNKNOWN, Unit, has_only_lone_faults, library_pays,
    may_be_narrow, pass, put_lone_faults, starts_with_lone_faults,
};
use super::{Counts, Decoded, Instead, SHORT_BYTES};
use crate::input::{LONG_BYTES, PIECE_BYTES, new_bytes, unlocked_if_long};

/// The number of bytes of each character in a string. ASCII strings are a separate kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Width {
    Ascii,
    One,
    Two,
    Four,
}

impl Width {
    /// Returns the width of a text with these numbers of characters of one, two, three and four
    /// bytes in UTF-8.
    fn of(text: &str, chars_by_len: [usize; 4]) -> Self {
        match chars_by_len {
            [_, 0, 0, 0] => Self::Ascii,
            [_, _, 0, 0] if transcode::is_latin1(text) => Self::One,
            [.., 0] => Self::Two,
            _ => Self::Four,
        }
    }

    /// Returns the width of a character, or of several characters whose bits are combined.
    fn of_code_point(code_point: u32) -> Self {
        match code_point {
            0..=0x7F => Self::Ascii,
            0x80..=0xFF => Self::One,
            0x100..=0xFFFF => Self::Two,
            _ => Self::Four,
        }
    }

    /// Returns the largest character of this width, an argument of `PyUnicode_New`.
    fn largest(self) -> ffi::Py_UCS4 {
        match self {
            Self::Ascii => 0x7F,
            Self::One => 0xFF,
            Self::Two => 0xFFFF,
            Self::Four => 0x10_FFFF,
        }
    }

    /// Returns the width of a string of `len` characters.
    fn of_string(string: &Bound<'_, PyString>, len: usize) -> PyResult<Self> {
        // SAFETY: the object is a string, and the interpreter is held.
        Ok(match unsafe { ffi::PyUnicode_KIND(string.as_ptr()) } {
            ffi::PyUnicode_1BYTE_KIND if is_ascii(string, len)? => Self::Ascii,
            ffi::PyUnicode_1BYTE_KIND => Self::One,
            ffi::PyUnicode_2BYTE_KIND => Self::Two,
            _ => Self::Four,
        })
    }
}

/// Returns whether a string of `len` characters of one byte is ASCII.
#[cfg(not(Py_3_14))]
#[inline]
fn is_ascii(string: &Bound<'_, PyString>, _: usize) -> PyResult<bool> {
    // SAFETY: the object is a string, and the interpreter is held.
    Ok(unsafe { ffi::PyUnicode_IS_ASCII(string.as_ptr()) } != 0)
}

/// Returns whether a string of `len` characters of one byte is ASCII. From Python 3.14 on, only its method says so.
#[cfg(Py_3_14)]
#[inline]
fn is_ascii(string: &Bound<'_, PyString>, len: usize) -> PyResult<bool> {
    // In fewer characters, looking at all of them takes less time than the call of a method.
    const SHORT_CHARS: usize = 1024;
    if len > SHORT_CHARS {
        let method = pyo3::intern!(string.py(), "isascii");
        if string.is_exact_instance_of::<PyString>() {
            return string.call_method0(method)?.extract();
        }
        return string.py().get_type::<PyString>().call_method1(method, (string,))?.extract();
    }
    // SAFETY: the object is a string, and the interpreter is held.
    let data = unsafe { ffi::PyUnicode_DATA(string.as_ptr()) };
    // SAFETY: the string has this many characters of one byte, which never change.
    let bytes = unsafe { slice::from_raw_parts(data.cast_const().cast(), len) };
    Ok(if len <= 64 { is_short_ascii(bytes) } else { trust8_counts::is_ascii(bytes) })
}

/// The memory of an unfinished string.
enum Room<'a> {
    One(&'a mut [MaybeUninit<u8>]),
    Two(&'a mut [MaybeUninit<u16>]),
    Four(&'a mut [MaybeUninit<u32>]),
}

impl Room<'_> {
    /// Writes a text whose characters have at most this width, and returns its number of
    /// characters.
    fn fill(self, text: &str) -> Option<usize> {
        match self {
            Self::One(room) => {
                transcode::convert_into(Str, Encoding::Latin1, text, room).ok().map(|text| text.len())
            }
            Self::Two(room) => transcode::convert_into(Str, Utf16, text, room).ok().map(|text| text.len()),
            Self::Four(room) => transcode::convert_into(Str, Utf32, text, room).ok().map(|text| text.len()),
        }
    }
}

/// An unfinished string.
struct New<'py> {
    string: Bound<'py, PyAny>,
    width: Width,
    len: usize,
}

impl<'py> New<'py> {
    /// Creates a string of `len` characters, at least 1.
    fn with_len(py: Python<'py>, len: usize, width: Width) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(len).map_err(|_| too_long())?;
        // SAFETY: the interpreter is held.
        let string = unsafe { ffi::PyUnicode_New(size, width.largest()) };
        // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
        let string = unsafe { Bound::from_owned_ptr_or_err(py, string) }?;
        Ok(Self { string, width, len })
    }

    /// Returns the memory from character `at` on.
    fn room(&mut self, at: usize) -> Room<'_> {
        // SAFETY: the object is a string that is compact, as all are that `PyUnicode_New` makes.
        let data = unsafe { ffi::PyUnicode_DATA(self.string.as_ptr()) };
        match self.width {
            // SAFETY: it is the string's memory, and `u8` has the width of its units.
            Width::Ascii | Width::One => Room::One(unsafe { self.units(data.cast(), at) }),
            // SAFETY: the same for `u16`.
            Width::Two => Room::Two(unsafe { self.units(data.cast(), at) }),
            // SAFETY: the same for `u32`.
            Width::Four => Room::Four(unsafe { self.units(data.cast(), at) }),
        }
    }

    /// Returns the memory from unit `at` on.
    ///
    /// # Safety
    ///
    /// - `data` is the memory of the string, whose units have the width of `U`.
    unsafe fn units<U>(&mut self, data: *mut MaybeUninit<U>, at: usize) -> &mut [MaybeUninit<U>] {
        // SAFETY: the string has memory for `len` such units, aligned for them. Nobody else has the string, which is borrowed mutably
        // for as long as the slice.
        let all = unsafe { slice::from_raw_parts_mut(data, self.len) };
        &mut all[at..]
    }

    /// Writes a text from character `at` on, and returns its number of characters. Signals are
    /// handled.
    fn fill(&mut self, py: Python<'py>, at: usize, text: &str) -> PyResult<usize> {
        let (mut from, mut chars) = (0, 0);
        while from < text.len() {
            let end = floor(text.as_bytes(), text.len().min(from.saturating_add(PIECE_BYTES)));
            let (piece, room) = (&text[from..end], self.room(at + chars));
            chars += unlocked_if_long(py, piece.len(), || room.fill(piece)).ok_or_else(miscounted)?;
            from = end;
            if from < text.len() {
                py.check_signals()?;
            }
        }
        Ok(chars)
    }

    /// Makes the string longer or shorter, and keeps its characters.
    fn resize(&mut self, py: Python<'py>, len: usize) -> PyResult<()> {
        let size = ffi::Py_ssize_t::try_from(len).map_err(|_| too_long())?;
        let mut string = mem::replace(&mut self.string, py.None().into_bound(py)).into_ptr();
        // SAFETY: `string` is a string that belongs to this function. If it has to move, the function replaces it.
        let failed = unsafe { ffi::PyUnicode_Resize(&raw mut string, size) } < 0;
        // SAFETY: `string` belongs to this function, resized or not.
        self.string = unsafe { Bound::from_owned_ptr(py, string) };
        if failed {
            return Err(PyErr::fetch(py));
        }
        self.len = len;
        Ok(())
    }

    fn finish(self) -> PyResult<Bound<'py, PyString>> {
        Ok(self.string.cast_into::<PyString>()?)
    }
}

#[cold]
fn too_long() -> PyErr {
    pyo3::exceptions::PyMemoryError::new_err(())
}

#[cold]
fn miscounted() -> PyErr {
    PySystemError::new_err("trust8 has counted the characters of a text wrongly")
}

/// Returns the number of characters that a string has in memory, regardless of the `__len__` of a
/// subclass.
fn chars_of(string: &Bound<'_, PyString>) -> PyResult<usize> {
    // SAFETY: the object is a string, and the interpreter is held.
    let len = unsafe { ffi::PyUnicode_GetLength(string.as_ptr()) };
    usize::try_from(len).map_err(|_| PyErr::fetch(string.py()))
}

/// Checks that `PyUnicode_CopyCharacters` has copied `wanted` characters.
fn check_copied(py: Python<'_>, copied: ffi::Py_ssize_t, wanted: usize) -> PyResult<()> {
    match usize::try_from(copied) {
        Ok(copied) if copied == wanted => Ok(()),
        Ok(_) => Err(miscounted()),
        Err(_) => Err(PyErr::fetch(py)),
    }
}

/// Returns the text before the first error.
fn valid_text<'a>(counts: &Counts<'a>) -> &'a str {
    // SAFETY: `Counts::of` has the only constructor, and it counts what `inspect` has found valid.
    unsafe { str::from_utf8_unchecked(&counts.all[..counts.valid]) }
}

/// Returns the text before the first error as a string.
pub(crate) fn of_valid<'py>(py: Python<'py>, counts: &Counts<'_>) -> PyResult<Bound<'py, PyString>> {
    let chars = counts.chars;
    if chars == 0 {
        return Ok(PyString::new(py, ""));
    }
    let text = valid_text(counts);
    if chars == 1
        && let Some(character) = text.chars().next()
    {
        return one(py, character.into());
    }
    let mut new = New::with_len(py, chars, Width::of(text, counts.chars_by_len))?;
    let filled = if text.len() < LONG_BYTES { new.room(0).fill(text) } else { Some(new.fill(py, 0, text)?) };
    if filled != Some(chars) {
        return Err(miscounted());
    }
    new.finish()
}

/// Returns a string of one character. For those below U+0100, the interpreter has only one object
/// each.
fn one(py: Python<'_>, code_point: u32) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: the interpreter is held.
    let string = unsafe { ffi::PyUnicode_FromOrdinal(code_point.cast_signed()) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    Ok(unsafe { Bound::from_owned_ptr_or_err(py, string) }?.cast_into()?)
}

/// Returns whether a short text is ASCII. The last block overlaps those before it, so that no loop over
/// single bytes follows.
#[inline]
fn is_short_ascii(bytes: &[u8]) -> bool {
    let mut any = 0;
    if let Some(last) = bytes.last_chunk() {
        any = u128::from_ne_bytes(*last);
        for block in bytes.as_chunks().0 {
            any |= u128::from_ne_bytes(*block);
        }
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        any = (u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)).into();
    } else {
        for byte in bytes {
            any |= u128::from(*byte);
        }
    }
    any & u128::from_ne_bytes([0x80; 16]) == 0
}

/// Returns ASCII as a string, or `None` if the bytes are not ASCII or longer than `LONG_BYTES`.
#[inline]
pub(crate) fn ascii(py: Python<'_>, bytes: &[u8]) -> Option<NonNull<ffi::PyObject>> {
    // Up to this length, the loop finishes before the library's has started.
    const SHORT_BYTES: usize = 64;
    let is_ascii = if bytes.len() <= SHORT_BYTES {
        is_short_ascii(bytes)
    } else {
        bytes.len() <= LONG_BYTES && trust8_counts::is_ascii(bytes)
    };
    if !is_ascii {
        return None;
    }
    if let &[byte] = bytes {
        return NonNull::new(one(py, byte.into()).ok()?.into_ptr());
    }
    let size = ffi::Py_ssize_t::try_from(bytes.len()).ok()?;
    // SAFETY: the interpreter is held.
    let string = NonNull::new(unsafe { ffi::PyUnicode_New(size, 0x7F) });
    let Some(string) = string else {
        // SAFETY: the interpreter is held. The general code will fail as well, and say why.
        unsafe { ffi::PyErr_Clear() };
        return None;
    };
    // SAFETY: the object is a string that is compact.
    let data = unsafe { ffi::PyUnicode_DATA(string.as_ptr()) };
    // SAFETY: the string has memory for this many characters of one byte, and nobody else has it: if it is the empty string,
    // nothing is written. Both have the same length.
    unsafe { data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Some(string)
}

/// Returns `len` bytes of ASCII as a string, or `None` if they are not ASCII. `copy` copies the
/// bytes from an offset on.
///
/// Each piece is validated while it is in the cache. Signals are handled.
pub(crate) fn ascii_in_pieces<'py>(
    py: Python<'py>,
    len: usize,
    mut copy: impl FnMut(usize, &mut [MaybeUninit<u8>]) -> bool,
) -> PyResult<Option<Bound<'py, PyString>>> {
    const CACHED_BYTES: usize = 16 << 10;
    if len < 2 {
        return Ok(None);
    }
    let mut new = New::with_len(py, len, Width::Ascii)?;
    for at in (0..len).step_by(CACHED_BYTES) {
        let Room::One(room) = new.room(at) else { return Err(miscounted()) };
        let piece = room.len().min(CACHED_BYTES);
        if !copy(at, &mut room[..piece]) {
            return Ok(None);
        }
        if at % PIECE_BYTES == 0 {
            py.check_signals()?;
        }
    }
    new.finish().map(Some)
}

/// Returns a position at or before `at` where a sequence begins, well-formed or not. Returns the
/// end if it is near.
fn sequence_start(bytes: &[u8], at: usize) -> usize {
    const FAR_BYTES: usize = 64;
    if bytes.len().saturating_sub(at) < FAR_BYTES {
        return bytes.len();
    }
    // A sequence has at most three continuation bytes, and each further one is ill-formed by
    // itself.
    floor(bytes, at)
}

/// How far to decode from the first fault on, to learn how wide the string will be.
const NEAR_BYTES: usize = 128;

/// Returns bytes as a string, with each ill-formed sequence replaced according to `instead`.
pub(crate) fn faulty<'py>(py: Python<'py>, before: &Counts<'_>, instead: Instead) -> PyResult<Decoded<'py>> {
    let bytes = before.all;
    let valid = valid_text(before);
    let mut width = Width::of(valid, before.chars_by_len);
    // U+FFFD and surrogates need two bytes.
    if matches!(instead, Instead::Replace | Instead::SurrogateEscape) {
        width = width.max(Width::Two);
    }
    // The characters near the first fault are as wide as most. Without them, the string would be made in a narrow form, and again.
    let rest = &bytes[valid.len()..];
    if bytes.len() > SHORT_BYTES
        && let Some(Decoded::Text(near)) = short(py, &rest[..sequence_start(rest, NEAR_BYTES)], instead)?
    {
        width = width.max(Width::of_string(&near, chars_of(&near)?)?);
    }
    // Nearly all continuations belong to a lead and so are not characters. Memory for each byte
    // would be several times what most texts need, and the system clears large new memory page by
    // page.
    let most = if instead == Instead::BackslashReplace { rest.len().saturating_mul(4) } else { rest.len() };
    let starts = match width {
        // Then nearly each byte is one.
        Width::Ascii => rest.len(),
        _ => count_starts(rest) + rest.len() / 64 + 64,
    };
    let expected = before.chars + starts.min(most);
    let mut new = New::with_len(py, expected, width)?;
    let mut len = new.fill(py, 0, valid)?;
    if len != before.chars {
        return Err(miscounted());
    }
    let mut out = Builder { py, new, len };
    let mut at = valid.len();
    while at < bytes.len() {
        len = out.len;
        let end = sequence_start(bytes, at.saturating_add(PIECE_BYTES));
        let (piece, width, room) = (&bytes[at..end], out.new.width, out.new.room(len));
        let done = unlocked_if_long(py, piece.len(), || match room {
            Room::One(room) => pass(piece, room, width.largest(), instead),
            Room::Two(room) => pass(piece, room, width.largest(), instead),
            Room::Four(room) => pass(piece, room, width.largest(), instead),
        });
        at += done.read;
        out.len += done.written;
        match done.stop {
            Stop::End => py.check_signals()?,
            Stop::Wide(code_point) => out.reserve(1, Width::of_code_point(code_point))?,
            Stop::Full(more) => out.reserve(more, width)?,
            Stop::Refused => return Ok(Decoded::Refused(at)),
        }
    }
    out.finish().map(Decoded::Text)
}

/// Like `faulty`, for short text that need not have been counted. Returns `None` for other text, and for
/// valid text, unless it is very short.
#[inline]
pub(crate) fn short<'py>(py: Python<'py>, bytes: &[u8], instead: Instead) -> PyResult<Option<Decoded<'py>>> {
    let most = match instead {
        // One byte becomes `\\xNN`.
        Instead::BackslashReplace => SHORT_BYTES / 4,
        _ => SHORT_BYTES,
    };
    if bytes.len() > most {
        return Ok(None);
    }
    let has_only_lone_faults = match instead {
        Instead::Replace | Instead::SurrogateEscape => bytes.len() > 1 && has_only_lone_faults(bytes),
        Instead::Ignore if bytes.len() <= SEARCHED_BYTES => has_only_lone_faults(bytes),
        Instead::Ignore | Instead::BackslashReplace => starts_with_lone_faults(bytes),
        _ => false,
    };
    if has_only_lone_faults && matches!(instead, Instead::Replace | Instead::SurrogateEscape) {
        let mut new = New::with_len(py, bytes.len(), Width::Two)?;
        let Room::Two(room) = new.room(0) else { return Err(miscounted()) };
        return match put_lone_faults(bytes, room, instead) {
            true => Ok(Some(Decoded::Text(new.finish()?))),
            false => Err(miscounted()),
        };
    }
    if has_only_lone_faults && let Some(decoded) = short_as::<u8>(py, bytes, 0x7F, instead)? {
        return Ok(Some(decoded));
    }
    // Then validating costs little compared with replacing faults.
    if bytes.len() >= library_pays(32, 256) && !instead.is_looked_up() && is_utf8(bytes) {
        return Ok(None);
    }
    if may_be_narrow(bytes)
        && let Some(decoded) = short_as::<u16>(py, bytes, 0xFFFF, instead)?
    {
        return Ok(Some(decoded));
    }
    short_as::<u32>(py, bytes, 0x10_FFFF, instead)
}

/// Decodes ASCII, and ignores faults of one byte. Returns `None` if anything else is in the text.
pub(crate) fn ascii_without_faults<'py>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<Option<Bound<'py, PyString>>> {
    if !starts_with_lone_faults(bytes) {
        return Ok(None);
    }
    let mut out = Builder::new(py, bytes.len())?;
    let Room::One(room) = out.new.room(0) else { return Err(miscounted()) };
    let progress = into_ascii(Kernel::best(), bytes, room);
    out.len = progress.written;
    if progress.read == bytes.len() { out.finish().map(Some) } else { Ok(None) }
}

/// Decodes short text through characters of this width. Returns `None` if a character is larger than `largest`.
fn short_as<'py, U: Unit>(
    py: Python<'py>,
    bytes: &[u8],
    largest: u32,
    instead: Instead,
) -> PyResult<Option<Decoded<'py>>> {
    let mut room = [MaybeUninit::<U>::uninit(); BUFFER_UNITS];
    let Pass { read, written, bits, stop } = pass(bytes, &mut room, largest, instead);
    match stop {
        Stop::End => (),
        Stop::Refused => return Ok(Some(Decoded::Refused(read))),
        Stop::Wide(_) => return Ok(None),
        Stop::Full(_) => return Err(miscounted()),
    }
    // SAFETY: `pass` has written `written` units from the start on.
    let units = unsafe { slice::from_raw_parts(room.as_ptr().cast::<U>(), written) };
    let string = match *units {
        [] => PyString::new(py, ""),
        [unit] => one(py, unit.into())?,
        _ => {
            let bits = match bits {
                _ if largest == 0x7F => largest,
                bits if bits != UNKNOWN => bits,
                _ => units.iter().fold(0, |bits, unit| bits | (*unit).into()),
            };
            let width = Width::of_code_point(bits);
            let mut new = New::with_len(py, written, width)?;
            match new.room(0) {
                Room::One(room) => write_units(room, units),
                Room::Two(room) => write_units(room, units),
                Room::Four(room) => write_units(room, units),
            }
            new.finish()?
        }
    };
    Ok(Some(Decoded::Text(string)))
}

/// Writes characters that are known to fit.
fn write_units<T: Unit, U: Unit>(room: &mut [MaybeUninit<T>], units: &[U]) {
    let write = |to: &mut [MaybeUninit<T>], units: &[U]| {
        to.iter_mut().zip(units).for_each(|(to, unit)| *to = MaybeUninit::new(T::of((*unit).into())));
    };
    let (Some(last_to), Some(last)) = (room.last_chunk_mut::<8>(), units.last_chunk::<8>()) else {
        return write(room, units);
    };
    // The last eight overlap those before them.
    write(last_to, last);
    let all = room.as_chunks_mut::<8>().0.iter_mut().zip(units.as_chunks::<8>().0);
    all.for_each(|(to, units)| write(to, units));
}

/// A string made from several texts. It grows in width and length when a text needs it.
pub(crate) struct Builder<'py> {
    py: Python<'py>,
    new: New<'py>,
    len: usize,
}

impl<'py> Builder<'py> {
    /// Creates a builder with memory for `capacity` characters.
    pub(crate) fn new(py: Python<'py>, capacity: usize) -> PyResult<Self> {
        Ok(Self { py, new: New::with_len(py, capacity.max(1), Width::Ascii)?, len: 0 })
    }

    /// Reserves memory for `more` characters of this width.
    fn reserve(&mut self, more: usize, width: Width) -> PyResult<()> {
        let needed = self.len.checked_add(more).ok_or_else(too_long)?;
        let capacity = if needed <= self.new.len { self.new.len } else { needed.saturating_add(needed / 4) };
        if width > self.new.width {
            let wide = New::with_len(self.py, capacity, width)?;
            let (to, from) = (wide.string.as_ptr(), self.new.string.as_ptr());
            // SAFETY: both are strings, the new one is longer and wider, and nobody else has it.
            let copied =
                unsafe { ffi::PyUnicode_CopyCharacters(to, 0, from, 0, self.len as ffi::Py_ssize_t) };
            check_copied(self.py, copied, self.len)?;
            self.new = wide;
        } else if needed > self.new.len {
            self.new.resize(self.py, capacity)?;
        }
        Ok(())
    }

    /// Appends a text.
    pub(crate) fn push_str(&mut self, text: &str) -> PyResult<()> {
        if text.is_empty() {
            return Ok(());
        }
        let summary = inspect(text.as_bytes());
        self.reserve(summary.chars(), Width::of(text, summary.chars_by_len()))?;
        if self.new.room(self.len).fill(text) != Some(summary.chars()) {
            return Err(miscounted());
        }
        self.len += summary.chars();
        Ok(())
    }

    /// Appends a character, or a surrogate, since a `str` may have those too.
    pub(crate) fn push_code_point(&mut self, code_point: u32) -> PyResult<()> {
        self.reserve(1, Width::of_code_point(code_point))?;
        match self.new.room(self.len) {
            // The width is enough for the number.
            Room::One(room) => room[0] = MaybeUninit::new(code_point as u8),
            Room::Two(room) => room[0] = MaybeUninit::new(code_point as u16),
            Room::Four(room) => room[0] = MaybeUninit::new(code_point),
        }
        self.len += 1;
        Ok(())
    }

    /// Appends a string.
    pub(crate) fn push_string(&mut self, string: &Bound<'py, PyString>) -> PyResult<()> {
        let chars = chars_of(string)?;
        if chars == 0 {
            return Ok(());
        }
        self.reserve(chars, Width::of_string(string, chars)?)?;
        let (to, from) = (self.new.string.as_ptr(), string.as_ptr());
        let (at, chars_size) = (self.len as ffi::Py_ssize_t, chars as ffi::Py_ssize_t);
        // SAFETY: both are strings, `to` has memory for this many characters of this width, and nobody else has it.
        let copied = unsafe { ffi::PyUnicode_CopyCharacters(to, at, from, 0, chars_size) };
        check_copied(self.py, copied, chars)?;
        self.len += chars;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> PyResult<Bound<'py, PyString>> {
        if self.len == 0 {
            return Ok(PyString::new(self.py, ""));
        }
        if self.len < self.new.len {
            self.new.resize(self.py, self.len)?;
        }
        self.new.finish()
    }
}

/// The longest string that is encoded into memory on the stack.
const SHORT_STRING_CHARS: usize = 2048;

/// The longest string that is encoded before it is known how many bytes it needs: copying them takes less time than counting.
const COPIED_STRING_CHARS: usize = 16 << 10;

/// Returns the string in UTF-8 if it is ASCII or short, or null with an exception set. Returns `None` for other objects, and where
/// only a call says whether a string is ASCII.
#[inline]
pub(crate) fn quick_bytes(string: &Borrowed<'_, '_, PyAny>) -> Option<*mut ffi::PyObject> {
    let string = string.cast::<PyString>().ok()?.as_ptr();
    // SAFETY: the object is a string, and the interpreter is held.
    let len = unsafe { ffi::PyUnicode_GET_LENGTH(string) };
    #[cfg(not(Py_3_14))]
    // SAFETY: the same.
    if unsafe { ffi::PyUnicode_IS_ASCII(string) } != 0 {
        // SAFETY: the same.
        let data = unsafe { ffi::PyUnicode_DATA(string) };
        // SAFETY: the string has this many characters of one byte.
        return Some(unsafe { ffi::PyBytes_FromStringAndSize(data.cast(), len) });
    }
    // SAFETY: the object is a string, and the interpreter is held.
    interpreter_pays(len.cast_unsigned()).then(|| unsafe { ffi::PyUnicode_AsUTF8String(string) })
}

/// Returns whether the interpreter's encoder is faster than the library for this number of characters.
#[inline]
fn interpreter_pays(chars: usize) -> bool {
    chars < library_pays(16, 32)
}

/// Returns the string in UTF-8, or `None` if it has a surrogate. Signals are handled.
pub(crate) fn encoded<'py>(
    py: Python<'py>,
    string: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let len = chars_of(string)?;
    let width = Width::of_string(string, len)?;
    if width > Width::Ascii && interpreter_pays(len) {
        return by_interpreter(py, string);
    }
    // SAFETY: the object is a string, and the interpreter is held.
    let data = unsafe { ffi::PyUnicode_DATA(string.as_ptr()) };
    match width {
        Width::Ascii => {
            // SAFETY: the string has this many characters of one byte. Strings never change, and this one outlives the slice.
            Ok(Some(PyBytes::new(py, unsafe { slice::from_raw_parts(data.cast::<u8>(), len) })))
        }
        // SAFETY: the same.
        Width::One => bytes_of(py, unsafe { slice::from_raw_parts(data.cast::<u8>(), len) }),
        // SAFETY: the same, with two bytes for each character.
        Width::Two => bytes_of(py, unsafe { slice::from_raw_parts(data.cast::<u16>(), len) }),
        // SAFETY: the same, with four bytes for each character.
        Width::Four => bytes_of(py, unsafe { slice::from_raw_parts(data.cast::<u32>(), len) }),
    }
}

/// Does the same with the interpreter's encoder, which is faster for a few characters.
fn by_interpreter<'py>(
    py: Python<'py>,
    string: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    // SAFETY: the object is a string, and the interpreter is held.
    let bytes = unsafe { ffi::PyUnicode_AsUTF8String(string.as_ptr()) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    match unsafe { Bound::from_owned_ptr_or_err(py, bytes) } {
        Ok(bytes) => Ok(Some(bytes.cast_into()?)),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the characters in UTF-8, or `None` if there is a surrogate.
fn bytes_of<'py, U: Unit>(py: Python<'py>, units: &[U]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    // Two consecutive surrogates are a pair in UTF-16, and an error here.
    let may_pair = size_of::<U>() == 2;
    if units.len() <= COPIED_STRING_CHARS {
        if may_pair && units.iter().fold(false, |any, unit| any | is_surrogate((*unit).into())) {
            return Ok(None);
        }
        // Characters of three bytes are stored as four.
        let (mut stack, mut heap) = ([MaybeUninit::uninit(); 4 * SHORT_STRING_CHARS], Vec::new());
        let memory = if units.len() > SHORT_STRING_CHARS {
            heap.reserve(4 * units.len());
            heap.spare_capacity_mut()
        } else {
            &mut stack[..]
        };
        let bytes = transcode::convert_into(U::FORM, Encoding::Utf8, units, memory);
        return Ok(bytes.ok().map(|bytes| PyBytes::new(py, bytes)));
    }
    let len = transcode::len(U::FORM, Encoding::Utf8, units);
    let mut written = 0;
    let object = new_bytes(py, len, |room| {
        for (i, piece) in units.chunks(PIECE_BYTES).enumerate() {
            if i > 0 {
                py.check_signals()?;
            }
            let room = &mut room[written..];
            let bytes = unlocked_if_long(py, piece.len(), || {
                if may_pair && transcode::len(U::FORM, Utf32, piece) < piece.len() {
                    return 0;
                }
                transcode::convert_into(U::FORM, Encoding::Utf8, piece, room).map_or(0, |text| text.len())
            });
            if bytes == 0 {
                break;
            }
            written += bytes;
        }
        Ok::<_, PyErr>(())
    })?;
    Ok((written == len).then_some(object))
}

fn is_surrogate(code_point: u32) -> bool {
    code_point >> 11 == 0x1B
}
