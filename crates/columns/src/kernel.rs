//! The functions of this crate, with a kernel of the caller's choice.

#![forbid(unsafe_code)]

use core::mem;

use trust8::Kernel;
#[cfg(feature = "alloc")]
use trust8::Policy;
use trust8::engine::AsKernel;

#[cfg(feature = "alloc")]
use crate::overlap::{self, Overlap};
#[cfg(feature = "alloc")]
use crate::repair::{Finding, Repair, Repaired, Work};
use crate::views::{GROUP_VIEWS, Joined, are_text, each_view, group_is_valid};
use crate::{Column, ColumnError, ColumnErrorKind, InvalidRows, Offset, check_row, not_utf8, offsets};

/// The functions of this crate as methods of [`Kernel`]: for tests, measurements, and programs that
/// let their user choose.
///
/// ```
/// use trust8::Kernel;
/// use trust8_columns::KernelColumns;
///
/// for kernel in Kernel::available() {
///     assert!(kernel.validate_offsets("aé".as_bytes(), &[0, 1, 3]).is_ok());
/// }
/// ```
pub trait KernelColumns: AsKernel {
    /// Does the same as [`validate_offsets`](crate::validate_offsets), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    fn validate_offsets<O: Offset>(&self, values: &[u8], offsets: &[O]) -> Result<(), ColumnError> {
        offsets::validate(self.kernel(), values, offsets)
    }

    /// Does the same as [`validate_views`](crate::validate_views), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    fn validate_views(&self, views: &[u128], buffers: &[impl AsRef<[u8]>]) -> Result<(), ColumnError> {
        let kernel = self.kernel();
        #[cfg(feature = "alloc")]
        let limit = overlap::limit(buffers);
        #[cfg(not(feature = "alloc"))]
        let limit = usize::MAX;
        let mut joined = Joined::limited(limit);
        let are_text = are_text(kernel, views, buffers);
        for (number, group) in views.chunks(GROUP_VIEWS).enumerate() {
            let first = number * GROUP_VIEWS;
            if !group_is_valid(kernel, group, buffers, (!are_text).then_some(&mut joined)) {
                #[cfg(feature = "alloc")]
                if joined.left == 0 {
                    let overlap = Overlap::of(buffers, &overlap::ill_formed(kernel));
                    return each_view(&views[first..], buffers, first, |row, _| {
                        let error = overlap.error(kernel, views[row], buffers);
                        error.map_or(Ok(()), |error| Err(not_utf8(row, error)))
                    });
                }
                each_view(group, buffers, first, |row, bytes| check_row(kernel, row, bytes))?;
                joined = Joined::limited(joined.left);
            }
        }
        Ok(())
    }

    /// Does the same as [`validate_slices`](crate::validate_slices), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    fn validate_slices(&self, slices: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<(), ColumnError> {
        let mut slices = slices.into_iter().enumerate();
        slices.try_for_each(|(row, slice)| check_row(self.kernel(), row, slice.as_ref()))
    }

    /// Does the same as [`length_prefixed`](crate::length_prefixed), with this kernel.
    fn length_prefixed<'a>(
        &'static self,
        buffer: &'a [u8],
        prefix: impl Fn(&'a [u8]) -> Option<(usize, usize)>,
    ) -> impl Iterator<Item = Result<&'a str, ColumnError>> {
        // The kernel reads the buffer once, with the lengths, and splits it into valid texts and what lies between them. A value is
        // UTF-8 if it is a part of one of these texts that is cut between characters.
        let mut chunks = self.kernel().utf8_chunks(buffer);
        // The text that begins at `from`, and the end of what follows it and is not valid.
        let (mut text, mut from, mut to, mut at) = ("", 0, 0, 0);
        (0..).map_while(move |row| {
            let rest = buffer.get(at..).filter(|rest| !rest.is_empty())?;
            let (before, len) = prefix(rest).filter(|&(before, _)| before > 0).unwrap_or((1, rest.len()));
            let start = at.saturating_add(before);
            at = start.saturating_add(len);
            let Some(bytes) = buffer.get(start..at) else {
                let offset = i64::try_from(mem::replace(&mut at, usize::MAX)).unwrap_or(i64::MAX);
                let kind = ColumnErrorKind::OffsetOutOfRange { offset, values_len: buffer.len() };
                return Some(Err(ColumnError { row, kind }));
            };
            while to <= start && to < buffer.len() {
                let Some(chunk) = chunks.next() else { break };
                (text, from) = (chunk.valid(), to);
                to += text.len() + chunk.invalid().len();
            }
            let judged = || self.kernel().from_utf8(bytes).map_err(|error| not_utf8(row, error));
            Some(text.get(start - from..at - from).map_or_else(judged, Ok))
        })
    }

    /// Does the same as [`invalid_rows`](crate::invalid_rows), with this kernel.
    fn invalid_rows<C: Column>(&'static self, column: C) -> InvalidRows<C> {
        InvalidRows::new(self.kernel(), column)
    }

    /// Does the same as [`repair`](crate::repair()), with this kernel, and with offsets up to
    /// `limit`.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    #[cfg(feature = "alloc")]
    fn repair<C: Column + Repair>(
        &'static self,
        column: C,
        policy: Policy,
        limit: usize,
    ) -> Result<Repaired<C, C::Owned>, ColumnError> {
        match Finding::of(self.invalid_rows(column)) {
            None => Ok(Repaired::Borrowed(column)),
            Some(finding) => {
                let work = Work { kernel: self.kernel(), policy, finding, limit: limit.min(C::LIMIT_BYTES) };
                column.write(&work).map(Repaired::Owned)
            }
        }
    }
}

impl KernelColumns for Kernel {}
