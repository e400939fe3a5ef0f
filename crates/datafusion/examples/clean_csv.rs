//! Reads a CSV file whose fields need not be UTF-8 as a table, and writes a clean file.
//!
//! ```text
//! cargo run --example clean_csv -- cellar.csv clean.csv windows-1252
//! ```

use std::env;

use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;

/// All columns are text, so that no number loses its zeros.
fn table(file: &str, policy: &str) -> String {
    let options =
        format!("'policy' '{policy}', 'format.has_header' 'true', 'format.schema_infer_max_rec' '0'");
    let file = file.replace('\'', "''");
    format!("CREATE EXTERNAL TABLE dirty STORED AS CHECKED_CSV LOCATION '{file}' OPTIONS ({options})")
}

async fn clean(from: &str, to: &str, policy: &str) -> Result<()> {
    let context = SessionContext::new();
    trust8_datafusion::register(&context);
    context.sql(&table(from, policy)).await?;
    let options = DataFrameWriteOptions::new().with_single_file_output(true);
    context.table("dirty").await?.write_csv(to, options, None).await?;
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [from, to, policy] = &arguments[..] else {
        return Err(DataFusionError::Execution("usage: clean_csv FROM TO POLICY".to_owned()));
    };
    tokio::runtime::Builder::new_current_thread().build()?.block_on(clean(from, to, policy))
}
