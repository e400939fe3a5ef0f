//! Conversion to UTF-8: what is not UTF-8 is rewritten, and all else is copied and then checked as a whole.
//!
//! ```text
//! search for the next sequence that the dialect reads in another way than UTF-8
//! copy the bytes before it; write the character that it stands for
//! in the end: one kernel validates the result, or replaces the ill-formed sequences that are left
//! ```
//!
//! The rewritten sequences are whole characters. So the result is UTF-8 exactly if the bytes between them are, and an ill-formed
//! sequence between them is the same one in the result. A kernel call for each run would take longer, and the cost of an error
//! does not depend on how many others there are.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::parts::{Part, Parts};
use super::runs::OwnForms;
use super::{Dialect, DialectError, form};
use crate::kernel::Kernel;
use crate::repair::lossy::{from_utf8_lossy_owned_with, from_utf8_lossy_with};

impl Dialect {
    /// Converts `bytes` up to the first error.
    pub(super) fn strict<'a>(
        self,
        kernel: Option<&'static Kernel>,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, str>, DialectError> {
        if bytes.is_empty() {
            return Ok(Cow::Borrowed(""));
        }
        let mut parts = Parts::new(self, bytes, kernel);
        let mut converted = String::new();
        while let Some((at, part)) = parts.next() {
            if at == 0 {
                if let Part::Text(text) = part
                    && text.len() == bytes.len()
                {
                    return Ok(Cow::Borrowed(text));
                }
                if let Some(text) = self.rewrite_all(kernel, bytes) {
                    return Ok(Cow::Owned(text));
                }
                // There is an error: the loop finds the first one.
            }
            match part {
                Part::Text(text) => converted.push_str(text),
                Part::Own(value) => match char::from_u32(value) {
                    Some(character) => converted.push(character),
                    None => return Err(parts.inexpressible(at)),
                },
                Part::Error(malformed) => return Err(parts.error(at, &malformed)),
            }
        }
        Ok(Cow::Owned(converted))
    }

    /// Converts `bytes`. U+FFFD replaces each error.
    pub(super) fn lossy<'a>(self, kernel: Option<&'static Kernel>, bytes: &'a [u8]) -> Cow<'a, str> {
        let best = || kernel.unwrap_or_else(Kernel::best);
        if bytes.is_empty() || self.own_forms() == OwnForms::Nothing {
            return from_utf8_lossy_with(best(), bytes);
        }
        if let Some((_, Part::Text(text))) = Parts::new(self, bytes, kernel).next()
            && text.len() == bytes.len()
        {
            return Cow::Borrowed(text);
        }
        match self.rewrite(best(), bytes, Some(char::REPLACEMENT_CHARACTER)) {
            Some(rewritten) => Cow::Owned(from_utf8_lossy_owned_with(best(), rewritten)),
            None => Cow::Borrowed(""),
        }
    }

    /// Converts `bytes`, or returns `None` if there is an error.
    fn rewrite_all(self, kernel: Option<&'static Kernel>, bytes: &[u8]) -> Option<String> {
        if self.own_forms() == OwnForms::Nothing {
            return None;
        }
        let rewritten = self.rewrite(kernel.unwrap_or_else(Kernel::best), bytes, None)?;
        match kernel {
            None => crate::string_from_utf8(rewritten).ok(),
            Some(kernel) => kernel.from_utf8(&rewritten).ok().map(String::from),
        }
    }

    /// Copies `bytes` and rewrites each sequence that the dialect reads in another way than UTF-8. Writes `instead` for those
    /// that it does not accept or that UTF-8 can't express, or returns `None` if there is nothing to write instead.
    fn rewrite(self, kernel: &Kernel, bytes: &[u8], instead: Option<char>) -> Option<Vec<u8>> {
        let own = self.own_forms();
        // A store may be up to nine bytes longer than what it adds.
        let mut rewritten = Vec::with_capacity(bytes.len() + 9);
        let mut rest = bytes;
        while let Some(found) = own.find(kernel, rest) {
            rewritten.extend_from_slice(&rest[..found]);
            rest = &rest[found..];
            loop {
                let (value, len) = match form::read_own(self, rest) {
                    Some((value, len)) => (Some(value), len),
                    None => match form::read(self, rest) {
                        Ok((value, len)) => (Some(value), len),
                        Err(malformed) => (None, malformed.len.into()),
                    },
                };
                put(value.and_then(char::from_u32).or(instead)?, &mut rewritten);
                rest = &rest[len..];
                let Some(near) = put_near(own, rest, &mut rewritten) else { break };
                rest = &rest[near..];
            }
        }
        rewritten.extend_from_slice(rest);
        Some(rewritten)
    }
}

/// Appends what comes before the next exception, if that begins among the first eight bytes. Returns how many bytes these are.
#[inline]
pub(super) fn put_near(own: OwnForms, rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let nine = rest.first_chunk()?;
    let near = own.find_near(nine)?;
    put_first(nine, near, out);
    Some(near)
}

/// Appends the first `len` bytes. All are stored, because a constant number of bytes takes no call, and those too many are taken back.
#[inline]
pub(super) fn put_first<const N: usize>(bytes: &[u8; N], len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(bytes);
    out.truncate(out.len() - (N - len));
}

/// Appends a character.
#[inline]
fn put(character: char, text: &mut Vec<u8>) {
    let value = u32::from(character);
    let bits = |from: u32| value >> from & 0x3F;
    // The first byte is the lowest.
    let bytes = match character.len_utf8() {
        1 => value,
        2 => 0x80C0 | value >> 6 | bits(0) << 8,
        3 => 0x80_80E0 | value >> 12 | bits(6) << 8 | bits(0) << 16,
        _ => 0x8080_80F0 | value >> 18 | bits(12) << 8 | bits(6) << 16 | bits(0) << 24,
    };
    put_first(&bytes.to_le_bytes(), character.len_utf8(), text);
}
