//! The functions through SQL, as one program: the files in `tests/slt`, and columns of every type.

mod columns;
mod files;
mod slt;

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

/// Returns a context that has the functions, and a format whose reader checks nothing.
fn context() -> SessionContext {
    let context = SessionContext::new();
    let unchecked = Arc::new(files::Unchecked);
    context.state_ref().write().table_factories_mut().insert("UNCHECKED".to_owned(), unchecked);
    trust8_datafusion::register(&context);
    context
}

/// Runs a statement to its end.
fn run(context: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async { context.sql(sql).await?.collect().await })
}
