//! Measures functions through SQL: those of trust8-datafusion against those of datafusion-spark.
//!
//! ```text
//! taskset -c 1 cargo run --release --manifest-path crates/datafusion/measure/Cargo.toml              writes to docs/data/
//! taskset -c 1 cargo run --release --manifest-path crates/datafusion/measure/Cargo.toml -- --quick   a quick look, printed
//! ```
//!
//! The contestants of a line take turns in one process, and the fastest round of each counts. The answers of each round are
//! compared. Queries are planned once. `RUSTC_WRAPPER=$PWD/crates/datafusion/next-solver.sh` makes the engine compile sooner.

#![forbid(unsafe_code)]

#[path = "../../../arrow/benches/common/mod.rs"]
mod common;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

use common::{dirty_rows, file, row};
use datafusion::arrow::array::{BinaryArray, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::runtime::{Builder, Runtime};

/// The mean lengths of rows, and how many rows there are of each.
const LENGTHS: [(f64, usize); 4] = [(3.5, 204_800), (15.0, 65_536), (60.0, 16_384), (1000.0, 1_024)];

/// One row in this many is bad.
const RATES: [(&str, Option<usize>); 4] =
    [("0", None), ("0.1 %", Some(1000)), ("1 %", Some(100)), ("all", Some(1))];

/// DataFusion's default.
const BATCH: usize = 8192;

/// The functions that both have. datafusion-spark has neither `validate_utf8` nor `try_validate_utf8`.
const FUNCTIONS: [&str; 2] = ["make_valid_utf8", "is_valid_utf8"];

/// A query that is planned, and runs again and again.
struct Query {
    runtime: Runtime,
    context: SessionContext,
    plan: Arc<dyn ExecutionPlan>,
}

impl Query {
    /// Plans `SELECT call FROM t`, where `t` has these batches.
    fn new(context: SessionContext, batches: &[RecordBatch], call: &str) -> Result<Self, Box<dyn Error>> {
        let runtime = Builder::new_current_thread().build()?;
        let table = MemTable::try_new(batches[0].schema(), vec![batches.to_vec()])?;
        context.register_table("t", Arc::new(table))?;
        let plan = runtime.block_on(async {
            context.sql(&format!("SELECT {call} AS answer FROM t")).await?.create_physical_plan().await
        })?;
        Ok(Self { runtime, context, plan })
    }

    fn run(&self) -> Vec<RecordBatch> {
        self.runtime.block_on(collect(self.plan.clone(), self.context.task_ctx())).expect("an answer")
    }
}

fn context() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1))
}

/// Returns the two queries: with trust8's function, and with datafusion-spark's.
fn queries(batches: &[RecordBatch], call: &str) -> Result<[Query; 2], Box<dyn Error>> {
    let (ours, mut spark) = (context(), context());
    trust8_datafusion::register(&ours);
    datafusion_spark::register_all(&mut spark)?;
    Ok([Query::new(ours, batches, call)?, Query::new(spark, batches, call)?])
}

/// Returns the nanoseconds of the fastest round of each query. The answers must be equal.
fn race(queries: &[Query; 2], what: &str, time: Duration) -> Result<[f64; 2], Box<dyn Error>> {
    let whole = |batches: Vec<RecordBatch>| concat_batches(batches[0].schema_ref(), &batches);
    let expected = whole(queries[1].run())?;
    let mut best = [f64::INFINITY; 2];
    let (start, mut round) = (Instant::now(), 0);
    while round < 9 || start.elapsed() < time {
        for turn in 0..2 {
            let i = (turn + round) % 2;
            let begin = Instant::now();
            let answer = queries[i].run();
            best[i] = best[i].min(begin.elapsed().as_nanos() as f64);
            assert_eq!(whole(answer)?.column(0), expected.column(0), "{what}");
        }
        round += 1;
    }
    Ok(best)
}

fn table(csv: &mut String, function: &str, time: Duration) -> Result<(), Box<dyn Error>> {
    let heads =
        ["mean length", "text", "bad rows", "trust8", "datafusion-spark", "datafusion-spark / trust8"];
    let call = format!("{function}(c)");
    for (mean, count) in LENGTHS {
        for ascii in [true, false] {
            for (name, rate) in RATES {
                let array = BinaryArray::from_iter_values(dirty_rows(mean, count, ascii, rate));
                let batches: Vec<RecordBatch> = (0..count)
                    .step_by(BATCH)
                    .map(|from| array.slice(from, BATCH.min(count - from)))
                    .map(|part| RecordBatch::try_from_iter([("c", Arc::new(part) as _)]))
                    .collect::<Result<_, _>>()?;
                let text = if ascii { "ASCII" } else { "not ASCII" };
                let place = format!("{mean} bytes, {text}, {name} bad");
                let nanos = race(&queries(&batches, &call)?, &place, time)?;
                let [ours, spark] = nanos.map(|nanos| nanos / count as f64);
                let numbers = [ours, spark, spark / ours].into_iter();
                let names = [mean.to_string(), text.to_owned(), name.to_owned()];
                let cells: Vec<_> =
                    names.into_iter().chain(numbers.map(|number| format!("{number:.2}"))).collect();
                row(csv, function, 3, &heads, &cells);
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let quick = env::args().any(|argument| argument == "--quick");
    let time = Duration::from_millis(if quick { 40 } else { 500 });
    let notes = format!(
        "# DataFusion: {}\n\
         # all: ns a row. The same column of Binary, in batches of {BATCH} rows, through a query that was planned before. The functions are optimised, and the engine around them is not, so its share \
         is larger here than in a program that is all optimised, and the ratios are lower.\n",
        datafusion::DATAFUSION_VERSION,
    );
    let mut csv = String::new();
    for function in FUNCTIONS {
        table(&mut csv, function, time)?;
    }
    let command = "taskset -c 1 cargo run --release --manifest-path crates/datafusion/measure/Cargo.toml";
    let csv = file(command, &notes, &csv);
    if quick {
        print!("{csv}");
        return Ok(());
    }
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/data/columns_sql.csv"), csv)?;
    Ok(())
}
