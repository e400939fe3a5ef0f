//! Arrays of bytes: their rows as columns of trust8, and as text.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, BooleanBufferBuilder, GenericByteArray,
    GenericByteViewArray, GenericStringArray, Int64Array, LargeBinaryArray, LargeStringArray,
    OffsetSizeTrait, StringArray, StringViewArray, StringViewBuilder, StructArray, make_view,
};
use datafusion::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{
    ArrowNativeType, BinaryType, BinaryViewType, ByteArrayType, ByteViewType, DataType, Field, Fields,
    LargeBinaryType, LargeUtf8Type, StringViewType, Utf8Type,
};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err, internal_err};
use trust8::Utf8Error;
use trust8_columns::{
    Column, ColumnError, FixedSize, Offset, Offsets, Policy, Repair, Repaired, RepairedRows, RepairedViews,
    Validity, Views, invalid_rows, repair,
};
use trust8_profile::{self as profile, Profile, ProfileError, refused_rows};

/// The treatment of rows that are not UTF-8.
#[derive(Clone, Copy)]
pub(crate) enum Plan {
    /// The first of them is an error.
    Refuse,
    /// They are repaired, and characters that the profile forbids are replaced.
    Repair(Policy, Option<&'static Profile>),
}

/// The rows of an array.
enum Rows<'a> {
    Narrow(Offsets<'a, i32>),
    Wide(Offsets<'a, i64>),
    Views(Views<'a, &'a [u8]>),
    FixedSize(FixedSize<'a, i32>),
}

/// Evaluates an expression over the column in `Rows`, for any layout.
macro_rules! for_layout {
    ($rows:expr, $column:ident => $use:expr) => {
        match $rows {
            Rows::Narrow($column) => $use,
            Rows::Wide($column) => $use,
            Rows::Views($column) => $use,
            Rows::FixedSize($column) => $use,
        }
    };
}

/// Returns the nulls of an array, if it has any.
fn nulls(array: &dyn Array) -> Option<&NullBuffer> {
    array.nulls().filter(|nulls| nulls.null_count() > 0)
}

fn validity(array: &dyn Array) -> Option<Validity<'_>> {
    nulls(array).map(|nulls| Validity::new(nulls.validity(), nulls.offset()))
}

fn layout_error(error: ColumnError) -> DataFusionError {
    exec_datafusion_err!("the array is not as its type says: {error}")
}

/// Returns the buffers of an array of views, or none for any other array.
fn buffers(array: &dyn Array) -> Vec<&[u8]> {
    let buffers = match array.data_type() {
        DataType::BinaryView => array.as_binary_view().data_buffers(),
        DataType::Utf8View => array.as_string_view().data_buffers(),
        _ => &[],
    };
    buffers.iter().map(|buffer| &buffer[..]).collect()
}

impl<'a> Rows<'a> {
    /// Returns the rows of an array of bytes or text, which has these [`buffers`].
    fn of(array: &'a dyn Array, buffers: &'a [&'a [u8]]) -> Result<Self> {
        fn offsets<T: ByteArrayType>(array: &dyn Array) -> Result<Offsets<'_, T::Offset>>
        where
            T::Offset: Offset,
        {
            let bytes = array.as_bytes::<T>();
            Offsets::new(bytes.values(), bytes.offsets(), validity(array)).map_err(layout_error)
        }
        let views = |views: &'a [u128]| {
            Views::new(views, buffers, validity(array)).map(Rows::Views).map_err(layout_error)
        };
        Ok(match array.data_type() {
            DataType::Binary => Self::Narrow(offsets::<BinaryType>(array)?),
            DataType::Utf8 => Self::Narrow(offsets::<Utf8Type>(array)?),
            DataType::LargeBinary => Self::Wide(offsets::<LargeBinaryType>(array)?),
            DataType::LargeUtf8 => Self::Wide(offsets::<LargeUtf8Type>(array)?),
            DataType::BinaryView => views(array.as_binary_view().views())?,
            DataType::Utf8View => views(array.as_string_view().views())?,
            DataType::FixedSizeBinary(_) => {
                let bytes = array.as_fixed_size_binary();
                let width = bytes.value_size();
                Self::FixedSize(
                    FixedSize::new(bytes.values(), width, bytes.len(), validity(array))
                        .map_err(layout_error)?,
                )
            }
            other => return internal_err!("an array of {other} has no bytes"),
        })
    }
}

/// Returns a bitmap in which the bits of rows that are not UTF-8 are 1. The bits of null rows are 0.
pub(crate) fn invalid(array: &dyn Array) -> Result<BooleanBuffer> {
    let buffers = buffers(array);
    let rows = Rows::of(array, &buffers)?;
    let mut bits = vec![0; array.len().div_ceil(8)];
    for_layout!(rows, column => invalid_rows(column).bitmap(&mut bits)).expect("one bit for each row");
    Ok(BooleanBuffer::new(Buffer::from_vec(bits), 0, array.len()))
}

/// Returns for each row whether it is UTF-8.
pub(crate) fn is_valid(array: &dyn Array) -> Result<BooleanArray> {
    Ok(BooleanArray::new(!&invalid(array)?, array.nulls().cloned()))
}

/// Returns the fields of the result of [`errors`].
pub(crate) fn error_fields() -> Fields {
    // Reading a field of a struct ignores the struct's nulls. So all fields have them too.
    [
        ("offset", DataType::Int64),
        ("length", DataType::Int64),
        ("kind", DataType::Utf8View),
        ("message", DataType::Utf8View),
    ]
    .into_iter()
    .map(|(name, data_type)| Field::new(name, data_type, true))
    .collect()
}

/// Returns the error of each row, or null for rows that are UTF-8 without a character that the profile
/// forbids.
pub(crate) fn errors(array: &dyn Array, profile: Option<&Profile>) -> Result<StructArray> {
    let buffers = buffers(array);
    let rows = Rows::of(array, &buffers)?;
    let found: Vec<(usize, ProfileError)> = for_layout!(rows, column => match profile {
        None => invalid_rows(column).map(|(row, error)| (row, ProfileError::NotUtf8(error))).collect(),
        Some(profile) => refused_rows(column, profile).collect(),
    });
    let len = array.len();
    if found.is_empty() {
        return Ok(StructArray::new_null(error_fields(), len));
    }
    let mut bad = BooleanBufferBuilder::new(len);
    let mut with_length = BooleanBufferBuilder::new(len);
    bad.append_n(len, false);
    with_length.append_n(len, false);
    let (mut offsets, mut lengths) = (vec![0; len], vec![0; len]);
    // The messages of a column can be too long for the offsets of `Utf8`.
    let [mut kinds, mut messages] = [(); 2].map(|()| StringViewBuilder::with_capacity(len));
    let mut message = String::new();
    let mut next = 0;
    for (row, error) in found {
        bad.set_bit(row, true);
        offsets[row] = error.valid_up_to() as i64;
        if let Some(length) = error.error_len() {
            with_length.set_bit(row, true);
            lengths[row] = length as i64;
        }
        (next..row).for_each(|_| kinds.append_null());
        kinds.append_value(match error {
            ProfileError::NotUtf8(error) => error.kind().name(),
            ProfileError::Forbidden(found) => found.class().name(),
        });
        message.clear();
        write!(message, "{error}").expect("a string takes any text");
        (next..row).for_each(|_| messages.append_null());
        messages.append_value(&message);
        next = row + 1;
    }
    for _ in next..len {
        kinds.append_null();
        messages.append_null();
    }
    let bad = Some(NullBuffer::new(bad.finish()));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::new(offsets.into(), bad.clone())),
        Arc::new(Int64Array::new(lengths.into(), Some(NullBuffer::new(with_length.finish())))),
        Arc::new(kinds.finish()),
        Arc::new(messages.finish()),
    ];
    Ok(StructArray::try_new(error_fields(), columns, bad)?)
}

