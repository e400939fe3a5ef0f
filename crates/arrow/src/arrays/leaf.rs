//! Arrays of bytes: their rows as columns of trust8, and as text.

use std::collections::HashMap;
use std::sync::Arc;

use trust8_columns::{
    self as columns, Column, ColumnError, ColumnErrorKind, FixedSize, Offset, Offsets, Policy, Repair,
    Repaired, RepairedRows, RepairedViews, Validity, Views, invalid_rows,
};
use trust8_profile::{self as profile, Profile, ProfileError, refused_rows};

use super::arrow_array::builder::{GenericStringBuilder, make_view};
use super::arrow_array::cast::AsArray;
use super::arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type, StringViewType,
    Utf8Type,
};
use super::arrow_array::{Array, ArrayRef, GenericStringArray, OffsetSizeTrait, StringViewArray};
use super::arrow_buffer::{
    BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer,
};
use super::arrow_schema::DataType;
use super::known::Known;
use super::mask::{len, reached};
use crate::error::{Reason, RowError, policy_for_forbidden};

/// The treatment of rows that are not UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// The policy for repairs. Without one, the first such row is an error.
    pub(crate) policy: Option<Policy>,
    /// Only arrays that claim to be UTF-8 count. Bytes stay bytes.
    pub(crate) claims: bool,
    /// The profile that text must satisfy.
    pub(crate) profile: &'a Profile,
    /// Which types the parts of a nested array get.
    pub(crate) types: Types,
    /// For arrays whose layout a [`Checker`](super::Checker) has checked: what it knows.
    pub(crate) known: Option<&'a Known>,
}

impl<'a> Plan<'a> {
    /// Returns the plan for an array whose layout has not been checked. Only one policy makes nulls, so only then can a field become
    /// nullable: otherwise types would depend on what is null already.
    pub(crate) fn new(policy: Option<Policy>, claims: bool, profile: &'a Profile) -> Self {
        let types = if policy == Some(Policy::Null) { Types::AsRows } else { Types::Same };
        Self { policy, claims, profile, types, known: None }
    }
}

/// Which types the fields of a nested array get.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// Those of the new arrays, nullable if these have nulls.
    AsRows,
    /// Those of the new arrays, which are nullable if they were.
    Same,
    /// The same, with nullable text.
    Nullable,
}

/// Whether an array of this type has bytes for rows, and whether it claims that they are UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    Bytes,
    Utf8,
    /// Its rows are not bytes.
    Other,
}

pub(crate) fn claim(data_type: &DataType) -> Claim {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Claim::Bytes
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Claim::Utf8,
        _ => Claim::Other,
    }
}

/// The memory of an array of bytes. None of it is trusted: arrow lets arrays be built without
/// checks.
enum Memory {
    Narrow(OffsetBuffer<i32>, Buffer),
    Wide(OffsetBuffer<i64>, Buffer),
    Views(ScalarBuffer<u128>, Arc<[Buffer]>),
    FixedSize(usize, usize, Buffer),
}

/// An array of bytes, and the rows of it that count.
pub(crate) struct Leaf<'a> {
    array: &'a dyn Array,
    memory: Memory,
    nulls: Option<&'a NullBuffer>,
    live: Option<&'a NullBuffer>,
    /// The rows that are neither null nor unreachable; `None` for all.
    reached: Option<NullBuffer>,
    path: &'a str,
}

/// The most rows of an array without bytes. It needs no memory for them, but its text has offsets.
const MOST_EMPTY_ROWS: usize = 1 << 24;

fn slices(buffers: &[Buffer]) -> Vec<&[u8]> {
    buffers.iter().map(|buffer| &buffer[..]).collect()
}

fn validity(nulls: &NullBuffer) -> Validity<'_> {
    Validity::new(nulls.validity(), nulls.offset())
}

/// Evaluates an expression over the rows of a leaf as a column, for any layout.
macro_rules! for_column {
    ($leaf:ident, $validity:expr, $column:ident => $use:expr) => {
        match &$leaf.memory {
            Memory::Narrow(offsets, values) => {
                $leaf.checked(Offsets::new(values, offsets.inner(), $validity)).map(|$column| $use)
            }
            Memory::Wide(offsets, values) => {
                $leaf.checked(Offsets::new(values, offsets.inner(), $validity)).map(|$column| $use)
            }
            Memory::Views(views, buffers) => {
                $leaf.checked(Views::new(views, &slices(buffers), $validity)).map(|$column| $use)
            }
            Memory::FixedSize(width, len, values) => {
                $leaf.checked(FixedSize::<i32>::new(values, *width, *len, $validity)).map(|$column| $use)
            }
        }
    };
}

