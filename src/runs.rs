//! Text between what is none: from one exception to the next at the speed of the kernels.
//!
//! A kernel is at its best where it can run. What is almost UTF-8 stops it at every sequence that is not,
//! and it has read further by then. So what it is given grows with what it was good for:
//!
//! ```text
//! for each piece, from where a character begins:
//!     reach = twice what the last piece gained, but at least SHORT and at most LONG
//!     cut the piece at the reach, and before the first byte that the caller refuses
//!     a kernel (below SHORT: `core`, which needs no start) says how much of it is text
//! ```
//!
//! A piece costs at most three times what the one before it gained, and what a piece of SHORT costs. So all
//! of them together are linear, however many exceptions there are and wherever they lie.

use crate::{Kernel, dispatch, scalar};

/// The least that is looked at together, by `core::str`: it stops right at the fault, and reads ASCII fast.
const SHORT: usize = 128;
/// The most: what stays in the first-level cache between the search for what the caller refuses and
/// the kernel.
const LONG: usize = 16 << 10;

/// What may be UTF-8 and is to end a run all the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stops {
    /// Nothing.
    None,
    /// The forms of four bytes: `F0` and above.
    FourBytes,
    /// Those, and `00`.
    FourBytesAndNul,
}

impl Stops {
    fn at(self, byte: u8) -> bool {
        match self {
            Self::None => false,
            Self::FourBytes => byte >= 0xF0,
            // Less one, zero is the largest.
            Self::FourBytesAndNul => byte.wrapping_sub(1) >= 0xEF,
        }
    }

    /// Where the first of them is, if there is one.
    ///
    /// Without a branch on a byte, block by block, so that the compiler makes vectors of it.
    pub(crate) fn find(self, bytes: &[u8]) -> Option<usize> {
        #[inline(always)]
        fn find(bytes: &[u8], stops: impl Fn(u8) -> bool) -> Option<usize> {
            let (blocks, _) = bytes.as_chunks::<64>();
            let clean = blocks
                .iter()
                .take_while(|block| !block.iter().fold(false, |any, &byte| any | stops(byte)))
                .count();
            let from = 64 * clean;
            bytes[from..].iter().position(|&byte| stops(byte)).map(|at| from + at)
        }
        match self {
            Self::None => None,
            Self::FourBytes => find(bytes, |byte| Self::FourBytes.at(byte)),
            Self::FourBytesAndNul => find(bytes, |byte| Self::FourBytesAndNul.at(byte)),
        }
    }
}

/// Where it stands in the bytes, and how far it dares to look.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    at: usize,
    reach: usize,
    stops: Stops,
    /// At how many bytes a run ends even if the text goes on.
    limit: usize,
    /// The dispatched one, if `None`.
    kernel: Option<&'static Kernel>,
}

impl<'a> Runs<'a> {
    /// Runs as long as can be.
    pub(crate) fn new(bytes: &'a [u8], stops: Stops, kernel: Option<&'static Kernel>) -> Self {
        Self { bytes, at: 0, reach: LONG, stops, limit: usize::MAX, kernel }
    }

    /// Runs that end soon, for who may not want the next one.
    pub(crate) fn in_steps(bytes: &'a [u8], stops: Stops, kernel: Option<&'static Kernel>) -> Self {
        Self { reach: SHORT, limit: LONG, ..Self::new(bytes, stops, kernel) }
    }

    /// How far it is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What follows.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Goes on behind something that is no text. There text may begin again.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The text from here on, up to what is none or to the limit. It is empty only if there is something
    /// else, or nothing.
    pub(crate) fn text(&mut self) -> &'a str {
        let start = self.at;
        while self.at - start < self.limit {
            let piece = self.piece();
            let gained = self.valid_len(piece);
            self.at += gained;
            self.reach = (2 * gained).clamp(SHORT, LONG);
            if piece.is_empty() || gained < piece.len() {
                break;
            }
        }
        // SAFETY: all between was found to be text, by a kernel, by the automaton or by `core`, piece by
        // piece.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[start..self.at]) }
    }

    fn piece(&self) -> &'a [u8] {
        let rest = self.rest();
        let mut end = rest.len();
        if self.reach < end {
            end = self.reach;
            // To where a character begins, if that is near; else there is a fault, and it will be found.
            let continuations = rest[..=end].iter().rev().take(3).take_while(|&&byte| byte & 0xC0 == 0x80);
            end -= continuations.count();
        }
        let piece = &rest[..end];
        &piece[..self.stops.find(piece).unwrap_or(end)]
    }

    /// How many bytes of the piece are text, from its first one on.
    fn valid_len(&self, piece: &[u8]) -> usize {
        if piece.len() <= SHORT {
            return core::str::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len);
        }
        let verdict = match self.kernel {
            Some(kernel) => kernel.verdict(piece),
            None => dispatch::validate(piece),
        };
        match verdict.suspicion().map(|suspect| scalar::judge(piece, suspect)) {
            Some(Err(error)) => error.valid_up_to(),
            _ => piece.len(),
        }
    }
}
