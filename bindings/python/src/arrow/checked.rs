//! Untrusted tables, checked batch by batch while they are read.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use trust8_arrow::{CheckedReader, Checker, RowError};

use super::capsules::{self, Column, Incoming};
use super::{Stream, each, of_arrow, raised, raised_at};
use crate::input::answering_signals;
use crate::profile::profile_of;
use crate::repair::policy;

/// The batches of a stream from Python.
struct Batches {
    incoming: Incoming,
    schema: SchemaRef,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // Across a C interface there are no panics.
        let next = catch_unwind(AssertUnwindSafe(|| self.incoming.chunk()));
        match next {
            Ok(Ok(None)) => None,
            Ok(Ok(Some(table))) => Some(batch_of(&table, self.schema.clone())),
            Ok(Err(error)) => Some(Err(carried(error))),
            Err(_) => Some(Err(ArrowError::CDataInterface("arrow panicked at an array".to_owned()))),
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Returns an exception as an error of arrow, so that a consumer in C gets the number for reading or for memory.
fn carried(error: PyErr) -> ArrowError {
    let is = |class: fn(&PyErr, Python<'_>) -> bool| Python::attach(|py| class(&error, py));
    if is(PyErr::is_instance_of::<PyOSError>) {
        ArrowError::IoError(error.to_string(), io::Error::other(error))
    } else if is(PyErr::is_instance_of::<PyMemoryError>) {
        ArrowError::MemoryError(error.to_string())
    } else {
        ArrowError::ExternalError(Box::new(error))
    }
}

/// Returns a table as a batch.
fn batch_of(table: &ArrayRef, schema: SchemaRef) -> Result<RecordBatch, ArrowError> {
    let (_, columns, nulls) = table.as_struct().clone().into_parts();
    if nulls.is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(ArrowError::CDataInterface("a row of the table is null".to_owned()));
    }
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(table.len()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

/// The rows of a table, which are checked while somebody reads them. ``pyarrow.table(reader)``, ``polars.DataFrame(reader)`` and
/// ``pyarrow.RecordBatchReader.from_stream(reader)`` take it, once.
#[pyclass(frozen, module = "trust8.arrow")]
pub(crate) struct Reader {
    reader: Mutex<Option<CheckedReader<Batches>>>,
    schema: SchemaRef,
}

impl Reader {
    fn take(&self) -> PyResult<CheckedReader<Batches>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        reader.ok_or_else(|| PyValueError::new_err("this reader has been read already"))
    }

    fn field(&self) -> Field {
        Field::new("", DataType::Struct(self.schema.fields().clone()), false)
            .with_metadata(self.schema.metadata().clone())
    }
}

#[pymethods]
impl Reader {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::of_field(py, &self.field())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsules::of_reader(py, Box::new(self.take()?))
    }

    fn __repr__(&self) -> String {
        format!("<trust8.arrow.Reader of {}>", super::python_name(&self.field()))
    }

    /// Read all batches. A row that is refused raises `RowError`, with its number, path, kind and offset.
    fn read_all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Stream>> {
        let (mut reader, mut chunks) = (self.take()?, Vec::new());
        loop {
            py.check_signals()?;
            match py.detach(|| reader.next()) {
                None => break,
                Some(Ok(batch)) => chunks.push(Arc::new(StructArray::from(batch)) as ArrayRef),
                Some(Err(error)) => return Err(raised_error(py, error)),
            }
        }
        Bound::new(py, Stream { chunks, field: Arc::new(self.field()), left: Vec::new() })
    }
}

/// Returns the exception for an error of a checked reader.
fn raised_error(py: Python<'_>, error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<RowError>() {
            Ok(error) => raised_at(py, &error, 0, &format!(".{}", error.path())),
            Err(inner) => match inner.downcast::<PyErr>() {
                Ok(error) => *error,
                Err(inner) => PyValueError::new_err(inner.to_string()),
            },
        },
        ArrowError::MemoryError(message) => PyMemoryError::new_err(message),
        ArrowError::IoError(_, error) => error.into(),
        other => of_arrow(&other),
    }
}

/// Returns a reader that checks a table, or a checked array. The `dictionaries` of text are columns that become text.
#[pyfunction]
#[pyo3(name = "_arrow_checked", signature = (array, policy, mask, table, profile = None, copy = false, dictionaries = None))]
pub(crate) fn arrow_checked<'py>(
    array: &Bound<'py, PyAny>,
    policy: Option<&str>,
    mask: Option<String>,
    table: bool,
    profile: Option<&Bound<'py, PyAny>>,
    copy: bool,
    dictionaries: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let policy = policy.map(self::policy).transpose()?;
    let has_mask = mask.is_some();
    let checker = match (policy, mask) {
        (Some(policy), Some(mask)) => Checker::mask(policy, mask),
        (Some(policy), None) => Checker::repair(policy),
        (None, None) => Checker::refuse(),
        (None, Some(_)) => {
            return Err(PyValueError::new_err("a mask needs a policy for the rows that it marks"));
        }
    };
    let checker = checker.with_profile(profile_of(profile)?);
    if array.is_instance_of::<PyCapsule>() || table && array.hasattr("__arrow_c_stream__")? {
        let capsule = match array.is_instance_of::<PyCapsule>() {
            true => array.clone(),
            false => array.call_method0("__arrow_c_stream__")?,
        };
        let incoming = Incoming::of(&capsule, copy)?;
        let DataType::Struct(fields) = incoming.field.data_type() else {
            return Err(PyTypeError::new_err("the stream has a column and no table"));
        };
        let of = |fields| Arc::new(Schema::new_with_metadata(fields, incoming.field.metadata().clone()));
        let text = fields.iter().map(|field| {
            let is_named = dictionaries.as_ref().is_some_and(|names| names.contains(field.name()));
            match is_named && matches!(field.data_type(), DataType::Dictionary(..)) {
                true => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
                false => field.clone(),
            }
        });
        let (schema, text) = (of(fields.clone()), of(text.collect()));
        let reader = CheckedReader::new(Batches { incoming, schema }, checker).forgetful().with_schema(text);
        let schema = reader.schema();
        return Ok(Bound::new(py, Reader { reader: Mutex::new(Some(reader)), schema })?.into_any());
    }
    if has_mask {
        return Err(PyTypeError::new_err("only a table can have a mask"));
    }
    let column = Column::of(array, copy)?;
    let one = Arc::new(Schema::new(Fields::from(vec![column.field.clone()])));
    let field = checker.schema(&one).field(0).clone();
    each(
        py,
        &column,
        Vec::new(),
        |_| field.clone(),
        |chunk, row| {
            let (checker, chunk) = (checker.clone(), chunk.clone());
            let checked =
                answering_signals(py, chunk.get_buffer_memory_size(), move || checker.array(&chunk))?;
            checked.map_err(|error| raised(py, &error, row))
        },
    )
}