impl<'a> Leaf<'a> {
    /// Returns the leaf if the rows of `array` are bytes. Rows that are not in `live` are
    /// unreachable.
    pub(crate) fn of(
        array: &'a dyn Array,
        live: Option<&'a NullBuffer>,
        path: &'a str,
    ) -> Result<Self, RowError> {
        fn bytes<T: ByteArrayType>(array: &dyn Array) -> (OffsetBuffer<T::Offset>, Buffer) {
            let array = array.as_bytes::<T>();
            (array.offsets().clone(), array.values().clone())
        }
        fn views<T: ByteViewType>(array: &dyn Array) -> Memory {
            let (views, buffers, _) = array.as_byte_view::<T>().clone().into_parts();
            Memory::Views(views, buffers)
        }
        let narrow = |(offsets, values)| Memory::Narrow(offsets, values);
        let wide = |(offsets, values)| Memory::Wide(offsets, values);
        let memory = match array.data_type() {
            DataType::Binary => narrow(bytes::<BinaryType>(array)),
            DataType::Utf8 => narrow(bytes::<Utf8Type>(array)),
            DataType::LargeBinary => wide(bytes::<LargeBinaryType>(array)),
            DataType::LargeUtf8 => wide(bytes::<LargeUtf8Type>(array)),
            DataType::BinaryView => views::<BinaryViewType>(array),
            DataType::Utf8View => views::<StringViewType>(array),
            _ => {
                let array = array.as_fixed_size_binary();
                let width = usize::try_from(array.value_length()).unwrap_or(0);
                if width == 0 && array.len() > MOST_EMPTY_ROWS {
                    return Err(RowError::shape(
                        0,
                        path,
                        "the array claims more than 2^24 rows without bytes",
                    ));
                }
                Memory::FixedSize(width, array.len(), array.values().clone())
            }
        };
        let len = match &memory {
            Memory::Narrow(offsets, _) => offsets.inner().len().checked_sub(1),
            Memory::Wide(offsets, _) => offsets.inner().len().checked_sub(1),
            Memory::Views(views, _) => Some(views.len()),
            Memory::FixedSize(_, len, _) => Some(*len),
        };
        let Some(len) = len else { return Err(RowError::shape(0, path, "the array has no offsets")) };
        let nulls = array.nulls();
        Ok(Self { array, memory, nulls, live, reached: reached(len, nulls, live, path)?, path })
    }

    /// Checks the offsets, views and lengths of all rows, also of null ones.
    pub(crate) fn check_layout(&self) -> Result<(), RowError> {
        for_column!(self, None, _column => ())
    }

    /// Returns a bitmap in which the bits of reachable rows that are not UTF-8 are 1.
    pub(crate) fn invalid(&self) -> Result<BooleanBuffer, RowError> {
        let rows = len(self.array);
        let mut bits = vec![0; rows.div_ceil(8)];
        for_column!(self, self.reached.as_ref().map(validity), column => {
            invalid_rows(column).bitmap(&mut bits).expect("a bit for each row")
        })?;
        Ok(BooleanBuffer::new(Buffer::from_vec(bits), 0, rows))
    }

    /// Calls `each` with at most `most` reachable rows that are not UTF-8 or have a character that
    /// the profile forbids, and their bytes.
    pub(crate) fn errors(
        &self,
        profile: &Profile,
        most: usize,
        each: &mut dyn FnMut(usize, ProfileError, &[u8]),
    ) -> Result<(), RowError> {
        fn of(
            column: impl Column,
            profile: &Profile,
            most: usize,
            each: &mut dyn FnMut(usize, ProfileError, &[u8]),
        ) {
            let mut found = |row, error| each(row, error, column.row(row).as_deref().unwrap_or_default());
            match profile.bits() {
                0 => invalid_rows(column).take(most).for_each(|(row, error)| found(row, error.into())),
                _ => refused_rows(column, profile).take(most).for_each(|(row, error)| found(row, error)),
            }
        }
        for_column!(self, self.reached.as_ref().map(validity), column => of(column, profile, most, each))
    }

