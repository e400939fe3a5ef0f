//! Views that overlap.
//!
//! Any number of views can name the same bytes. Validating these again for each view would take
//! time proportional to rows times buffer. So if the views name far more bytes than there are, the
//! faults of all buffers are listed once, and a binary search finds the first one of a row.
//!
//! A sequence that is ill-formed in the buffer is ill-formed in each row that contains all of it,
//! as `marks.rs` argues. Any other fault is a continuation at the start of a row, or a character
//! that its end cuts off.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::views::INLINE;
use crate::boundary::{floor, is_inside};
use crate::kernel::Kernel;
use crate::repair::faults::each_fault;

/// The faults of the buffers are listed once the views name more than this many times their bytes.
const REPETITIONS: usize = 4;

/// Counts the bytes that views name, and lists the faults if they overlap much.
#[derive(Clone, Debug)]
pub(super) struct Overlap {
    /// How many bytes the views so far name.
    named: usize,
    /// The positions of the faults in each buffer.
    faults: Option<Vec<Vec<usize>>>,
}

impl Overlap {
    pub(super) const NONE: Self = Self { named: 0, faults: None };

    /// Counts the bytes that `views` name, and lists the faults if they are too many.
    pub(super) fn count(&mut self, kernel: &'static Kernel, views: &[u128], buffers: &[impl AsRef<[u8]>]) {
        let lens = views.iter().map(|&view| view as u32).filter(|&len| len > INLINE);
        self.named = lens.fold(self.named, |sum, len| sum.saturating_add(len as usize));
        if self.faults.is_none() {
            let lens = buffers.iter().map(|buffer| buffer.as_ref().len());
            let there = lens.fold(0, usize::saturating_add);
            if self.named > there.saturating_mul(REPETITIONS) {
                self.faults = Some(buffers.iter().map(|buffer| faults(kernel, buffer.as_ref())).collect());
            }
        }
    }

    /// Returns whether the faults are listed.
    pub(super) fn is_great(&self) -> bool {
        self.faults.is_some()
    }

    /// Returns where the first ill-formed sequence of the row `buffer[from..to]` begins in
    /// `buffer`, the one of this number. The faults are listed.
    pub(super) fn fault(&self, number: usize, buffer: &[u8], from: usize, to: usize) -> Option<usize> {
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

fn faults(kernel: &'static Kernel, buffer: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    each_fault(kernel, buffer, |at, _| places.push(at));
    places
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use crate::columns::Views;
    use crate::kernel::counted::assert_linear;

    /// A bad buffer was once validated completely for each view, and again for its error.
    #[test]
    fn views_that_overlap_take_no_more_time_than_their_buffers() {
        assert_linear("invalid_rows", |kernel, text| {
            let view = |from: usize| {
                let mut view = [0; 16];
                view[..4].copy_from_slice(&((text.len() - from) as u32).to_le_bytes());
                view[4..8].copy_from_slice(&text[from..from + 4]);
                view[12..].copy_from_slice(&(from as u32).to_le_bytes());
                u128::from_le_bytes(view)
            };
            let views: alloc::vec::Vec<_> = (0..300).map(|row| view(row % (text.len() / 2))).collect();
            let buffers = [text];
            let column = Views::new(&views, &buffers, None).expect("the views lie in the text");
            assert!(kernel.invalid_rows(column).count() > 0);
        });
    }
}