/// Returns the type of the result of [`text`] for an array.
pub(crate) fn text_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::LargeBinary | DataType::LargeUtf8 => DataType::LargeUtf8,
        DataType::BinaryView | DataType::Utf8View => DataType::Utf8View,
        _ => DataType::Utf8,
    }
}

/// Returns an array of bytes or text as text. The bytes are not copied if no row needs a repair.
pub(crate) fn text(array: &ArrayRef, plan: Plan) -> Result<ArrayRef> {
    let text = utf8(array, plan)?;
    match plan {
        Plan::Repair(policy, Some(profile)) => allowed(text, policy, profile),
        _ => Ok(text),
    }
}

/// Returns text without the characters that the profile forbids.
fn allowed(text: ArrayRef, policy: Policy, profile: &Profile) -> Result<ArrayRef> {
    let buffers = buffers(&text);
    let rows = Rows::of(&text, &buffers)?;
    let refused: Vec<usize> =
        for_layout!(rows, column => refused_rows(column, profile).map(|(row, _)| row).collect());
    if refused.is_empty() {
        return Ok(text);
    }
    let of_profile = match policy {
        Policy::Null => None,
        Policy::Drop => Some(profile::ProfilePolicy::Drop),
        Policy::Escape => Some(profile::ProfilePolicy::Escape),
        _ => Some(profile::ProfilePolicy::Replace),
    };
    fn new<'a>(
        rows: impl Iterator<Item = Option<&'a str>>,
        refused: &[usize],
        repair: impl Fn(&'a str) -> Option<Cow<'a, str>>,
        limit: usize,
    ) -> Result<Vec<Option<Cow<'a, str>>>> {
        let mut refused = refused.iter().copied().peekable();
        let mut left = limit;
        let row = |(row, text): (usize, Option<&'a str>)| {
            let text = match refused.next_if_eq(&row) {
                Some(_) => text.and_then(&repair),
                None => text.map(Cow::Borrowed),
            };
            match left.checked_sub(text.as_ref().map_or(0, |text| text.len())) {
                Some(rest) => left = rest,
                None => return exec_err!("more than {limit} bytes are too long for an array of text"),
            }
            Ok(text)
        };
        rows.enumerate().map(row).collect()
    }
    let limit = i32::MAX as usize;
    let repair = |row| of_profile.map(|policy| profile.repair(row, policy));
    Ok(match text.data_type() {
        DataType::Utf8 => {
            Arc::new(StringArray::from_iter(new(text.as_string::<i32>().iter(), &refused, repair, limit)?))
        }
        DataType::LargeUtf8 => {
            let rows = new(text.as_string::<i64>().iter(), &refused, repair, usize::MAX)?;
            Arc::new(LargeStringArray::from_iter(rows))
        }
        _ => allowed_views(text.as_string_view(), &refused, profile, of_profile)?,
    })
}

