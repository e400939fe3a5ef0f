//! Views that overlap.
//!
//! Any number of views can name the same bytes. Validating these again for each view would take
//! time proportional to rows times buffer. So if the views name far more bytes than there are, the
//! faults of all buffers are listed once, and a binary search finds the first one of a row.
//!
//! A sequence that is ill-formed in the buffer is ill-formed in each row that contains all of it,
//! as `marks.rs` argues. A character that a profile forbids is another fault that may be listed. Any
//! other fault is a continuation at the start of a row, or a character
//! that its end cuts off.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::views::{INLINE, long_view};
use crate::boundary::{floor, is_inside};
use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::repair::faults::each_fault;

/// The faults of the buffers are listed once the views name more than this many times their bytes.
const REPETITIONS: usize = 4;

/// Counts the bytes that views name, and lists the faults if they overlap much.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// How many bytes the views so far name.
    named: usize,
    /// How many bytes they may name, once this was asked.
    limit: Option<usize>,
    /// The positions of the faults in each buffer.
    faults: Option<Vec<Vec<usize>>>,
}

/// Returns from how many bytes on, validated or named, the faults of the buffers are listed.
pub(super) fn limit(buffers: &[impl AsRef<[u8]>]) -> usize {
    let there = buffers.iter().map(|buffer| buffer.as_ref().len()).fold(0, usize::saturating_add);
    there.saturating_mul(REPETITIONS).saturating_add(1)
}

impl Overlap {
    /// Lists the ill-formed sequences of buffers.
    pub(super) fn of(kernel: &'static Kernel, buffers: &[impl AsRef<[u8]>]) -> Self {
        let faults = buffers.iter().map(|buffer| ill_formed(kernel, buffer.as_ref())).collect();
        Self { faults: Some(faults), ..Self::NONE }
    }

    /// No views so far.
    pub const NONE: Self = Self { named: 0, limit: None, faults: None };

    /// Counts the bytes that `views` name, and lists the faults that `list` finds in each buffer if
    /// they are too many.
    pub(super) fn count(
        &mut self,
        views: &[u128],
        buffers: &[impl AsRef<[u8]>],
        list: &dyn Fn(&[u8]) -> Vec<usize>,
    ) {
        let lens = views.iter().map(|&view| view as u32).filter(|&len| len > INLINE);
        self.named = lens.fold(self.named, |sum, len| sum.saturating_add(len as usize));
        if self.faults.is_none() {
            let limit = *self.limit.get_or_insert_with(|| limit(buffers));
            if self.named >= limit {
                self.faults = Some(buffers.iter().map(|buffer| list(buffer.as_ref())).collect());
            }
        }
    }

    /// Returns whether the faults are listed.
    pub(super) fn is_great(&self) -> bool {
        self.faults.is_some()
    }

    /// Returns the error of the row with this view, in time that does not depend on its length. The
    /// faults are listed.
    pub(super) fn error(
        &self,
        kernel: &'static Kernel,
        view: u128,
        buffers: &[impl AsRef<[u8]>],
    ) -> Option<Utf8Error> {
        let len = view as u32;
        if len <= INLINE {
            return kernel.from_utf8(&view.to_le_bytes()[4..4 + len as usize]).err();
        }
        let (at, sequence) = self.fault_of(view, 0, buffers)?;
        kernel.from_utf8(sequence).err().map(|error| error.after(at))
    }

    /// Returns where the first fault of the row with this view is, from byte `start` of the row on,
    /// and the bytes from there on, as far as they tell one fault from another. The faults are
    /// listed.
    pub(super) fn fault_of<'a>(
        &self,
        view: u128,
        start: usize,
        buffers: &'a [impl AsRef<[u8]>],
    ) -> Option<(usize, &'a [u8])> {
        let (number, buffer, from, to) = long_view(view, buffers)?;
        let at = self.fault(number, buffer, from + start, to)?;
        // Four bytes are enough.
        Some((at - from, buffer.get(at..to.min(at + 4))?))
    }

    /// Returns where the first fault of the row `buffer[from..to]` begins in `buffer`, the one of
    /// this number.
    fn fault(&self, number: usize, buffer: &[u8], from: usize, to: usize) -> Option<usize> {
        let faults = self.faults.as_ref()?.get(number)?;
        let next = faults.get(faults.partition_point(|&at| at < from)).copied();
        match next {
            _ if is_inside(buffer, from) => Some(from),
            Some(at) if at < to => Some(at),
            Some(at) if at == to => None,
            _ => is_inside(buffer, to).then(|| floor(buffer, to)),
        }
    }
}

