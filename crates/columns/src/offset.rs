//! The types of offsets.

#![forbid(unsafe_code)]

use core::fmt::Debug;

/// An integer type for offsets: `i32` as in Arrow's `Utf8`, or `i64` as in its `LargeUtf8`.
///
/// ```
/// use trust8_columns::{Offset, validate_offsets};
///
/// fn rows_are_valid<O: Offset>(offsets: &[O]) -> bool {
///     validate_offsets(b"two rows", offsets).is_ok()
/// }
/// assert!(rows_are_valid(&[0_i32, 4, 8]) && rows_are_valid(&[0_i64, 4, 8]));
/// ```
pub trait Offset: sealed::Number + Copy + Ord + Debug + Into<i64> {}

impl Offset for i32 {}
impl Offset for i64 {}

mod sealed {
    pub trait Number: Sized {
        /// The greatest length that fits into the type.
        const LIMIT_BYTES: usize;

        /// Returns the number for a length, which is at most `LIMIT_BYTES`.
        fn of(len: usize) -> Self;

        /// Returns the number as a length. It is not negative.
        fn len(self) -> usize;

        /// Returns whether an offset is less than the one before it. The first offset must not be
        /// negative.
        fn decrease(offsets: &[Self]) -> bool;
    }

    macro_rules! numbers {
        ($($integer:ty, $limit:expr;)+) => {$(
            impl Number for $integer {
                const LIMIT_BYTES: usize = $limit;

                #[inline(always)]
                fn of(len: usize) -> Self {
                    len as Self
                }

                #[inline(always)]
                fn len(self) -> usize {
                    self as usize
                }

                #[inline(always)]
                fn decrease(offsets: &[Self]) -> bool {
                    // A difference is negative if an offset is less than the one before it, unless
                    // it overflows. It overflows only if one of the offsets is negative, which the
                    // offset itself shows. So one bit decides, without a comparison: SSE2 has none
                    // of 64 bits.
                    let pairs = offsets.iter().zip(offsets.get(1..).unwrap_or_default());
                    pairs.fold(0, |bits, (from, to)| bits | to | to.wrapping_sub(*from)) < 0
                }
            }
        )+};
    }
    numbers! {
        i32, i32::MAX as usize;
        i64, usize::MAX >> 1;
    }
}
