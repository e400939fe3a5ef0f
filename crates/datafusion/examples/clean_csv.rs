//! Reads a CSV file whose fields need not be UTF-8, lists the bad fields, and writes a clean file.
//!
//! ```text
//! cargo run --example clean_csv -- cellar.csv clean.csv windows-1252
//! ```
//!
//! DataFusion's own reader refuses such a file. So the fields are read as bytes, and become a table of `Binary` columns. Without
//! arguments, the example writes a small file first.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use datafusion::arrow::array::{ArrayRef, BinaryBuilder, RecordBatch, UInt64Array};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::{DataFrame, SessionContext};

/// The second row is ISO-8859-1. In the fourth one, a field ends inside a character.
const SAMPLE: &[u8] = b"id,name,region\n1,Merlot,Bordeaux\n2,Ros\xE9,\"Sa\xF4ne, rive droite\"\n3,Gr\xC3\xBCner Veltliner,\n4,Pinot,Alsac\xC3\n";

/// Reads a CSV file with a header as a batch of `Binary` columns. The first column, `line`, has the number of each line.
fn read(path: &Path) -> Result<RecordBatch> {
    let external = |error| DataFusionError::External(Box::new(error));
    let mut reader = csv::ReaderBuilder::new().from_path(path).map_err(external)?;
    let names: Vec<String> = reader
        .byte_headers()
        .map_err(external)?
        .iter()
        .map(|name| trust8::from_utf8_lossy(name).into_owned())
        .collect();
    let mut lines = Vec::new();
    let mut columns: Vec<_> = names.iter().map(|_| BinaryBuilder::new()).collect();
    for record in reader.byte_records() {
        let record = record.map_err(external)?;
        lines.push(record.position().map_or(0, |position| position.line()));
        for (column, field) in columns.iter_mut().zip(&record) {
            column.append_value(field);
        }
    }
    let columns = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let lines = ("line".to_owned(), Arc::new(UInt64Array::from(lines)) as ArrayRef);
    Ok(RecordBatch::try_from_iter([lines].into_iter().chain(names.into_iter().zip(columns)))?)
}

/// Returns a table of the fields that are not UTF-8.
async fn bad_fields(context: &SessionContext, names: &[String]) -> Result<DataFrame> {
    let of_column = |name: &String| {
        let text = name.replace('\'', "''");
        format!(
            "SELECT line, '{text}' AS field, make_valid_utf8(\"{name}\", 'escape') AS value, get_field(utf8_error(\"{name}\"), 'message') AS error \
             FROM bytes WHERE NOT is_valid_utf8(\"{name}\")"
        )
    };
    let columns: Vec<_> = names.iter().map(of_column).collect();
    context.sql(&format!("{} ORDER BY line", columns.join(" UNION ALL "))).await
}

async fn clean(from: &Path, to: &Path, policy: &str) -> Result<()> {
    let context = SessionContext::new();
    trust8_datafusion::register(&context);
    let batch = read(from)?;
    let fields = batch.schema_ref().fields();
    let names: Vec<String> = fields.iter().skip(1).map(|field| field.name().replace('"', "\"\"")).collect();
    context.register_batch("bytes", batch)?;
    bad_fields(&context, &names).await?.show().await?;

    let columns: Vec<_> =
        names.iter().map(|name| format!("make_valid_utf8(\"{name}\", '{policy}') AS \"{name}\"")).collect();
    let table = context.sql(&format!("SELECT {} FROM bytes", columns.join(", "))).await?;
    let options = DataFrameWriteOptions::new().with_single_file_output(true);
    table.write_csv(&to.to_string_lossy(), options, None).await?;
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (from, to, policy) = match &arguments[..] {
        [from, to] => (PathBuf::from(from), PathBuf::from(to), "replace"),
        [from, to, policy] => (PathBuf::from(from), PathBuf::from(to), policy.as_str()),
        [] => {
            let folder = env::temp_dir().join(format!("clean_csv.{}", std::process::id()));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("cellar.csv"), SAMPLE)?;
            (folder.join("cellar.csv"), folder.join("clean.csv"), "windows-1252")
        }
        _ => {
            eprintln!("usage: clean_csv FROM TO [POLICY]");
            std::process::exit(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(clean(&from, &to, policy))?;
    if arguments.is_empty() {
        print!("{}", fs::read_to_string(&to)?);
        fs::remove_dir_all(from.parent().expect("a folder"))?;
    }
    Ok(())
}