/// Returns views of text with the refused rows repaired, or null without a policy. Only these are written
/// anew: views that overlap can name more text than any memory has.
fn allowed_views(
    text: &StringViewArray,
    refused: &[usize],
    profile: &Profile,
    policy: Option<profile::ProfilePolicy>,
) -> Result<ArrayRef> {
    let (views, buffers, nulls) = text.clone().into_parts();
    let (mut views, mut new) = (views.to_vec(), Vec::new());
    let Some(policy) = policy else {
        let mut valid = BooleanBufferBuilder::new(views.len());
        valid.append_n(views.len(), true);
        for &row in refused {
            views[row] = 0;
            valid.set_bit(row, false);
        }
        let nulls = NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(valid.finish())));
        return Ok(unchecked_views(views.into(), buffers, nulls));
    };
    // What is read is limited too, as in trust8-arrow.
    let there = buffers.iter().map(Buffer::len).fold(views.len().saturating_mul(12), usize::saturating_add);
    let read = refused.iter().map(|&row| text.value(row).len()).fold(0, usize::saturating_add);
    let limit = i32::MAX as usize;
    let too_long = || exec_err!("more than {limit} bytes are too long for an array of text");
    if read > there.max(limit) {
        return too_long();
    }
    for &row in refused {
        let repaired = profile.repair(text.value(row), policy);
        views[row] = make_view(repaired.as_bytes(), buffers.len() as u32, new.len() as u32);
        if repaired.len() > 12 {
            new.extend_from_slice(repaired.as_bytes());
        }
        if new.len() > limit {
            return too_long();
        }
    }
    let more = (!new.is_empty()).then(|| Buffer::from_vec(new));
    let buffers: Vec<Buffer> = buffers.iter().cloned().chain(more).collect();
    Ok(unchecked_views(views.into(), buffers.into(), nulls))
}

