//! Views: only the rows that are not UTF-8 are written, into a new buffer. If they overlap, `shared.rs`
//! writes them.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use trust8::Policy;

use super::{Repair, Work, new_view, rows_of, shared};
use crate::error::{ColumnError, ColumnErrorKind};
use crate::layout::Views;
use crate::layout::sealed::Rows;
use crate::views::INLINE_BYTES;

/// The views that [`repair`](crate::repair()) has written. All of them are UTF-8. These are all parts
/// of such an array: there will be no other fields.
///
/// ```
/// use trust8_columns::{Policy, Repaired, Views, repair};
///
/// let bad = u128::from_le_bytes(*b"\x05\0\0\0caf\xE9!\0\0\0\0\0\0\0");
/// let Ok(Repaired::Owned(repaired)) = repair(Views::new(&[0, bad], &[b""], None).unwrap(), Policy::Escape) else { panic!() };
/// assert_eq!(repaired.views[1].to_le_bytes(), *b"\x08\0\0\0caf\\xE9!\0\0\0\0");
/// assert!(repaired.buffer.is_empty()); // text that short is stored in its view
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepairedViews {
    /// The views of all rows. Rows that were UTF-8 keep their view.
    pub views: Vec<u128>,
    /// The buffer that comes after all others. New views of strings of more than 12 bytes name it.
    pub buffer: Vec<u8>,
    /// Which rows are not null, from the lowest bit of the first byte on; or `None` if the same
    /// rows are null as before.
    pub validity: Option<Vec<u8>>,
}

impl<B: AsRef<[u8]>> Repair for Views<'_, B> {
    type Owned = RepairedViews;

    /// Arrow reads offsets and lengths as signed numbers.
    const LIMIT_BYTES: usize = i32::MAX as usize;

    fn write(&self, work: &Work) -> Result<Self::Owned, ColumnError> {
        let Work { kernel, policy, ref finding, limit } = *work;
        let is_null = |row| self.row_validity().is_some_and(|validity| !validity.is_valid(row));
        let mut views = self.views.to_vec();
        if self.row_validity().is_some() {
            // A null row may have any view.
            views.iter_mut().enumerate().filter(|(row, _)| is_null(*row)).for_each(|(_, view)| *view = 0);
        }
        let lens = rows_of(&finding.words, 0).map(|row| self.bytes_of_row(row).len());
        let len = lens.fold(0, usize::saturating_add);
        let there = self.buffers.iter().map(|buffer| buffer.as_ref().len()).fold(0, usize::saturating_add);
        let overlap =
            policy != Policy::Null && len > self.views.len().saturating_mul(INLINE_BYTES as usize) + there;
        let mut buffer = match policy {
            Policy::Null => Vec::new(),
            // Faults of rows that overlap are counted for each of them.
            _ if overlap => Vec::with_capacity((there + there / 8).min(limit)),
            _ => Vec::with_capacity(policy.capacity(len, finding.ill_formed.min(len)).min(limit)),
        };
        if overlap {
            shared::write(self, work, there, &mut views, &mut buffer)?;
        }
        for row in
            rows_of(&finding.words, 0).filter(|&row| !overlap || self.views[row] as u32 <= INLINE_BYTES)
        {
            let start = buffer.len();
            policy.append(kernel, &self.bytes_of_row(row), &mut buffer);
            if buffer.len() > limit {
                return Err(ColumnError { row, kind: ColumnErrorKind::TooLong { limit } });
            }
            views[row] = new_view(&buffer, start, buffer.len(), self.buffers.len());
            if buffer.len() - start <= INLINE_BYTES as usize {
                buffer.truncate(start);
            }
        }
        let rows = self.row_count();
        let validity = (policy == Policy::Null).then(|| finding.validity_without(self.row_validity(), rows));
        Ok(RepairedViews { views, buffer, validity })
    }
}
