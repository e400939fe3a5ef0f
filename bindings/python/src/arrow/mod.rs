//! Columns of Arrow, through the PyCapsule interface, which pyarrow, polars, duckdb and nanoarrow
//! support.
//!
//! A column is copied before it is read (`owned.rs` explains why), unless this module has made it, or
//! the caller vouches that nobody writes to it. So results never share memory that can change, and
//! the copy is read without the interpreter's lock.

mod capsules;
mod checked;
mod owned;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::types::UInt64Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, RecordBatch, StructArray, UInt64Array, cast::AsArray, new_empty_array,
};
use arrow_buffer::Buffer;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyDict, PySlice, PyType};
use trust8_arrow::{Reason, RowError};
use trust8_columns::Policy;
use trust8_profile::Profile;

use crate::input::answering_signals;
use crate::profile::profile_of;
use crate::repair::policy;
use capsules::Column;
pub(crate) use checked::{Reader, arrow_checked};

exports!(arrow_is_valid, arrow_errors, arrow_timed, arrow_convert, arrow_checked; Array, Stream, Reader);

/// An array of Arrow, with the PyCapsule interface: ``pyarrow.array(array)`` and ``nanoarrow.Array(array)`` take it.
#[pyclass(frozen, sequence, module = "trust8.arrow")]
pub(crate) struct Array {
    /// Its memory never changes, because this module has copied or made it.
    array: ArrayRef,
    field: FieldRef,
    /// The names of binary columns that were left as they are.
    left: Vec<String>,
}

#[pymethods]
impl Array {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::of_field(py, &self.field)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface permits another type than the requested one.
        let _ = requested_schema;
        Ok((capsules::of_field(py, &self.field)?, capsules::of_array(py, &self.array)?))
    }

    /// The conversion for ``pyarrow.array``, which casts no capsules.
    #[pyo3(signature = (r#type = None))]
    fn __arrow_array__<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stream = Bound::new(
            py,
            Stream { chunks: vec![self.array.clone()], field: self.field.clone(), left: Vec::new() },
        )?;
        let array = of_pyarrow(stream.as_any(), "chunked_array")?.call_method1("chunk", (0,))?;
        cast(array, r#type)
    }

    /// The conversion for numpy. This needs pyarrow.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        this: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(this.py());
        if let Some(copy) = copy {
            // NumPy 1 does not say this, and old versions of pyarrow do not know it.
            options.set_item("copy", copy)?;
        }
        of_pyarrow(this.as_any(), "array")?.call_method("__array__", (dtype,), Some(&options))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// Return a value, or a list of values, as Python objects. This needs pyarrow.
    fn __getitem__<'py>(this: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let part = of_pyarrow(this.as_any(), "array")?.get_item(index)?;
        part.call_method0(if index.is_instance_of::<PySlice>() { "to_pylist" } else { "as_py" })
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        of_pyarrow(this.as_any(), "array")?.call_method0("to_pylist")?.call_method0("__iter__")
    }

    /// The names of the columns with bytes that were left as they are. `errors` judges them too.
    #[getter]
    fn left(&self) -> Vec<String> {
        self.left.clone()
    }

    fn __repr__(&self) -> String {
        format!("<trust8.arrow.Array of {}, {}>", counted(self.array.len(), "row"), python_name(&self.field))
    }

    /// Return the values as Python objects. This needs pyarrow.
    fn to_pylist<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        of_pyarrow(this.as_any(), "array")?.call_method0("to_pylist")
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((this.py().import("trust8.arrow")?.getattr("_restored")?, (of_pyarrow(this.as_any(), "array")?,)))
    }
}

/// A column or a table of Arrow in chunks, with the PyCapsule interface: ``pyarrow.table(stream)``, ``polars.DataFrame(stream)``
/// and ``pyarrow.chunked_array(stream)`` take it.
#[pyclass(frozen, module = "trust8.arrow")]
pub(crate) struct Stream {
    /// Like the memory of `Array`, that of the chunks never changes.
    chunks: Vec<ArrayRef>,
    field: FieldRef,
    /// As in `Array`.
    left: Vec<String>,
}