/// Returns the positions of all ill-formed sequences of a buffer.
pub(super) fn ill_formed(kernel: &'static Kernel, buffer: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    each_fault(kernel, buffer, |at, _| places.push(at));
    places
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use crate::boundary::{floor, is_inside};
    use crate::columns::ColumnErrorKind::{self, NotUtf8, WrongPrefix};
    use crate::columns::Views;
    use crate::kernel::counted::assert_linear;
    use crate::{Kernel, from_utf8, from_utf8_lossy};

    /// A bad buffer was once validated completely for each view, and again for its error.
    #[test]
    fn views_that_overlap_take_no_more_time_than_their_buffers() {
        assert_linear("invalid_rows", |kernel, text| {
            let views: Vec<_> = (0..300).map(|row| view(text, row % (text.len() / 2))).collect();
            let buffers = [text];
            let column = Views::new(&views, &buffers, None).expect("the views lie in the text");
            assert!(kernel.invalid_rows(column).count() > 0);
        });
    }

    #[test]
    fn valid_views_that_overlap_take_no_more_time_than_their_buffers() {
        assert_linear("validate_views", |kernel, text| {
            let lossy = from_utf8_lossy(text);
            let clean = &lossy.as_bytes()[..floor(lossy.as_bytes(), text.len() / 8)];
            // No view continues the one before it: the buffers take turns, or the starts decrease.
            let turns: Vec<_> = (0..300).map(|row| view(clean, 0) | (row % 2) << 64).collect();
            let starts = (0..clean.len() / 2).rev().filter(|&at| !is_inside(clean, at));
            let decreasing: Vec<_> = starts.take(300).map(|from| view(clean, from)).collect();
            assert_eq!(kernel.validate_views(&turns, &[clean, clean]), Ok(()));
            assert_eq!(kernel.validate_views(&decreasing, &[clean]), Ok(()));
        });
    }

    /// The faults are listed before the end, so the last views are checked by the list.
    #[test]
    fn the_first_error_after_much_overlap_is_found() {
        let text = "\u{E9}".repeat(100);
        let (buffers, clean) = ([text.as_bytes(), b"0123456789abc\xFFdef"], view(text.as_bytes(), 0));
        let bad = view(buffers[1], 0) | 1 << 64;
        let [inside, cut] = [view(text.as_bytes(), 3), clean - 1];
        let wrong = view(b"another prefix", 0);
        let inline = u128::from_le_bytes(*b"\x02\0\0\0a\xFF\0\0\0\0\0\0\0\0\0\0");
        for (last, expected) in [
            (bad, kind_of(buffers[1])),
            (inside, kind_of(&text.as_bytes()[3..])),
            (cut, kind_of(&text.as_bytes()[..199])),
            (inline, kind_of(b"a\xFF")),
            (wrong, Some(WrongPrefix { prefix: *b"anot", actual: [0xC3, 0xA9, 0xC3, 0xA9] })),
            (clean, None),
        ] {
            for kernel in Kernel::available() {
                let mut views = vec![clean; 1000];
                views.extend([last, bad]);
                let error = kernel.validate_views(&views, &buffers).expect_err("the last view is bad");
                let (row, kind) = (1000 + usize::from(expected.is_none()), expected.or(kind_of(buffers[1])));
                assert_eq!((error.row(), Some(error.kind())), (row, kind));
            }
        }
    }

    fn kind_of(bytes: &[u8]) -> Option<ColumnErrorKind> {
        from_utf8(bytes).map_err(NotUtf8).err()
    }

    /// Returns the view of `text[from..]` in buffer 0.
    fn view(text: &[u8], from: usize) -> u128 {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&((text.len() - from) as u32).to_le_bytes());
        view[4..8].copy_from_slice(&text[from..from + 4]);
        view[12..].copy_from_slice(&(from as u32).to_le_bytes());
        u128::from_le_bytes(view)
    }
}