fn utf8(array: &ArrayRef, plan: Plan) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Binary => bytes_text(array.as_bytes::<BinaryType>(), plan, array),
        DataType::Utf8 => bytes_text(array.as_bytes::<Utf8Type>(), plan, array),
        DataType::LargeBinary => bytes_text(array.as_bytes::<LargeBinaryType>(), plan, array),
        DataType::LargeUtf8 => bytes_text(array.as_bytes::<LargeUtf8Type>(), plan, array),
        DataType::BinaryView => views_text(array.as_byte_view::<BinaryViewType>(), plan, array),
        DataType::Utf8View => views_text(array.as_byte_view::<StringViewType>(), plan, array),
        DataType::FixedSizeBinary(_) => fixed_size_text(plan, array),
        other => internal_err!("an array of {other} has no bytes"),
    }
}

fn bytes_text<T: ByteArrayType>(bytes: &GenericByteArray<T>, plan: Plan, array: &ArrayRef) -> Result<ArrayRef>
where
    T::Offset: Offset,
{
    let (offsets, values) = (bytes.offsets(), bytes.values());
    let column = |validity| Offsets::new(values, offsets, validity).map_err(layout_error);
    let reached = validity(array).map(|validity| column(Some(validity))).transpose()?;
    match rewritten(plan, column(None)?, reached, array)? {
        Some(rows) => Ok(rows_text(rows, array.nulls())),
        None if T::DATA_TYPE == text_type(&T::DATA_TYPE) => Ok(array.clone()),
        None => {
            let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
            // The values outside the rows need not be UTF-8, but arrow requires all of them to be.
            let offsets = match first.as_usize() {
                0 => offsets.clone(),
                _ => OffsetBuffer::new(offsets.iter().map(|&offset| offset - first).collect()),
            };
            let values = values.slice_with_length(first.as_usize(), last.as_usize() - first.as_usize());
            Ok(unchecked_text(offsets, values, array.nulls().cloned()))
        }
    }
}

fn fixed_size_text(plan: Plan, array: &ArrayRef) -> Result<ArrayRef> {
    let bytes = array.as_fixed_size_binary();
    let (width, len, values) = (bytes.value_size(), bytes.len(), bytes.values());
    let column = |validity| FixedSize::<i32>::new(values, width, len, validity).map_err(layout_error);
    let all = column(None)?;
    if width.saturating_mul(len) > i32::MAX as usize {
        return exec_err!("{len} values of {width} bytes are too long for an array of Utf8");
    }
    let reached = validity(array).map(|validity| column(Some(validity))).transpose()?;
    match rewritten(plan, all, reached, array)? {
        Some(rows) => Ok(rows_text(rows, array.nulls())),
        None => {
            let offsets = (0..=len).map(|row| (row * width) as i32).collect();
            let values = values.slice_with_length(0, width * len);
            Ok(unchecked_text(OffsetBuffer::new(offsets), values, array.nulls().cloned()))
        }
    }
}

fn views_text<T: ByteViewType>(
    bytes: &GenericByteViewArray<T>,
    plan: Plan,
    array: &ArrayRef,
) -> Result<ArrayRef> {
    let slices = buffers(array);
    let column = |validity| Views::new(bytes.views(), &slices, validity);
    let (views, buffers, nulls) = bytes.clone().into_parts();
    if column(None).is_ok_and(|all| invalid_rows(all).next().is_none()) {
        return Ok(match T::DATA_TYPE {
            DataType::Utf8View => array.clone(),
            _ => unchecked_views(views, buffers, nulls),
        });
    }
    match planned(plan, column(validity(array)).map_err(layout_error)?, array)? {
        Repaired::Owned(RepairedViews { views, buffer, validity }) => {
            let nulls = new_nulls(validity, views.len(), array.nulls());
            let more = (!buffer.is_empty()).then(|| Buffer::from_vec(buffer));
            let buffers: Vec<Buffer> = buffers.iter().cloned().chain(more).collect();
            Ok(unchecked_views(views.into(), buffers.into(), nulls))
        }
        Repaired::Borrowed(_) => {
            // Only views of null rows are wrong. They become empty.
            let views =
                views.iter().enumerate().map(|(row, &view)| if array.is_null(row) { 0 } else { view });
            Ok(unchecked_views(views.collect(), buffers, nulls))
        }
    }
}

