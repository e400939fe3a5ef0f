//! Columns of views.
//!
//! ```text
//! for each group of 128 views:
//!     gather the strings that the views hold themselves, and check them as a whole
//!     if all buffers are UTF-8, as those of a dictionary are: check only where each string is cut from its buffer
//!     otherwise join the strings that lie in buffers as far as they follow each other, with at most a short gap, and check each
//!     joined text as a whole
//!     if anything is wrong: check view by view, which finds the first error
//! once the views name far more bytes than there are: check view by view, with the list in `overlap.rs`
//! ```

#![forbid(unsafe_code)]

use trust8::Kernel;
use trust8::engine::is_inside;

use super::{ColumnError, ColumnErrorKind};

/// The views of a group: few enough that the gathered strings, 16 bytes each, stay in the
/// first-level cache.
pub(super) const GROUP_VIEWS: usize = 128;

/// The longest string that is stored in the view itself.
pub(super) const INLINE_BYTES: u32 = 12;

/// For each length, the bits of a view that have to be zero. The last entry is for all longer strings.
const PADDING: [u128; INLINE_BYTES as usize + 2] = {
    let mut masks = [0; INLINE_BYTES as usize + 2];
    let mut len = 0;
    while len < INLINE_BYTES {
        masks[len as usize] = !0 << (32 + 8 * len);
        len += 1;
    }
    masks
};

/// Returns whether the buffers are UTF-8 as a whole. They are not read if strings follow each other, or if there are more than 128
/// bytes for each string: then it takes less time to read the strings.
pub(super) fn are_text(kernel: &Kernel, views: &[u128], buffers: &[impl AsRef<[u8]>]) -> bool {
    let longs = views.iter().take(GROUP_VIEWS / 4).filter(|&&view| view as u32 > INLINE_BYTES);
    let jumps = longs.clone().zip(longs.skip(1)).filter(|&(one, next)| next >> 96 < one >> 96).count();
    let bytes = buffers.iter().fold(0, |sum: usize, buffer| sum.saturating_add(buffer.as_ref().len()));
    jumps > 2 && bytes / 128 <= views.len() && buffers.iter().all(|buffer| kernel.is_utf8(buffer.as_ref()))
}

/// Returns whether all of `views`, at most [`GROUP_VIEWS`], are correct and their strings UTF-8. Without `joined`, the buffers are
/// UTF-8 as a whole.
///
/// The inline views are gathered. Their lengths are ASCII, so the gathered bytes are UTF-8 if and only if each string is.
#[inline(never)]
pub(super) fn group_is_valid<'a>(
    kernel: &Kernel,
    views: &[u128],
    buffers: &'a [impl AsRef<[u8]>],
    joined: Option<&mut Joined<'a>>,
) -> bool {
    let (mut inline, mut long) = ([[0; 16]; GROUP_VIEWS], [0; GROUP_VIEWS]);
    let (mut inlines, mut longs) = (0, 0);
    let mut padding = 0;
    // The loop has no branches: lengths vary from row to row, and no CPU predicts them.
    for &view in views {
        let len = view as u32;
        padding |= view & PADDING[len.min(INLINE_BYTES + 1) as usize];
        inline[inlines % GROUP_VIEWS] = view.to_le_bytes();
        long[longs % GROUP_VIEWS] = view;
        inlines += usize::from(len <= INLINE_BYTES);
        longs += usize::from(len > INLINE_BYTES);
    }
    let mut longs = long[..longs].iter().map(|&view| long_view(view, buffers));
    let are_wrong = match joined {
        None => longs
            .any(|long| long.is_none_or(|(_, text, from, to)| is_inside(text, from) | is_inside(text, to))),
        Some(joined) => {
            longs.any(|long| {
                long.is_none_or(|(number, text, from, to)| !joined.join(kernel, number, text, from, to))
            }) || !joined.finish(kernel)
        }
    };
    padding == 0 && !are_wrong && kernel.is_utf8(inline[..inlines].as_flattened())
}

/// Returns the number of a long view's buffer, the buffer, and the range of the string in it, if
/// the buffer has that range and the view's prefix is right.
#[inline(always)]
pub(super) fn long_view(view: u128, buffers: &[impl AsRef<[u8]>]) -> Option<(usize, &[u8], usize, usize)> {
    let [len, prefix, number, from] = [0, 32, 64, 96].map(|bit| (view >> bit) as u32);
    let (len, number, from) = (len as usize, number as usize, from as usize);
    let buffer = buffers.get(number)?.as_ref();
    let text = buffer.get(from..)?.get(..len)?;
    (*text.first_chunk()? == prefix.to_le_bytes()).then_some((number, buffer, from, from + len))
}

