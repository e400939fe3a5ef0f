//! Imports arrays and streams by the C data interface, and checks them.
//!
//! The interface has no lengths of buffers: arrow derives them from the numbers of rows and from the
//! last offset. So whether memory is as long as a producer says can't be checked, but all that the
//! memory says can.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::StreamReader;
use super::arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use super::arrow_array::ffi_stream::FFI_ArrowArrayStream;
use super::arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, make_array};
use super::arrow_schema::{ArrowError, DataType, SchemaRef};
use super::checked::{CheckedReader, Checker};

impl Checker {
    /// Imports a stream by the C stream interface, and checks its batches.
    ///
    /// The producer must keep the contract of [`import_array`](Self::import_array) for each array
    /// of the stream. If arrow panics at one, because its children do not fit its type, the reader
    /// returns an error and ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the stream was released, or has no schema of a batch.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::ffi_stream::FFI_ArrowArrayStream;
    /// use arrow_array::{RecordBatch, RecordBatchIterator, StringArray};
    /// use trust8_arrow::{Checker, Policy};
    ///
    /// let batch = RecordBatch::try_from_iter([("name", Arc::new(StringArray::from(vec!["Ana"])) as _)]).unwrap();
    /// let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    /// let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    /// let mut imported = Checker::repair(Policy::Java).import_stream(stream).unwrap();
    /// assert_eq!(imported.next().unwrap().unwrap(), batch);
    /// ```
    pub fn import_stream(
        self,
        stream: FFI_ArrowArrayStream,
    ) -> Result<CheckedReader<ImportedStream>, ArrowError> {
        let reader = StreamReader::try_new(stream)?;
        let reader = ImportedStream { schema: reader.schema(), reader: Some(reader) };
        Ok(CheckedReader::new(reader, self).forgetful())
    }

    /// Imports an array by the C data interface, and checks it.
    ///
    /// # Errors
    ///
    /// Returns an error if the array does not have the buffers and children of its type, or what
    /// [`array`](Self::array) returns.
    ///
    /// # Safety
    ///
    /// The producer must keep these parts of the C data interface, which nobody can check:
    ///
    /// - The pointers of `array` and `schema` are null or valid. There are as many buffers, children
    ///   and dictionaries as the structures say, and `release` may be called once.
    /// - Each buffer is as long as the numbers of rows say: for `length + offset` rows, one
    ///   bit, number or view each, or one offset more. The last offset of `Binary` and `Utf8` is not
    ///   negative, and the values reach to it. The last buffer of an array of views has the length
    ///   of each buffer before it.
    /// - Nobody writes to the memory before `release` has been called.
    ///
    /// It need not promise anything about what is in the buffers, except for the last offset and the
    /// lengths of the views' buffers.
    ///
    /// ```
    /// use arrow_array::ffi::to_ffi;
    /// use arrow_array::{Array, BinaryArray};
    /// use arrow_schema::ffi::FFI_ArrowSchema;
    /// use trust8_arrow::Checker;
    ///
    /// let (array, _) = to_ffi(&BinaryArray::from_vec(vec![b"Ren\xE9"]).to_data()).unwrap();
    /// // The producer says that it is text.
    /// let schema = FFI_ArrowSchema::try_from(arrow_schema::DataType::Utf8).unwrap();
    /// // SAFETY: the array was exported by arrow, and its buffers are those of text.
    /// let error = unsafe { Checker::refuse().import_array(array, &schema) }.unwrap_err();
    /// assert!(error.to_string().contains("row 0: invalid UTF-8 at byte 3"));
    /// ```
    pub unsafe fn import_array(
        &self,
        array: FFI_ArrowArray,
        schema: &FFI_ArrowSchema,
    ) -> Result<ArrayRef, ArrowError> {
        let data_type = DataType::try_from(schema)?;
        let array = attempt(|| {
            // SAFETY: the caller keeps the contract.
            Ok(make_array(unsafe { from_ffi_and_data_type(array, data_type) }?))
        })?;
        Ok(self.array(&array)?)
    }
}

/// A stream that was imported: see [`Checker::import_stream`].
#[derive(Debug)]
pub struct ImportedStream {
    /// `None` after a panic.
    reader: Option<StreamReader>,
    schema: SchemaRef,
}

impl Iterator for ImportedStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut reader = self.reader.take()?;
        // An error of the producer does not end the stream, but a panic does.
        let next = attempt(|| Ok((reader.next(), reader)));
        next.map_or_else(
            |error| Some(Err(error)),
            |(batch, reader)| {
                self.reader = Some(reader);
                batch
            },
        )
    }
}

impl RecordBatchReader for ImportedStream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Calls arrow, which panics at arrays whose children or buffers are not those of their type.
fn attempt<T>(call: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        let what = "the array does not have the buffers and children of its type";
        Err(ArrowError::CDataInterface(what.to_owned()))
    })
}
