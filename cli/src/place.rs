//! Lines and columns.

use memchr::{memchr_iter, memrchr};
use trust8::Kernel;

/// A place in a text, as editors count: from 1, in lines that end with a line feed, and in characters. What
/// is not UTF-8 counts as many characters as U+FFFD would stand for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Place {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Goes behind some text, which is valid UTF-8.
    pub(crate) fn pass(&mut self, kernel: &Kernel, text: &[u8]) {
        let line = match memrchr(b'\n', text) {
            None => text,
            Some(last) => {
                self.line += memchr_iter(b'\n', text).count() as u64;
                self.column = 1;
                &text[last + 1..]
            }
        };
        // Lines can be as long as their file.
        self.column += kernel.inspect(line).chars() as u64;
    }

    /// Goes behind bytes that are not text: behind as many U+FFFD.
    pub(crate) fn pass_invalid(&mut self, sequences: u64) {
        self.column += sequences;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_1() {
        // However the text is cut.
        let place = |text: &str| {
            let mut whole = Place::START;
            whole.pass(Kernel::best(), text.as_bytes());
            let mut pieces = Place::START;
            text.char_indices()
                .for_each(|(at, c)| pieces.pass(Kernel::best(), &text.as_bytes()[at..at + c.len_utf8()]));
            assert_eq!(whole, pieces);
            (whole.line, whole.column)
        };
        assert_eq!(place(""), (1, 1));
        assert_eq!(place("abc"), (1, 4));
        assert_eq!(place("\n"), (2, 1));
        assert_eq!(place("aé日😀"), (1, 5));
        assert_eq!(place("日本\r\n語\n\n😀😀"), (4, 3));
        // A carriage return alone ends no line, and neither do Unicode's other separators.
        assert_eq!(place("a\rb\u{2028}c\u{85}"), (1, 7));
    }
}
