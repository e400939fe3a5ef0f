//! Line endings: LF, CR LF, and CR alone, which ends no line.

use memchr::memchr_iter;

use crate::statistics::grouped;

/// The number of line endings of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct LineEndings {
    pub(super) lf: u64,
    pub(super) crlf: u64,
    pub(super) cr: u64,
    /// Whether the last byte so far was a carriage return, which a line feed may still follow.
    pending_cr: bool,
    /// Whether the last byte so far did not end a line.
    unterminated: bool,
}

impl LineEndings {
    /// Counts the line endings of the next `bytes`.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        if self.pending_cr {
            match bytes[0] {
                b'\n' => self.crlf += 1,
                _ => self.cr += 1,
            }
        }
        for at in memchr_iter(b'\r', bytes) {
            match bytes.get(at + 1) {
                Some(b'\n') => self.crlf += 1,
                Some(_) => self.cr += 1,
                None => {}
            }
        }
        // This also counts the line feeds of CR LF, which `finish` subtracts.
        self.lf += memchr_iter(b'\n', bytes).count() as u64;
        self.pending_cr = last == b'\r';
        self.unterminated = !matches!(last, b'\n' | b'\r');
    }

    /// Returns the counts at the end of the input.
    pub(super) fn finish(mut self) -> Self {
        self.cr += u64::from(std::mem::take(&mut self.pending_cr));
        self.lf -= self.crlf;
        self
    }

    pub(super) fn describe(self) -> String {
        let kinds: Vec<_> = [(self.lf, "LF"), (self.crlf, "CR LF"), (self.cr, "CR")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{} {name}", grouped(count)))
            .collect();
        let mut description = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
        if self.unterminated {
            description += "; the last line has none";
        }
        description
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_counted_however_the_input_is_cut() {
        let text = b"a\nb\r\nc\rd\r\r\n\n\r";
        let expected = LineEndings { lf: 2, crlf: 2, cr: 3, pending_cr: false, unterminated: false };
        for cut in 0..=text.len() {
            let mut endings = LineEndings::default();
            endings.push(&text[..cut]);
            endings.push(&text[cut..]);
            assert_eq!(endings.finish(), expected, "{cut}");
        }
        let mut endings = LineEndings::default();
        text.iter().for_each(|byte| endings.push(&[*byte]));
        assert_eq!(endings.finish(), expected);
        assert_eq!(expected.describe(), "2 LF, 2 CR LF, 3 CR");
        let mut endings = LineEndings::default();
        endings.push(b"no end");
        assert_eq!(endings.finish().describe(), "none; the last line has none");
        assert_eq!(LineEndings::default().describe(), "none");
    }
}
