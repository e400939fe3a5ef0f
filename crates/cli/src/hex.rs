//! Bytes in hexadecimal.

use core::fmt::{self, Write};

/// Displays bytes in hexadecimal, as the RFCs write them.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

/// The two hexadecimal digits of each byte. (A file can have millions of errors, and formatting is
/// slower.)
const DIGITS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut all = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = [DIGITS[byte >> 4], DIGITS[byte & 0xF]];
        byte += 1;
    }
    all
};

/// Returns the two hexadecimal digits of a byte.
pub(crate) const fn digits(byte: u8) -> [u8; 2] {
    DIGITS[byte as usize]
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &byte) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_char(' ')?;
            }
            let [high, low] = digits(byte);
            f.write_char(high.into())?;
            f.write_char(low.into())?;
        }
        Ok(())
    }
}
