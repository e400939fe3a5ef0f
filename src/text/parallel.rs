//! Validation and counting on all cores, with rayon.
//!
//! ```text
//! cut the text into pieces, each cut moved back to where a character begins
//! validate the pieces, in any order; the first that is not valid, in the text's order, wins
//! ```
//!
//! If all pieces before it are valid, so are the bytes before it, and a character begins there. So the first error
//! from there on is the first of all, and it is found as always, in all of the text: it need not be inside that piece.
//! (A cut that is not where a character begins, because nothing there is well-formed, makes the piece before it
//! suspicious, and no more.)
//!
//! Pieces behind one that is not valid are not begun any more once that is known.

#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::vec::Vec;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::boundary;
use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::kernel::verdict::Verdict;
use crate::text::inspect::Summary;

/// The shortest piece: giving it to another thread costs nothing in comparison.
const SHORTEST: usize = 1 << 20;

/// The longest: kernels read text of several MiB in several places at once, which is faster out of cache; longer ones
/// gain nothing by that.
const LONGEST: usize = 8 << 20;

/// Pieces for each thread, so that none waits for long for the last one.
const PIECES_A_THREAD: usize = 4;

/// How long pieces are to be.
fn piece(bytes: &[u8]) -> usize {
    (bytes.len() / (PIECES_A_THREAD * rayon::current_num_threads())).clamp(SHORTEST, LONGEST)
}

/// The bytes as text, if they are UTF-8: [`from_utf8`](crate::from_utf8) on all cores.
///
/// It runs on rayon's current pool. A text of less than two MiB is validated by this thread alone. Where memory is
/// what limits, a few threads do as well as many.
///
/// # Errors
///
/// The first place at which they are not UTF-8, whichever thread finds what.
///
/// ```
/// let mut bytes = "на всех ядрах ".repeat(200_000).into_bytes();
/// assert!(trust8::par_from_utf8(&bytes).is_ok());
///
/// bytes[3_000_000] = 0xFF;
/// assert_eq!(trust8::par_from_utf8(&bytes), trust8::from_utf8(&bytes));
/// ```
pub fn par_from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    par_from_utf8_with(Kernel::best(), piece(bytes), bytes)
}

/// [`par_from_utf8`] with this kernel, and pieces of so many bytes: for tests and measurements.
pub(crate) fn par_from_utf8_with<'a>(
    kernel: &'static Kernel,
    piece: usize,
    bytes: &'a [u8],
) -> Result<&'a str, Utf8Error> {
    crate::kernel::text(bytes, validate(kernel, piece, bytes))
}

/// The bytes' counts, and the error if there is one: [`inspect`](crate::inspect) on all cores.
///
/// It runs where and as [`par_from_utf8`] does.
///
/// ```
/// let bytes = "на всех ядрах\n".repeat(200_000).into_bytes();
/// let summary = trust8::par_inspect(&bytes);
/// assert_eq!(summary, trust8::inspect(&bytes));
/// assert_eq!(summary.newlines(), 200_000);
/// ```
#[must_use]
pub fn par_inspect(bytes: &[u8]) -> Summary {
    par_inspect_with(Kernel::best(), piece(bytes), bytes)
}

/// [`par_inspect`] with this kernel, and pieces of so many bytes: for tests and measurements.
pub(crate) fn par_inspect_with(kernel: &'static Kernel, piece: usize, bytes: &[u8]) -> Summary {
    let pieces = Pieces::of(bytes, piece);
    if pieces.count < 2 {
        return kernel.inspect(bytes);
    }
    // The first piece, so far, that is not valid. What is behind it does not count.
    let first_invalid = AtomicUsize::new(pieces.count);
    let inspect = |i| {
        if i > first_invalid.load(Relaxed) {
            return Summary::default();
        }
        let summary = kernel.inspect(pieces.get(i));
        if !summary.is_valid() {
            first_invalid.fetch_min(i, Relaxed);
        }
        summary
    };
    let mut summaries = Vec::new();
    (0..pieces.count).into_par_iter().map(inspect).collect_into_vec(&mut summaries);

    let mut whole = Summary::default();
    for (i, summary) in summaries.iter().enumerate() {
        if !summary.is_valid() {
            whole.append(&kernel.inspect(&bytes[pieces.start(i)..]));
            break;
        }
        whole.append(summary);
    }
    whole
}

fn validate(kernel: &'static Kernel, piece: usize, bytes: &[u8]) -> Verdict {
    let pieces = Pieces::of(bytes, piece);
    if pieces.count < 2 {
        return kernel.verdict(bytes);
    }
    let suspicion = (0..pieces.count).into_par_iter().find_map_first(|i| {
        let suspect = kernel.verdict(pieces.get(i)).suspicion()?;
        Some(pieces.start(i) + suspect)
    });
    suspicion.map_or(Verdict::VALID, Verdict::suspect)
}

/// A text in pieces of about the same length.
struct Pieces<'a> {
    bytes: &'a [u8],
    piece: usize,
    /// The last one takes what is left over.
    count: usize,
}

impl<'a> Pieces<'a> {
    fn of(bytes: &'a [u8], piece: usize) -> Self {
        Self { bytes, piece, count: bytes.len() / piece }
    }

    /// Where a piece starts; behind the last one, the end of the text.
    fn start(&self, i: usize) -> usize {
        if i == self.count { self.bytes.len() } else { boundary::floor(self.bytes, i * self.piece) }
    }

    fn get(&self, i: usize) -> &'a [u8] {
        &self.bytes[self.start(i)..self.start(i + 1)]
    }
}
