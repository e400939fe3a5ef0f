//! The functions through SQL, as one program: the files in `tests/slt`, and columns of every type.

mod columns;
mod slt;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

/// Returns a context that has the functions.
fn context() -> SessionContext {
    let context = SessionContext::new();
    trust8_datafusion::register(&context);
    context
}

/// Runs a statement to its end.
fn run(context: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async { context.sql(sql).await?.collect().await })
}
