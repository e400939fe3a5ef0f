//! Ingests batches of a stranger: text that is not UTF-8 is read as windows-1252, a column says in which rows, and each of them is
//! reported. A batch whose layout is wrong ends the ingest with the place.

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray};
use arrow_schema::ArrowError;
use trust8_arrow::{Checker, Policy};

/// `reader` reads Parquet, IPC or Flight. For Parquet: `ParquetRecordBatchReaderBuilder::try_new(file)?.build()?`.
pub(crate) fn ingest(
    reader: impl RecordBatchReader,
    mut report: impl FnMut(usize),
) -> Result<Vec<RecordBatch>, ArrowError> {
    let mut before = 0;
    let reader = Checker::mask(Policy::Windows1252, "was_utf8").reader(reader);
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
    let batch =
        RecordBatch::try_from_iter([("name", std::sync::Arc::new(StringArray::from(vec!["Ana"])) as _)])?;
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let batches = ingest(reader, |row| eprintln!("row {row} was not UTF-8"))?;
    println!("{} batches", batches.len());
    Ok(())
}
