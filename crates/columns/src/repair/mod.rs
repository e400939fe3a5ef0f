//! Repairs columns with rows that are not UTF-8.
//!
//! ```text
//! find the rows that are not UTF-8, and how long the output can become; if there are none, return the column as it was
//! allocate the output
//! copy the rows between two such rows at once, and write such a row as the policy says
//! ```

#![forbid(unsafe_code)]

mod contiguous;
mod shared;
mod views;

use alloc::vec;
use alloc::vec::Vec;

use super::error::ColumnError;
use super::invalid::InvalidRows;
use super::layout::{Column, Validity};
use super::marks::{GROUP_ROWS, WORD_BITS, put_bits};
use super::views::INLINE_BYTES;

use trust8::{Kernel, Policy};

pub use contiguous::RepairedRows;
pub use views::RepairedViews;

/// The result of [`repair`](crate::repair()): the unchanged column, or new rows. As in a `Cow`, there
/// will be no third variant.
///
/// ```
/// use trust8_columns::{Offsets, Policy, Repaired, repair};
///
/// fn len(values: &[u8], offsets: &[i32]) -> usize {
///     match repair(Offsets::new(values, offsets, None).unwrap(), Policy::Drop).unwrap() {
///         Repaired::Borrowed(_) => values.len(),
///         Repaired::Owned(rows) => rows.values.len(),
///     }
/// }
/// assert_eq!([len(b"ab", &[0, 2]), len(b"a\xFF", &[0, 2])], [2, 1]);
/// ```
#[derive(Clone, Debug)]
pub enum Repaired<C, T> {
    /// All rows are UTF-8 or null. Nothing was allocated.
    Borrowed(C),
    /// Some rows were not UTF-8.
    Owned(T),
}

/// A layout that [`repair`](crate::repair()) can write.
pub trait Repair: Sized {
    /// The output of `repair`.
    type Owned;

    /// The greatest length of the new values.
    #[doc(hidden)]
    const LIMIT_BYTES: usize;

    /// Writes all rows, with those that were found repaired.
    #[doc(hidden)]
    fn write(&self, work: &Work) -> Result<Self::Owned, ColumnError>;
}

/// What to repair, and how.
#[derive(Debug)]
pub struct Work {
    pub(crate) kernel: &'static Kernel,
    pub(crate) policy: Policy,
    pub(crate) finding: Finding,
    /// The greatest length of the new values.
    pub(crate) limit: usize,
}

/// The rows that are not UTF-8.
#[derive(Debug)]
pub(crate) struct Finding {
    /// One bit for each row, the first one the lowest: whether it is not UTF-8, even if it is null.
    words: Vec<u64>,
    /// An upper bound on the bytes of these rows in ill-formed sequences.
    ill_formed: usize,
}

impl Finding {
    /// Returns `None` if only null rows are not UTF-8. Until a row is found, nothing is allocated.
    pub(crate) fn of<C: Column>(mut rows: InvalidRows<C>) -> Option<Self> {
        let mut finding = Self { words: Vec::new(), ill_formed: 0 };
        let mut any = false;
        while rows.advance() {
            if rows.marks.is_empty() {
                continue;
            }
            if finding.words.is_empty() {
                finding.words = vec![0; rows.column.rows().div_ceil(GROUP_ROWS) * (GROUP_ROWS / WORD_BITS)];
            }
            finding.words[rows.group / WORD_BITS..][..GROUP_ROWS / WORD_BITS]
                .copy_from_slice(&rows.marks.words);
            finding.ill_formed = finding.ill_formed.saturating_add(rows.marks.ill_formed);
            rows.ignore_nulls();
            any |= !rows.marks.is_empty();
        }
        any.then_some(finding)
    }

    /// Returns the bitmap of the rows that are neither null nor in this finding.
    fn validity_without(&self, validity: Option<Validity<'_>>, rows: usize) -> Vec<u8> {
        let mut bitmap = vec![0; rows.div_ceil(8)];
        for ((bytes, word), row) in bitmap.chunks_mut(8).zip(&self.words).zip((0..).step_by(WORD_BITS)) {
            let valid = validity.map_or(u64::MAX, |validity| validity.word(row)) & !word;
            let valid = if rows - row < WORD_BITS { valid & !(u64::MAX << (rows - row)) } else { valid };
            put_bits(bytes, valid);
        }
        bitmap
    }
}

/// Returns the rows whose bits are 1. The first bit is that of row `first`.
fn rows_of(words: &[u64], first: usize) -> impl Iterator<Item = usize> {
    words.iter().zip((first..).step_by(WORD_BITS)).flat_map(|(&word, first)| {
        let mut left = word;
        core::iter::from_fn(move || {
            let row = (left != 0).then(|| first + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            row
        })
    })
}

/// Returns the view of `text[from..to]`, if the text becomes the buffer of this number.
fn new_view(text: &[u8], from: usize, to: usize, number: usize) -> u128 {
    let row = &text[from..to];
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(row.len() as u32).to_le_bytes());
    if row.len() <= INLINE_BYTES as usize {
        view[4..4 + row.len()].copy_from_slice(row);
    } else {
        view[4..8].copy_from_slice(&row[..4]);
        view[8..12].copy_from_slice(&(number as u32).to_le_bytes());
        view[12..].copy_from_slice(&(from as u32).to_le_bytes());
    }
    u128::from_le_bytes(view)
}
