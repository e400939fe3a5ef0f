//! Checks data from outside, batch by batch: its layout and its text.
//!
//! ```text
//! for each column: check the layout (layout.rs), then the text; if all of it is valid, return the column itself
//! if some text is not: refuse the batch, or repair the column
//! ```

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::Arc;

use trust8_columns::Policy;
use trust8_profile::Profile;

use super::arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use super::arrow_buffer::BooleanBufferBuilder;
use super::arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use super::functions::first;
use super::known::Known;
use super::layout::check_layout;
use super::leaf::{Plan, Types};
use super::mask::check_rows;
use super::nested::{Enough, Search, becomes_text, convert, find, nullable_text};
use super::written::written_out;
use crate::error::{Reason, RowError};

/// Checks arrays and batches from outside, which may break every rule of Arrow's layout, and have
/// text that is not UTF-8.
///
/// It takes nothing on trust but the memory: offsets, views and their prefixes, keys of
/// dictionaries, ends of runs, ids of unions, the lengths and types of children, validity bitmaps
/// and their counts. Where one of these is wrong, all policies refuse. Text is refused or repaired:
/// each row has to be UTF-8 for itself, so a character that two rows share is an error in both.
/// Binary values are not text, whatever they are.
///
/// What comes out satisfies arrow's full validation. Arrays in which nothing is wrong come out
/// without a copy.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{BinaryArray, RecordBatch, StringArray, cast::AsArray};
/// use trust8_arrow::{Checker, Policy};
///
/// let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]).into_parts();
/// // SAFETY: none. That is the point: somebody else has built this array.
/// let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
/// let batch = RecordBatch::try_from_iter([("name", Arc::new(lie) as _)]).unwrap();
///
/// let error = Checker::refuse().batch(&batch).unwrap_err();
/// assert_eq!((error.row(), error.path(), error.offset(), error.kind()), (1, "name", Some(3), "incomplete"));
/// let repaired = Checker::repair(Policy::Windows1252).batch(&batch).unwrap();
/// assert_eq!(repaired["name"].as_string::<i32>().value(1), "René");
/// let masked = Checker::mask(Policy::Replace, "is_utf8").batch(&batch).unwrap();
/// assert_eq!(masked["is_utf8"].as_boolean().value(1), false);
/// ```
#[derive(Clone, Debug)]
pub struct Checker {
    /// The policy for repairs. Without one, text that is not UTF-8 is refused.
    policy: Option<Policy>,
    /// The name of a column that says which rows were valid.
    mask: Option<String>,
    profile: Profile,
}

impl Checker {
    /// Refuses a batch with text that is not UTF-8.
    ///
    /// ```
    /// use arrow_array::StringArray;
    ///
    /// let array = StringArray::from(vec!["Merlot"]);
    /// assert_eq!(trust8_arrow::Checker::refuse().array(&array).unwrap().as_ref(), &array);
    /// ```
    #[must_use]
    pub const fn refuse() -> Self {
        Self { policy: None, mask: None, profile: Profile::SCALARS }
    }

    /// Repairs rows that are not UTF-8, as [`repair_text`](super::repair_text) does.
    /// [`Policy::Null`] makes all fields of text nullable, except for the keys of maps.
    ///
    /// ```
    /// use arrow_schema::{DataType, Field, Schema};
    /// use trust8_arrow::{Checker, Policy};
    ///
    /// let schema = Schema::new(vec![Field::new("name", DataType::Utf8, false)]);
    /// assert!(!Checker::repair(Policy::Java).schema(&schema.clone().into()).field(0).is_nullable());
    /// assert!(Checker::repair(Policy::Null).schema(&schema.into()).field(0).is_nullable());
    /// ```
    #[must_use]
    pub const fn repair(policy: Policy) -> Self {
        Self { policy: Some(policy), mask: None, profile: Profile::SCALARS }
    }

    /// Repairs rows that are not UTF-8, and appends a column of this name to each batch: whether all
    /// text of the row was valid before. A batch that has a column of this name is refused.
    ///
    /// ```
    /// use trust8_arrow::{Checker, Policy};
    ///
    /// let schema = Checker::mask(Policy::Escape, "is_utf8").schema(&arrow_schema::Schema::empty().into());
    /// assert_eq!(schema.field(0).name(), "is_utf8");
    /// ```
    #[must_use]
    pub fn mask(policy: Policy, name: impl Into<String>) -> Self {
        Self { policy: Some(policy), mask: Some(name.into()), profile: Profile::SCALARS }
    }

