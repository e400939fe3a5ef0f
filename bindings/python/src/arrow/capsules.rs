//! Capsules and their contents: the C data interface and the C stream interface of Arrow.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatchReader, make_array};
use arrow_data::ArrayData;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::ffi::Flags;
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::{of_arrow, owned};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A column from Python, in one or more chunks.
pub(super) struct Column {
    pub(super) field: FieldRef,
    pub(super) chunks: Vec<ArrayRef>,
    /// Whether it came as a stream, and so has any number of chunks.
    pub(super) is_stream: bool,
}

impl Column {
    /// Takes an object with the PyCapsule interface. Unless `copy` is true, the caller vouches that
    /// nobody writes to its memory.
    pub(super) fn of(object: &Bound<'_, PyAny>, copy: bool) -> PyResult<Self> {
        let py = object.py();
        // The memory of these never changes.
        if let Ok(own) = object.cast::<super::Array>() {
            let own = own.get();
            return Ok(Self { field: own.field.clone(), chunks: vec![own.array.clone()], is_stream: false });
        }
        if let Ok(own) = object.cast::<super::Stream>() {
            let own = own.get();
            return Ok(Self { field: own.field.clone(), chunks: own.chunks.clone(), is_stream: true });
        }
        if let Some(export) = object.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            let pair = export.call0()?.cast_into::<PyTuple>()?;
            let schema: *mut FFI_ArrowSchema = pointer(&pair.get_item(0)?, SCHEMA)?;
            let array: *mut FFI_ArrowArray = pointer(&pair.get_item(1)?, ARRAY)?;
            // SAFETY: a capsule of this name has a schema, which the capsule still owns, and which lives as long as the
            // capsule.
            let field = field_of(unsafe { schema.as_ref() }.expect("a pointer that is not null"))?;
            // SAFETY: a capsule of this name has an array. It is moved out, as the interface requires of a consumer.
            let array = unsafe { FFI_ArrowArray::from_raw(array) };
            if array.is_released() {
                return Err(PyValueError::new_err("this array has been taken already"));
            }
            // SAFETY: the interface promises that the array has the type of its schema.
            let chunk = unsafe { owned::owned(array, field.data_type(), copy) }?;
            return Ok(Self { field: Arc::new(field), chunks: vec![chunk], is_stream: false });
        }
        let Some(export) = object.getattr_opt(intern!(py, "__arrow_c_stream__"))? else {
            let name = object.get_type().name()?;
            let message =
                format!("an object with __arrow_c_array__ or __arrow_c_stream__ is required, not '{name}'");
            return Err(PyTypeError::new_err(message));
        };
        let mut incoming = Incoming::of(&export.call0()?, copy)?;
        let mut chunks = Vec::new();
        // Without the interpreter's lock: the stream may wait for a thread that needs it, such as one that reads a file of Python.
        while let Some(chunk) = py.detach(|| incoming.chunk())? {
            chunks.push(chunk);
            py.check_signals()?;
        }
        Ok(Self { field: incoming.field, chunks, is_stream: true })
    }

    /// Makes each field in the type nullable, so that any value can become null. The keys of a map
    /// can't.
    pub(super) fn loosen(&mut self) {
        let data_type = loose(self.field.data_type());
        self.field = Arc::new(self.field.as_ref().clone().with_data_type(data_type.clone()));
        for chunk in &mut self.chunks {
            *chunk = make_array(loosened(chunk.to_data(), &data_type));
        }
    }
}

/// A stream from Python.
pub(super) struct Incoming {
    stream: FFI_ArrowArrayStream,
    pub(super) field: FieldRef,
    copy: bool,
}

