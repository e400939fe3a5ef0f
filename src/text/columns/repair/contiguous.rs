//! Rows that follow each other in memory, with offsets.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::{Finding, Policy, Repair};
use crate::kernel::Kernel;
use crate::text::columns::error::{ColumnError, ColumnErrorKind};
use crate::text::columns::layout::sealed::Rows;
use crate::text::columns::layout::{FixedSize, Offsets, Validity};
use crate::text::columns::offset::Offset;

/// The rows that [`repair`](super::repair) has written. All values are UTF-8, and no row begins or ends inside a character.
///
/// ```
/// use trust8::columns::{FixedSize, Policy, Repaired, repair};
///
/// let codes = FixedSize::<i64>::new(b"DEFR\xFF\xFF", 2, 3, None).unwrap();
/// let Ok(Repaired::Owned(rows)) = repair(codes, Policy::Null) else { panic!() };
/// assert_eq!((rows.values, rows.offsets), (b"DEFR".to_vec(), vec![0, 2, 4, 4]));
/// assert_eq!(rows.validity, Some(vec![0b011]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepairedRows<O> {
    /// The bytes of all rows.
    pub values: Vec<u8>,
    /// Where the rows begin and end: row n is `values[offsets[n]..offsets[n + 1]]`. The first offset is 0.
    pub offsets: Vec<O>,
    /// Which rows are not null, from the lowest bit of the first byte on; or `None` if the same rows are null as before.
    pub validity: Option<Vec<u8>>,
}

/// Rows that follow each other in memory.
struct Source<'a, F> {
    values: &'a [u8],
    rows: usize,
    /// Where a row begins.
    start: F,
    validity: Option<Validity<'a>>,
}

impl<O: Offset> Repair for Offsets<'_, O> {
    type Owned = RepairedRows<O>;

    const LIMIT: usize = O::LIMIT;

    fn write(
        &self,
        kernel: &'static Kernel,
        policy: Policy,
        finding: &Finding,
        limit: usize,
    ) -> Result<Self::Owned, ColumnError> {
        let start = |row: usize| self.offsets[row].len();
        Source { values: self.values, rows: self.count(), start, validity: self.validity() }
            .write(kernel, policy, finding, limit)
    }
}

impl<O: Offset> Repair for FixedSize<'_, O> {
    type Owned = RepairedRows<O>;

    const LIMIT: usize = O::LIMIT;

    fn write(
        &self,
        kernel: &'static Kernel,
        policy: Policy,
        finding: &Finding,
        limit: usize,
    ) -> Result<Self::Owned, ColumnError> {
        let start = |row: usize| row * self.width;
        Source { values: self.values, rows: self.count(), start, validity: self.validity() }
            .write(kernel, policy, finding, limit)
    }
}

impl<F: Fn(usize) -> usize> Source<'_, F> {
    fn write<O: Offset>(
        &self,
        kernel: &'static Kernel,
        policy: Policy,
        finding: &Finding,
        limit: usize,
    ) -> Result<RepairedRows<O>, ColumnError> {
        let len = (self.start)(self.rows) - (self.start)(0);
        let capacity =
            policy.capacity(len, finding.ill_formed).min(limit.saturating_add(policy.capacity(len, 0) - len));
        let (mut values, mut offsets) = (Vec::with_capacity(capacity), Vec::with_capacity(self.rows + 1));
        offsets.push(O::of(0));
        let mut next = 0;
        for row in finding.rows() {
            self.copy(next, row, limit, &mut values, &mut offsets)?;
            if self.validity.is_none_or(|validity| validity.is_valid(row)) {
                let bytes = &self.values[(self.start)(row)..(self.start)(row + 1)];
                policy.append(kernel, bytes, &mut values);
                if values.len() > limit {
                    return Err(ColumnError { row, kind: ColumnErrorKind::TooLong { limit } });
                }
            }
            offsets.push(O::of(values.len()));
            next = row + 1;
        }
        self.copy(next, self.rows, limit, &mut values, &mut offsets)?;
        let validity = (policy == Policy::Null).then(|| finding.validity_without(self.validity, self.rows));
        Ok(RepairedRows { values, offsets, validity })
    }

    /// Copies the rows from `first` to `last`, which are UTF-8.
    fn copy<O: Offset>(
        &self,
        first: usize,
        last: usize,
        limit: usize,
        values: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) -> Result<(), ColumnError> {
        let (from, base) = ((self.start)(first), values.len());
        let bytes = &self.values[from..(self.start)(last)];
        if bytes.len() > limit - base {
            let fits = |&row: &usize| (self.start)(row + 1) - from <= limit - base;
            let row = (first..last).find(|row| !fits(row)).unwrap_or(first);
            return Err(ColumnError { row, kind: ColumnErrorKind::TooLong { limit } });
        }
        values.extend_from_slice(bytes);
        offsets.extend((first..last).map(|row| O::of((self.start)(row + 1) - from + base)));
        Ok(())
    }
}
