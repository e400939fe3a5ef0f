//! Lines and columns.

use memchr::{memchr_iter, memrchr};
use trust8::Kernel;
use trust8_counts::KernelCounts;

/// A line and a column, counted from 1 as editors do. A line ends with a line feed. The column
/// counts characters, and an invalid sequence counts as the number of U+FFFD that would replace it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Location {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Moves past `text`, which is valid UTF-8.
    pub(crate) fn pass(&mut self, kernel: &Kernel, text: &[u8]) {
        self.pass_counted(kernel, text, memchr_iter(b'\n', text).count() as u64);
    }

    /// Does the same, if the number of line feeds in `text` is known already.
    pub(crate) fn pass_counted(&mut self, kernel: &Kernel, text: &[u8], newlines: u64) {
        let line = match memrchr(b'\n', text) {
            None => text,
            Some(last) => {
                self.line += newlines;
                self.column = 1;
                &text[last + 1..]
            }
        };
        // A file can be one long line, so this has to be fast.
        self.column += kernel.inspect(line).chars() as u64;
    }

    /// Moves past invalid bytes that this many U+FFFD would replace.
    pub(crate) fn pass_invalid(&mut self, replacements: u64) {
        self.column += replacements;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_1() {
        // Passing the text at once and character by character must lead to the same location.
        let location = |text: &str| {
            let mut whole = Location::START;
            whole.pass(Kernel::best(), text.as_bytes());
            let mut pieces = Location::START;
            text.char_indices()
                .for_each(|(at, c)| pieces.pass(Kernel::best(), &text.as_bytes()[at..at + c.len_utf8()]));
            assert_eq!(whole, pieces);
            (whole.line, whole.column)
        };
        assert_eq!(location(""), (1, 1));
        assert_eq!(location("abc"), (1, 4));
        assert_eq!(location("\n"), (2, 1));
        assert_eq!(location("aé日😀"), (1, 5));
        assert_eq!(location("日本\r\n語\n\n😀😀"), (4, 3));
        // Neither a carriage return alone nor Unicode's other line separators end a line.
        assert_eq!(location("a\rb\u{2028}c\u{85}"), (1, 7));
    }
}