    /// Returns the array as text, or `None` if it is text already. Nothing is copied if no row needs a repair.
    pub(crate) fn text(&self, plan: Plan<'_>) -> Result<Option<ArrayRef>, RowError> {
        if plan.policy.is_none() && plan.profile.bits() != 0 {
            let mut first = Ok(());
            self.errors(plan.profile, 1, &mut |row, error, _| first = Err(self.error(row, error.into())))?;
            first?;
        }
        let text = match &self.memory {
            Memory::Narrow(offsets, values) => self.offsets_text(plan, offsets, values),
            Memory::Wide(offsets, values) => self.offsets_text(plan, offsets, values),
            Memory::Views(views, buffers) => self.views_text(plan, views, buffers),
            Memory::FixedSize(width, len, values) => self.fixed_text(plan, *width, *len, values).map(Some),
        }?;
        match plan.policy {
            Some(policy) if plan.profile.bits() != 0 => {
                let allowed = self.allowed(text.as_deref().unwrap_or(self.array), plan.profile, policy)?;
                Ok(allowed.or(text))
            }
            _ => Ok(text),
        }
    }

    /// Returns text without the characters that the profile forbids, or `None` if it has none.
    fn allowed(
        &self,
        text: &dyn Array,
        profile: &Profile,
        policy: Policy,
    ) -> Result<Option<ArrayRef>, RowError> {
        let mut is_clean = true;
        Leaf::of(text, self.live, self.path)?.errors(profile, 1, &mut |_, _, _| is_clean = false)?;
        if is_clean {
            return Ok(None);
        }
        let policy = policy_for_forbidden(policy);
        let repaired = |(row, text): (usize, Option<&str>)| -> Option<String> {
            let text = text?;
            match policy {
                Some(policy) => Some(profile.repair(text, policy).into_owned()),
                None if profile.check(text).is_ok() => Some(text.to_owned()),
                // An unreachable row stays null or not.
                None => self.live.is_some_and(|live| live.is_null(row)).then(String::new),
            }
        };
        match text.data_type() {
            DataType::Utf8 => self.rows::<i32>(text.as_string::<i32>().iter().enumerate().map(repaired)),
            DataType::LargeUtf8 => self.rows::<i64>(text.as_string::<i64>().iter().enumerate().map(repaired)),
            _ => self.allowed_views(text.as_string_view(), profile, policy),
        }
        .map(Some)
    }

