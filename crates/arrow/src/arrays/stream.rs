//! Checks the batches of an asynchronous stream.

#![forbid(unsafe_code)]

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::arrow_array::RecordBatch;
use super::arrow_schema::{ArrowError, SchemaRef};
use super::checked::{Batches, Checker};

/// A stream that checks each batch of another stream, as [`CheckedReader`](super::CheckedReader)
/// does.
///
/// ```
/// use std::pin::Pin;
/// use std::task::{Context, Poll, Waker};
/// use arrow_array::RecordBatch;
/// use arrow_schema::{ArrowError, Schema};
/// use futures_core::Stream;
/// use trust8_arrow::{CheckedStream, Checker};
///
/// struct Once(Option<RecordBatch>);
/// impl Stream for Once {
///     type Item = Result<RecordBatch, ArrowError>;
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         Poll::Ready(self.0.take().map(Ok))
///     }
/// }
/// let batch = RecordBatch::new_empty(Schema::empty().into());
/// let mut stream = CheckedStream::new(Once(Some(batch.clone())), batch.schema(), Checker::refuse());
/// let next = Pin::new(&mut stream).poll_next(&mut Context::from_waker(Waker::noop()));
/// assert!(matches!(next, Poll::Ready(Some(Ok(checked))) if checked == batch));
/// ```
#[derive(Clone, Debug)]
pub struct CheckedStream<S> {
    stream: S,
    batches: Batches,
}

impl<S> CheckedStream<S> {
    /// Checks the batches of `stream`, whose schema is `schema`. A stream that is not `Unpin` goes
    /// into a `Box::pin`.
    pub fn new(stream: S, schema: SchemaRef, checker: Checker) -> Self {
        Self { stream, batches: Batches::new(checker, &schema) }
    }

    /// Reads all views in each batch, as [`CheckedReader::forgetful`](super::CheckedReader::forgetful) does.
    ///
    /// ```
    /// use arrow_schema::Schema;
    /// use trust8_arrow::{CheckedStream, Checker};
    ///
    /// let stream = CheckedStream::new((), Schema::empty().into(), Checker::refuse()).forgetful();
    /// assert_eq!(stream.schema().fields().len(), 0);
    /// ```
    #[must_use]
    pub fn forgetful(self) -> Self {
        Self { batches: self.batches.forgetful(), ..self }
    }

    /// Returns batches of this schema, as [`CheckedReader::with_schema`](super::CheckedReader::with_schema) does.
    ///
    /// ```
    /// use arrow_schema::{DataType, Field, Schema};
    /// use trust8_arrow::{CheckedStream, Checker};
    ///
    /// let [bytes, text] = [DataType::Binary, DataType::Utf8]
    ///     .map(|data_type| Schema::new(vec![Field::new("name", data_type, false)]).into());
    /// let stream = CheckedStream::new((), bytes, Checker::refuse()).with_schema(text);
    /// assert_eq!(stream.schema().field(0).data_type(), &DataType::Utf8);
    /// ```
    #[must_use]
    pub fn with_schema(self, schema: SchemaRef) -> Self {
        Self { batches: self.batches.with_schema(&schema), ..self }
    }

    /// Returns the schema of the batches that come out.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.batches.schema.clone()
    }
}

impl<E: From<ArrowError>, S: Stream<Item = Result<RecordBatch, E>> + Unpin> Stream for CheckedStream<S> {
    type Item = Result<RecordBatch, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { stream, batches } = &mut *self;
        if let Some(left) = batches.left() {
            return Poll::Ready(Some(Ok(left?)));
        }
        let next = Pin::new(stream).poll_next(context);
        next.map(|next| next.map(|batch| Ok(batches.check(&batch?)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // A batch may become several.
        (self.stream.size_hint().0, None)
    }
}
