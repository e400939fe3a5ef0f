//! Copies that rewrite each exception, in either direction.
//!
//! ```text
//! far:   search for the next exception; copy what comes before it; rewrite it and those that follow directly
//!        if there was little to copy: continue with 'near'
//! near:  a word with a bit for each exception of the next 64 bytes; for each: copy what comes before it; rewrite it
//!        if there were only few: continue with 'far'
//! ```
//!
//! 1. **Dense exceptions are not searched for one by one**: the branches of a search are
//!    unpredictable.
//! 2. **The text between two of them is copied without a branch on its length.** Each store writes
//!    more than the copied text, and the next store begins where that text ends.

#![forbid(unsafe_code)]

use core::ops::Range;

use super::Dialect;
use super::form::{self, Form};
use trust8::Kernel;
use trust8::boundary::array_at;
use trust8::engine::Output;

/// After at least this many bytes without an exception, the next one is not expected to be near
/// either.
const NEAR_BYTES: usize = 16;

/// After at least this many exceptions in 64 bytes, the next one is expected to be near. A
/// surrogate pair counts as two.
const MANY_EXCEPTIONS: u32 = 3;

/// The extra space that a copy needs beyond its length, for stores that write too much.
pub(super) const SPARE_BYTES: usize = 64;

/// How to rewrite exceptions. Each function gets the bytes from the exception on.
pub(super) trait Rewriting {
    /// Returns the new form of the exception here, if it is a common one. An implementation may
    /// recognise none.
    fn common(&self, rest: &[u8]) -> Option<Form>;

    /// Returns the new form of the exception here, or `None` if it has none.
    #[inline(always)]
    fn any(&self, rest: &[u8]) -> Option<Form> {
        self.common(rest)
    }
}

/// Rewrites a dialect's own sequences in UTF-8.
pub(super) struct ToUtf8 {
    pub(super) dialect: Dialect,
    /// Whether U+FFFD replaces a sequence that UTF-8 can't express.
    pub(super) inexpressible: bool,
    /// Whether U+FFFD replaces a sequence that the dialect does not accept.
    pub(super) malformed: bool,
}

impl Rewriting for ToUtf8 {
    #[inline(always)]
    fn common(&self, rest: &[u8]) -> Option<Form> {
        if self.malformed && form::is_lone_lead(rest) {
            return Some(Form::replacement(1));
        }
        let read = match self.dialect {
            Dialect::Rfc2279 if rest.first().is_some_and(|&lead| lead >= 0xF4) => form::read_long(rest),
            _ => form::read_own(self.dialect, rest),
        };
        match read {
            Some((value, read)) => self.form(value, read),
            None if self.malformed => form::malformed_len(self.dialect, rest).map(Form::replacement),
            None => None,
        }
    }

    #[inline(never)]
    fn any(&self, rest: &[u8]) -> Option<Form> {
        match form::read(self.dialect, rest) {
            Ok((value, read)) => self.form(value, read),
            Err(malformed) => self.malformed.then(|| Form::replacement(malformed.len.into())),
        }
    }
}

impl ToUtf8 {
    /// Returns the UTF-8 form of a code point that has `read` bytes.
    #[inline(always)]
    fn form(&self, value: u32, read: usize) -> Option<Form> {
        match char::from_u32(value) {
            Some(character) => Some(Form::utf8(character, read)),
            None => self.inexpressible.then(|| Form::replacement(read)),
        }
    }
}

/// Rewrites characters that a dialect excludes in the dialect's own form.
pub(super) struct FromUtf8(pub(super) Dialect);

impl Rewriting for FromUtf8 {
    #[inline(always)]
    fn common(&self, text: &[u8]) -> Option<Form> {
        form::excluded(self.0, text)
    }
}

/// The progress of a copy.
pub(super) struct Copied {
    /// The start of the bytes that have not been copied.
    pub(super) end: usize,
    /// Why it has ended there.
    pub(super) stop: CopyEnd,
    /// Whether it has found an exception.
    pub(super) any: bool,
}

/// Why a copy has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CopyEnd {
    /// Everything has been copied.
    Done,
    /// The next exception can't be rewritten.
    Refused,
    /// The output may be too small for the rest.
    Room,
}

/// Copies `bytes[chunk]` and rewrites each exception. The chunk ends between two characters, or
/// after the first byte of an exception. In that case, the copy includes the whole exception.
#[inline(always)]
pub(super) fn copy_rewritten(
    dialect: Dialect,
    kernel: &Kernel,
    bytes: &[u8],
    chunk: Range<usize>,
    out: &mut Output<'_>,
    rewriting: &impl Rewriting,
) -> Copied {
    let mut fork = out.fork();
    let out = fork.output();
    let (mut at, mut is_near, mut any) = (chunk.start, true, false);
    let stop = 'copy: loop {
        if at >= chunk.end {
            break CopyEnd::Done;
        }
        if is_near {
            let block = &bytes[at..];
            let (start, mut marks) = (at, dialect.exceptions(kernel, block));
            any |= marks.len() > 0;
            is_near = marks.len() >= MANY_EXCEPTIONS;
            while let Some(place) = marks.next_from(block, at - start) {
                if !put_short(bytes, at, start + place, out) {
                    break 'copy CopyEnd::Room;
                }
                at = start + place;
                if let Some(stop) = put_row(bytes, &mut at, out, rewriting) {
                    break 'copy stop;
                }
            }
        } else {
            let rest = &bytes[at..chunk.end];
            let found = dialect.find_exception(kernel, rest);
            let before = found.unwrap_or(rest.len());
            if !out.put(&rest[..before]) {
                break CopyEnd::Room;
            }
            at += before;
            if found.is_none() {
                continue;
            }
            any = true;
            if let Some(stop) = put_row(bytes, &mut at, out, rewriting) {
                break stop;
            }
            is_near = before < NEAR_BYTES;
        }
    };
    fork.join();
    Copied { end: at, stop, any }
}

/// Rewrites the exception at `at`, and common ones that follow it directly. Leaves `at` after the
/// last one. If it can't rewrite one, returns why.
#[inline(always)]
fn put_row(
    bytes: &[u8],
    at: &mut usize,
    out: &mut Output<'_>,
    rewriting: &impl Rewriting,
) -> Option<CopyEnd> {
    let rest = &bytes[*at..];
    let Some(mut form) = rewriting.common(rest).or_else(|| rewriting.any(rest)) else {
        return Some(CopyEnd::Refused);
    };
    loop {
        if !out.put_first(&form.bytes, form.len) {
            return Some(CopyEnd::Room);
        }
        *at += form.read;
        form = rewriting.common(&bytes[*at..])?;
    }
}

/// Appends `bytes[from..to]`, at most 64 bytes, if there is space for 64. Returns whether there is.
#[inline(always)]
fn put_short(bytes: &[u8], from: usize, to: usize, out: &mut Output<'_>) -> bool {
    let len = to - from;
    match array_at::<64>(bytes, from) {
        Some(bytes) if len > 32 => out.put_first(bytes, len),
        Some(bytes) => out.put_first::<32>(bytes.first_chunk().unwrap_or(&[0; 32]), len),
        None => out.put(&bytes[from..to]),
    }
}