#[pymethods]
impl Stream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::of_field(py, &self.field)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsules::of_chunks(py, self.chunks.clone(), self.field.clone())
    }

    /// The names of the columns with bytes that were left as they are. `errors` judges them too.
    #[getter]
    fn left(&self) -> Vec<String> {
        self.left.clone()
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        let (rows, chunks) = (counted(self.__len__(), "row"), counted(self.chunks.len(), "chunk"));
        format!("<trust8.arrow.Stream of {rows} in {chunks}, {}>", python_name(&self.field))
    }

    /// Return the values as Python objects. This needs pyarrow.
    fn to_pylist<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        of_pyarrow(this.as_any(), "chunked_array")?.call_method0("to_pylist")
    }

    /// The conversion for ``pyarrow.array``: a chunked array.
    #[pyo3(signature = (r#type = None))]
    fn __arrow_array__<'py>(
        this: &Bound<'py, Self>,
        r#type: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cast(of_pyarrow(this.as_any(), "chunked_array")?, r#type)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let field = &this.get().field;
        let is_table = matches!(field.data_type(), DataType::Struct(_)) && !field.is_nullable();
        let form = if is_table { "table" } else { "chunked_array" };
        Ok((this.py().import("trust8.arrow")?.getattr("_restored")?, (of_pyarrow(this.as_any(), form)?,)))
    }
}

/// Casts an array of pyarrow.
fn cast<'py>(array: Bound<'py, PyAny>, data_type: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    match data_type {
        Some(data_type) => array.call_method1("cast", (data_type,)),
        None => Ok(array),
    }
}

/// Passes an object to a function of pyarrow, and returns the result.
fn of_pyarrow<'py>(object: &Bound<'py, PyAny>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("pyarrow")?.call_method1(function, (object,))
}

/// Returns a number with a noun.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the name of a field's type. It is pyarrow's, except for extension types, whose storage is
/// named, and for unions.
fn python_name(field: &Field) -> String {
    use DataType::*;
    let named = |field: &FieldRef| {
        let suffix = if field.is_nullable() { "" } else { " not null" };
        format!("{}: {}{suffix}", field.name(), python_name(field))
    };
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    let name = match field.data_type() {
        Utf8 => "string",
        LargeUtf8 => "large_string",
        Utf8View => "string_view",
        LargeBinary => "large_binary",
        BinaryView => "binary_view",
        Boolean => "bool",
        Float16 => "halffloat",
        Float32 => "float",
        Float64 => "double",
        Date32 => "date32[day]",
        Date64 => "date64[ms]",
        Interval(IntervalUnit::MonthDayNano) => "month_day_nano_interval",
        Time32(one) => return format!("time32[{}]", unit(one)),
        Time64(one) => return format!("time64[{}]", unit(one)),
        Duration(one) => return format!("duration[{}]", unit(one)),
        Timestamp(one, None) => return format!("timestamp[{}]", unit(one)),
        Timestamp(one, Some(zone)) => return format!("timestamp[{}, tz={zone}]", unit(one)),
        FixedSizeBinary(width) => return format!("fixed_size_binary[{width}]"),
        List(item) => return format!("list<{}>", named(item)),
        LargeList(item) => return format!("large_list<{}>", named(item)),
        FixedSizeList(item, len) => return format!("fixed_size_list<{}>[{len}]", named(item)),
        ListView(item) => return format!("list_view<{}>", named(item)),
        LargeListView(item) => return format!("large_list_view<{}>", named(item)),
        Struct(fields) => {
            return format!("struct<{}>", fields.iter().map(named).collect::<Vec<_>>().join(", "));
        }
        Map(entries, sorted) => {
            let Struct(fields) = entries.data_type() else { return "map".to_owned() };
            let types = fields.iter().map(|field| python_name(field));
            let sorted = if *sorted { ", keys_sorted" } else { "" };
            return format!("map<{}{sorted}>", types.collect::<Vec<_>>().join(", "));
        }
        Dictionary(keys, values) => {
            let [values, keys] = [values, keys].map(|part| python_name(&Field::new("", *part.clone(), true)));
            let ordered = u8::from(field.dict_is_ordered() == Some(true));
            return format!("dictionary<values={values}, indices={keys}, ordered={ordered}>");
        }
        RunEndEncoded(ends, values) => {
            let (ends, values) = (python_name(ends), python_name(values));
            return format!("run_end_encoded<run_ends: {ends}, values: {values}>");
        }
        other => return other.to_string().to_lowercase(),
    };
    name.to_owned()
}