    /// Treats text with a character that the profile forbids like text that is not UTF-8.
    ///
    /// ```
    /// use arrow_array::StringArray;
    /// use trust8_profile::Profile;
    ///
    /// let checker = trust8_arrow::Checker::refuse().with_profile(Profile::POSTGRES);
    /// assert_eq!(checker.array(&StringArray::from(vec!["Ros\0"])).unwrap_err().kind(), "nul");
    /// ```
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Returns the schema of the batches that come out, if these batches go in.
    #[must_use]
    pub fn schema(&self, schema: &SchemaRef) -> SchemaRef {
        if self.types() == Types::Same && self.mask.is_none() {
            return schema.clone();
        }
        let fields = schema.fields().iter().map(|field| match self.types() {
            Types::Nullable => Arc::new(nullable_text(field)),
            _ => field.clone(),
        });
        let mask = self.mask.as_ref().map(|name| Arc::new(Field::new(name, DataType::Boolean, false)));
        let fields: Vec<FieldRef> = fields.chain(mask).collect();
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }

    /// Checks an array.
    ///
    /// # Errors
    ///
    /// Returns the first row with a wrong layout, or else the first one that is refused.
    pub fn array(&self, array: &dyn Array) -> Result<ArrayRef, RowError> {
        let known = &Known::default();
        check_layout(array, true, known, "")?;
        let text = self.text(array, true, known, "");
        let text = text.map_err(|error| match first(array, true, &self.profile, "") {
            Ok(Some(first)) if self.policy.is_none() => first,
            _ => error,
        });
        Ok(text?.unwrap_or_else(|| array.slice(0, array.len())))
    }

    /// Checks a batch.
    ///
    /// # Errors
    ///
    /// Returns the first row with a wrong layout, or else the first one that is refused. The path
    /// begins with the name of the column.
    pub fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch, RowError> {
        let schema = self.schema(batch.schema_ref());
        let arrays = self.arrays(batch, &schema, &Known::default())?;
        batch_of(schema, arrays, batch.num_rows())
    }

    /// Checks what a reader reads: the same as [`CheckedReader::new`].
    ///
    /// ```
    /// use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
    /// use trust8_arrow::{Checker, Policy};
    ///
    /// fn repaired(reader: impl RecordBatchReader) -> impl RecordBatchReader {
    ///     Checker::repair(Policy::Replace).reader(reader)
    /// }
    /// let schema = std::sync::Arc::new(arrow_schema::Schema::empty());
    /// assert_eq!(repaired(RecordBatchIterator::new([], schema)).count(), 0);
    /// ```
    pub fn reader<R: RecordBatchReader>(self, reader: R) -> CheckedReader<R> {
        CheckedReader::new(reader, self)
    }

    /// Returns the columns of a batch, checked. Dictionaries may still have to be written out for the schema.
    fn arrays(&self, batch: &RecordBatch, schema: &Schema, known: &Known) -> Result<Vec<ArrayRef>, RowError> {
        let columns = || columns(batch, schema);
        let taken = |name: &String| batch.schema_ref().fields().find(name).is_some();
        if let Some(name) = self.mask.as_ref().filter(|&name| taken(name)) {
            // Whoever reads the mask by its name would get the stranger's column.
            return Err(RowError::shape(0, name, "the batch has a column of the mask's name"));
        }
        columns().try_for_each(|(column, claims, path)| check_layout(column, claims, known, path))?;
        let mut arrays = Vec::with_capacity(schema.fields().len());
        let mut valid: Option<BooleanBufferBuilder> = None;
        for (column, claims, path) in columns() {
            let text = match &mut valid {
                _ if self.mask.is_none() => self.text(column, claims, known, path),
                valid => self.masked(column, claims, known, path, valid),
            };
            match text {
                Ok(text) => arrays.push(text.unwrap_or_else(|| column.clone())),
                Err(error) if is_of_text(&error) => return Err(self.first_of(columns(), error)),
                Err(error) => return Err(error),
            }
        }
        if self.mask.is_some() {
            check_rows(batch.num_rows(), "")?;
            let valid = valid.unwrap_or_else(|| all_true(batch.num_rows()));
            arrays.push(Arc::new(BooleanArray::new({ valid }.finish(), None)));
        }
        let is_whole = arrays.iter().all(|array| array.len() == batch.num_rows());
        is_whole.then_some(arrays).ok_or_else(other_schema)
    }

