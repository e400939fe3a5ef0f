//! How the fuzzer's bytes become an input.
//!
//! A fuzzer left alone makes inputs of a few dozen random bytes, which never see a kernel's loops for
//! long input. So the first bytes choose a construction; see `Header`. The rest is its material:
//!
//! | construction | the input |
//! |--------------|-----------|
//! | raw          | the material itself |
//! | short        | 0 to 70 or 120 to 140 bytes of a script, the material somewhere in it |
//! | embedded     | 8 to 64 KiB of a script, the material somewhere in it |
//! | mosaic       | 8 to 64 KiB of the material, made valid and repeated, with its last bytes, as they are, somewhere in it |
//!
//! What a kernel may miss is at the borders of its blocks, above all where the text changes its kind as
//! well. So the script behind the material can be another one, and the material can be put at a border.
//!
//! The input lies at a chosen alignment, and its last byte is the last one of its allocation, so that
//! AddressSanitizer sees a kernel read on.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Texts whose characters have one length each, and texts that mix them. Each is repeated.
const SCRIPTS: [&str; 8] = [
    "plain ",
    "äёא",
    "日本語",
    "😀🦀",
    "aé日😀",
    // Mostly ASCII; mostly of one length.
    "The quick brown fox jumps over the lazy dog, and then some more of it: café. ",
    "Съешь же ещё этих мягких французских булок, да выпей чаю — 1 + 1 = 2",
    // The first and last characters of each length.
    "\0\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}",
];

const KIB: usize = 1024;

/// The first bytes, each with its meaning.
struct Header {
    /// `% 4`: the construction. `& 0x80`: the text behind the material ends inside a character.
    construction: u8,
    /// `% 64`: the alignment. `/ 64`: how many bytes before a border the material starts, if at one.
    alignment: u8,
    /// `% 8`: the script. `/ 8 % 8`: the one behind the material. `& 0x80`: the material is at a border.
    script: u8,
    /// The length, in a way that depends on the construction.
    length: u16,
    /// Where in the script the material stands, from 0, the start, to 65535, the end.
    place: u16,
}

impl Header {
    fn split(data: &[u8]) -> Option<(Self, &[u8])> {
        let (&[construction, alignment, script, l0, l1, p0, p1], material) = data.split_first_chunk()?;
        let (length, place) = (u16::from_le_bytes([l0, l1]), u16::from_le_bytes([p0, p1]));
        Some((Self { construction, alignment, script, length, place }, material))
    }

    fn alignment(&self) -> usize {
        usize::from(self.alignment) % Input::ALIGNMENT
    }

    /// The script, and the one behind the material.
    fn scripts(&self) -> (&'static str, &'static str) {
        let script = usize::from(self.script);
        (SCRIPTS[script % 8], SCRIPTS[script / 8 % 8])
    }

    /// Where the material starts, with so many places to choose from.
    fn place(&self, places: usize) -> usize {
        let place = usize::from(self.place) * places / usize::from(u16::MAX);
        if self.script & 0x80 == 0 {
            return place;
        }
        let overhang = usize::from(self.alignment) / Input::ALIGNMENT;
        let behind_border = (place + overhang + self.alignment()) % Input::ALIGNMENT;
        place.checked_sub(behind_border).unwrap_or(place)
    }
}

/// The input that the fuzzer's bytes stand for, or nothing where there are too few for a header.
pub fn build(data: &[u8]) -> Option<Input> {
    let (header, material) = Header::split(data)?;
    let length = usize::from(header.length);
    let long = 8 * KIB + length % (56 * KIB + 1);
    let bytes = match header.construction % 4 {
        0 => material.to_vec(),
        1 => {
            // Two thirds below 71, where every kernel has its own ways.
            let length = if length % 3 < 2 { length / 3 % 71 } else { 120 + length / 3 % 21 };
            surround(&header, &material[..material.len().min(length)], length)
        }
        2 => surround(&header, material, long),
        _ => {
            let (tile, wound) = material.split_at(material.len() - material.len().min(4));
            let mut tile = String::from_utf8_lossy(tile);
            if tile.is_empty() {
                tile = header.scripts().0.into();
            }
            let mut bytes = tile.as_bytes().repeat(long / tile.len() + 1);
            let at = header.place(bytes.len() - wound.len());
            bytes[at..at + wound.len()].copy_from_slice(wound);
            bytes
        }
    };
    Some(Input::new(&bytes, header.alignment()))
}

/// `length` bytes of a script with the material in them, or the material alone where it is longer.
///
/// The script's characters are whole, and touch the material: what does not come out even is made up
/// for by ASCII at the far ends.
fn surround(header: &Header, material: &[u8], length: usize) -> Vec<u8> {
    let (script, script_behind) = header.scripts();
    let around = length.saturating_sub(material.len());
    let before = header.place(around);
    let behind = around - before;

    let mut bytes = backwards(script, before);
    bytes.extend(material);
    if header.construction & 0x80 != 0 {
        bytes.extend(script_behind.bytes().cycle().take(behind));
    } else {
        let whole = bytes.len() + behind;
        for character in script_behind.chars().cycle() {
            if bytes.len() + character.len_utf8() > whole {
                break;
            }
            bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
        }
        bytes.resize(whole, b'a');
    }
    bytes
}

/// `length` bytes that end with the end of the script.
fn backwards(script: &str, length: usize) -> Vec<u8> {
    let mut bytes = vec![b'a'; length];
    let mut at = length;
    for character in script.chars().rev().cycle() {
        let Some(start) = at.checked_sub(character.len_utf8()) else { break };
        character.encode_utf8(&mut bytes[start..at]);
        at = start;
    }
    bytes
}

/// Bytes at a chosen alignment, with nothing of their allocation behind them.
pub struct Input {
    allocation: NonNull<u8>,
    offset: usize,
    len: usize,
}

impl Input {
    /// A cache line, and the largest vector.
    const ALIGNMENT: usize = 64;

    fn new(bytes: &[u8], offset: usize) -> Self {
        let layout = Self::layout(offset, bytes.len());
        // SAFETY: the layout's size is not zero.
        let allocation = unsafe { alloc_zeroed(layout) };
        let Some(allocation) = NonNull::new(allocation) else { handle_alloc_error(layout) };
        let mut input = Self { allocation, offset, len: bytes.len() };
        input.copy_from_slice(bytes);
        input
    }

    fn layout(offset: usize, len: usize) -> Layout {
        // An allocation of nothing is none; then there is a byte behind the input after all.
        Layout::from_size_align((offset + len).max(1), Self::ALIGNMENT).expect("less than half of memory")
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the allocation has offset + len bytes, at least.
        let start = unsafe { self.allocation.add(self.offset) };
        // SAFETY: so len bytes from there on are inside; they were zeroed, and are borrowed with self.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.len) }
    }
}

impl DerefMut for Input {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the allocation has offset + len bytes, at least.
        let start = unsafe { self.allocation.add(self.offset) };
        // SAFETY: as in `deref`, and self is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), self.len) }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.allocation.as_ptr(), Self::layout(self.offset, self.len)) }
    }
}