/// Applies a function to each chunk. The result is an array if there was one, and otherwise a
/// stream.
fn each<'py>(
    py: Python<'py>,
    column: &Column,
    left: Vec<String>,
    field: impl Fn(&DataType) -> Field,
    mut make: impl FnMut(&ArrayRef, usize) -> PyResult<ArrayRef>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut row = 0;
    let mut chunks = Vec::with_capacity(column.chunks.len());
    for chunk in &column.chunks {
        chunks.push(make(chunk, row)?);
        row += chunk.len();
        py.check_signals()?;
    }
    let data_type = match chunks.first() {
        Some(chunk) => chunk.data_type().clone(),
        None => make(&new_empty_array(column.field.data_type()), 0)?.data_type().clone(),
    };
    let field = Arc::new(field(&data_type));
    match (column.is_stream, &*chunks) {
        (false, [array]) => Ok(Bound::new(py, Array { array: array.clone(), field, left })?.into_any()),
        _ => Ok(Bound::new(py, Stream { chunks, field, left })?.into_any()),
    }
}

/// Does work on an array while this thread handles signals.
fn answering<T: Send + 'static>(
    py: Python<'_>,
    array: &ArrayRef,
    work: impl FnOnce(&ArrayRef) -> T + Send + 'static,
) -> PyResult<T> {
    let array = array.clone();
    answering_signals(py, array.get_buffer_memory_size(), move || work(&array))
}

/// Returns whether each row is UTF-8.
#[pyfunction]
#[pyo3(name = "_arrow_is_valid")]
#[pyo3(signature = (array, profile = None))]
pub(crate) fn arrow_is_valid<'py>(
    array: &Bound<'py, PyAny>,
    profile: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let profile = profile_of(profile)?;
    let column = Column::of(array, true)?;
    let field = |data_type: &DataType| Field::new(column.field.name(), data_type.clone(), true);
    each(array.py(), &column, Vec::new(), field, |chunk, row| {
        let field = is_extension(&column.field).then(|| column.field.clone());
        let valid = answering(array.py(), chunk, move |chunk| match field {
            Some(field) => is_valid_text(chunk, field, &profile),
            None => trust8_arrow::is_valid_in(chunk, &profile),
        })?;
        Ok(Arc::new(valid.map_err(|error| raised(array.py(), &error, row))?))
    })
}

/// Returns whether the text in each row of an array is UTF-8. The array's field is of an extension
/// type, so its bytes do not count.
fn is_valid_text(array: &ArrayRef, field: FieldRef, profile: &Profile) -> Result<BooleanArray, RowError> {
    fn has_union(data_type: &DataType) -> bool {
        match data_type {
            DataType::Dictionary(_, values) => has_union(values),
            DataType::RunEndEncoded(_, values) => has_union(values.data_type()),
            other => matches!(other, DataType::Union(..)),
        }
    }
    // In a struct, the bytes of an extension type are ignored.
    let field = Arc::new(field.as_ref().clone().with_nullable(true));
    let valid =
        trust8_arrow::is_valid_in(&StructArray::new(vec![field].into(), vec![array.clone()], None), profile)?;
    // Arrow panics if a union names a child that it does not have.
    let nulls = if has_union(array.data_type()) { array.nulls().cloned() } else { array.logical_nulls() };
    Ok(BooleanArray::new(valid.values().clone(), nulls))
}

/// Returns a table of all refused values. If `text` is true, only of those that claim to be text.
#[pyfunction]
#[pyo3(name = "_arrow_errors", signature = (array, profile = None, text = false))]
pub(crate) fn arrow_errors<'py>(
    array: &Bound<'py, PyAny>,
    profile: Option<&Bound<'py, PyAny>>,
    text: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let profile = profile_of(profile)?;
    let mut column = Column::of(array, true)?;
    column.is_stream = true;
    let text = text || is_extension(&column.field);
    each(
        array.py(),
        &column,
        Vec::new(),
        |data_type| Field::new("", data_type.clone(), false),
        |chunk, row| {
            let table = answering(array.py(), chunk, move |chunk| match text {
                true => trust8_arrow::text_errors(chunk, &profile),
                false => trust8_arrow::errors_in(chunk, &profile),
            })?;
            let table = table.map_err(|error| raised(array.py(), &error, row))?;
            Ok(Arc::new(StructArray::from(moved(table, row as u64)?)))
        },
    )
}