    /// Returns a column with its text repaired, `None` if it stays as it is, or an error if it is refused.
    fn text(
        &self,
        column: &dyn Array,
        claims: bool,
        known: &Known,
        path: &str,
    ) -> Result<Option<ArrayRef>, RowError> {
        convert(column, None, self.plan(self.policy, claims, known), path)
    }

    /// Does the same, and clears the bits of the rows that are not valid.
    fn masked(
        &self,
        column: &dyn Array,
        claims: bool,
        known: &Known,
        path: &str,
        valid: &mut Option<BooleanBufferBuilder>,
    ) -> Result<Option<ArrayRef>, RowError> {
        match convert(column, None, self.plan(None, claims, known), path) {
            Err(error) if is_of_text(&error) => {}
            result => return result,
        }
        let valid = valid.get_or_insert_with(|| all_true(column.len()));
        let mut found = Vec::new();
        let shared = &Cell::new(0);
        let search = Search { profile: &self.profile, claims, enough: Enough::EachRow, shared };
        find(column, None, search, path, &mut found)?;
        found.iter().for_each(|found| valid.set_bit(found.row, false));
        self.text(column, claims, known, path)
    }

    /// Returns the first row of these columns that is refused. One column has `error`.
    fn first_of<'a>(
        &self,
        columns: impl Iterator<Item = (&'a ArrayRef, bool, &'a str)>,
        error: RowError,
    ) -> RowError {
        let errors = columns.map(|(column, claims, path)| first(column, claims, &self.profile, path));
        let least = errors.filter_map(|error| error.ok().flatten()).min_by_key(RowError::row);
        least.unwrap_or(error)
    }

    /// Returns the plan for a column whose layout has been checked.
    fn plan<'a>(&'a self, policy: Option<Policy>, claims: bool, known: &'a Known) -> Plan<'a> {
        Plan { policy, claims, profile: &self.profile, types: self.types(), known: Some(known) }
    }

    fn types(&self) -> Types {
        if self.policy == Some(Policy::Null) { Types::Nullable } else { Types::Same }
    }
}

/// Returns each column of a batch, whether only what claims to be text counts in it, and its name. Where the new schema has no binary
/// values, those of the column become text.
fn columns<'a>(
    batch: &'a RecordBatch,
    schema: &'a Schema,
) -> impl Iterator<Item = (&'a ArrayRef, bool, &'a str)> {
    let columns = batch.columns().iter().zip(batch.schema_ref().fields()).enumerate();
    columns.map(|(at, (column, field))| {
        let stays = |new: &FieldRef| becomes_text(new.data_type()) || !becomes_text(column.data_type());
        (column, schema.fields().get(at).is_none_or(stays), field.name().as_str())
    })
}

/// Returns columns as a batch of this schema.
fn batch_of(schema: SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, RowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|_| other_schema())
}

fn other_schema() -> RowError {
    RowError::shape(0, "", "the batch is not as its schema says")
}

/// Returns whether the error is one that a policy could repair.
fn is_of_text(error: &RowError) -> bool {
    matches!(error.reason(), Reason::NotUtf8(_) | Reason::Forbidden(_))
}

fn all_true(rows: usize) -> BooleanBufferBuilder {
    let mut valid = BooleanBufferBuilder::new(rows);
    valid.append_n(rows, true);
    valid
}

/// A reader that checks each batch of another reader: of IPC or Parquet without validation, of C
/// streams, of Flight.
///
/// The rows of an error are counted from the start of the reader, not of the batch, if the error is
/// in text. After an error, reading can go on with the next batch.
///
/// A dictionary that comes again as the same array, as those of Parquet and IPC do, is read once, and so are views that come again in
/// arrays with the same buffers. The last buffers of a column stay alive for this. A [forgetful](Self::forgetful) reader reads all views.
/// Parquet is read fastest as bytes and dictionaries, which become text here: see [`with_schema`](Self::with_schema).
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{BinaryArray, RecordBatch, RecordBatchIterator, StringArray};
/// use trust8_arrow::{CheckedReader, Checker};
///
/// let batch = |rows: Vec<&[u8]>| {
///     let (offsets, values, nulls) = BinaryArray::from_vec(rows).into_parts();
///     // SAFETY: none, as is usual with data from outside.
///     let text = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
///     RecordBatch::try_from_iter([("name", Arc::new(text) as _)])
/// };
/// let batches = [batch(vec![b"Ana", b"Zo\xC3\xAB"]), batch(vec![b"Ren\xE9"]), batch(vec![b"Eve"])];
/// let schema = batches[0].as_ref().unwrap().schema();
/// let mut reader = CheckedReader::new(RecordBatchIterator::new(batches, schema), Checker::refuse());
///
/// assert_eq!(reader.next().unwrap().unwrap().num_rows(), 2);
/// let error = reader.next().unwrap().unwrap_err();
/// assert!(error.to_string().contains("row 2, name: invalid UTF-8 at byte 3: E9 "));
/// assert_eq!(reader.next().unwrap().unwrap().num_rows(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct CheckedReader<R> {
    reader: R,
    batches: Batches,
}

