//! Tables and plans whose rows are checked while they are scanned.
//!
//! Filters stay above the check: the plan below would compare text that is not UTF-8. For the same
//! reason, an order of the rows counts no longer, because a repair can change it.

#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::ExecutionPlanProperties;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use trust8_arrow::arrow_59::{CheckedStream, Checker};
use trust8_columns::Policy;

use crate::files::Decoding;

/// A table that checks all that another table returns: its text, and the layout of all its columns,
/// as [`Checker`] does.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::arrow::array::{BinaryArray, RecordBatch, StringArray};
/// use datafusion::datasource::MemTable;
/// use datafusion::prelude::SessionContext;
/// use trust8_datafusion::{CheckedTable, Policy};
///
/// async fn names() -> datafusion::error::Result<()> {
///     let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]).into_parts();
///     // SAFETY: none. Readers that skip validation make such arrays.
///     let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
///     let batch = RecordBatch::try_from_iter([("name", Arc::new(lie) as _)])?;
///     let table = Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?);
///
///     let context = SessionContext::new();
///     context.register_table("repaired", Arc::new(CheckedTable::new(table.clone(), Some(Policy::Windows1252))))?;
///     context.register_table("strict", Arc::new(CheckedTable::new(table, None)))?;
///     let rows = context.sql("SELECT name FROM repaired WHERE name = 'René'").await?.collect().await?;
///     datafusion::assert_batches_eq!(["+------+", "| name |", "+------+", "| René |", "+------+"], &rows);
///     let error = context.sql("SELECT name FROM strict").await?.collect().await.unwrap_err();
///     assert!(error.to_string().contains("row 1, name: invalid UTF-8 at byte 3: E9 "));
///     Ok(())
/// }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(names()).unwrap();
/// ```
#[derive(Debug)]
pub struct CheckedTable {
    table: Arc<dyn TableProvider>,
    checker: Checker,
    schema: SchemaRef,
    decoding: Option<Decoding>,
}

impl CheckedTable {
    /// Checks what `table` returns. Without a policy, bad text fails the query.
    #[must_use]
    pub fn new(table: Arc<dyn TableProvider>, policy: Option<Policy>) -> Self {
        let checker = policy.map_or(Checker::refuse(), Checker::repair);
        Self { schema: checker.schema(&table.schema()), table, checker, decoding: None }
    }

    /// Decodes the bytes of the files that `table` reads, and checks what it returns.
    pub(crate) fn decoded(table: Arc<dyn TableProvider>, decoding: Decoding) -> Self {
        Self { decoding: Some(decoding), ..Self::new(table, None) }
    }
}

#[async_trait]
impl TableProvider for CheckedTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        self.table.table_type()
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.table.scan(state, projection, &[], limit).await?;
        let checked = CheckedExec::with_checker(plan, self.checker.clone());
        Ok(Arc::new(CheckedExec { decoding: self.decoding, ..checked }))
    }
}

/// A plan that checks all that another plan returns, as [`CheckedTable`] does.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::arrow::datatypes::Schema;
/// use datafusion::physical_plan::{ExecutionPlan, empty::EmptyExec};
/// use trust8_datafusion::CheckedExec;
///
/// let plan = CheckedExec::new(Arc::new(EmptyExec::new(Arc::new(Schema::empty()))), None);
/// assert_eq!(plan.children().len(), 1);
/// ```
#[derive(Debug)]
pub struct CheckedExec {
    input: Arc<dyn ExecutionPlan>,
    checker: Checker,
    properties: Arc<PlanProperties>,
    /// How the bytes are decoded that `input` reads.
    decoding: Option<Decoding>,
}

impl CheckedExec {
    /// Checks what `input` returns. Without a policy, bad text fails the query.
    #[must_use]
    pub fn new(input: Arc<dyn ExecutionPlan>, policy: Option<Policy>) -> Self {
        Self::with_checker(input, policy.map_or(Checker::refuse(), Checker::repair))
    }

    fn with_checker(plan: Arc<dyn ExecutionPlan>, checker: Checker) -> Self {
        let schema = checker.schema(&plan.schema());
        #[cfg(feature = "parquet")]
        let plan = crate::parquet::as_bytes(&plan).unwrap_or(plan);
        Self::of(plan, schema, checker)
    }

    /// Checks what `input` returns, and makes text of its bytes where `schema` has text.
    fn of(input: Arc<dyn ExecutionPlan>, schema: SchemaRef, checker: Checker) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Self { input, checker, properties: Arc::new(properties), decoding: None }
    }
}

impl DisplayAs for CheckedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckedExec")
    }
}

impl ExecutionPlan for CheckedExec {
    fn name(&self) -> &str {
        "CheckedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        // The optimizer would let `input` read ranges of a file that is decoded as a whole.
        self.decoding.is_none().then_some(&self.input).into_iter().collect()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if self.decoding.is_some() && children.is_empty() {
            return Ok(self);
        }
        let Ok([input]) = <[_; 1]>::try_from(children) else {
            return Err(DataFusionError::Internal("CheckedExec has one child".to_owned()));
        };
        Ok(Arc::new(Self::of(input, self.schema(), self.checker.clone())))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let context = match self.decoding {
            Some(decoding) => {
                let environment = decoding.environment(&context.runtime_env());
                let decoded = TaskContext::new(
                    context.task_id(),
                    context.session_id(),
                    context.session_config().clone(),
                    context.scalar_functions().clone(),
                    context.higher_order_functions().clone(),
                    context.aggregate_functions().clone(),
                    context.window_functions().clone(),
                    environment,
                );
                Arc::new(decoded)
            }
            None => context,
        };
        let input = self.input.execute(partition, context)?;
        let schema = input.schema();
        // The table may come by the C interface.
        let checked = CheckedStream::new(input, schema, self.checker.clone()).forgetful();
        let checked = checked.with_schema(self.schema());
        Ok(Box::pin(RecordBatchStreamAdapter::new(checked.schema(), checked)))
    }
}
