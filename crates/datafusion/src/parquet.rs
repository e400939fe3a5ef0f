//! Reads the text of Parquet files as bytes, because the reader of Parquet refuses text that is not UTF-8.
//!
//! ```text
//! plan: bytes take the place of text in its schema; statistics are dropped, because they know other values
//! each file: bytes take the place of text in its metadata, in Parquet's schema and in Arrow's
//! ```
//!
//! A column that has both text and bytes inside stays as it is: after reading, nothing would tell which is which.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileScanConfigBuilder, FileSource, ParquetFileReaderFactory, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use datafusion::parquet::basic::{ConvertedType, LogicalType};
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData};
use datafusion::parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{ExecutionPlan, Statistics};
use futures::FutureExt;
use futures::future::BoxFuture;

/// Returns a plan that reads bytes instead of text, if `plan` only reads columns of Parquet files that are not encrypted.
pub(crate) fn as_bytes(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let (scan, source) = plan.downcast_ref::<DataSourceExec>()?.downcast_to_file_source::<ParquetSource>()?;
    let (files, projection) = (source.parquet_file_reader_factory()?, source.projection()?);
    let options = source.table_parquet_options().clone();
    let is_encrypted = options.crypto.file_decryption.is_some() || options.crypto.factory_id.is_some();
    let is_plain = projection.iter().all(|column| column.expr.is::<Column>());
    if source.filter().is_some() || is_encrypted || !is_plain {
        return None;
    }
    let text = source.table_schema().file_schema().clone();
    let fields = text.fields().iter().map(|field| bytes(field).unwrap_or_else(|| field.clone()));
    let schema = TableSchema::builder(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
        .with_table_partition_cols(source.table_schema().table_partition_cols().clone())
        .build();
    let statistics = Statistics::new_unknown(schema.table_schema());
    let hint = options.global.metadata_size_hint;
    let mut bytes = ParquetSource::new(schema)
        .with_table_parquet_options(options)
        .with_parquet_file_reader_factory(Arc::new(Files { files: files.clone(), text }));
    if let Some(hint) = hint {
        bytes = bytes.with_metadata_size_hint(hint);
    }
    // What others know of a file's values and types is about text.
    let unknown =
        |file: &PartitionedFile| PartitionedFile { statistics: None, arrow_schema: None, ..file.clone() };
    let groups = scan.file_groups.iter().map(|group| group.iter().map(unknown).collect());
    let scan = FileScanConfigBuilder::from(scan.clone())
        .with_file_groups(groups.collect())
        .with_statistics(statistics)
        .with_source(bytes.try_pushdown_projection(projection).ok()??);
    Some(DataSourceExec::from_data_source(scan.build()))
}

/// Returns the field with bytes instead of text, or `None` if it has no text, or bytes besides.
fn bytes(field: &FieldRef) -> Option<FieldRef> {
    let mut has_bytes = false;
    let data_type = of(field.data_type(), &mut has_bytes);
    let is_new = !has_bytes && data_type != *field.data_type();
    is_new.then(|| Arc::new(field.as_ref().clone().with_data_type(data_type)))
}

/// Returns the part of a type with bytes instead of text.
fn part(field: &FieldRef, has_bytes: &mut bool) -> FieldRef {
    *has_bytes |= field.extension_type_name().is_some();
    Arc::new(field.as_ref().clone().with_data_type(of(field.data_type(), has_bytes)))
}

/// Returns the type with bytes instead of text, and finds out whether it has bytes already.
fn of(data_type: &DataType, has_bytes: &mut bool) -> DataType {
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(of(values, has_bytes)))
        }
        DataType::List(item) => DataType::List(part(item, has_bytes)),
        DataType::LargeList(item) => DataType::LargeList(part(item, has_bytes)),
        DataType::ListView(item) => DataType::ListView(part(item, has_bytes)),
        DataType::LargeListView(item) => DataType::LargeListView(part(item, has_bytes)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(part(item, has_bytes), *size),
        DataType::Map(entry, is_sorted) => DataType::Map(part(entry, has_bytes), *is_sorted),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| part(field, has_bytes)).collect())
        }
        other => {
            *has_bytes |= matches!(
                other,
                DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
                    | DataType::FixedSizeBinary(_)
            );
            other.clone()
        }
    }
}

