//! Bytes in hexadecimal.

use std::fmt::{self, Write};

/// Displays bytes in hexadecimal, as the RFCs write them.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

/// Returns the two hexadecimal digits of a byte. (A file can have millions of errors, and formatting is slower.)
fn digits(byte: u8) -> [char; 2] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [byte >> 4, byte & 0xF].map(|digit| DIGITS[usize::from(digit)].into())
}

/// Appends the two hexadecimal digits of a byte to `text`.
pub(crate) fn push_hex_digits(text: &mut Vec<u8>, byte: u8) {
    text.extend(digits(byte).map(|digit| digit as u8));
}

/// Appends bytes in hexadecimal to `text`, with a space between two.
pub(crate) fn push_hex(text: &mut Vec<u8>, bytes: &[u8]) {
    for (i, &byte) in bytes.iter().enumerate() {
        if i > 0 {
            text.push(b' ');
        }
        push_hex_digits(text, byte);
    }
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &byte) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_char(' ')?;
            }
            let [high, low] = digits(byte);
            f.write_char(high)?;
            f.write_char(low)?;
        }
        Ok(())
    }
}