impl Incoming {
    /// Takes a capsule with a stream. Unless `copy` is true, the caller vouches that nobody writes
    /// to the memory of its arrays.
    pub(super) fn of(capsule: &Bound<'_, PyAny>, copy: bool) -> PyResult<Self> {
        let stream: *mut FFI_ArrowArrayStream = pointer(capsule, STREAM)?;
        // SAFETY: a capsule of this name has a stream. It is moved out, as the interface requires of a consumer.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
        let (Some(get_schema), Some(_), Some(_)) = (stream.get_schema(), stream.get_next(), stream.release())
        else {
            return Err(PyValueError::new_err("this stream has been taken already"));
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released, and `schema` is memory for a schema.
        let failed = capsule.py().detach(|| unsafe { get_schema(&raw mut stream, &raw mut schema) });
        succeeded(&mut stream, failed)?;
        Ok(Self { stream, field: Arc::new(field_of(&schema)?), copy })
    }

    /// Returns the next array.
    pub(super) fn chunk(&mut self) -> PyResult<Option<ArrayRef>> {
        let mut array = FFI_ArrowArray::empty();
        let Some(get_next) = self.stream.get_next() else { return Ok(None) };
        // SAFETY: the stream is not released, and `array` is memory for an array.
        let failed = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        succeeded(&mut self.stream, failed)?;
        if array.is_released() {
            return Ok(None);
        }
        // SAFETY: the interface promises that the array has the type of the stream's schema.
        unsafe { owned::owned(array, self.field.data_type(), self.copy) }.map(Some)
    }
}

/// `struct ArrowSchema`, as the interface defines it: arrow's own panics if a pointer is missing.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<Schema>() == size_of::<FFI_ArrowSchema>());

impl Schema {
    /// Checks what arrow assumes.
    fn check(&self, depth: usize) -> PyResult<()> {
        let lie = |what: &str| {
            Err(PyValueError::new_err(format!(
                "the schema is not as Arrow's C data interface demands: {what}"
            )))
        };
        if depth > owned::DEPTH {
            return lie("its types are nested too deep");
        }
        let is_text = |text: *const c_char| {
            // SAFETY: the interface promises a string that ends with a zero.
            text.is_null() || trust8::is_utf8(unsafe { CStr::from_ptr(text) }.to_bytes())
        };
        if self.format.is_null() || !is_text(self.format) || !is_text(self.name) {
            return lie("its format is missing, or a string is not UTF-8");
        }
        let Ok(count) = usize::try_from(self.n_children) else { return lie("it has less than no children") };
        // SAFETY: the format is not null, and a string as above.
        let needed = match unsafe { CStr::from_ptr(self.format) }.to_bytes() {
            b"+r" => 2,
            b"+l" | b"+L" | b"+vl" | b"+vL" | b"+m" => 1,
            format if format.starts_with(b"+w:") => 1,
            _ => 0,
        };
        if count < needed || count > 0 && self.children.is_null() {
            return lie("its children are missing");
        }
        for i in 0..count {
            // SAFETY: the interface promises this many children.
            let place = unsafe { self.children.add(i) };
            // SAFETY: the same.
            let child = unsafe { *place };
            // SAFETY: the interface promises that a schema is there.
            match unsafe { child.as_ref() } {
                Some(child) => child.check(depth + 1)?,
                None => return lie("a child is missing"),
            }
        }
        // SAFETY: the interface promises a schema or null.
        unsafe { self.dictionary.as_ref() }.map_or(Ok(()), |values| values.check(depth + 1))
    }
}

/// Returns the field of a schema.
fn field_of(schema: &FFI_ArrowSchema) -> PyResult<Field> {
    if schema.release().is_none() {
        return Err(PyValueError::new_err("this schema has been taken already"));
    }
    // SAFETY: both types are `struct ArrowSchema`.
    unsafe { &*ptr::from_ref(schema).cast::<Schema>() }.check(0)?;
    // Arrow may assume more.
    match catch_unwind(AssertUnwindSafe(|| Field::try_from(&moved(schema, schema.metadata()?, false)?))) {
        Ok(field) => field.map_err(|error| of_arrow(&error)),
        Err(_) => Err(PyValueError::new_err("the schema's format and its children contradict each other")),
    }
}

/// The field of a dictionary keeps the metadata of values of an extension type, with this before each
/// key, and is of this extension type: arrow's dictionaries in Rust have no place for it.
const VALUES: &str = "trust8.values";

/// Returns a schema with this metadata, where each dictionary has the metadata of its values. If
/// `back` is true, they get it back.
fn moved(
    schema: &FFI_ArrowSchema,
    mut metadata: HashMap<String, String>,
    back: bool,
) -> Result<FFI_ArrowSchema, ArrowError> {
    let children = schema.children().map(|child| moved(child, child.metadata()?, back));
    let children = children.collect::<Result<_, _>>()?;
    let mut dictionary = None;
    if let Some(values) = schema.dictionary() {
        let mut inner = values.metadata()?;
        if back {
            for (key, value) in metadata.extract_if(|key, _| key.starts_with(VALUES)) {
                inner.insert(key[VALUES.len()..].to_owned(), value);
            }
            metadata.retain(|key, value| key != EXTENSION_TYPE_NAME_KEY || value != VALUES);
        }
        let mut values = moved(values, inner, back)?;
        let inner = values.metadata()?;
        if !back && inner.contains_key(EXTENSION_TYPE_NAME_KEY) {
            metadata.extend(inner.into_iter().map(|(key, value)| (format!("{VALUES}{key}"), value)));
            metadata.entry(EXTENSION_TYPE_NAME_KEY.to_owned()).or_insert_with(|| VALUES.to_owned());
            // SAFETY: `moved` has made this schema.
            values = unsafe { values.with_metadata(HashMap::<String, String>::new()) }?;
        }
        dictionary = Some(values);
    }
    let new = FFI_ArrowSchema::try_new(schema.format(), children, dictionary)?
        .with_name(schema.name().unwrap_or_default())?
        .with_flags(schema.flags().unwrap_or(Flags::empty()))?;
    // SAFETY: arrow has made this schema.
    unsafe { new.with_metadata(metadata) }
}

/// Returns the schema of a field.
fn schema_of(field: &Field) -> Result<FFI_ArrowSchema, ArrowError> {
    moved(&FFI_ArrowSchema::try_from(field)?, field.metadata().clone().into(), true)
}

/// Returns the stream's error if one of its functions has failed.
fn succeeded(stream: &mut FFI_ArrowArrayStream, failed: c_int) -> PyResult<()> {
    if failed == 0 {
        return Ok(());
    }
    let message = stream.get_last_error().and_then(|last_error| {
        // SAFETY: the stream is not released, and its last call has failed.
        let message = unsafe { last_error(ptr::from_mut(stream)) };
        // SAFETY: the interface promises a string or null, which lives until the next call.
        (!message.is_null()).then(|| unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned())
    });
    let message = message.unwrap_or_else(|| format!("the stream has failed with error {failed}"));
    Err(match failed {
        libc::EIO => PyOSError::new_err(message),
        libc::ENOMEM => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    })
}

/// Returns the type with nullable fields.
fn loose(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| {
        Arc::new(field.as_ref().clone().with_data_type(loose(field.data_type())).with_nullable(true))
    };
    match data_type {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item), *size),
        DataType::ListView(item) => DataType::ListView(field(item)),
        DataType::LargeListView(item) => DataType::LargeListView(field(item)),
        DataType::Map(entries, is_sorted) => {
            let DataType::Struct(fields) = entries.data_type() else { return data_type.clone() };
            let parts = fields.iter().enumerate();
            let fields = parts.map(|(i, part)| if i == 0 { part.clone() } else { field(part) }).collect();
            let entries = entries.as_ref().clone().with_data_type(DataType::Struct(fields));
            DataType::Map(Arc::new(entries), *is_sorted)
        }
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(loose(values))),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), field(values)),
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, part)| (id, field(part))).collect(), *mode)
        }
        other => other.clone(),
    }
}