/// Returns whether integers of a file would become text. Arrow casts them to their own bytes.
fn casts_numbers(old: &DataType, new: &DataType) -> bool {
    fn fields(data_type: &DataType) -> &[FieldRef] {
        match data_type {
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _)
            | DataType::Map(item, _) => std::slice::from_ref(item),
            DataType::Struct(fields) => fields,
            _ => &[],
        }
    }
    let is_struct = matches!(new, DataType::Struct(_));
    match (old, new) {
        (DataType::Dictionary(_, old), new) => casts_numbers(old, new),
        (old, DataType::Dictionary(_, new)) => casts_numbers(old, new),
        (old, DataType::Binary | DataType::LargeBinary) => old.is_integer(),
        _ => fields(old).iter().any(|old| {
            let mut same = fields(new).iter().filter(|new| !is_struct || new.name() == old.name());
            same.any(|new| casts_numbers(old.data_type(), new.data_type()))
        }),
    }
}

/// Returns the metadata of a file with bytes in the columns in which the table has `text`.
fn metadata_of_bytes(file: &ParquetMetaData, text: &Schema) -> ParquetResult<ParquetMetaData> {
    let (metadata, groups) = (file.file_metadata(), file.row_groups());
    let (old, keys) = (metadata.schema_descr(), metadata.key_value_metadata());
    let (mut fields, mut types) = (Vec::new(), old.root_schema().get_fields().to_vec());
    for (field, old) in parquet_to_arrow_schema(old, keys)?.fields().iter().zip(&mut types) {
        let mut new = field.clone();
        if let Some(table) = text.fields().find(field.name()).and_then(|(_, field)| bytes(field)) {
            if casts_numbers(field.data_type(), table.data_type()) {
                let (name, data_type) = (field.name(), field.data_type());
                return Err(ParquetError::General(format!("{name} can't be text: it is {data_type}")));
            }
            // Also text beside bytes, which the table does not have.
            (*old, new) = (without_text(old)?, part(field, &mut false));
        }
        fields.push(new);
    }
    let root = old.root_schema().get_basic_info().clone();
    let schema = SchemaDescriptor::new(Arc::new(Type::GroupType { basic_info: root, fields: types }));
    let others = keys.into_iter().flatten().filter(|key| key.key != ARROW_SCHEMA_META_KEY).cloned();
    let arrow = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&Schema::new(fields)));
    let metadata = FileMetaData::new(
        metadata.version(),
        metadata.num_rows(),
        metadata.created_by().map(str::to_owned),
        Some(others.chain([arrow]).collect()),
        Arc::new(schema),
        metadata.column_orders().cloned(),
    );
    Ok(ParquetMetaData::new(metadata, groups.to_vec()))
}

/// Returns the type without what says that bytes are text.
fn without_text(old: &TypePtr) -> ParquetResult<TypePtr> {
    let info = old.get_basic_info();
    let is_text = match info.logical_type_ref() {
        Some(logical) => matches!(logical, LogicalType::String | LogicalType::Json),
        None => matches!(info.converted_type(), ConvertedType::UTF8 | ConvertedType::JSON),
    };
    Ok(match &**old {
        Type::GroupType { basic_info, fields } => {
            let fields = fields.iter().map(without_text).collect::<ParquetResult<_>>()?;
            Arc::new(Type::GroupType { basic_info: basic_info.clone(), fields })
        }
        Type::PrimitiveType { physical_type, .. } if is_text => {
            let bytes = Type::primitive_type_builder(old.name(), *physical_type);
            let bytes = bytes.with_repetition(info.repetition()).with_id(info.has_id().then(|| info.id()));
            Arc::new(bytes.build()?)
        }
        Type::PrimitiveType { .. } => old.clone(),
    })
}

/// Opens files whose metadata has bytes where the table has `text`.
#[derive(Debug)]
struct Files {
    files: Arc<dyn ParquetFileReaderFactory>,
    text: SchemaRef,
}

impl ParquetFileReaderFactory for Files {
    fn create_reader(
        &self,
        partition: usize,
        file: PartitionedFile,
        hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let file = self.files.create_reader(partition, file, hint, metrics)?;
        Ok(Box::new(File { file, text: self.text.clone() }))
    }
}

/// A file of [`Files`].
struct File {
    file: Box<dyn AsyncFileReader + Send>,
    text: SchemaRef,
}

impl AsyncFileReader for File {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        self.file.get_bytes(range)
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        self.file.get_byte_ranges(ranges)
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let metadata = self.file.get_metadata(options);
        let text = &self.text;
        async move { Ok(Arc::new(metadata_of_bytes(&*metadata.await?, text)?)) }.boxed()
    }
}