/// Returns the table with `rows` added to the number of each row.
fn moved(table: RecordBatch, rows: u64) -> PyResult<RecordBatch> {
    let (schema, mut columns) = (table.schema(), table.columns().to_vec());
    let numbers = columns[0].as_primitive::<UInt64Type>().values().iter();
    columns[0] = Arc::new(UInt64Array::from_iter_values(numbers.map(|number| number + rows)));
    RecordBatch::try_new(schema, columns).map_err(|error| of_arrow(&error))
}

/// Returns the nanoseconds of the fastest of `rounds` copies and conversions into text, measured in Rust.
#[pyfunction]
#[pyo3(name = "_arrow_timed")]
pub(crate) fn arrow_timed(array: &Bound<'_, PyAny>, rounds: usize) -> PyResult<f64> {
    let column = Column::of(array, true)?;
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for chunk in &column.chunks {
            for buffer in chunk.to_data().buffers() {
                black_box(Buffer::from_slice_ref(buffer.as_slice()));
            }
            black_box(trust8_arrow::as_utf8(chunk)).map_err(|error| raised(array.py(), &error, 0))?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9);
    }
    Ok(best)
}

/// The columns to convert.
enum Choice {
    /// The whole array.
    All,
    /// The text in a table, at any depth.
    Text,
    /// These columns of a table.
    Named(Vec<String>),
}

impl Choice {
    fn takes(&self, field: &Field) -> bool {
        match self {
            Self::All => true,
            Self::Text => has(field.data_type(), true),
            Self::Named(names) => names.contains(field.name()),
        }
    }

    /// Returns whether bytes in this field become text.
    fn converts_bytes(&self, field: &Field) -> bool {
        !matches!(self, Self::Text) && self.takes(field)
    }
}

/// Returns the array as text. The policy repairs rows that are not UTF-8. Without a policy, the first such row raises an exception.
///
/// If `table` is true, or if it is a stream of structs that can't be null, it is a table. Its named
/// columns are converted, or otherwise those that are text.
#[pyfunction]
#[pyo3(name = "_arrow_convert", signature = (array, policy, table, columns, profile = None, copy = true))]
pub(crate) fn arrow_convert<'py>(
    array: &Bound<'py, PyAny>,
    policy: Option<&str>,
    table: bool,
    columns: Option<Vec<String>>,
    profile: Option<&Bound<'py, PyAny>>,
    copy: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let policy = policy.map(self::policy).transpose()?;
    let profile = profile_of(profile)?;
    let mut column = Column::of(array, copy)?;
    // In Arrow's interface, a table is a struct that can't be null. An array of these may also be a
    // column, whose bytes become text, unlike those of a table.
    let may_be = matches!(column.field.data_type(), DataType::Struct(_)) && !column.field.is_nullable();
    if !table && may_be && !column.is_stream && has(column.field.data_type(), false) {
        let message = "a struct that can't be null may be a table or a column, and has bytes: \
                       for a table, pass columns, even []; for a column, make its field nullable";
        return Err(PyTypeError::new_err(message));
    }
    let table = table || may_be && column.is_stream;
    let choice = match (table, columns) {
        (false, _) => Choice::All,
        (true, None) => Choice::Text,
        (true, Some(names)) => Choice::Named(names),
    };
    if table && !matches!(column.field.data_type(), DataType::Struct(_)) {
        return Err(PyTypeError::new_err("this is a column and no table"));
    }
    if let (Choice::Named(names), DataType::Struct(fields)) = (&choice, column.field.data_type()) {
        for name in names {
            let (_, field) = fields.find(name).ok_or_else(|| PyKeyError::new_err(name.clone()))?;
            if is_extension(field) {
                let message =
                    format!("the column '{name}' is of an extension type, whose bytes are not text");
                return Err(PyTypeError::new_err(message));
            }
        }
    }
    column.is_stream |= table;
    let left = match column.field.data_type() {
        DataType::Struct(fields) if table => {
            let is_left = |field: &&FieldRef| has(field.data_type(), false) && !choice.converts_bytes(field);
            fields.iter().filter(is_left).map(|field| field.name().clone()).collect()
        }
        _ => Vec::new(),
    };
    if policy == Some(Policy::Null) {
        // All chunks of a stream have the same type, so a field is nullable in all of them.
        column.loosen();
    }
    let field = |data_type: &DataType| {
        let nullable = column.field.is_nullable() || policy == Some(Policy::Null) && !table;
        column.field.as_ref().clone().with_data_type(data_type.clone()).with_nullable(nullable)
    };
    let text = is_extension(&column.field);
    each(py, &column, left, field, |chunk, row| match table {
        true => converted_table(py, chunk, row, policy, &choice, profile),
        false => converted(py, chunk, policy, text, profile)?.map_err(|error| raised(py, &error, row)),
    })
}

