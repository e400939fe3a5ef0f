//! How the fuzzer's bytes become an input.
//!
//! A fuzzer left alone makes inputs of a few dozen random bytes, which never reach a kernel's loops for long input. So the
//! first bytes choose a construction (see [`Header`]), and the rest is its material:
//!
//! | construction | the input |
//! |--------------|-----------|
//! | raw          | the material itself |
//! | short        | 0 to 70 or 120 to 140 bytes of a script, with the material somewhere in it |
//! | embedded     | 8 to 64 KiB of a script, with the material somewhere in it |
//! | mosaic       | 8 to 64 KiB of the material, made valid and repeated, with the material's last bytes, as they are, somewhere in it |
//!
//! Kernels make their mistakes at the ends of blocks, above all where the text changes its kind as well. So the script
//! after the material can be another one, and the material can be put at the end of a block.
//!
//! The input lies at a chosen alignment, and its last byte is the last one of its allocation, so that
//! AddressSanitizer sees a kernel read on.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use aligned_vec::{AVec, ConstAlign};

use crate::text::{Filler, UNITS};

const KIB: usize = 1024;

/// The first bytes, each with its meaning.
#[derive(Clone, Copy, Default)]
pub struct Header {
    /// `% 4`: the construction. `& 0x80`: the text after the material ends inside a character.
    pub construction: u8,
    /// `% 64`: the alignment. `/ 64`: how many bytes before the end of a block the material starts, if at one.
    pub alignment: u8,
    /// `% 8`: the script. `/ 8 % 8`: the script after the material. `& 0x80`: the material is at the end of a block.
    pub script: u8,
    /// The length, in a way that depends on the construction.
    pub length: u16,
    /// Where in the script the material stands, from 0, the start, to 65535, the end.
    pub place: u16,
}

impl Header {
    /// Returns the header's bytes, as [`build`] reads them.
    pub fn to_bytes(self) -> [u8; 7] {
        let ([l0, l1], [p0, p1]) = (self.length.to_le_bytes(), self.place.to_le_bytes());
        [self.construction, self.alignment, self.script, l0, l1, p0, p1]
    }

    fn split(data: &[u8]) -> Option<(Self, &[u8])> {
        let (&[construction, alignment, script, l0, l1, p0, p1], material) = data.split_first_chunk()?;
        let (length, place) = (u16::from_le_bytes([l0, l1]), u16::from_le_bytes([p0, p1]));
        Some((Self { construction, alignment, script, length, place }, material))
    }

    fn alignment(&self) -> usize {
        usize::from(self.alignment) % Input::ALIGNMENT
    }

    /// The indices of the script and of the one after the material.
    fn scripts(&self) -> (usize, usize) {
        let script = usize::from(self.script);
        (script % 8, script / 8 % 8)
    }

    /// Where the material starts, if it can start at each of `places` places.
    fn place(&self, places: usize) -> usize {
        let place = usize::from(self.place) * places / usize::from(u16::MAX);
        if self.script & 0x80 == 0 {
            return place;
        }
        let overhang = usize::from(self.alignment) / Input::ALIGNMENT;
        let after_border = (place + overhang + self.alignment()) % Input::ALIGNMENT;
        place.checked_sub(after_border).unwrap_or(place)
    }
}

/// Returns the input that the fuzzer's bytes describe, or `None` if there are too few for a header.
pub fn build(data: &[u8]) -> Option<Input> {
    let (header, material) = Header::split(data)?;
    let length = usize::from(header.length);
    let long = 8 * KIB + length % (56 * KIB + 1);
    let bytes = match header.construction % 4 {
        0 => material.to_vec(),
        1 => {
            // Two thirds below 71, where every kernel treats each length in its own way.
            let length = if length % 3 < 2 { length / 3 % 71 } else { 120 + length / 3 % 21 };
            surround(&header, &material[..material.len().min(length)], length)
        }
        2 => surround(&header, material, long),
        _ => {
            let (tile, wound) = material.split_at(material.len() - material.len().min(4));
            let mut tile = String::from_utf8_lossy(tile);
            if tile.is_empty() {
                tile = UNITS[header.scripts().0].into();
            }
            let mut bytes = tile.as_bytes().repeat(long / tile.len() + 1);
            let at = header.place(bytes.len() - wound.len());
            bytes[at..at + wound.len()].copy_from_slice(wound);
            bytes
        }
    };
    Some(Input::new(&bytes, header.alignment()))
}

/// Returns `length` bytes of a script with the material in them, or the material alone if it is longer.
///
/// The script's characters are whole and touch the material. ASCII at the far ends fills the rest.
fn surround(header: &Header, material: &[u8], length: usize) -> Vec<u8> {
    static FILLERS: LazyLock<Vec<Filler>> = LazyLock::new(|| Filler::of(0..8));
    let (script, script_after) = header.scripts();
    let around = length.saturating_sub(material.len());
    let before = header.place(around);
    let [pad, text] = FILLERS[script].before(before);
    let filler = &FILLERS[script_after];
    let after = if header.construction & 0x80 != 0 {
        [filler.cut(around - before), &[]]
    } else {
        filler.after(around - before)
    };
    [pad, text, material, after[0], after[1]].concat()
}

/// Bytes at a chosen alignment, at the end of their allocation.
pub struct Input {
    allocation: AVec<u8, ConstAlign<{ Input::ALIGNMENT }>>,
    offset: usize,
}

impl Input {
    /// A cache line, and the largest vector.
    const ALIGNMENT: usize = 64;

    fn new(bytes: &[u8], offset: usize) -> Self {
        Self { allocation: AVec::from_slice(Self::ALIGNMENT, &[&vec![0; offset], bytes].concat()), offset }
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.allocation[self.offset..]
    }
}

impl DerefMut for Input {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.allocation[self.offset..]
    }
}
