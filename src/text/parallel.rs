//! Validation and counting on all cores, with rayon.
//!
//! ```text
//! cut the text into chunks, anywhere
//! judge the chunks in any order
//! join the judgements in the order of the text
//! ```
//!
//! A chunk may begin and end inside a character: see [`Judgement`]. Once a chunk is known to be invalid, no thread begins a
//! chunk after it.

#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::kernel::verdict::Verdict;
use crate::text::inspect::Summary;
use crate::text::part::{Counted, Judgement, Tally};

/// The length of the shortest chunk. To validate it takes so long that handing it to another thread costs nothing in
/// comparison.
const SHORTEST: usize = 1 << 20;

/// The length of the longest chunk. Kernels prefetch in text of 4 MiB and more. A longer chunk would gain nothing more.
const LONGEST: usize = 8 << 20;

/// The number of chunks for each thread, so that no thread waits for long for the last one.
const CHUNKS_PER_THREAD: usize = 4;

/// Returns how long the chunks of `bytes` should be.
fn chunk_len(bytes: &[u8]) -> usize {
    (bytes.len() / (CHUNKS_PER_THREAD * rayon::current_num_threads())).clamp(SHORTEST, LONGEST)
}

/// Returns `bytes` as text, if they are UTF-8: [`from_utf8`](crate::from_utf8) on all cores.
///
/// It runs in rayon's current thread pool. The current thread alone validates a text of less than two MiB. If memory is the
/// bottleneck, a few threads are as fast as many.
///
/// # Errors
///
/// Returns the first place at which `bytes` are not UTF-8, whichever thread finds it.
///
/// ```
/// let mut bytes = "на всех ядрах ".repeat(200_000).into_bytes();
/// assert!(trust8::par_from_utf8(&bytes).is_ok());
///
/// bytes[3_000_000] = 0xFF;
/// assert_eq!(trust8::par_from_utf8(&bytes), trust8::from_utf8(&bytes));
/// ```
pub fn par_from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    par_from_utf8_with(Kernel::best(), chunk_len(bytes), bytes)
}

/// Does what [`par_from_utf8`] does, with this kernel and chunks of `chunk_len` bytes: for tests and measurements.
pub(crate) fn par_from_utf8_with<'a>(
    kernel: &'static Kernel,
    chunk_len: usize,
    bytes: &'a [u8],
) -> Result<&'a str, Utf8Error> {
    let verdict = match judge::<()>(kernel, chunk_len, bytes) {
        None => kernel.verdict(bytes),
        Some(judgement) => match judgement.valid_up_to() {
            None => Verdict::VALID,
            Some(place) => Verdict::suspect(place),
        },
    };
    crate::kernel::text(bytes, verdict)
}

/// Validates `bytes` and counts their characters, UTF-16 units and newlines: [`inspect`](crate::inspect()) on all cores.
///
/// It uses threads as [`par_from_utf8`] does.
///
/// ```
/// let bytes = "на всех ядрах\n".repeat(200_000).into_bytes();
/// let summary = trust8::par_inspect(&bytes);
/// assert_eq!(summary, trust8::inspect(&bytes));
/// assert_eq!(summary.newlines(), 200_000);
/// ```
#[must_use]
pub fn par_inspect(bytes: &[u8]) -> Summary {
    par_inspect_with(Kernel::best(), chunk_len(bytes), bytes)
}

/// Does what [`par_inspect`] does, with this kernel and chunks of `chunk_len` bytes: for tests and measurements.
pub(crate) fn par_inspect_with(kernel: &'static Kernel, chunk_len: usize, bytes: &[u8]) -> Summary {
    judge::<Tally>(kernel, chunk_len, bytes)
        .map_or_else(|| kernel.inspect(bytes), |judgement| judgement.summary())
}

/// Judges `bytes` in chunks of about `chunk_len` bytes. Returns `None` if they are less than two chunks.
fn judge<T: Counted + Send>(kernel: &'static Kernel, chunk_len: usize, bytes: &[u8]) -> Option<Judgement<T>> {
    let count = bytes.len() / chunk_len;
    if count < 2 {
        return None;
    }
    // The first chunk that is known to be invalid. What comes after it does not count.
    let first_invalid = AtomicUsize::new(count);
    let judge = |i: usize| {
        if i > first_invalid.load(Relaxed) {
            return Judgement::of(kernel, &[]);
        }
        // The last chunk also has the bytes that are left over.
        let end = if i + 1 == count { bytes.len() } else { (i + 1) * chunk_len };
        let judgement = Judgement::of(kernel, &bytes[i * chunk_len..end]);
        if judgement.has_failed() {
            first_invalid.fetch_min(i, Relaxed);
        }
        judgement
    };
    (0..count).into_par_iter().map(judge).reduce_with(|left, right| left.then(&right))
}
