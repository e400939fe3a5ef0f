//! Copies arrays of the C data interface into memory without other writers.
//!
//! The interface says where the memory of an array is, but not who else may write to it. A pyarrow
//! array can lie in a `bytearray`, in a numpy array or in a mapped file. Whether a pyarrow buffer
//! is marked mutable does not help: the mark is true for memory that pyarrow has allocated itself,
//! and false for a read-only view of a `bytearray`. So only this module's own copies are known to
//! be immutable, and everything is copied before anybody reads it. Lengths come from the copies, so
//! an offset does not change between two reads.
//!
//! Of a slice, only its part is copied. Counts and pointers that contradict the type are errors.
//! The interface promises that the memory is as long as the array claims.
//!
//! A caller may vouch that nobody writes to the memory (`copy=False`). Then buffers are read where
//! they are, and live as long as what is made of them; offsets of a slice and misaligned buffers
//! are copied nevertheless.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{ArrayRef, ArrowNativeTypeOp, OffsetSizeTrait, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef, UnionMode};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::input::{PIECE_BYTES, copy_shared};

/// The maximum nesting depth of types.
pub(super) const DEPTH: usize = 64;

/// `struct ArrowArray`, as the interface defines it: arrow's own hides its fields, and panics if
/// they contradict each other.
#[repr(C)]
struct Given {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const Given,
    dictionary: *const Given,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<Given>() == size_of::<FFI_ArrowArray>());

/// Copies an array.
///
/// # Safety
///
/// - `array` is as the interface demands, and has the type `data_type`: where its counts and pointers do not contradict each
///   other, the memory that they claim is there.
/// - Unless `copy` is true, nobody writes to the memory before the array is released.
pub(super) unsafe fn owned(array: FFI_ArrowArray, data_type: &DataType, copy: bool) -> PyResult<ArrayRef> {
    let array = Arc::new(array);
    // SAFETY: both types are `struct ArrowArray`.
    let given = unsafe { &*std::ptr::from_ref(&*array).cast::<Given>() };
    Ok(make_array(given.all(data_type, (!copy).then_some(&array))?))
}

/// The owner of memory that need not be copied.
type Keep<'a> = Option<&'a Arc<FFI_ArrowArray>>;

fn lie(what: String) -> PyErr {
    PyValueError::new_err(format!("the array is not as Arrow's C data interface demands: {what}"))
}

fn size(number: i64, what: &str) -> PyResult<usize> {
    usize::try_from(number).map_err(|_| lie(format!("its {what} is {number}")))
}

fn product(count: usize, width: usize) -> PyResult<usize> {
    let bytes = count.checked_mul(width).filter(|&bytes| isize::try_from(bytes).is_ok());
    bytes.ok_or_else(|| lie(format!("it claims {count} times {width} bytes")))
}

/// Copies bytes, aligned for any type of Arrow, or keeps them if their address is a multiple of
/// `width` as far as a type demands that.
///
/// # Safety
///
/// - There are `len` bytes at `from`, unless it is null.
/// - If `keep` is given, it owns them, and nobody writes to them.
unsafe fn copied(from: *const u8, len: usize, width: usize, keep: Keep<'_>) -> PyResult<Buffer> {
    if len == 0 {
        return Ok(Buffer::from_vec(Vec::<u128>::new()));
    }
    if from.is_null() {
        return Err(lie(format!("a buffer of {len} bytes is missing")));
    }
    if let (Some(owner), Some(from)) = (keep, NonNull::new(from.cast_mut()))
        && from.addr().get().trailing_zeros() >= width.trailing_zeros().min(align_of::<u128>().ilog2())
    {
        // SAFETY: the caller vouches for the bytes and for their owner.
        return Ok(unsafe { Buffer::from_custom_allocation(from, len, owner.clone()) });
    }
    let mut words: Vec<u128> = Vec::new();
    let count = len.div_ceil(size_of::<u128>());
    words
        .try_reserve_exact(count)
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {len} bytes")))?;
    let room = &mut words.spare_capacity_mut()[..count];
    room[count - 1].write(0);
    // SAFETY: the words have this many bytes.
    let room: &mut [MaybeUninit<u8>] = unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), len) };
    for (number, piece) in room.chunks_mut(PIECE_BYTES).enumerate() {
        if number > 0 {
            Python::attach(|py| py.check_signals())?;
        }
        // SAFETY: the caller vouches for the bytes, and these are a part of them; the memory is new.
        unsafe { copy_shared(from.wrapping_add(number * PIECE_BYTES), piece) };
    }
    // SAFETY: the last word was written, and all bytes of those before it.
    unsafe { words.set_len(count) };
    Ok(Buffer::from_vec(words).slice_with_length(0, len))
}