    /// Returns views of text without the characters that the profile forbids. Only refused rows are
    /// written anew: views that overlap can name more text than any memory has.
    fn allowed_views(
        &self,
        text: &StringViewArray,
        profile: &Profile,
        policy: Option<profile::ProfilePolicy>,
    ) -> Result<ArrayRef, RowError> {
        let mut refused = Vec::new();
        Leaf::of(text, self.live, self.path)?
            .errors(profile, usize::MAX, &mut |row, _, _| refused.push(row))?;
        let (views, buffers, nulls) = text.clone().into_parts();
        let (mut views, mut new) = (views.to_vec(), Vec::new());
        let limit = i32::MAX as usize;
        let there =
            buffers.iter().map(Buffer::len).fold(views.len().saturating_mul(12), usize::saturating_add);
        let named = refused.iter().fold(0_usize, |sum, &row| sum.saturating_add(text.value(row).len()));
        // As in `columns::repair`: equal views share their text, and what others read is limited.
        let mut same = (named > there).then(HashMap::new);
        let mut left = there.saturating_mul(4);
        for &row in &refused {
            let Some(policy) = policy else {
                views[row] = 0;
                continue;
            };
            let view = views[row];
            if let Some(&shared) = same.as_ref().and_then(|same| same.get(&view)) {
                views[row] = shared;
                continue;
            }
            let old = text.value(row);
            let repaired = profile.repair(old, policy);
            let rest = left.checked_sub(old.len());
            let Some(rest) = rest.filter(|_| repaired.len() <= limit - new.len()) else {
                return Err(self.error(row, Reason::Layout(ColumnErrorKind::TooLong { limit })));
            };
            left = rest;
            views[row] = make_view(repaired.as_bytes(), buffers.len() as u32, new.len() as u32);
            if repaired.len() > 12 {
                new.extend_from_slice(repaired.as_bytes());
            }
            if let Some(same) = &mut same {
                same.insert(view, views[row]);
            }
        }
        let nulls = if policy.is_none() {
            let mut valid = BooleanBufferBuilder::new(views.len());
            valid.append_n(views.len(), true);
            refused.iter().for_each(|&row| valid.set_bit(row, false));
            NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(valid.finish())))
        } else {
            nulls
        };
        let more = (!new.is_empty()).then(|| Buffer::from_vec(new));
        let buffers: Vec<Buffer> = buffers.iter().cloned().chain(more).collect();
        Ok(view_text(ScalarBuffer::from(views), buffers.into(), nulls))
    }

    /// Returns rows of text as an array.
    fn rows<O: OffsetSizeTrait>(
        &self,
        rows: impl Iterator<Item = Option<String>>,
    ) -> Result<ArrayRef, RowError> {
        let (mut bytes, limit) = (0, O::MAX_OFFSET);
        let mut builder = GenericStringBuilder::<O>::new();
        for (row, text) in rows.enumerate() {
            bytes += text.as_ref().map_or(0, String::len);
            if bytes > limit {
                return Err(self.error(row, Reason::Layout(ColumnErrorKind::TooLong { limit })));
            }
            builder.append_option(text);
        }
        Ok(Arc::new(builder.finish()))
    }

    fn offsets_text<O: OffsetSizeTrait + Offset>(
        &self,
        plan: Plan<'_>,
        offsets: &OffsetBuffer<O>,
        values: &Buffer,
    ) -> Result<Option<ArrayRef>, RowError> {
        let column = |validity| self.checked(Offsets::new(values, offsets.inner(), validity));
        // One pass tests the offsets and the text. Most arrays are clean.
        let rewritten = match columns::validate_offsets(values, offsets.inner()) {
            Ok(()) => None,
            Err(_) => self.rewritten(plan, column(None)?, || column(self.reached.as_ref().map(validity)))?,
        };
        Ok(match rewritten {
            Some(rows) => Some(self.rows_text(rows)),
            None if claim(self.array.data_type()) == Claim::Utf8 => None,
            None => {
                let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
                // The values outside the rows need not be UTF-8, but arrow requires all of them to
                // be.
                let offsets = match first {
                    0 => offsets.clone(),
                    _ => OffsetBuffer::new(offsets.iter().map(|&offset| offset - offsets[0]).collect()),
                };
                Some(text(offsets, values.slice_with_length(first, last - first), self.nulls.cloned()))
            }
        })
    }

    fn fixed_text(
        &self,
        plan: Plan<'_>,
        width: usize,
        len: usize,
        values: &Buffer,
    ) -> Result<ArrayRef, RowError> {
        let column = |validity| self.checked(FixedSize::<i32>::new(values, width, len, validity));
        let all = column(None)?;
        let limit = i32::MAX as usize;
        if width.saturating_mul(len) > limit {
            return Err(self.error(limit / width, Reason::Layout(ColumnErrorKind::TooLong { limit })));
        }
        match self.rewritten(plan, all, || column(self.reached.as_ref().map(validity)))? {
            Some(rows) => Ok(self.rows_text(rows)),
            None => {
                let offsets = (0..=len).map(|row| (row * width) as i32).collect();
                let values = values.slice_with_length(0, width * len);
                Ok(text(OffsetBuffer::new(offsets), values, self.nulls.cloned()))
            }
        }
    }

    /// Returns new rows if some are not UTF-8, even if these are all unreachable: arrow requires
    /// text under nulls too.
    fn rewritten<O: Offset, C: Column + Repair<Owned = RepairedRows<O>>>(
        &self,
        plan: Plan<'_>,
        all: C,
        reached: impl FnOnce() -> Result<C, RowError>,
    ) -> Result<Option<RepairedRows<O>>, RowError> {
        if self.reached.is_none() {
            return Ok(match self.planned(plan, all)? {
                Repaired::Owned(rows) => Some(rows),
                Repaired::Borrowed(_) => None,
            });
        }
        if invalid_rows(all).next().is_none() {
            return Ok(None);
        }
        if let Repaired::Owned(rows) = self.planned(plan, reached()?)? {
            return Ok(Some(rows));
        }
        // Only rows that are null or unreachable are not UTF-8. They get no bytes, and stay null or
        // not.
        match self.checked(columns::repair(all, Policy::Null))? {
            Repaired::Owned(rows) => Ok(Some(RepairedRows { validity: None, ..rows })),
            Repaired::Borrowed(_) => Ok(None),
        }
    }

    /// Applies the plan to the reachable rows.
    fn planned<C: Column + Repair>(
        &self,
        plan: Plan<'_>,
        column: C,
    ) -> Result<Repaired<C, C::Owned>, RowError> {
        match plan.policy {
            Some(policy) => self.checked(columns::repair(column, policy)),
            None => match invalid_rows(column).next() {
                None => Ok(Repaired::Borrowed(column)),
                Some((row, error)) => Err(self.error(row, Reason::NotUtf8(error))),
            },
        }
    }

    fn rows_text<O: OffsetSizeTrait + Offset>(&self, rows: RepairedRows<O>) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(rows.offsets));
        let nulls = self.new_nulls(rows.validity, offsets.len() - 1);
        text(offsets, Buffer::from_vec(rows.values), nulls)
    }

    fn views_text(
        &self,
        plan: Plan<'_>,
        views: &ScalarBuffer<u128>,
        buffers: &Arc<[Buffer]>,
    ) -> Result<Option<ArrayRef>, RowError> {
        let slices = slices(buffers);
        let column = |validity| self.checked(Views::new(views, &slices, validity));
        let are_right = |views: &[u128]| columns::validate_views(views, &slices).is_ok();
        let are_all_right = match plan.known {
            Some(known) => known.are_right(self.path, views, buffers, are_right),
            None => are_right(views),
        };
        if are_all_right {
            let is_text = claim(self.array.data_type()) == Claim::Utf8;
            return Ok((!is_text).then(|| view_text(views.clone(), buffers.clone(), self.nulls.cloned())));
        }
        Ok(Some(match self.planned(plan, column(self.reached.as_ref().map(validity))?)? {
            Repaired::Borrowed(_) => {
                // Only views that are null or unreachable are wrong. They become empty.
                let is_reached = |row| self.reached.as_ref().is_none_or(|rows| rows.is_valid(row));
                let views =
                    views.iter().enumerate().map(|(row, &view)| if is_reached(row) { view } else { 0 });
                view_text(views.collect(), buffers.clone(), self.nulls.cloned())
            }
            Repaired::Owned(RepairedViews { views, buffer, validity }) => {
                let nulls = self.new_nulls(validity, views.len());
                let more = (!buffer.is_empty()).then(|| Buffer::from_vec(buffer));
                let buffers: Vec<Buffer> = buffers.iter().cloned().chain(more).collect();
                view_text(ScalarBuffer::from(views), buffers.into(), nulls)
            }
        }))
    }

    /// Returns the nulls after a repair. Unreachable rows stay null or not.
    fn new_nulls(&self, validity: Option<Vec<u8>>, len: usize) -> Option<NullBuffer> {
        let Some(validity) = validity else { return self.nulls.cloned() };
        let mut valid = BooleanBuffer::new(Buffer::from_vec(validity), 0, len);
        if let Some(live) = self.live {
            valid = &valid | &!live.inner();
        }
        NullBuffer::union(self.nulls, Some(&NullBuffer::new(valid)))
    }

    fn error(&self, row: usize, reason: Reason) -> RowError {
        RowError::new(row, self.path, reason)
    }

    fn checked<T>(&self, result: Result<T, ColumnError>) -> Result<T, RowError> {
        result.map_err(|error| RowError::column(self.path, error))
    }
}

/// Makes text of what trust8 has checked or written.
pub(super) fn text<O: OffsetSizeTrait>(
    offsets: OffsetBuffer<O>,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    // SAFETY: trust8 has checked the offsets, found each row UTF-8 or written it, and no value lies
    // outside of the rows. The nulls have the length of the array.
    Arc::new(unsafe { GenericStringArray::<O>::new_unchecked(offsets, values, nulls) })
}

/// Makes views of what trust8 has checked or written.
pub(super) fn view_text(
    views: ScalarBuffer<u128>,
    buffers: Arc<[Buffer]>,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    // SAFETY: trust8 has checked each view and found its string UTF-8, or has written it. The nulls
    // have the length of the array.
    Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, nulls) })
}
