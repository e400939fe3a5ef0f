//! Validation and counting on all cores, with rayon.
//!
//! ```text
//! cut the text into chunks, each cut moved back to where a character begins
//! validate the chunks in any order
//! if some are not valid: look for the error from the first of them on
//! ```
//!
//! All chunks before the first invalid one are valid, and a character begins after them. So the first error from there on is
//! the first error of the text. It is searched for in all of the rest, as it need not lie inside that chunk: where nothing
//! is well-formed, a cut may not lie at the beginning of a character, and then the chunk before the cut is invalid.
//!
//! Once a chunk is known to be invalid, no thread begins a chunk after it.

#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::vec::Vec;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::boundary;
use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::kernel::verdict::Verdict;
use crate::text::inspect::Summary;

/// The length of the shortest chunk. To validate it takes so long that handing it to another thread costs nothing in
/// comparison.
const SHORTEST: usize = 1 << 20;

/// The length of the longest chunk. Kernels read a text of several MiB in several places at once, which is faster if it is
/// not in the cache. A longer chunk would gain nothing more.
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
    crate::kernel::text(bytes, validate(kernel, chunk_len, bytes))
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
    let chunks = Chunks::of(bytes, chunk_len);
    if chunks.count < 2 {
        return kernel.inspect(bytes);
    }
    // The first chunk that is known to be invalid. What comes after it does not count.
    let first_invalid = AtomicUsize::new(chunks.count);
    let inspect = |i| {
        if i > first_invalid.load(Relaxed) {
            return Summary::default();
        }
        let summary = kernel.inspect(chunks.get(i));
        if !summary.is_valid() {
            first_invalid.fetch_min(i, Relaxed);
        }
        summary
    };
    let mut summaries = Vec::new();
    (0..chunks.count).into_par_iter().map(inspect).collect_into_vec(&mut summaries);

    let mut whole = Summary::default();
    for (i, summary) in summaries.iter().enumerate() {
        if !summary.is_valid() {
            whole.append(&kernel.inspect(&bytes[chunks.start(i)..]));
            break;
        }
        whole.append(summary);
    }
    whole
}

fn validate(kernel: &'static Kernel, chunk_len: usize, bytes: &[u8]) -> Verdict {
    let chunks = Chunks::of(bytes, chunk_len);
    if chunks.count < 2 {
        return kernel.verdict(bytes);
    }
    let suspicion = (0..chunks.count).into_par_iter().find_map_first(|i| {
        let suspect = kernel.verdict(chunks.get(i)).suspicion()?;
        Some(chunks.start(i) + suspect)
    });
    suspicion.map_or(Verdict::VALID, Verdict::suspect)
}

/// A text in chunks of about the same length.
struct Chunks<'a> {
    bytes: &'a [u8],
    chunk_len: usize,
    /// The number of chunks. The last one also has the bytes that are left over.
    count: usize,
}

impl<'a> Chunks<'a> {
    fn of(bytes: &'a [u8], chunk_len: usize) -> Self {
        Self { bytes, chunk_len, count: bytes.len() / chunk_len }
    }

    /// Returns where chunk `i` begins. For the number after the last chunk it is the end of the text.
    fn start(&self, i: usize) -> usize {
        if i == self.count { self.bytes.len() } else { boundary::floor(self.bytes, i * self.chunk_len) }
    }

    fn get(&self, i: usize) -> &'a [u8] {
        &self.bytes[self.start(i)..self.start(i + 1)]
    }
}
