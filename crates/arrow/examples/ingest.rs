//! Ingests batches of a stranger: text that is not UTF-8 is read as windows-1252, a column says in which rows, and each of them is
//! reported. A batch whose layout is wrong ends the ingest with the place.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{BinaryArray, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use trust8_arrow::{Checker, Policy};

/// `reader` reads Parquet, IPC or Flight. Where `schema` has text, it may have bytes: `CheckedReader::with_schema` shows this for Parquet.
pub(crate) fn ingest(
    reader: impl RecordBatchReader,
    schema: SchemaRef,
    mut report: impl FnMut(usize),
) -> Result<Vec<RecordBatch>, ArrowError> {
    let mut before = 0;
    let reader = Checker::mask(Policy::Windows1252, "was_utf8").reader(reader).with_schema(schema);
    let checked = reader.map(|batch| {
        let batch = batch?;
        let was_utf8 = batch["was_utf8"].as_boolean();
        (0..batch.num_rows()).filter(|&row| !was_utf8.value(row)).for_each(|row| report(before + row));
        before += batch.num_rows();
        Ok(batch)
    });
    checked.collect()
}

fn main() -> Result<(), ArrowError> {
    let bytes = BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]);
    let batch = RecordBatch::try_from_iter([("name", Arc::new(bytes) as _)])?;
    let schema = Schema::new(vec![Field::new("name", DataType::Utf8, false)]);
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let batches = ingest(reader, schema.into(), |row| eprintln!("row {row} was not UTF-8"))?;
    println!("{}", batches[0]["name"].as_string::<i32>().value(1));
    Ok(())
}