/// Returns new rows if some are not UTF-8, even if all of these are null: arrow requires text under nulls
/// too. `reached` is the same column with its nulls, if there are any.
fn rewritten<C: Column + Repair>(
    plan: Plan,
    all: C,
    reached: Option<C>,
    array: &ArrayRef,
) -> Result<Option<C::Owned>> {
    let owned = |repaired| match repaired {
        Repaired::Owned(rows) => Some(rows),
        Repaired::Borrowed(_) => None,
    };
    let Some(reached) = reached else { return planned(plan, all, array).map(owned) };
    if invalid_rows(all).next().is_none() {
        return Ok(None);
    }
    match planned(plan, reached, array)? {
        Repaired::Owned(rows) => Ok(Some(rows)),
        Repaired::Borrowed(_) => repair(all, Policy::Drop).map(owned).map_err(layout_error),
    }
}

/// Applies the plan.
fn planned<C: Column + Repair>(plan: Plan, column: C, array: &ArrayRef) -> Result<Repaired<C, C::Owned>> {
    match plan {
        Plan::Repair(policy, _) => repair(column, policy).map_err(layout_error),
        Plan::Refuse => match invalid_rows(column).next() {
            None => Ok(Repaired::Borrowed(column)),
            Some((row, error)) => Err(refusal(array, row, &error)),
        },
    }
}

/// The most bytes of a value in an error.
const SHOWN_BYTES: usize = 64;

/// Returns the error for a row that is not UTF-8. It has Spark's name, and shows the bytes as Spark does.
pub(crate) fn refusal(array: &dyn Array, row: usize, error: &Utf8Error) -> DataFusionError {
    let bytes = value(array, row);
    // The shown bytes include the ill-formed sequence.
    let start =
        if bytes.len() <= SHOWN_BYTES { 0 } else { error.valid_up_to().saturating_sub(SHOWN_BYTES / 2) };
    let end = bytes.len().min(start + SHOWN_BYTES);
    let mut shown = String::with_capacity(4 * SHOWN_BYTES + 6);
    if start > 0 {
        shown.push_str("...");
    }
    for byte in &bytes[start..end] {
        write!(shown, "\\x{byte:02X}").expect("a string takes any text");
    }
    if end < bytes.len() {
        shown.push_str("...");
    }
    exec_datafusion_err!(
        "[INVALID_UTF8_STRING] Invalid UTF8 byte sequence found in string: {shown} ({error})"
    )
}

/// Returns the bytes of a row, which was found in the array before.
fn value(array: &dyn Array, row: usize) -> Vec<u8> {
    match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().value(row).to_vec(),
        DataType::LargeBinary => array.as_binary::<i64>().value(row).to_vec(),
        DataType::BinaryView => array.as_binary_view().value(row).to_vec(),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row).to_vec(),
        // Values that claim to be text must be read as bytes.
        DataType::Utf8 => BinaryArray::from(array.as_string::<i32>().clone()).value(row).to_vec(),
        DataType::LargeUtf8 => LargeBinaryArray::from(array.as_string::<i64>().clone()).value(row).to_vec(),
        _ => array.as_string_view().clone().to_binary_view().value(row).to_vec(),
    }
}

/// Returns the nulls after a repair.
fn new_nulls(validity: Option<Vec<u8>>, len: usize, old: Option<&NullBuffer>) -> Option<NullBuffer> {
    match validity {
        Some(bits) => Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, len))),
        None => old.cloned(),
    }
}

fn rows_text<O: OffsetSizeTrait + Offset>(rows: RepairedRows<O>, nulls: Option<&NullBuffer>) -> ArrayRef {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(rows.offsets));
    let nulls = new_nulls(rows.validity, offsets.len() - 1, nulls);
    unchecked_text(offsets, Buffer::from_vec(rows.values), nulls)
}

fn unchecked_text<O: OffsetSizeTrait>(
    offsets: OffsetBuffer<O>,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    // SAFETY: trust8 has checked the offsets, found each row UTF-8 or written it, and no value lies outside of the rows. The
    // nulls have the length of the array.
    Arc::new(unsafe { GenericStringArray::<O>::new_unchecked(offsets, values, nulls) })
}

fn unchecked_views(views: ScalarBuffer<u128>, buffers: Arc<[Buffer]>, nulls: Option<NullBuffer>) -> ArrayRef {
    // SAFETY: trust8 has checked each view and found its string UTF-8, or has written it. The nulls have the length of the array.
    Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, nulls) })
}
