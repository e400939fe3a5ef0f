//! The judgement on a part of a text, and the join of the judgements on two neighbours.
//!
//! ```text
//! the bytes of a part:   head    up to three continuations, which may belong to a character of the part before
//!                        body    well-formed text, which is counted
//!                        tail    up to three bytes that begin a character of the part after
//!                                or instead of the tail: the first ill-formed sequence, after which nothing counts
//! ```
//!
//! Joining looks at a few bytes: the tail of the first part, the head of the second, and at most
//! one byte after it. So a judgement keeps the first three bytes of its part. That is enough: the
//! shortest tail has one byte, and an ill-formed sequence has at most three, with one byte after it
//! that proves the error.
//!
//! A fourth continuation at the start of a part belongs to no character, whatever comes before. So
//! a head longer than three bytes is a failed body.

#![forbid(unsafe_code)]

#[cfg(feature = "rayon")]
use trust8::Utf8Error;
use trust8::boundary::is_continuation;
use trust8::engine::{Sequence, unfinished_len};
use trust8::{ErrorKind, Kernel};

use super::tally::Tally;
#[cfg(feature = "rayon")]
use crate::inspect::Summary;

/// The longest head: a character has at most three continuations.
pub(super) const HEAD_BYTES: usize = 3;

/// The end of a part, after its body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The first `len` of these bytes, which begin a character but do not end it.
    Unfinished { bytes: [u8; 3], len: u8 },
    /// The first ill-formed sequence.
    Failed(Sequence),
}

impl End {
    pub(super) const CLEAN: Self = Self::Unfinished { bytes: [0; 3], len: 0 };

    /// Returns the end of a part whose last bytes are `rest`, where no well-formed character
    /// begins.
    pub(super) fn of(rest: &[u8]) -> Self {
        let sequence = Sequence::at_start_of(rest);
        match sequence.kind() {
            ErrorKind::Incomplete => {
                let mut bytes = [0; 3];
                bytes[..rest.len()].copy_from_slice(rest);
                Self::Unfinished { bytes, len: rest.len() as u8 }
            }
            _ => Self::Failed(sequence),
        }
    }

    /// Returns the tail, or the bytes that prove the error.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Unfinished { bytes, len } => &bytes[..usize::from(*len)],
            Self::Failed(sequence) => sequence.seen(),
        }
    }
}

/// The judgement on a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// The length of the part.
    pub(super) len: u64,
    /// The first bytes of the part, with zeros for missing bytes.
    pub(super) first: [u8; HEAD_BYTES],
    /// The length of the head.
    pub(super) head: u8,
    /// The counts of the body, with its length.
    pub(super) body: Tally,
    pub(super) end: End,
}

impl Judgement {
    /// Judges a part alone.
    pub(crate) fn of(kernel: &Kernel, part: &[u8]) -> Self {
        let head = part.iter().take(HEAD_BYTES).take_while(|&&byte| is_continuation(byte)).count();
        let text = &part[head..];
        let mut first = [0; HEAD_BYTES];
        let known = part.len().min(HEAD_BYTES);
        first[..known].copy_from_slice(&part[..known]);

        let body = Self::body(kernel, text);
        let end = match &text[body.bytes as usize..] {
            [] => End::CLEAN,
            rest => End::of(rest),
        };
        Self { len: part.len() as u64, first, head: head as u8, body, end }
    }

    /// Counts the body, which is at the start of `text`.
    fn body(kernel: &Kernel, text: &[u8]) -> Tally {
        // A kernel rejects a text whose end cuts off a character, and the text before would be
        // counted twice. So that end is left out at first.
        let cut = match text.last_chunk() {
            Some(&last) => unfinished_len(last),
            None => 0,
        };
        if let Some(whole) = text.len().checked_sub(cut)
            && cut > 0
            && matches!(End::of(&text[whole..]), End::Unfinished { .. })
            && let body = Tally::of(kernel, &text[..whole])
            && body.bytes == whole as u64
        {
            return body;
        }
        Tally::of(kernel, text)
    }

