//! The dialects of UTF-8 that accept all chunks of a file.

use trust8::boundary::is_continuation;
use trust8_dialect::{Dialect, diagnose};

/// Returns the last place after the start where a cut divides neither a sequence nor a pair of
/// surrogates.
///
/// Bytes without such a place are invalid in every dialect, so they may be cut anywhere.
pub(crate) fn last_cut(bytes: &[u8]) -> usize {
    let is_cut = |at: usize| match (&bytes[..at], &bytes[at..]) {
        (_, [byte, ..]) if is_continuation(*byte) => false,
        // The second half of a pair may begin or be unfinished here. At an end, it would be an error together with the first half.
        ([.., 0xED, 0xA0..=0xAF, _], [0xED] | [0xED, 0xB0..=0xBF, ..])
        | ([.., 0xED, 0xA0..=0xAF, _, 0xED] | [.., 0xED, 0xA0..=0xAF, _, 0xED, 0xB0..=0xBF], _) => false,
        _ => true,
    };
    (1..bytes.len()).rev().find(|&at| is_cut(at)).unwrap_or(bytes.len())
}

/// A dialect that accepts all of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AcceptedBy {
    pub(crate) dialect: Dialect,
    /// Whether UTF-8 can encode everything in the file.
    pub(crate) convertible: bool,
}

/// The dialects other than UTF-8 that accept the chunks so far. [`last_cut`] says where chunks may end.
pub(crate) struct Accepting(Vec<AcceptedBy>);

impl Accepting {
    pub(crate) fn new() -> Self {
        // Every dialect accepts the empty text. The library lists them in order of preference.
        let all = diagnose(b"");
        let others = all.accepted().filter(|dialect| *dialect != Dialect::Utf8);
        Self(others.map(|dialect| AcceptedBy { dialect, convertible: true }).collect())
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let diagnosis = diagnose(chunk);
        self.0.retain(|by| diagnosis.check(by.dialect).is_ok());
        for by in &mut self.0 {
            by.convertible &= diagnosis.conversion(by.dialect).is_ok();
        }
    }

    /// Returns them, the preferred one first.
    pub(crate) fn dialects(&self) -> &[AcceptedBy] {
        &self.0
    }
}