impl<R: RecordBatchReader> CheckedReader<R> {
    /// Checks what a reader reads.
    pub fn new(reader: R, checker: Checker) -> Self {
        let batches = Batches::new(checker, &reader.schema());
        Self { reader, batches }
    }

    /// Reads all views again in each batch. Use it if the producer may still write to its buffers: Python code can, and so can a library
    /// that exports by the C interface. Readers from `import_stream` are forgetful already.
    ///
    /// ```
    /// use arrow_array::{RecordBatchIterator, RecordBatchReader};
    /// use trust8_arrow::{CheckedReader, Checker};
    ///
    /// fn imported(reader: impl RecordBatchReader) -> impl RecordBatchReader {
    ///     CheckedReader::new(reader, Checker::refuse()).forgetful()
    /// }
    /// let schema = std::sync::Arc::new(arrow_schema::Schema::empty());
    /// assert_eq!(imported(RecordBatchIterator::new([], schema)).count(), 0);
    /// ```
    #[must_use]
    pub fn forgetful(self) -> Self {
        Self { batches: self.batches.forgetful(), ..self }
    }

    /// Returns batches of this schema. Where it has text, the batches of the reader may have bytes, but not in only some fields of one
    /// struct, list, map or union. Columns of `Utf8` or `Utf8View` may come as dictionaries of `Utf8` or `Binary`, which are written out:
    /// 64 MiB at a time, so a batch may become several. Other differences, of names too, are errors of each batch.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, BinaryArray, RecordBatch, RecordBatchIterator, cast::AsArray};
    /// use arrow_schema::{DataType, Field, Schema};
    /// use trust8_arrow::{CheckedReader, Checker};
    ///
    /// let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"Ana", b"Zo\xC3\xAB"]));
    /// let batch = RecordBatch::try_from_iter([("name", bytes.clone()), ("image", bytes)]).unwrap();
    /// let fields = [("name", DataType::Utf8), ("image", DataType::Binary)];
    /// let schema = Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, false)).to_vec());
    ///
    /// let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    /// let mut reader = CheckedReader::new(reader, Checker::refuse()).with_schema(Arc::new(schema));
    /// assert_eq!(reader.next().unwrap().unwrap()["name"].as_string::<i32>().value(1), "Zoë");
    /// ```
    ///
    /// # Parquet
    ///
    /// Untrusted Parquet is read fastest as bytes and dictionaries: its own reader then validates nothing, and writes out no
    /// dictionary. This is with the crate `parquet`, version 60, and for all columns of text that are not nested:
    ///
    /// ```ignore
    /// fn open(file: File, checker: Checker) -> Result<CheckedReader<ParquetRecordBatchReader>, ParquetError> {
    ///     let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
    ///     let (mut types, mut fields) = (Vec::new(), Vec::new());
    ///     for (field, old) in metadata.schema().fields().iter().zip(metadata.parquet_schema().root_schema().get_fields()) {
    ///         let chunks = metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
    ///         let mut chunks = chunks.filter(|chunk| chunk.column_path().parts() == [old.name()]);
    ///         let bytes = match field.data_type() {
    ///             // A plain value has four bytes for its length, so less for each value are dictionaries' keys.
    ///             DataType::Utf8 if chunks.all(|chunk| chunk.uncompressed_size() < 4 * chunk.num_values()) => {
    ///                 DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Binary))
    ///             }
    ///             DataType::Utf8 => DataType::Binary,
    ///             _ => {
    ///                 (types.push(old.clone()), fields.push(field.clone()));
    ///                 continue;
    ///             }
    ///         };
    ///         let (new, old) = (Type::primitive_type_builder(old.name(), PhysicalType::BYTE_ARRAY), old.get_basic_info());
    ///         let new = new.with_repetition(old.repetition()).with_id(old.has_id().then(|| old.id()));
    ///         types.push(new.build()?.into());
    ///         fields.push(field.as_ref().clone().with_data_type(bytes).into());
    ///     }
    ///     let types = SchemaDescriptor::new(Type::group_type_builder("schema").with_fields(types).build()?.into());
    ///     let options = ArrowReaderOptions::new().with_parquet_schema(types.into()).with_schema(Schema::new(fields).into());
    ///     let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)?.build()?;
    ///     Ok(CheckedReader::new(reader, checker).with_schema(metadata.schema().clone()))
    /// }
    /// ```
    #[must_use]
    pub fn with_schema(self, schema: SchemaRef) -> Self {
        Self { batches: self.batches.with_schema(&schema), ..self }
    }
}