    /// Returns the judgement on this part and the one after it, as one part.
    pub(crate) fn then(&self, next: &Self) -> Self {
        let mut joined = *self;
        joined.len = self.len.saturating_add(next.len);
        for (i, byte) in (self.known()..HEAD_BYTES).zip(next.first) {
            joined.first[i] = byte;
        }
        let End::Unfinished { bytes: tail, len: tail_len } = self.end else { return joined };
        if self.body.bytes == 0 && tail_len == 0 {
            // This part is only a head, which may continue in the next part.
            let head = usize::from(self.head + next.head);
            joined.head = head.min(HEAD_BYTES) as u8;
            match head {
                0..=HEAD_BYTES => (joined.body, joined.end) = (next.body, next.end),
                _ => joined.end = End::of(&next.first[HEAD_BYTES - usize::from(self.head)..]),
            }
            return joined;
        }

        let mut taken = 0;
        if tail_len > 0 {
            let tail = &tail[..usize::from(tail_len)];
            let (mut border, len) = ([0; 2 * HEAD_BYTES], tail.len() + next.known());
            border[..tail.len()].copy_from_slice(tail);
            border[tail.len()..len].copy_from_slice(&next.first[..next.known()]);
            let border = &border[..len];
            let character = border.get(..border[0].leading_ones() as usize);
            let Some(character) = character.filter(|bytes| core::str::from_utf8(bytes).is_ok()) else {
                // If the character is still incomplete, the next part has only its continuations.
                joined.end = End::of(border);
                return joined;
            };
            joined.body = joined.body.and(Tally::of_character(character));
            taken = character.len() - tail.len();
        }
        if usize::from(next.head) > taken {
            joined.end = End::of(&next.first[taken..]);
        } else {
            joined.body = joined.body.and(next.body);
            joined.end = next.end;
        }
        joined
    }

    /// Returns how many of the first bytes there are.
    pub(super) fn known(&self) -> usize {
        self.len.min(HEAD_BYTES as u64) as usize
    }

    /// Returns the first error if this part is the whole text: the counts of the text before it,
    /// and the ill-formed sequence.
    pub(super) fn error(&self) -> Option<(Tally, Sequence)> {
        if self.head > 0 {
            return Some((Tally::default(), Sequence::at_start_of(&self.first[..1])));
        }
        let sequence = match &self.end {
            End::Unfinished { len: 0, .. } => return None,
            End::Unfinished { bytes, len } => Sequence::at_start_of(&bytes[..usize::from(*len)]),
            End::Failed(sequence) => *sequence,
        };
        Some((self.body, sequence))
    }

    /// Returns whether there is an error, whatever comes before this part and after it.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.end, End::Failed(_))
    }

    /// Returns the summary of a text in memory, if this part is the whole text.
    #[cfg(feature = "rayon")]
    pub(crate) fn summary(&self) -> Summary {
        let (body, error) = match self.error() {
            None => (self.body, None),
            Some((before, sequence)) => (before, Some(Utf8Error::new(before.bytes as usize, sequence))),
        };
        Summary { error, bytes: body.bytes as usize, counts: body.counts() }
    }

    /// Returns whether some part can have this judgement, judging by its numbers and its first
    /// bytes.
    pub(super) fn is_possible(&self) -> bool {
        let sound_len = u64::from(self.head).checked_add(self.body.bytes);
        let Some(sound_len) = sound_len.and_then(|len| len.checked_add(self.end.bytes().len() as u64)) else {
            return false;
        };
        let known = &self.first[..self.known()];
        // A failed part has the bytes that prove the error, and anything may follow.
        let fits = if self.has_failed() { sound_len <= self.len } else { sound_len == self.len };
        let is_head = |byte: &&u8| is_continuation(**byte);
        fits && known.iter().take_while(is_head).count() == usize::from(self.head)
            && self.first[known.len()..].iter().all(|&byte| byte == 0)
            && self.body.is_possible()
    }
}
