//! Marks the rows of a group that are not UTF-8.
//!
//! ```text
//! the values of a group, as a whole, are UTF-8, and no offset lies inside a character: no row is marked
//! otherwise, in the values as a whole:
//!     each ill-formed sequence marks the row in which it begins
//!     a row that begins with a continuation is marked
//!     the row before such a row is looked at by itself, as the end of a character may be missing there
//! ```
//!
//! A row is marked if and only if it is not UTF-8. A sequence that is ill-formed in the whole is
//! ill-formed in its row: the row has fewer bytes around it, so they complete no sequence. And if a
//! sequence is ill-formed only in its row, the bytes that complete it in the whole lie in another
//! row, which then begins with a continuation.

#![forbid(unsafe_code)]

use trust8::Kernel;
use trust8::boundary::is_continuation;
use trust8::engine::FaultSearch;

#[cfg(feature = "alloc")]
use super::overlap::Overlap;

/// The rows of a group.
pub(super) const GROUP_ROWS: usize = super::offsets::GROUP_ROWS;

/// The number of bits in a word.
pub(super) const WORD_BITS: usize = 64;

/// The number of rows that are searched linearly for the next fault, before a binary search.
const NEAR_ROWS: usize = 4;

/// Writes a word of a bitmap: all of it, or as much as fits.
#[inline(never)]
pub(super) fn put_bits(bytes: &mut [u8], word: u64) {
    bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
}

/// The marks of a group.
#[derive(Clone, Debug)]
pub struct BadRows {
    /// One bit for each row, the first one the lowest.
    pub(super) words: [u64; GROUP_ROWS / WORD_BITS],
    /// An upper bound on the bytes of the marked rows in ill-formed sequences.
    pub(super) ill_formed: usize,
    /// Whether the last group had faults.
    pub(super) expects_faults: bool,
    /// The overlap of the views so far, in this and earlier groups.
    #[cfg(feature = "alloc")]
    pub(super) overlap: Overlap,
}

impl BadRows {
    pub(super) const NONE: Self = Self {
        words: [0; GROUP_ROWS / WORD_BITS],
        ill_formed: 0,
        expects_faults: false,
        #[cfg(feature = "alloc")]
        overlap: Overlap::NONE,
    };

    /// Removes all marks.
    pub(super) fn clear(&mut self) {
        // Some marks may have been removed.
        self.expects_faults = self.ill_formed > 0;
        self.words = [0; GROUP_ROWS / WORD_BITS];
        self.ill_formed = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words == [0; GROUP_ROWS / WORD_BITS]
    }

    /// Marks a row.
    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, ill_formed: usize) {
        self.words[row / WORD_BITS] |= 1 << (row % WORD_BITS);
        // Rows of views can overlap, so that the sum is greater than any memory.
        self.ill_formed = self.ill_formed.saturating_add(ill_formed);
    }

    /// Marks the rows that are not UTF-8. Row n of `rows` is `values[start(n)..start(n + 1)]`.
    pub(super) fn contiguous(
        &mut self,
        kernel: &'static Kernel,
        values: &[u8],
        rows: usize,
        start: impl Fn(usize) -> usize,
    ) {
        let (begin, end) = (start(0), start(rows));
        let mut row = 0;
        let mut search = FaultSearch::new(kernel, &values[begin..end]);
        while let Some(mut block) = search.advance() {
            // A long row has all faults of most blocks.
            if !block.is_sound() && block.end <= start(row + 1) - begin {
                self.set(row, block.ill_formed().1);
                continue;
            }
            while let Some((at, len)) = block.pop() {
                row = row_at(block.start + at, row, rows, &|row| start(row) - begin);
                self.set(row, len);
            }
        }
        let mut previous = begin;
        for row in 0..rows {
            let at = start(row);
            if at < end && is_continuation(values[at]) {
                // A character that is split between two rows has up to four bytes in total.
                let continuations =
                    values[at..].iter().take(3).take_while(|&&byte| is_continuation(byte)).count();
                if start(row + 1) > at {
                    self.set(row, continuations);
                }
                if at > previous && !kernel.is_utf8(&values[previous..at]) {
                    self.set(row - 1, 4 - continuations);
                }
            }
            previous = at;
        }
    }
}

/// Returns the row that has the byte `at`, which is before the end of the last row. Rows before `row` end before it.
#[inline(always)]
fn row_at(at: usize, mut row: usize, rows: usize, start: &impl Fn(usize) -> usize) -> usize {
    for _ in 0..NEAR_ROWS {
        if start(row + 1) > at {
            return row;
        }
        row += 1;
    }
    let (mut low, mut high) = (row, rows);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if start(middle) <= at {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
