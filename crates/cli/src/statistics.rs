//! Counts of files, bytes and characters.

use std::ops::Add;
use std::time::Duration;

use trust8::{Kernel, Utf8Error};
use trust8_counts::{KernelCounts, Tally};

/// The number of characters of one to four bytes, and of newlines.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Characters {
    pub(crate) by_len: [u64; 4],
    pub(crate) newlines: u64,
}

impl Characters {
    /// Counts the characters of `bytes`, up to the first error.
    pub(crate) fn count(&mut self, kernel: &Kernel, bytes: &[u8]) -> Result<(), Utf8Error> {
        let summary = kernel.inspect(bytes);
        for (sum, more) in self.by_len.iter_mut().zip(summary.chars_by_len()) {
            *sum += more as u64;
        }
        self.newlines += summary.newlines() as u64;
        summary.error().map_or(Ok(()), Err)
    }

    pub(crate) fn total(&self) -> u64 {
        self.by_len.iter().sum()
    }
}

impl From<Tally> for Characters {
    fn from(tally: Tally) -> Self {
        Self { by_len: tally.chars_by_len(), newlines: tally.newlines() }
    }
}

impl Add for Characters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let [a, b, c, d] = self.by_len;
        let [e, f, g, h] = other.by_len;
        Self { by_len: [a + e, b + f, c + g, d + h], newlines: self.newlines + other.newlines }
    }
}

/// The totals of all files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Totals {
    pub(crate) valid: u64,
    pub(crate) invalid: u64,
    pub(crate) unread: u64,
    /// Binary files in folders, which were skipped.
    pub(crate) binary: u64,
    /// How many of them seem to be UTF-16.
    pub(crate) binary_utf16: u64,
    /// Errors in the invalid files, as far as these were read.
    pub(crate) errors: u64,
    /// Bytes of the valid files, and of the invalid ones as far as these were read.
    pub(crate) bytes: u64,
    /// The characters in those bytes.
    pub(crate) characters: Characters,
    /// Files whose last line does not end with a line feed.
    pub(crate) open_lines: u64,
}

impl Totals {
    pub(crate) fn files(&self) -> u64 {
        self.valid + self.invalid
    }

    /// Returns the number of lines. A line ends with a line feed, or with the end of its file.
    pub(crate) fn lines(&self) -> u64 {
        self.characters.newlines + self.open_lines
    }

    /// Returns what was checked and what was not, for people. `left_out` entries of folders were
    /// left out.
    pub(crate) fn in_one_line(&self, left_out: u64) -> String {
        let mut line = format!("{} of {} text files invalid", grouped(self.invalid), grouped(self.files()));
        if self.binary > 0 {
            line += &format!("; {} skipped as binary", grouped(self.binary));
        }
        if self.binary_utf16 > 0 {
            line += &format!(", of which {} look like UTF-16", grouped(self.binary_utf16));
        }
        if left_out > 0 {
            line += &format!("; {} hidden, ignored or not selected", grouped(left_out));
        }
        if self.unread > 0 {
            line += &format!("; {} not read", grouped(self.unread));
        }
        line
    }

    /// Returns the totals as text for people.
    pub(crate) fn for_people(&self, time: Duration) -> String {
        let Self { valid, invalid, unread, binary, errors, bytes, characters, .. } = *self;
        let seconds = time.as_secs_f64();
        let speed = speed(bytes as f64 / seconds.max(1e-9));
        let [one, two, three, four] = characters.by_len.map(grouped);
        format!(
            "files       {}: {} valid, {} invalid; also {} binary skipped, {} not read\n\
             errors      {} in the invalid files\n\
             bytes       {} in {seconds:.3} s, {speed}\n\
             characters  {}: {one} of 1 byte, {two} of 2, {three} of 3, {four} of 4\n\
             lines       {}\n",
            grouped(self.files()),
            grouped(valid),
            grouped(invalid),
            grouped(binary),
            grouped(unread),
            grouped(errors),
            grouped(bytes),
            grouped(characters.total()),
            grouped(self.lines()),
        )
    }
}

impl Add for Totals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            valid: self.valid + other.valid,
            invalid: self.invalid + other.invalid,
            unread: self.unread + other.unread,
            binary: self.binary + other.binary,
            binary_utf16: self.binary_utf16 + other.binary_utf16,
            errors: self.errors + other.errors,
            bytes: self.bytes + other.bytes,
            characters: self.characters + other.characters,
            open_lines: self.open_lines + other.open_lines,
        }
    }
}

/// Returns a number of bytes per second, in the largest unit that makes it at least one.
fn speed(bytes: f64) -> String {
    let (size, unit) = match bytes {
        1e9.. => (1e9, "GB"),
        1e6.. => (1e6, "MB"),
        1e3.. => (1e3, "kB"),
        _ => return format!("{bytes:.0} B/s"),
    };
    format!("{:.2} {unit}/s", bytes / size)
}

/// Returns `number` in decimal, with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_has_the_unit_that_fits() {
        for (bytes, text) in [
            (0.0, "0 B/s"),
            (999.4, "999 B/s"),
            (1.5e3, "1.50 kB/s"),
            (2e6, "2.00 MB/s"),
            (2.5e10, "25.00 GB/s"),
        ] {
            assert_eq!(speed(bytes), text);
        }
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (12_345_678, "12 345 678")] {
            assert_eq!(grouped(number), text);
        }
    }
}
