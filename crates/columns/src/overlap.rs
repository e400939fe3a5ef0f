//! Views that overlap.
//!
//! Any number of views can name the same bytes. Validating these again for each view would take
//! time proportional to rows times buffer. So if the views name far more bytes than there are, the
//! faults of all buffers are listed once, and a binary search finds the first one of a row. The list
//! has 16 bytes for every 64 bytes of a buffer with a fault: at most a quarter of the buffer, and
//! half of it with the room in which it grows, whatever the buffer holds.
//!
//! A sequence that is ill-formed in the buffer is ill-formed in each row that contains all of it,
//! as `marks.rs` argues. A character that a profile forbids is another fault that may be listed. Any
//! other fault is a continuation at the start of a row, or a character that its end cuts off.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use trust8::boundary::floor;
use trust8::engine::{each_fault, is_inside};
use trust8::{Kernel, Utf8Error};

use super::views::{INLINE_BYTES, long_view};

/// The faults of the buffers are listed once the views name more than this many times their bytes.
const REPETITIONS: usize = 4;

/// Counts the bytes that views name, and lists the faults if they overlap much.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// How many bytes the views so far name.
    named: usize,
    /// How many bytes they may name, once this was asked.
    limit: Option<usize>,
    /// The faults of each buffer.
    faults: Option<Vec<Faults>>,
}

/// The faults of a buffer: for each 64 bytes with some, their number and a bit for each byte.
type Faults = Vec<(usize, u64)>;

/// Calls its last argument with the position of each fault of a buffer, in their order.
pub(crate) type EachFault<'a> = dyn Fn(&[u8], &mut dyn FnMut(usize)) + 'a;

/// Returns from how many bytes on, validated or named, the faults of the buffers are listed.
pub(super) fn limit(buffers: &[impl AsRef<[u8]>]) -> usize {
    let there = buffers.iter().map(|buffer| buffer.as_ref().len()).fold(0, usize::saturating_add);
    there.saturating_mul(REPETITIONS).saturating_add(1)
}

impl Overlap {
    /// Lists the faults that `each` finds in buffers.
    pub(super) fn of(buffers: &[impl AsRef<[u8]>], each: &EachFault<'_>) -> Self {
        let listed = buffers.iter().map(|buffer| {
            let mut faults = Faults::new();
            each(buffer.as_ref(), &mut |at| match faults.last_mut() {
                Some((block, bits)) if *block == at / 64 => *bits |= 1 << (at % 64),
                _ => faults.push((at / 64, 1 << (at % 64))),
            });
            faults
        });
        Self { faults: Some(listed.collect()), ..Self::NONE }
    }

    /// No views so far.
    pub const NONE: Self = Self { named: 0, limit: None, faults: None };

    /// Counts the bytes that `views` name, and lists the faults that `each` finds in each buffer if
    /// they are too many.
    pub(super) fn count(&mut self, views: &[u128], buffers: &[impl AsRef<[u8]>], each: &EachFault<'_>) {
        let lens = views.iter().map(|&view| view as u32).filter(|&len| len > INLINE_BYTES);
        self.named = lens.fold(self.named, |sum, len| sum.saturating_add(len as usize));
        if self.faults.is_none() {
            let limit = *self.limit.get_or_insert_with(|| limit(buffers));
            if self.named >= limit {
                *self = Self::of(buffers, each);
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
        kernel: &Kernel,
        view: u128,
        buffers: &[impl AsRef<[u8]>],
    ) -> Option<Utf8Error> {
        let len = view as u32;
        if len <= INLINE_BYTES {
            return kernel.from_utf8(&view.to_le_bytes()[4..4 + len as usize]).err();
        }
        let (at, sequence) = self.fault_of(view, 0, buffers)?;
        kernel.from_utf8(sequence).err().map(|error| error.after(at))
    }

    /// Returns the place of a row's first fault from byte `start` of the row on, and up to four
    /// bytes from there on, which show the fault. The faults are listed.
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
        let near = faults.partition_point(|&(block, _)| block < from / 64);
        let next = faults[near..].iter().take(2).find_map(|&(block, bits)| {
            let bits = if block == from / 64 { bits & !0 << (from % 64) } else { bits };
            (bits != 0).then(|| 64 * block + bits.trailing_zeros() as usize)
        });
        match next {
            _ if is_inside(buffer, from) => Some(from),
            Some(at) if at < to => Some(at),
            Some(at) if at == to => None,
            _ => is_inside(buffer, to).then(|| floor(buffer, to)),
        }
    }
}

/// Returns what finds the ill-formed sequences of a buffer.
pub(super) fn ill_formed(kernel: &Kernel) -> impl Fn(&[u8], &mut dyn FnMut(usize)) {
    move |buffer, each| each_fault(kernel, buffer, |at, _| each(at))
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::vec::Vec;

    use trust8::boundary::floor;
    use trust8::engine::counted::assert_linear;
    use trust8::engine::is_inside;
    use trust8::{Kernel, from_utf8, from_utf8_lossy};

    use super::{Overlap, ill_formed};
    use crate::ColumnErrorKind::{self, NotUtf8, WrongPrefix};
    use crate::{KernelColumns, Views};

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
        let buffers = [text.as_bytes(), b"0123456789abc\xFFdef", text.as_bytes()];
        let clean = view(text.as_bytes(), 0);
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
                // Views of one buffer would be joined, and validated once.
                let mut views = [clean, clean | 2 << 64].repeat(500);
                views.extend([last, bad]);
                let error = kernel.validate_views(&views, &buffers).expect_err("the last view is bad");
                let (row, kind) = (1000 + usize::from(expected.is_none()), expected.or(kind_of(buffers[1])));
                assert_eq!((error.row(), Some(error.kind())), (row, kind));
            }
        }
    }

    /// The list once had eight bytes for each fault.
    #[test]
    fn the_list_is_no_longer_than_half_the_buffers_and_finds_each_fault() {
        let kernel = Kernel::best();
        for distance in [0, 1, 2, 61, 62, 63, 64, 65, 127, 128, 300] {
            for sequence in [&b"\xFF"[..], b"\xE2\x82", b"\xF0\x9F\x98"] {
                let buffer = [&b"a".repeat(distance), sequence].concat().repeat(1000 / (distance + 1) + 2);
                let overlap = Overlap::of(&[&buffer], &ill_formed(kernel));
                let list = &overlap.faults.as_ref().expect("the faults are listed")[0];
                assert!(list.capacity().max(4) * size_of_val(&list[0]) <= (buffer.len() / 2).max(64));
                let faults: Vec<_> = kernel.errors(&buffer).map(|error| error.valid_up_to()).collect();
                for from in (0..buffer.len()).filter(|&at| !is_inside(&buffer, at)) {
                    let next = faults.iter().copied().find(|&at| at >= from);
                    assert_eq!(overlap.fault(0, &buffer, from, buffer.len()), next, "{distance} {from}");
                }
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
