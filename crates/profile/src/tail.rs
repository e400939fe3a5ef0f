//! The context of a stream: its last bytes so far.

#![forbid(unsafe_code)]

use trust8::Kernel;
use trust8::engine::is_inside;
use trust8::stream::Piece;

use super::context::{UNKNOWN, WINDOW_BYTES};
use super::error::Forbidden;
use super::sieve::Suspects;
use super::{Edges, Profile, first_number};

/// The longest tail: a character that waits for the next one, and its context.
const TAIL_BYTES: usize = WINDOW_BYTES + 4;

/// The longest start of a piece whose characters need the tail, with two characters after it.
const START_BYTES: usize = NEAR_BYTES + 8;

/// Suspects from here on begin after the first [`WINDOW_BYTES`] bytes of their piece.
const NEAR_BYTES: usize = WINDOW_BYTES + 3;

/// The end of the text of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    /// Whole characters.
    bytes: [u8; TAIL_BYTES],
    len: usize,
    /// The length of the last character if it depends on the next one.
    held: usize,
    /// The tail is the whole text.
    is_whole: bool,
}

/// A tail, and the start of the piece after it.
struct Border {
    bytes: [u8; TAIL_BYTES + START_BYTES],
    len: usize,
}

impl Tail {
    /// The tail of an empty text.
    pub(crate) const EMPTY: Self = Self { bytes: [0; TAIL_BYTES], len: 0, held: 0, is_whole: true };

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn border(&self, piece: &[u8]) -> Border {
        let (mut bytes, piece) = ([0; TAIL_BYTES + START_BYTES], &piece[..piece.len().min(START_BYTES)]);
        let len = self.len + piece.len();
        bytes[..self.len].copy_from_slice(self.text());
        bytes[self.len..len].copy_from_slice(piece);
        Border { bytes, len }
    }

    const fn edges(&self) -> Edges {
        Edges { is_start: self.is_whole, is_end: false }
    }

    /// Appends text.
    pub(crate) fn push(&mut self, profile: &Profile, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        let both = self.len + piece.len();
        let mut kept = both.min(TAIL_BYTES);
        let (old, new) = (kept.saturating_sub(piece.len()), kept.min(piece.len()));
        self.bytes.copy_within(self.len - old..self.len, 0);
        self.bytes[old..kept].copy_from_slice(&piece[piece.len() - new..]);
        self.is_whole &= kept == both;
        // It begins with a whole character.
        let cut = (0..kept).take_while(|&at| is_inside(&self.bytes, at)).count();
        self.bytes.copy_within(cut..kept, 0);
        kept -= cut;
        self.len = kept;
        let mut at = kept - 1;
        while at > 0 && is_inside(&self.bytes, at) {
            at -= 1;
        }
        let is_held = profile.rules().may_forbid(first_number(&self.bytes[at..kept]).0);
        self.held = if is_held { kept - at } else { 0 };
    }

    /// Returns the last character if it is forbidden and nothing comes after it that is UTF-8. The
    /// text ends at `offset`.
    pub(crate) fn end(&self, profile: &Profile, offset: u64) -> Option<Forbidden> {
        let edges = Edges { is_end: true, ..self.edges() };
        self.last(profile, self.text(), edges, offset)
    }

    /// Returns the held character, if it is forbidden before the rest of `border`.
    fn last(&self, profile: &Profile, border: &[u8], edges: Edges, offset: u64) -> Option<Forbidden> {
        if self.held == 0 {
            return None;
        }
        let found = profile.look(border, self.len - self.held, edges, UNKNOWN)?;
        Some(found.at_border(offset, self.len))
    }

    /// Returns the first forbidden character of a piece at `offset`, or of the character before it.
    fn first(&self, profile: &Profile, kernel: &Kernel, piece: &[u8], offset: u64) -> Option<Forbidden> {
        if self.held > 0 && !piece.is_empty() {
            let border = self.border(piece);
            let found = self.last(profile, &border.bytes[..border.len], self.edges(), offset);
            if found.is_some() {
                return found;
            }
        }
        let mut suspects = Suspects::new(0, UNKNOWN);
        // The first character may be suspect only after the last one.
        let mut first = (!piece.is_empty()).then_some(0);
        while let Some(place) = first.take().or_else(|| suspects.next(kernel, piece, &profile.sieve)) {
            let found = if place < NEAR_BYTES {
                let border = self.border(piece);
                let found =
                    profile.look(&border.bytes[..border.len], self.len + place, self.edges(), UNKNOWN);
                found.map(|found| found.at_border(offset, self.len))
            } else {
                profile
                    .look(piece, place, self.edges(), suspects.near(place))
                    .map(|found| found.after(offset))
            };
            // The last character may wait for the next one.
            let end = offset + piece.len() as u64;
            let is_held = |found: &Forbidden| found.class().needs_next() && found.end() == end;
            if let Some(found) = found.filter(|found| !is_held(found)) {
                return Some(found);
            }
        }
        None
    }
}

impl Profile {
    /// Returns the first forbidden character of the text of a piece, which begins at `offset` in the
    /// stream, or of the last one before it. Appends the text to the tail.
    pub(crate) fn first_in(
        &self,
        kernel: &Kernel,
        tail: &mut Tail,
        text: Piece<'_>,
        mut offset: u64,
    ) -> Option<Forbidden> {
        for part in [text.completed(), text.rest()] {
            if let Some(found) = tail.first(self, kernel, part.as_bytes(), offset) {
                return Some(found);
            }
            tail.push(self, part.as_bytes());
            offset += part.len() as u64;
        }
        None
    }
}
