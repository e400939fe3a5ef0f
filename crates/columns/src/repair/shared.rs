//! Views that overlap: what several rows have in common is repaired once.
//!
//! Any number of views can name the same bytes, so all rows together can be longer than any memory.
//!
//! ```text
//! sort the ends of all rows in a buffer: they cut it into parts
//! repair each part that some row has; a row is the text from its first part to its last
//! a row that begins or ends inside a character is repaired alone, once for equal views
//! ```
//!
//! A part neither begins nor ends with a continuation byte, so it cuts no character, no ill-formed
//! sequence and no surrogate: the repaired parts are the repaired whole. A row that begins or ends
//! inside a character has an ill-formed sequence there that other rows don't have. What such rows
//! read is limited.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use trust8::boundary::is_inside;

use super::{Work, new_view, rows_of};
use crate::error::{ColumnError, ColumnErrorKind};
use crate::layout::Views;
use crate::views::{INLINE_BYTES, long_view};

/// Rows that begin or end inside a character may read this many times the bytes of all buffers.
const REPETITIONS: usize = 4;

/// A row that is not in its view: the number of its buffer, and where it begins and ends there.
struct Long {
    number: usize,
    from: usize,
    to: usize,
    row: usize,
}

/// Writes the text of the rows in `work` that are longer than a view, and their views. `there` is
/// how many bytes all buffers have.
pub(super) fn write<B: AsRef<[u8]>>(
    column: &Views<'_, B>,
    work: &Work,
    there: usize,
    views: &mut [u128],
    buffer: &mut Vec<u8>,
) -> Result<(), ColumnError> {
    let buffers = column.buffers;
    let (mut cut, mut whole) = (Vec::new(), Vec::new());
    for row in rows_of(&work.finding.words, 0).filter(|&row| column.views[row] as u32 > INLINE_BYTES) {
        // An `AsRef` may return another buffer each time. Then there may be no such row.
        let Some((number, bytes, from, to)) = long_view(views[row], buffers) else {
            views[row] = 0;
            continue;
        };
        let rows = if is_inside(bytes, from) || is_inside(bytes, to) { &mut cut } else { &mut whole };
        rows.push(Long { number, from, to, row });
    }
    // One key, so that programs have one sort.
    let key = |long: &Long| (long.number, long.from, long.to);
    whole.sort_unstable_by_key(key);
    let mut ends: Vec<_> =
        whole.iter().flat_map(|long| [(long.number, long.from), (long.number, long.to)]).collect();
    ends.sort_unstable();
    ends.dedup();
    let at = places(&whole, &ends, work, buffers, buffer)?;
    let place = |end: (usize, usize)| ends.binary_search(&end).map_or(0, |end| at[end]);
    for long in &whole {
        let (from, to) = (place((long.number, long.from)), place((long.number, long.to)));
        views[long.row] = new_view(buffer, from, to, buffers.len());
    }
    cut.sort_unstable_by_key(key);
    let (mut left, mut last) = (there.saturating_mul(REPETITIONS), None);
    for long in &cut {
        let view = match last {
            Some((same, view)) if same == key(long) => view,
            _ => {
                let too_long =
                    |limit| ColumnError { row: long.row, kind: ColumnErrorKind::TooLong { limit } };
                left = left
                    .checked_sub(long.to - long.from)
                    .ok_or(too_long(there.saturating_mul(REPETITIONS)))?;
                let start = buffer.len();
                append(long.number, long.from, long.to, work, buffers, buffer);
                if buffer.len() > work.limit {
                    return Err(too_long(work.limit));
                }
                new_view(buffer, start, buffer.len(), buffers.len())
            }
        };
        last = Some((key(long), view));
        views[long.row] = view;
    }
    Ok(())
}

/// Appends the repaired parts between `ends` that some of the rows have, and returns where each end
/// is in the new text. The rows are sorted by where they begin.
fn places(
    rows: &[Long],
    ends: &[(usize, usize)],
    work: &Work,
    buffers: &[impl AsRef<[u8]>],
    buffer: &mut Vec<u8>,
) -> Result<Vec<usize>, ColumnError> {
    let (mut at, mut next, mut reach) = (Vec::with_capacity(ends.len()), 0, (0, 0));
    for (i, &end) in ends.iter().enumerate() {
        at.push(buffer.len());
        while let Some(long) = rows.get(next).filter(|long| (long.number, long.from) == end) {
            reach = reach.max((long.number, long.to));
            next += 1;
        }
        if let Some(&(number, to)) = ends.get(i + 1)
            && end < reach
        {
            append(number, end.1, to, work, buffers, buffer);
            if buffer.len() > work.limit {
                let row = rows[next - 1].row;
                return Err(ColumnError { row, kind: ColumnErrorKind::TooLong { limit: work.limit } });
            }
        }
    }
    Ok(at)
}

/// Appends the repaired bytes of a buffer.
fn append(
    number: usize,
    from: usize,
    to: usize,
    work: &Work,
    buffers: &[impl AsRef<[u8]>],
    text: &mut Vec<u8>,
) {
    let bytes = buffers.get(number).and_then(|buffer| buffer.as_ref().get(from..to));
    work.policy.append(work.kernel, bytes.unwrap_or_default(), text);
}