/// The longest gap between strings that are joined: the length of a string in Parquet's pages, and strings before it that are in views.
const LONGEST_GAP_BYTES: usize = 64;

/// Strings that follow each other in a buffer, with at most a short gap.
pub(super) struct Joined<'a> {
    number: usize,
    buffer: &'a [u8],
    start: usize,
    /// The bytes before this have been validated.
    checked: usize,
    end: usize,
    /// How many more bytes may be validated. At 0, no string is found valid any more.
    pub(super) left: usize,
}

impl<'a> Joined<'a> {
    /// No strings, and no limit.
    pub(super) const NONE: Self = Self::limited(usize::MAX);

    /// Returns no strings, and a limit on the bytes that are validated. The start is after the end,
    /// so no string is joined to it.
    pub(super) const fn limited(left: usize) -> Self {
        Self { number: 0, buffer: &[], start: usize::MAX, checked: 0, end: 0, left }
    }

    /// Adds the string `buffer[from..to]`, or starts over with it after another gap. Returns `false`
    /// after an error. Only [`finish`](Self::finish) finds all errors.
    #[inline(always)]
    fn join(&mut self, kernel: &Kernel, number: usize, buffer: &'a [u8], from: usize, to: usize) -> bool {
        // What is between the strings is validated with them. Only the length of a long string can be bytes that are no text.
        let is_text = |gap: &[u8]| match gap.first_chunk() {
            Some(&len) => u32::from_le_bytes(len) & 0x8080_8080 == 0,
            None => gap.is_ascii(),
        };
        let is_joined = |end: usize| {
            from <= end
                || from - end <= LONGEST_GAP_BYTES && is_text(&buffer[end.max(from.saturating_sub(4))..from])
        };
        if number == self.number && self.start <= from && is_joined(self.end) {
            // Text does not end inside a character, but at the earlier end, the later string might cut it.
            let border = self.end.min(to);
            self.end = self.end.max(to);
            !is_inside(buffer, from) && !is_inside(buffer, border)
        } else {
            let is_text = self.finish(kernel);
            *self = Self { number, buffer, start: from, checked: from, end: to, left: self.left };
            is_text
        }
    }

    /// Validates what has not been validated yet.
    #[inline(always)]
    fn finish(&mut self, kernel: &Kernel) -> bool {
        // An `AsRef` may return another buffer each time. Then there may be no such range.
        let Some(rest) = self.buffer.get(self.checked..self.end) else { return false };
        self.checked = self.end;
        self.left = self.left.saturating_sub(rest.len());
        self.left > 0 && kernel.is_utf8(rest)
    }
}

/// Calls `check` with each row and its bytes, and returns the first error. The first of `views` is
/// that of row `first`.
pub(super) fn each_view(
    views: &[u128],
    buffers: &[impl AsRef<[u8]>],
    first: usize,
    check: impl Fn(usize, &[u8]) -> Result<(), ColumnError>,
) -> Result<(), ColumnError> {
    for (row, &view) in (first..).zip(views) {
        let bytes = view.to_le_bytes();
        let fail = |kind| Err(ColumnError { row, kind });
        let word = |lane: u32| (view >> (32 * lane)) as u32;
        let len = word(0);
        if len <= INLINE_BYTES {
            let (text, padding) = bytes[4..].split_at(len as usize);
            if padding.iter().any(|&byte| byte != 0) {
                return fail(ColumnErrorKind::NonZeroPadding { len });
            }
            check(row, text)?;
            continue;
        }
        let (prefix, buffer, offset) = (word(1).to_le_bytes(), word(2), word(3));
        let Some(bytes) = buffers.get(buffer as usize) else {
            return fail(ColumnErrorKind::NoSuchBuffer { buffer, buffers: buffers.len() });
        };
        let bytes = bytes.as_ref();
        let text = bytes.get(offset as usize..).and_then(|rest| rest.get(..len as usize));
        let Some(text) = text else {
            return fail(ColumnErrorKind::ViewOutOfRange { buffer, offset, len, buffer_len: bytes.len() });
        };
        let actual = [text[0], text[1], text[2], text[3]];
        if actual != prefix {
            return fail(ColumnErrorKind::WrongPrefix { prefix, actual });
        }
        check(row, text)?;
    }
    Ok(())
}
