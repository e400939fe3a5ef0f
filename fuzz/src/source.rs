//! How the fuzzer says in which pieces an input comes.

use std::io::{self, ErrorKind, Read};
use std::iter;

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

/// A reader that gives out pieces, and is interrupted where a piece is empty.
pub struct Source<'a> {
    rest: &'a [u8],
    sizes: iter::Cycle<std::slice::Iter<'a, u8>>,
    patience: u32,
}

impl<'a> Source<'a> {
    pub fn new(rest: &'a [u8], sizes: &'a [u8]) -> Self {
        Self { rest, sizes: sizes.iter().cycle(), patience: 1000 }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = match self.sizes.next() {
            Some(&byte) if self.patience > 0 => size(byte),
            _ => usize::MAX,
        };
        self.patience = self.patience.saturating_sub(1);
        if n == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let n = n.min(self.rest.len()).min(buf.len());
        let (now, rest) = self.rest.split_at(n);
        buf[..n].copy_from_slice(now);
        self.rest = rest;
        Ok(n)
    }
}