/// Converts an array. If `text` is true, converts only what claims to be text.
fn converted(
    py: Python<'_>,
    array: &ArrayRef,
    policy: Option<Policy>,
    text: bool,
    profile: Profile,
) -> PyResult<Result<ArrayRef, RowError>> {
    answering(py, array, move |array| match (policy, text) {
        (Some(policy), false) => trust8_arrow::repair_in(array, policy, &profile),
        (Some(policy), true) => trust8_arrow::repair_text(array, policy, &profile),
        (None, false) => trust8_arrow::as_utf8_in(array, &profile),
        (None, true) => trust8_arrow::check_array(array, &profile, true).map(|()| array.clone()),
    })
}

/// Returns a table with the selected columns converted. `row` is the number of rows in the previous
/// chunks.
fn converted_table(
    py: Python<'_>,
    table: &ArrayRef,
    row: usize,
    policy: Option<Policy>,
    choice: &Choice,
    profile: Profile,
) -> PyResult<ArrayRef> {
    let table = table.as_struct();
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    let mut first: Option<(RowError, &str)> = None;
    let text = matches!(choice, Choice::Text);
    for (column, field) in table.columns().iter().zip(table.fields()) {
        let column = if choice.takes(field) {
            match converted(py, column, policy, text, profile)? {
                Ok(text) => text,
                Err(error) => {
                    if first.as_ref().is_none_or(|(first, _)| error.row() < first.row()) {
                        first = Some((error, field.name()));
                    }
                    continue;
                }
            }
        } else {
            column.clone()
        };
        fields.push(Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone())));
        columns.push(column);
    }
    if let Some((error, name)) = first {
        return Err(raised_at(py, &error, row, &format!(".{name}{}", error.path())));
    }
    let nulls = table.nulls().cloned();
    let table = StructArray::try_new_with_length(Fields::from(fields), columns, nulls, table.len());
    // The table may have come with nulls in a non-nullable field.
    Ok(Arc::new(table.map_err(|error| of_arrow(&error))?))
}

/// Returns whether a field has bytes of an extension type, such as a UUID. Such fields stay
/// unchanged.
fn is_extension(field: &Field) -> bool {
    field.metadata().contains_key(EXTENSION_TYPE_NAME_KEY) && has(field.data_type(), false)
}

/// Returns whether a type contains text, or else bytes.
fn has(data_type: &DataType, text: bool) -> bool {
    use DataType::*;
    match data_type {
        Utf8 | LargeUtf8 | Utf8View => text,
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => !text,
        List(field)
        | LargeList(field)
        | FixedSizeList(field, _)
        | Map(field, _)
        | ListView(field)
        | LargeListView(field)
        | RunEndEncoded(_, field) => has(field.data_type(), text),
        Struct(fields) => fields.iter().any(|field| has(field.data_type(), text)),
        Union(fields, _) => fields.iter().any(|(_, field)| has(field.data_type(), text)),
        Dictionary(_, values) => has(values, text),
        _ => false,
    }
}

/// Returns the exception for a row. `before` is the number of rows in the previous chunks.
fn raised(py: Python<'_>, error: &RowError, before: usize) -> PyErr {
    raised_at(py, error, before, error.path())
}

/// Returns the same error with another path.
fn raised_at(py: Python<'_>, error: &RowError, before: usize, path: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let row = before + error.row();
    let place = if path.is_empty() { String::new() } else { format!(", {path}") };
    let message = format!("row {row}{place}: {}", error.reason());
    let start = match error.reason() {
        Reason::NotUtf8(error) => Some(error.valid_up_to()),
        Reason::Forbidden(found) => usize::try_from(found.offset()).ok(),
        _ => None,
    };
    let class = CLASS.import(py, "trust8._exceptions", "RowError");
    let arguments = (row, path, error.reason().name(), start, message);
    match class.and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn of_arrow(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