/// Returns the array with a type that differs only in nullability.
fn loosened(data: ArrayData, data_type: &DataType) -> ArrayData {
    let types: Vec<&DataType> = match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => vec![item.data_type()],
        DataType::Dictionary(_, values) => vec![&**values],
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        _ => return data,
    };
    let children = data.child_data().iter().zip(types);
    let children = children.map(|(child, data_type)| loosened(child.clone(), data_type)).collect();
    let builder = data.into_builder().data_type(data_type.clone()).child_data(children);
    // SAFETY: the array is as it was, and its new type allows all that the old one did.
    unsafe { builder.build_unchecked() }
}

/// Returns the contents of a capsule, if it has this name.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    // SAFETY: both are what the function asks for, and the interpreter is held. It checks that the object is a capsule.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    if pointer.is_null() { Err(PyErr::fetch(capsule.py())) } else { Ok(pointer.cast()) }
}

/// Returns a capsule with a schema.
pub(super) fn of_field<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = schema_of(field).map_err(|error| of_arrow(&error))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Returns a capsule with an array.
pub(super) fn of_array<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)
}

/// Returns a capsule with a stream of the batches of a reader.
pub(super) fn of_reader(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// Returns a capsule with a stream of these chunks.
pub(super) fn of_chunks(
    py: Python<'_>,
    chunks: Vec<ArrayRef>,
    field: FieldRef,
) -> PyResult<Bound<'_, PyCapsule>> {
    let chunks = Box::new(Chunks { left: chunks.into_iter(), field, error: None });
    let private = Box::into_raw(chunks).cast();
    // SAFETY: the functions do what the interface requires. What `private` points to is theirs until `release`.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(Some(schema), Some(next), Some(error), Some(release), private)
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// The state of a stream.
struct Chunks {
    left: std::vec::IntoIter<ArrayRef>,
    field: FieldRef,
    error: Option<CString>,
}

impl Chunks {
    /// Returns the state of a stream that `of_chunks` has made.
    ///
    /// # Safety
    ///
    /// - `stream` is such a stream and not released, and nobody else uses it during `'a`.
    unsafe fn of<'a>(stream: *mut FFI_ArrowArrayStream) -> &'a mut Self {
        // SAFETY: the caller vouches for the stream.
        let private: *mut c_void = unsafe { &*stream }.private_data();
        // SAFETY: `of_chunks` has put a box of this type there.
        unsafe { &mut *private.cast() }
    }

    /// Runs a function of the stream. An error or a panic becomes an error number, as in C.
    fn run(&mut self, body: impl FnOnce(&mut Self) -> Result<(), String>) -> c_int {
        let result = catch_unwind(AssertUnwindSafe(|| body(self)));
        match result.unwrap_or_else(|_| Err("trust8 has panicked".to_owned())) {
            Ok(()) => 0,
            Err(message) => {
                self.error = CString::new(message).ok();
                libc::EINVAL
            }
        }
    }
}

unsafe extern "C" fn schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: the interface promises a stream that is not released, used by one thread at a time.
    unsafe { Chunks::of(stream) }.run(|chunks| {
        let schema = schema_of(&chunks.field).map_err(|error| error.to_string())?;
        // SAFETY: the interface promises memory for a schema.
        unsafe { out.write(schema) };
        Ok(())
    })
}

unsafe extern "C" fn next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: the interface promises a stream that is not released, used by one thread at a time.
    unsafe { Chunks::of(stream) }.run(|chunks| {
        let array = match chunks.left.next() {
            Some(chunk) => FFI_ArrowArray::new(&chunk.to_data()),
            None => FFI_ArrowArray::empty(),
        };
        // SAFETY: the interface promises memory for an array.
        unsafe { out.write(array) };
        Ok(())
    })
}

unsafe extern "C" fn error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: the interface promises a stream that is not released, used by one thread at a time.
    let chunks = unsafe { Chunks::of(stream) };
    chunks.error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the interface promises a stream that is not released, used by one thread at a time.
    let chunks: *mut Chunks = unsafe { Chunks::of(stream) };
    // SAFETY: `of_chunks` has made a box of it, and this function is called once.
    drop(unsafe { Box::from_raw(chunks) });
    // SAFETY: an empty stream is one that is released. The old one is overwritten, not dropped.
    unsafe { stream.write(FFI_ArrowArrayStream::empty()) };
}
