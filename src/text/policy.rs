//! Rows that are not UTF-8, repaired as a [`Policy`] says.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::kernel::Kernel;
use crate::output;
use crate::policy::Policy;
use crate::repair::faults::FaultSearch;
use crate::repair::lossy::owned;
use crate::repair::replacer::append_in_place;
use crate::repair::survey::{BLOCK_OUTPUT_BYTES, REPLACEMENT};

impl Policy {
    /// Repairs `bytes` as if they were a row: returns them if they are UTF-8, or else the repaired
    /// bytes, or `None` for [`Null`](Self::Null).
    ///
    /// ```
    /// use trust8::Policy;
    ///
    /// assert_eq!(Policy::Windows1252.repair(b"caf\xE9").as_deref(), Some("café"));
    /// assert_eq!(Policy::Escape.repair(b"caf\xE9").as_deref(), Some(r"caf\xE9"));
    /// assert_eq!(Policy::Null.repair(b"caf\xE9"), None);
    /// assert_eq!(Policy::Null.repair(b"cafe").as_deref(), Some("cafe"));
    /// ```
    #[inline]
    #[must_use]
    pub fn repair(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        Kernel::best().repair_one(bytes, self)
    }

    /// Returns a sufficient capacity for rows of `len` bytes in total, at most `ill_formed` of them
    /// in ill-formed sequences.
    #[doc(hidden)]
    #[must_use]
    pub fn capacity(self, len: usize, ill_formed: usize) -> usize {
        let more = match self {
            // One byte becomes three: U+FFFD, or the euro sign.
            Self::Replace | Self::Java | Self::Windows1252 => 2,
            Self::Drop | Self::Null => 0,
            Self::Escape => 3,
        };
        len.saturating_add(ill_formed.saturating_mul(more)).saturating_add(BLOCK_OUTPUT_BYTES)
    }

    /// Appends the repaired text of a row that is not UTF-8.
    #[doc(hidden)]
    pub fn append(self, kernel: &Kernel, row: &[u8], text: &mut Vec<u8>) {
        let table = match self {
            Self::Null => return,
            Self::Replace => return append_in_place(kernel, row, text),
            Self::Java | Self::Drop => const { &table(Self::Drop) },
            Self::Escape => const { &table(Self::Escape) },
            Self::Windows1252 => const { &table(Self::Windows1252) },
        };
        let mut done = 0;
        let mut replace = |at: usize, len: usize| {
            if at < done {
                return;
            }
            // A copy of a fixed length takes less time.
            let short = row[done..].first_chunk::<16>().filter(|_| at - done <= 16);
            if !short.is_some_and(|bytes| output::append(text, |out| out.put_first(bytes, at - done))) {
                text.extend_from_slice(&row[done..at]);
            }
            done = at + len;
            match (self, &row[at..]) {
                (Self::Java, rest) => {
                    text.extend_from_slice(&REPLACEMENT[..3]);
                    // Java replaces a whole surrogate, which is several ill-formed sequences.
                    if let [0xED, 0xA0..=0xBF, rest @ ..] = rest {
                        done = at + 2 + usize::from(matches!(rest, [0x80..=0xBF, ..]));
                    }
                }
                // A sequence has at most three bytes.
                (Self::Drop, _) if len <= 3 => {}
                _ => put_each(&row[at..done], table, text),
            }
        };
        if row.len() < SHORT_BYTES {
            let mut at = 0;
            for chunk in row.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()) {
                at += chunk.valid().len();
                replace(at, chunk.invalid().len());
                at += chunk.invalid().len();
            }
        } else {
            let mut search = FaultSearch::new(kernel, row);
            while let Some(mut block) = search.advance() {
                if self != Self::Java && block.is_lone() && block.ill_formed().0 > FEW_FAULTS {
                    replace(block.start, block.end - block.start);
                    continue;
                }
                while let Some((at, len)) = block.pop() {
                    replace(block.start + at, len);
                }
            }
        }
        text.extend_from_slice(&row[done..]);
    }
}

/// Appends what the table has for each byte, without a branch on the bytes. The capacity for a
/// block is at most [`BLOCK_OUTPUT_BYTES`].
#[inline(always)]
fn put_each(bytes: &[u8], table: &Table, text: &mut Vec<u8>) {
    text.reserve(4 * bytes.len());
    output::append(text, |out| {
        let (pairs, last) = bytes.as_chunks();
        for [first, second] in pairs {
            let [(first, len), (second, more)] = [first, second].map(|byte| table[usize::from(*byte)]);
            let both = u64::from(first) | u64::from(second) << (8 * len);
            out.put_first(&both.to_le_bytes(), (len + more) as usize);
        }
        for (bytes, len) in last.iter().map(|byte| table[usize::from(*byte)]) {
            out.put_first(&bytes.to_le_bytes(), len as usize);
        }
    });
}

impl Kernel {
    /// Does the same as [`Policy::repair`], with this kernel.
    #[must_use]
    pub fn repair_one<'a>(&self, bytes: &'a [u8], policy: Policy) -> Option<Cow<'a, str>> {
        match (self.check(bytes), policy) {
            (Ok(text), _) => Some(Cow::Borrowed(text)),
            (Err(_), Policy::Null) => None,
            (Err(_), Policy::Replace) => Some(Cow::Owned(owned(self, bytes))),
            (Err(_), _) => {
                let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 8 + SHORT_BYTES);
                policy.append(self, bytes, &mut text);
                // It is UTF-8. Checking it keeps this file out of the trusted base.
                Some(Cow::Owned(self.from_utf8_lossy_owned(text)))
            }
        }
    }
}

/// For shorter rows, `core`'s loop takes less time.
const SHORT_BYTES: usize = 64;

/// If a block has more faults and each byte is ASCII or a fault, all of its bytes are looked up.
const FEW_FAULTS: usize = 8;

/// The bytes that each byte becomes if it is ASCII or ill-formed, the first as the lowest, and
/// their number.
type Table = [(u32, u32); 256];

const fn table(policy: Policy) -> Table {
    let (mut table, mut byte) = ([(0, 0); 256], 0);
    while byte <= 0xFF {
        let (bytes, len) = match byte {
            0..=0x7F => ([byte as u8, 0, 0, 0], 1),
            _ => policy.instead_of(byte as u8),
        };
        table[byte] = (u32::from_le_bytes(bytes), len as u32);
        byte += 1;
    }
    table
}
