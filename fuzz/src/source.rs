//! How the fuzzer says in which pieces an input comes.

use std::io::{self, ErrorKind, Read};

/// Returns the size of a piece that a byte encodes: up to 127 bytes, or up to 8 KiB.
pub fn size(byte: u8) -> usize {
    if byte < 0x80 { usize::from(byte) } else { usize::from(byte & 0x7F) * 64 }
}

/// Cuts the input into pieces of these sizes, over and over. After 256 pieces, the rest is one piece.
pub fn cut<'a>(mut input: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for &byte in sizes.iter().cycle().take(256) {
        let (piece, rest) = input.split_at(size(byte).min(input.len()));
        pieces.push(piece);
        input = rest;
        if input.is_empty() {
            return pieces;
        }
    }
    pieces.push(input);
    pieces
}

/// The sizes of pieces that somebody reads or writes, over and over. After a thousand, the rest is one piece.
pub struct Sizes<'a>(Box<dyn Iterator<Item = usize> + 'a>);

impl<'a> Sizes<'a> {
    pub fn new(sizes: &'a [u8]) -> Self {
        Self(Box::new(sizes.iter().map(|&byte| size(byte)).cycle().take(1000)))
    }

    /// Returns how much of `most` comes next. Zero is an interruption.
    pub fn next(&mut self, most: usize) -> io::Result<usize> {
        match self.0.next() {
            Some(0) => Err(ErrorKind::Interrupted.into()),
            size => Ok(size.unwrap_or(most).min(most)),
        }
    }
}

/// A reader that gives out pieces, and is interrupted where a piece is empty.
pub struct Source<'a> {
    rest: &'a [u8],
    sizes: Sizes<'a>,
}

impl<'a> Source<'a> {
    pub fn new(rest: &'a [u8], sizes: &'a [u8]) -> Self {
        Self { rest, sizes: Sizes::new(sizes) }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.sizes.next(self.rest.len().min(buf.len()))?;
        buf[..n].copy_from_slice(self.rest.split_off(..n).expect("at most the rest"));
        Ok(n)
    }
}