impl Given {
    fn all(&self, data_type: &DataType, keep: Keep<'_>) -> PyResult<ArrayData> {
        self.copied(data_type, 0..size(self.length, "length")?, 0, keep)
    }

    /// Copies some rows, counted from the array's offset.
    fn copied(
        &self,
        data_type: &DataType,
        rows: Range<usize>,
        depth: usize,
        keep: Keep<'_>,
    ) -> PyResult<ArrayData> {
        if depth > DEPTH {
            return Err(lie(format!("its types are nested more than {DEPTH} levels deep")));
        }
        let (all, offset) = (size(self.length, "length")?, size(self.offset, "offset")?);
        if rows.end > all {
            return Err(lie(format!("the array inside has {all} rows, and {} are needed", rows.end)));
        }
        let end = offset.checked_add(rows.end).filter(|&end| isize::try_from(end).is_ok());
        let Some(end) = end else { return Err(lie(format!("its offset is {offset}"))) };
        let (start, len) = (offset + rows.start, rows.len());
        let deeper = depth + 1;

        // Arrow panics if these types contain other types.
        let sound = match data_type {
            DataType::Dictionary(keys, _) => keys.is_dictionary_key_type(),
            DataType::RunEndEncoded(ends, _) => ends.data_type().is_run_ends_type(),
            DataType::Map(entries, _) => {
                matches!(entries.data_type(), DataType::Struct(fields) if fields.len() == 2)
            }
            _ => true,
        };
        if !sound {
            return Err(PyValueError::new_err(format!("there is no type {data_type}")));
        }
        let mut builder = ArrayData::builder(data_type.clone()).len(len);
        match data_type {
            DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..) => {}
            _ => builder = builder.nulls(self.nulls(start, len, keep)?),
        }
        let builder = match data_type {
            DataType::Null => {
                self.expect(0, 0)?;
                builder
            }
            DataType::Boolean => {
                self.expect(2, 0)?;
                builder.add_buffer(self.bits(1, start, len, keep)?.sliced())
            }
            DataType::FixedSizeBinary(width) => {
                self.expect(2, 0)?;
                builder.add_buffer(self.fixed(1, start, len, size((*width).into(), "width")?, keep)?)
            }
            DataType::Binary | DataType::Utf8 => {
                self.expect(3, 0)?;
                let (offsets, values) = self.offsets::<i32>(start, len, keep.is_some(), keep)?;
                builder.add_buffer(offsets).add_buffer(self.fixed(2, values.start, values.len(), 1, keep)?)
            }
            DataType::LargeBinary | DataType::LargeUtf8 => {
                self.expect(3, 0)?;
                let (offsets, values) = self.offsets::<i64>(start, len, keep.is_some(), keep)?;
                builder.add_buffer(offsets).add_buffer(self.fixed(2, values.start, values.len(), 1, keep)?)
            }
            DataType::BinaryView | DataType::Utf8View => builder.buffers(self.views(start, len, keep)?),
            DataType::List(item) | DataType::Map(item, _) => {
                self.expect(2, 1)?;
                let (offsets, items) = self.offsets::<i32>(start, len, false, keep)?;
                builder.add_buffer(offsets).add_child_data(self.child(0, item, Some(items), deeper, keep)?)
            }
            DataType::LargeList(item) => {
                self.expect(2, 1)?;
                let (offsets, items) = self.offsets::<i64>(start, len, false, keep)?;
                builder.add_buffer(offsets).add_child_data(self.child(0, item, Some(items), deeper, keep)?)
            }
            DataType::ListView(item) | DataType::LargeListView(item) => {
                self.expect(3, 1)?;
                let width = if matches!(data_type, DataType::ListView(_)) { 4 } else { 8 };
                builder
                    .add_buffer(self.fixed(1, start, len, width, keep)?)
                    .add_buffer(self.fixed(2, start, len, width, keep)?)
                    .add_child_data(self.child(0, item, None, deeper, keep)?)
            }
            DataType::FixedSizeList(item, width) => {
                self.expect(1, 1)?;
                let width = size((*width).into(), "number of items")?;
                let items = product(start, width)?..product(end, width)?;
                builder.add_child_data(self.child(0, item, Some(items), deeper, keep)?)
            }
            DataType::Struct(fields) => {
                self.expect(1, fields.len())?;
                let children = fields
                    .iter()
                    .enumerate()
                    .map(|(i, field)| self.child(i, field, Some(start..end), deeper, keep));
                builder.child_data(children.collect::<PyResult<_>>()?)
            }
            DataType::Union(fields, mode) => {
                let sparse = *mode == UnionMode::Sparse;
                self.expect(if sparse { 1 } else { 2 }, fields.len())?;
                let mut builder = builder.add_buffer(self.fixed(0, start, len, 1, keep)?);
                if !sparse {
                    builder = builder.add_buffer(self.fixed(1, start, len, 4, keep)?);
                }
                let rows = sparse.then_some(start..end);
                let children = fields
                    .iter()
                    .enumerate()
                    .map(|(i, (_, field))| self.child(i, field, rows.clone(), deeper, keep));
                builder.child_data(children.collect::<PyResult<_>>()?)
            }
            DataType::Dictionary(keys, values) => {
                self.expect(2, 0)?;
                let width = keys.primitive_width().unwrap_or(0);
                // SAFETY: the interface promises an array with the values, or null.
                let Some(dictionary) = (unsafe { self.dictionary.as_ref() }) else {
                    return Err(lie("it has no dictionary".to_owned()));
                };
                let rows = 0..size(dictionary.length, "length")?;
                builder
                    .add_buffer(self.fixed(1, start, len, width, keep)?)
                    .add_child_data(dictionary.copied(values, rows, deeper, keep)?)
            }
            DataType::RunEndEncoded(ends, values) => {
                self.expect(0, 2)?;
                builder
                    .offset(start)
                    .add_child_data(self.child(0, ends, None, deeper, keep)?)
                    .add_child_data(self.child(1, values, None, deeper, keep)?)
            }
            other => {
                self.expect(2, 0)?;
                let Some(width) = other.primitive_width() else {
                    return Err(PyValueError::new_err(format!("arrays of type {other} are not supported")));
                };
                builder.add_buffer(self.fixed(1, start, len, width, keep)?)
            }
        };
        // SAFETY: the buffers and children are as many and as long as the type demands. That offsets, views, keys and text are
        // right is checked by `trust8_arrow`, which takes arrays that were built without checks.
        Ok(unsafe { builder.build_unchecked() })
    }

    /// Checks the numbers of buffers and children.
    fn expect(&self, buffers: usize, children: usize) -> PyResult<()> {
        let counts = [(self.n_buffers, buffers, "buffers"), (self.n_children, children, "children")];
        for (has, wanted, what) in counts {
            if usize::try_from(has) != Ok(wanted) {
                return Err(lie(format!("it has {has} {what}, and its type has {wanted}")));
            }
        }
        let missing = buffers > 0 && self.buffers.is_null() || children > 0 && self.children.is_null();
        if missing { Err(lie("a list of buffers or of children is missing".to_owned())) } else { Ok(()) }
    }

    /// Returns the address of a buffer. Its index has been checked.
    fn buffer(&self, i: usize) -> *const u8 {
        // SAFETY: there are more buffers than `i`, because `expect` or `views` has said so.
        let place = unsafe { self.buffers.add(i) };
        // SAFETY: the same.
        unsafe { *place }
    }

    /// Copies some or all rows of a child. The number of children has been checked.
    fn child(
        &self,
        i: usize,
        field: &FieldRef,
        rows: Option<Range<usize>>,
        depth: usize,
        keep: Keep<'_>,
    ) -> PyResult<ArrayData> {
        // SAFETY: `expect` has checked that there are more children than `i`.
        let place = unsafe { self.children.add(i) };
        // SAFETY: the same.
        let child = unsafe { *place };
        // SAFETY: the interface promises that an array is there.
        let Some(child) = (unsafe { child.as_ref() }) else {
            return Err(lie(format!("its child {i} is missing")));
        };
        let rows = rows.map_or_else(|| Ok(0..size(child.length, "length")?), PyResult::Ok)?;
        child.copied(field.data_type(), rows, depth, keep)
    }

    /// Copies a part of a buffer whose units have this many bytes each.
    fn fixed(
        &self,
        buffer: usize,
        start: usize,
        len: usize,
        width: usize,
        keep: Keep<'_>,
    ) -> PyResult<Buffer> {
        let (skipped, bytes) = (product(start, width)?, product(len, width)?);
        let from = self.buffer(buffer).wrapping_add(skipped);
        let from = if self.buffer(buffer).is_null() { std::ptr::null() } else { from };
        // SAFETY: the interface promises that the buffer has this many units.
        unsafe { copied(from, bytes, width, keep) }
    }

    /// Copies a part of a bitmap.
    fn bits(&self, buffer: usize, start: usize, len: usize, keep: Keep<'_>) -> PyResult<BooleanBuffer> {
        let bytes = (start % 8 + len).div_ceil(8);
        Ok(BooleanBuffer::new(self.fixed(buffer, start / 8, bytes, 1, keep)?, start % 8, len))
    }

    fn nulls(&self, start: usize, len: usize, keep: Keep<'_>) -> PyResult<Option<NullBuffer>> {
        if self.n_buffers < 1 || self.buffers.is_null() {
            return Err(lie(format!("it has {} buffers", self.n_buffers)));
        }
        match (self.buffer(0).is_null(), self.null_count) {
            (_, 0) => Ok(None),
            (true, count) if count > 0 => Err(lie(format!("it has {count} nulls and no validity bitmap"))),
            (true, _) => Ok(None),
            (false, _) => {
                Ok(Some(NullBuffer::new(self.bits(0, start, len, keep)?)).filter(|n| n.null_count() > 0))
            }
        }
    }

    /// Copies the offsets of some rows, and returns the range that they cover. In the copy, they
    /// begin with 0; but if `as_is`, they stay, and the range begins there: bytes before it cost nothing.
    fn offsets<O: OffsetSizeTrait + ArrowNativeTypeOp>(
        &self,
        start: usize,
        len: usize,
        as_is: bool,
        keep: Keep<'_>,
    ) -> PyResult<(Buffer, Range<usize>)> {
        if len == 0 {
            // An array without rows need not have offsets.
            return Ok((Buffer::from_vec(vec![O::default()]), 0..0));
        }
        let copy = self.fixed(1, start, len + 1, size_of::<O>(), keep)?;
        let offsets = copy.typed_data::<O>();
        let (first, last) = (&offsets[0], &offsets[len]);
        let reached = first.to_usize().zip(last.to_usize()).filter(|(first, last)| first <= last);
        let Some((from, to)) = reached else {
            return Err(lie(format!("its offsets go from {first:?} to {last:?}")));
        };
        let copy = match from {
            0 => copy,
            _ if as_is => return Ok((copy, 0..to)),
            _ => Buffer::from_vec(
                offsets.iter().map(|offset| offset.sub_wrapping(offsets[0])).collect::<Vec<_>>(),
            ),
        };
        Ok((copy, from..to))
    }

    /// Copies some views. Of each of their buffers, copies the part between the first and the last
    /// byte used by a view.
    fn views(&self, start: usize, len: usize, keep: Keep<'_>) -> PyResult<Vec<Buffer>> {
        let count = size(self.n_buffers, "number of buffers")?;
        let Some(variadic) = count.checked_sub(3).filter(|_| !self.buffers.is_null()) else {
            return Err(lie(format!("it has {count} buffers, and an array of views has at least 3")));
        };
        self.expect(count, 0)?;
        let lens = self.fixed(count - 1, 0, variadic, size_of::<i64>(), keep)?;
        let lens = lens.typed_data::<i64>().iter();
        let lens = lens.map(|&len| size(len, "length of a buffer")).collect::<PyResult<Vec<_>>>()?;
        let views = self.fixed(1, start, len, size_of::<u128>(), keep)?;
        if keep.is_some() {
            let whole = lens.iter().enumerate().map(|(i, &len)| self.fixed(2 + i, 0, len, 1, keep));
            return [Ok(views)].into_iter().chain(whole).collect();
        }
        let mut views = views.typed_data::<u128>().to_vec();
        let mut named: Vec<Option<Range<usize>>> = vec![None; variadic];
        for &view in &views {
            if let Some((buffer, bytes)) = place(view, &lens) {
                let part = named[buffer].get_or_insert(bytes.clone());
                *part = part.start.min(bytes.start)..part.end.max(bytes.end);
            }
        }
        for view in &mut views {
            // A view that uses no bytes of a buffer stays unchanged: the copied part is not longer
            // than the buffer.
            if let Some((buffer, _)) = place(*view, &lens)
                && let Some(part) = &named[buffer]
            {
                *view -= (part.start as u128) << 96;
            }
        }
        let mut buffers = vec![Buffer::from_vec(views)];
        for (i, named) in named.into_iter().enumerate() {
            let named = named.unwrap_or(0..0);
            buffers.push(self.fixed(2 + i, named.start, named.len(), 1, keep)?);
        }
        Ok(buffers)
    }
}

/// Returns the buffer and the bytes of a view, if it is long and they exist.
fn place(view: u128, lens: &[usize]) -> Option<(usize, Range<usize>)> {
    let field = |at: u32| (view >> at) as u32 as usize;
    let (len, buffer, offset) = (field(0), field(64), field(96));
    let bytes = offset..offset.checked_add(len)?;
    (len > 12 && bytes.end <= *lens.get(buffer)?).then_some((buffer, bytes))
}