impl<R: RecordBatchReader> Iterator for CheckedReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.batches.left();
        left.or_else(|| Some(self.reader.next()?.and_then(|batch| self.batches.check(&batch))))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for CheckedReader<R> {
    fn schema(&self) -> SchemaRef {
        self.batches.schema.clone()
    }
}

/// How many bytes of text are written out at once, except for one row that is longer.
const WRITTEN: usize = 1 << 26;

/// What is known about the batches of a reader.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    checker: Checker,
    /// The schema of what comes out.
    pub(crate) schema: SchemaRef,
    /// Whether `with_schema` has set it, and the names of columns have to be those of the schema.
    has_names: bool,
    /// The number of batches before, and of their rows.
    before: (usize, usize),
    /// The schema of the last batch that went in, to which all that is known belongs.
    last: SchemaRef,
    known: Known,
    /// What has been checked and not gone out: the columns, their rows, and how many of these to try next.
    left: Option<(Vec<ArrayRef>, usize, usize)>,
}

impl Batches {
    pub(crate) fn new(checker: Checker, schema: &SchemaRef) -> Self {
        let (last, schema, known) = (schema.clone(), checker.schema(schema), Known::default());
        Self { schema, has_names: false, checker, before: (0, 0), last, known, left: None }
    }

    pub(crate) fn with_schema(self, schema: &SchemaRef) -> Self {
        Self { schema: self.checker.schema(schema), has_names: true, ..self }
    }

    /// Remembers no views.
    pub(crate) fn forgetful(self) -> Self {
        Self { known: Known::without_views(), ..self }
    }

    pub(crate) fn check(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let (number, rows) = self.before;
        self.before = (number + 1, rows.saturating_add(batch.num_rows()));
        if self.last != *batch.schema_ref() {
            // Paths are those of one schema: new ones in each batch would fill the memory.
            self.last = batch.schema();
            self.known.forget();
        }
        let arrays = match self.names_are_of(batch) {
            true => self.checker.arrays(batch, &self.schema, &self.known),
            false => Err(other_schema()),
        };
        let arrays = arrays.map_err(|error| {
            if is_of_text(&error) { error.after_rows(rows) } else { error.in_batch(number) }
        })?;
        self.write(arrays, batch.num_rows(), batch.num_rows())
    }

    /// Returns the next rows of the last batch, if some are left.
    pub(crate) fn left(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let (arrays, rows, next) = self.left.take()?;
        Some(self.write(arrays, rows, next.min(rows)))
    }

    /// Writes out the dictionaries of the `next` rows, or of fewer if these are too long. The others are left.
    fn write(&mut self, arrays: Vec<ArrayRef>, rows: usize, next: usize) -> Result<RecordBatch, ArrowError> {
        let is_written = |(array, field): &(&ArrayRef, &FieldRef)| array.data_type() != field.data_type();
        let columns = arrays.iter().zip(self.schema.fields()).filter(is_written).count();
        let (mut written, mut end) = (arrays.clone(), next);
        for (array, field) in written.iter_mut().zip(self.schema.fields()) {
            if matches!(array.data_type(), DataType::Dictionary(..)) {
                *array = written_out(&array.slice(0, next), field.data_type(), WRITTEN / columns.max(1));
                end = end.min(array.len());
            }
        }
        if end < rows {
            written.iter_mut().for_each(|array| *array = array.slice(0, end));
            let left = arrays.iter().map(|array| array.slice(end, rows - end)).collect();
            self.left = Some((left, rows - end, 2 * end.max(512)));
        }
        let batch = batch_of(self.schema.clone(), written, end);
        Ok(batch.map_err(|error| {
            self.left = None;
            error.in_batch(self.before.0 - 1)
        })?)
    }

    fn names_are_of(&self, batch: &RecordBatch) -> bool {
        let names = batch.schema_ref().fields().iter().map(|field| field.name());
        let has_mask = usize::from(self.checker.mask.is_some());
        let expected = self.schema.fields().iter().map(|field| field.name());
        !self.has_names || names.eq(expected.take(self.schema.fields().len() - has_mask))
    }
}
