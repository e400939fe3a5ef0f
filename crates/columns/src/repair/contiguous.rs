//! Rows that follow each other in memory, with offsets.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use trust8::engine::append_in_place;
use trust8::engine::{each_fault, is_inside};
use trust8::{Kernel, Policy};

use super::{Repair, Work, rows_of};
use crate::error::{ColumnError, ColumnErrorKind};
use crate::layout::sealed::Rows;
use crate::layout::{FixedSize, Offsets, Validity};
use crate::marks::{GROUP_ROWS, WORD_BITS};
use crate::offset::Offset;

/// If at least one row in this many is bad, all rows of a group are replaced at once.
const ROWS_PER_BAD_ROW: usize = 32;

/// The rows that [`repair`](crate::repair()) has written. All values are UTF-8, and no row begins or
/// ends inside a character. These are all parts of such an array: there will be no other fields.
///
/// ```
/// use trust8_columns::{FixedSize, Policy, Repaired, repair};
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
    /// Where the rows begin and end: row n is `values[offsets[n]..offsets[n + 1]]`. The first
    /// offset is 0.
    pub offsets: Vec<O>,
    /// Which rows are not null, from the lowest bit of the first byte on; or `None` if the same
    /// rows are null as before.
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

    const LIMIT_BYTES: usize = O::LIMIT_BYTES;

    fn write(&self, work: &Work) -> Result<Self::Owned, ColumnError> {
        let start = |row: usize| self.offsets[row].len();
        Source { values: self.values, rows: self.row_count(), start, validity: self.row_validity() }
            .write(work)
    }
}

impl<O: Offset> Repair for FixedSize<'_, O> {
    type Owned = RepairedRows<O>;

    const LIMIT_BYTES: usize = O::LIMIT_BYTES;

    fn write(&self, work: &Work) -> Result<Self::Owned, ColumnError> {
        let start = |row: usize| row * self.width;
        Source { values: self.values, rows: self.row_count(), start, validity: self.row_validity() }
            .write(work)
    }
}

impl<F: Fn(usize) -> usize> Source<'_, F> {
    fn write<O: Offset>(&self, work: &Work) -> Result<RepairedRows<O>, ColumnError> {
        let Work { kernel, policy, ref finding, limit } = *work;
        let len = (self.start)(self.rows) - (self.start)(0);
        let capacity =
            policy.capacity(len, finding.ill_formed).min(limit.saturating_add(policy.capacity(len, 0) - len));
        let (mut values, mut offsets) = (Vec::with_capacity(capacity), Vec::with_capacity(self.rows + 1));
        offsets.push(O::of(0));
        let mut next = 0;
        for (first, words) in (0..).step_by(GROUP_ROWS).zip(finding.words.chunks(GROUP_ROWS / WORD_BITS)) {
            let last = self.rows.min(first + GROUP_ROWS);
            if policy == Policy::Replace && self.can_replace_at_once(first, last, words) {
                self.copy(next, first, limit, &mut values, &mut offsets)?;
                let most = 3 * ((self.start)(last) - (self.start)(first));
                // Near the limit, rows are written one by one, so that the error can name the row.
                if most <= limit - values.len() {
                    self.replace_at_once(kernel, first, last, &mut values, &mut offsets);
                    next = last;
                    continue;
                }
                next = first;
            }
            for row in rows_of(words, first) {
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
        }
        self.copy(next, self.rows, limit, &mut values, &mut offsets)?;
        let validity = (policy == Policy::Null).then(|| finding.validity_without(self.validity, self.rows));
        Ok(RepairedRows { values, offsets, validity })
    }

    /// Returns whether the rows from `first` to `last` can be replaced as one text: many of them
    /// are bad, none of these is null, and none begins inside a sequence, so that no row cuts a
    /// sequence.
    fn can_replace_at_once(&self, first: usize, last: usize, words: &[u64]) -> bool {
        let bad: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        let is_null = |(word, row): (&u64, usize)| {
            self.validity.is_some_and(|validity| word & !validity.word(row) != 0)
        };
        let end = (self.start)(last);
        bad * ROWS_PER_BAD_ROW >= last - first
            && !words.iter().zip((first..).step_by(WORD_BITS)).any(is_null)
            && !(first + 1..last).fold(false, |any, row| {
                let at = (self.start)(row);
                any | (at < end && is_inside(self.values, at))
            })
    }

    /// Appends the rows from `first` to `last` with each ill-formed sequence replaced by U+FFFD,
    /// all at once. The lossy text of the whole is that of the rows if no sequence is cut.
    fn replace_at_once<O: Offset>(
        &self,
        kernel: &'static Kernel,
        first: usize,
        last: usize,
        values: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) {
        let begin = (self.start)(first);
        let text = &self.values[begin..(self.start)(last)];
        // The position of a byte of the text in `values`, if no replacement comes before it.
        let mut base = values.len();
        append_in_place(kernel, text, values);
        let mut row = first;
        each_fault(kernel, text, |at, len| {
            while (self.start)(row + 1) - begin <= at {
                row += 1;
                offsets.push(O::of(base + (self.start)(row) - begin));
            }
            // A sequence has at most the three bytes of its replacement.
            base += 3 - len;
        });
        offsets.extend((row..last).map(|row| O::of(base + (self.start)(row + 1) - begin)));
        debug_assert_eq!(offsets.last().map(|&last| last.len()), Some(values.len()));
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
