//! Columns with offsets.
//!
//! ```text
//! for each group of 1024 rows:
//!     no offset is less than the one before it, and the values of all rows, as a whole, are ASCII: go on
//!     the same, but the values are other UTF-8, and no offset lies inside a character: go on
//!     otherwise: check row by row, which finds the first error
//! ```

#![forbid(unsafe_code)]

use trust8::Kernel;
use trust8::boundary::is_continuation;

use super::offset::Offset;
use super::{ColumnError, ColumnErrorKind, check_row};

/// The rows of a group: few enough that the values of short strings are still in the first-level
/// cache when the bytes at their offsets are tested.
pub(super) const GROUP_ROWS: usize = 1024;

/// Strings of less than this mean length are short.
const SHORT_MEAN_BYTES: usize = 32;

/// Does the same as [`validate_offsets`](crate::validate_offsets), with a kernel.
pub(super) fn validate<O: Offset>(kernel: &Kernel, values: &[u8], offsets: &[O]) -> Result<(), ColumnError> {
    let rows = offsets.len().saturating_sub(1);
    let mut row = 0;
    // The loop runs at least once, so that a single offset, which has no row, is also checked.
    while row == 0 || row < rows {
        let group = &offsets[row..offsets.len().min(row + GROUP_ROWS + 1)];
        if !group_is_valid(kernel, values, group) {
            each_row(values, group, row, |row, bytes| check_row(kernel, row, bytes))?;
        }
        row += GROUP_ROWS;
    }
    Ok(())
}

/// Returns whether all rows of these offsets are valid, by checking their values as a whole.
#[inline(always)]
pub(super) fn group_is_valid<O: Offset>(kernel: &Kernel, values: &[u8], offsets: &[O]) -> bool {
    let place = |offset: O| usize::try_from(offset.into()).ok();
    let [Some(first), Some(last)] = [offsets.first(), offsets.last()].map(|offset| place(*offset?)) else {
        return false;
    };
    let Some(text) = values.get(first..last) else { return false };
    // In ASCII, no offset splits a character. For short strings, testing for ASCII takes less time
    // than testing each offset.
    if text.len() < SHORT_MEAN_BYTES * offsets.len() && text.is_ascii() {
        return !O::decrease(offsets);
    }
    kernel.is_utf8(text) && are_boundaries(&values[..last], offsets)
}

/// Returns whether no offset is less than the one before it, and none lies inside a character of
/// `values`. `values` ends at the last offset and after a whole character. The first offset is not
/// negative. (An offset beyond the end has no byte, but then a later offset is less.)
///
/// It is a separate function, so that the loop does not spill.
#[inline(never)]
fn are_boundaries<O: Offset>(values: &[u8], offsets: &[O]) -> bool {
    let mut before = 0;
    let mut is_boundary = |offset: O| {
        let place = offset.into();
        let is_less = place < before;
        before = place;
        !is_less && !values.get(place as usize).is_some_and(|&byte| is_continuation(byte))
    };
    // The compiler does not unroll a loop that may end early.
    let (eights, rest) = offsets.as_chunks::<8>();
    eights.iter().all(|eight| eight.iter().all(|&offset| is_boundary(offset)))
        && rest.iter().all(|&offset| is_boundary(offset))
}

/// Calls `check` with each row and its bytes, and returns the first error. The first of `offsets`
/// begins row `first`.
pub(super) fn each_row<O: Offset>(
    values: &[u8],
    offsets: &[O],
    first: usize,
    check: impl Fn(usize, &[u8]) -> Result<(), ColumnError>,
) -> Result<(), ColumnError> {
    let place = |row, offset: O| {
        let offset: i64 = offset.into();
        let kind = match usize::try_from(offset) {
            Ok(place) if place <= values.len() => return Ok(place),
            Err(_) if offset < 0 => ColumnErrorKind::NegativeOffset { offset },
            _ => ColumnErrorKind::OffsetOutOfRange { offset, values_len: values.len() },
        };
        Err(ColumnError { row, kind })
    };
    let Some((&start, ends)) = offsets.split_first() else { return Ok(()) };
    let mut start = place(first, start)?;
    for (row, &end) in (first..).zip(ends) {
        let end = place(row, end)?;
        let Some(bytes) = values.get(start..end) else {
            // Neither is greater than the length of a slice, so both fit.
            let kind = ColumnErrorKind::DecreasingOffset { from: start as i64, to: end as i64 };
            return Err(ColumnError { row, kind });
        };
        check(row, bytes)?;
        start = end;
    }
    Ok(())
}
