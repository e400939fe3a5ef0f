//! Validation and counting on all cores, with rayon.
//!
//! ```text
//! cut the text into chunks
//! validate or judge the chunks in any order
//! join the judgements in the order of the text
//! ```
//!
//! For counts, a chunk may begin and end inside a character: see [`Judgement`]. Once a chunk is
//! known to be invalid, no thread begins a later chunk.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use trust8::engine::judge;
use trust8::{Kernel, Utf8Error, boundary};

use crate::inspect::{self, Summary};
use crate::part::Judgement;

/// The length of the shortest chunk. Handing it to another thread costs little compared with
/// validating it.
const SHORTEST_CHUNK_BYTES: usize = 1 << 20;

/// The length of the longest chunk. Kernels prefetch in text of 4 MiB and more. Longer chunks would
/// gain nothing.
const LONGEST_CHUNK_BYTES: usize = 8 << 20;

/// The number of chunks for each thread, so that no thread waits long for the last one.
const CHUNKS_PER_THREAD: usize = 4;

/// Returns how long the chunks of `bytes` should be.
fn chunk_len(bytes: &[u8]) -> usize {
    (bytes.len() / (CHUNKS_PER_THREAD * rayon::current_num_threads()))
        .clamp(SHORTEST_CHUNK_BYTES, LONGEST_CHUNK_BYTES)
}

/// Returns `bytes` as text, if they are UTF-8: [`trust8::from_utf8`] on all cores.
///
/// It runs in rayon's current thread pool. A text of less than two MiB is validated on the current
/// thread alone. If memory is the bottleneck, a few threads are as fast as many.
///
/// # Errors
///
/// Returns the first place at which `bytes` are not UTF-8, whichever thread finds it.
///
/// ```
/// let mut bytes = "на всех ядрах ".repeat(200_000).into_bytes();
/// assert!(trust8_counts::par_from_utf8(&bytes).is_ok());
///
/// bytes[3_000_000] = 0xFF;
/// assert_eq!(trust8_counts::par_from_utf8(&bytes), trust8::from_utf8(&bytes));
/// ```
pub fn par_from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    from_utf8_by(Kernel::best(), chunk_len(bytes), bytes)
}

/// Does the same as [`par_from_utf8`], with a kernel, in chunks of about `chunk_len` bytes.
pub(crate) fn from_utf8_by<'a>(
    kernel: &Kernel,
    chunk_len: usize,
    bytes: &'a [u8],
) -> Result<&'a str, Utf8Error> {
    let chunk_len = chunk_len.max(1);
    let count = bytes.len() / chunk_len;
    if count < 2 {
        return kernel.from_utf8(bytes);
    }
    // A character begins here if the text is valid. If no chunk is invalid, the text is valid,
    // wherever the chunks begin.
    let place = |i: usize| if i == count { bytes.len() } else { boundary::floor(bytes, i * chunk_len) };
    let first_invalid = AtomicUsize::new(count);
    (0..count).into_par_iter().for_each(|i| {
        if i < first_invalid.load(Relaxed) && !kernel.is_utf8(&bytes[place(i)..place(i + 1)]) {
            first_invalid.fetch_min(i, Relaxed);
        }
    });
    match first_invalid.into_inner() {
        // SAFETY: no chunk was found invalid, and the chunks, one after the other, are all of
        // `bytes`: each ends where the next one begins, the first begins at 0, and the last
        // ends at the end. Valid texts one after the other are a valid text.
        i if i == count => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
        i => {
            judge(bytes, place(i))?;
            // It was a false alarm.
            kernel.from_utf8(bytes)
        }
    }
}

/// Does the same as [`par_inspect`], with a kernel, in chunks of about `chunk_len` bytes.
pub(crate) fn inspect_by(kernel: &Kernel, chunk_len: usize, bytes: &[u8]) -> Summary {
    let chunk_len = chunk_len.max(1);
    let count = bytes.len() / chunk_len;
    if count < 2 {
        return inspect::by(kernel, bytes);
    }
    // The first chunk that is known to be invalid. What comes after it does not count.
    let first_invalid = AtomicUsize::new(count);
    let judge = |i: usize| {
        if i > first_invalid.load(Relaxed) {
            return Judgement::of(kernel, &[]);
        }
        // The last chunk also has the remaining bytes.
        let end = if i + 1 == count { bytes.len() } else { (i + 1) * chunk_len };
        let judgement = Judgement::of(kernel, &bytes[i * chunk_len..end]);
        if judgement.has_failed() {
            first_invalid.fetch_min(i, Relaxed);
        }
        judgement
    };
    let whole = (0..count)
        .into_par_iter()
        .map(judge)
        .reduce(|| Judgement::of(kernel, &[]), |left, right| left.then(&right));
    whole.summary()
}

/// Validates `bytes` and counts their characters, UTF-16 units and newlines:
/// [`inspect`](crate::inspect()) on all cores.
///
/// It uses threads as [`par_from_utf8`] does.
///
/// ```
/// let bytes = "на всех ядрах\n".repeat(200_000).into_bytes();
/// let summary = trust8_counts::par_inspect(&bytes);
/// assert_eq!(summary, trust8_counts::inspect(&bytes));
/// assert_eq!(summary.newlines(), 200_000);
/// ```
#[must_use]
pub fn par_inspect(bytes: &[u8]) -> Summary {
    inspect_by(Kernel::best(), chunk_len(bytes), bytes)
}
