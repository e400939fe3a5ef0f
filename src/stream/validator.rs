//! Text that arrives in pieces: validated as it comes, at full speed, refused at the first bad byte.
//!
//! A chunk may end inside a character. Of each the last four bytes are kept, and what of them is pending is
//! worked out when it is needed; everything is validated where it lies, in one call of the best kernel.
//!
//! ```text
//! push(chunk):
//!     if it is short: the kernel validates all of it, behind the bytes that were kept
//!     if it is not, but stands between whole characters, of ASCII: the kernel validates it
//!     otherwise:
//!     if a character is pending: its missing bytes, the first 1 to 3 of the chunk, complete it
//!     if the chunk's last 1 to 3 bytes begin a character and do not complete it: keep them
//!     the kernel validates what lies between
//! ```
//!
//! Both ends are decided by a table and arithmetic, without a branch on what the bytes are: in text
//! with characters of several bytes, where a chunk ends is chance, and a branch on it would be
//! predicted wrongly as often as not. Looking at the end *before* the kernel runs is what makes a
//! chunk that ends inside a character cost no more than another one: the kernel never sees the
//! unfinished character, so it need not say where the text stops.
//!
//! An error comes in the very push that brings the byte that makes it certain. `E0 80` is one at the
//! second byte, not at the third that never comes: what is kept between pushes is always the
//! beginning of some character.

#![forbid(unsafe_code)]

use core::fmt;
use core::hint::select_unpredictable;

use crate::boundary;
use crate::error::{ErrorKind, Hex, Sequence};
use crate::kernel::verdict::Verdict;
use crate::kernel::{self, Kernel, entries};

/// Validates UTF-8 that arrives in pieces, cut anywhere, even inside a character.
///
/// The pieces need not be kept: the state is 16 bytes, which can be copied to try something and
/// be put back. No allocation, no `std`, no reference to the input.
///
/// ```
/// use trust8::{ErrorKind, Validator};
///
/// let mut validator = Validator::new();
/// validator.push(b"na\xC3")?;
/// assert_eq!((validator.valid_up_to(), validator.pending()), (2, &b"\xC3"[..]));
/// validator.push(b"\xAFve")?;
/// validator.finish()?;
///
/// // A surrogate is one as soon as its second byte is there.
/// validator.push(b"\xED")?;
/// let error = validator.push(b"\xA0").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (6, ErrorKind::Surrogate));
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, only as much of the buffer as was read is pushed:
///
/// ```
/// use std::io::Read;
/// use trust8::Validator;
///
/// fn is_text(mut reader: impl Read) -> std::io::Result<bool> {
///     let mut validator = Validator::new();
///     let mut buf = [0; 4096];
///     loop {
///         let n = reader.read(&mut buf)?;
///         if n == 0 {
///             return Ok(validator.finish().is_ok());
///         }
///         if validator.push(&buf[..n]).is_err() {
///             return Ok(false);
///         }
///     }
/// }
/// assert!(is_text(&b"Stra\xC3\x9Fe"[..])?);
/// assert!(!is_text(&b"Stra\xDFe"[..])?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Validator {
    /// While nothing is wrong: how many bytes there were. After an error: how many of them are whole
    /// characters.
    len: u64,
    /// While nothing is wrong: the [`Tail`]. After an error: the bytes that made it certain, the first of them
    /// last. That one is never ASCII; so what ends in ASCII here is sound, and nothing is pending.
    bytes: [u8; 4],
    /// After an error: how many bytes those are. Otherwise zero.
    failed: u32,
}

const _: () = assert!(size_of::<Validator>() <= 16);

/// A validator's `bytes` and `failed`, told apart.
enum State {
    Sound(Tail),
    Failed(Sequence),
}

/// The last four bytes so far; at least those of them that are pending, with zeros before them. Or bytes that end in
/// ASCII, as the text does.
///
/// All that the next chunk needs to know, and no work to keep: what of it is pending is worked out when
/// somebody asks.
#[derive(Clone, Copy)]
struct Tail([u8; 4]);

impl Tail {
    /// How many bytes begin a character that does not end here: each lead says how many belong to its
    /// character, and where it is near enough to the end, there are fewer.
    #[inline(always)]
    const fn pending_len(self) -> usize {
        boundary::unfinished_len(self.0)
    }

    #[inline(always)]
    fn pending(self) -> Pending {
        let len = self.pending_len() as u32;
        // Shifted by 32, nothing is left.
        let bytes = (u64::from(u32::from_be_bytes(self.0)) << (32 - 8 * len)) as u32;
        Pending((bytes | len).to_be_bytes())
    }
}

/// The beginning of a character, valid as far as it goes: up to three bytes, zeros behind them, and
/// as the last byte how many they are. So it is one word.
#[derive(Clone, Copy)]
struct Pending([u8; 4]);

impl Pending {
    #[inline(always)]
    const fn len(self) -> usize {
        self.0[3] as usize
    }

    fn as_slice(&self) -> &[u8] {
        &self.0[..self.len()]
    }

    #[inline(always)]
    fn as_tail(self) -> Tail {
        let word = u32::from_be_bytes(self.0);
        let held = word & 3;
        // Shifted by 32, nothing is left.
        Tail(((u64::from(word ^ held) >> (32 - 8 * held)) as u32).to_be_bytes())
    }
}

/// What a first byte says of its character: RFC 3629 section 4 as bits.
#[derive(Clone, Copy)]
struct Lead {
    /// Bit `n`: a second byte whose upper half is `n` may follow.
    seconds: u16,
    /// Which bits of the third and the fourth byte must be those of `80 80`.
    rest: u16,
    /// How many bytes the character has.
    len: u16,
    /// What begins the character and is not all of it. Bit 0: this byte alone. Bits 4 to 7: this byte
    /// and a second one, 80 to 8F, 90 to 9F, A0 to AF, B0 to BF. Bits 8 to B: the same, and a third.
    begins: u16,
}

/// By the low six bits of a byte C0 to FF.
///
/// C0 itself begins nothing. Its place is taken by no byte at all: a character that has no bytes, and
/// behind which anything may follow.
static LEADS: [Lead; 64] = {
    const NONE: Lead = Lead { seconds: 0xFFFF, rest: 0, len: 0, begins: 0 };
    const NEVER: Lead = Lead { seconds: 0, rest: 0, len: 0, begins: 0 };
    const fn two() -> Lead {
        Lead { seconds: 0b1111 << 8, rest: 0, len: 2, begins: 1 }
    }
    const fn three(seconds: u16) -> Lead {
        Lead { seconds: seconds << 8, rest: 0xC000, len: 3, begins: 1 | seconds << 4 }
    }
    const fn four(seconds: u16) -> Lead {
        Lead { seconds: seconds << 8, rest: 0xC0C0, len: 4, begins: 1 | seconds << 4 | seconds << 8 }
    }

    let mut table = [NEVER; 64];
    let mut i = 0;
    while i < 64 {
        // The digits stand for B0 to BF, A0 to AF, 90 to 9F, 80 to 8F, from left to right.
        table[i] = match 0xC0 + i as u8 {
            0xC0 => NONE,
            0xC2..=0xDF => two(),
            0xE0 => three(0b1100),
            0xED => three(0b0011),
            0xE1..=0xEF => three(0b1111),
            0xF0 => four(0b1110),
            0xF1..=0xF3 => four(0b1111),
            0xF4 => four(0b0001),
            _ => NEVER,
        };
        i += 1;
    }
    table
};

/// A character whose first bytes came with an earlier chunk.
#[derive(Clone, Copy)]
struct Completed {
    bytes: [u8; 4],
    /// 2 to 4, or 0 if no character was pending.
    len: u8,
}

impl Completed {
    const NONE: Self = Self { bytes: [0; 4], len: 0 };
}

/// How a chunk is cut: what completes the pending character, the inside, what begins the next one.
#[derive(Clone, Copy)]
struct Cut<'a> {
    completed: Completed,
    /// What is left for the kernel.
    inside: &'a [u8],
    next: Pending,
}

impl<'a> Cut<'a> {
    /// `None` if the chunk does not complete what is pending.
    #[inline(always)]
    fn of(pending: Pending, chunk: &'a [u8]) -> Option<Self> {
        let (first, last) = ends(chunk);
        let completed = complete(pending, first)?;
        let next = beginning(last);
        // Neither fails. A completed character took its bytes from the chunk: for where there are none
        // zeros stand, and those complete nothing. All that it took are continuations, so a
        // character that begins in the chunk begins behind them.
        let behind = chunk.get(usize::from(completed.len) - pending.len()..)?;
        let inside = behind.get(..behind.len().wrapping_sub(next.len()))?;
        Some(Self { completed, inside, next })
    }
}

// Four bytes are a word below, the first of them on top.

/// The chunk's first four bytes and its last four, with zeros for those that are not there.
#[inline(always)]
fn ends(chunk: &[u8]) -> (u32, u32) {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk()) {
        return (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
    }
    match *chunk {
        [a, b, c] => (u32::from_be_bytes([a, b, c, 0]), u32::from_be_bytes([0, a, b, c])),
        [a, b] => (u32::from_be_bytes([a, b, 0, 0]), u32::from_be_bytes([0, 0, a, b])),
        [a] => (u32::from_be_bytes([a, 0, 0, 0]), a.into()),
        _ => (0, 0),
    }
}

/// The pending character with what the chunk begins with, if that completes it.
#[inline(always)]
fn complete(pending: Pending, first: u32) -> Option<Completed> {
    let pending = u32::from_be_bytes(pending.0);
    let held = pending & 3;
    let character = pending ^ held | first >> (8 * held);
    let lead = LEADS[(pending >> 24 & 0x3F) as usize];
    let second_fits = lead.seconds >> (character >> 20 & 0xF) & 1 == 1;
    let rest_fits = (character ^ 0x8080) & u32::from(lead.rest) == 0;
    (second_fits & rest_fits).then_some(Completed { bytes: character.to_be_bytes(), len: lead.len as u8 })
}

/// The last bytes of a chunk, if they begin a character that does not end there.
///
/// Only a *valid* beginning is one: any other end is for the kernel to object to.
#[inline(always)]
fn beginning(last: u32) -> Pending {
    // The top bit of each byte that is not 10......, and of the first byte in any case.
    let firsts = (!last | last << 1) & 0x8080_8080 | 0x8000_0000;
    // Eight times how many bytes 10...... are at the end: 0 to 3 of them.
    let continuations = firsts.trailing_zeros() - 7;
    let begun = last << (24 - continuations);
    let lead = LEADS[(begun >> 24 & 0x3F) as usize];
    let begins = lead.begins >> (continuations / 2 + (begun >> 20 & 3));
    // Not if the first byte is ASCII, which has no place in the table.
    let valid = u32::from(begins) & begun >> 31 == 1;
    let pending = begun | (continuations / 8 + 1);
    Pending(select_unpredictable(valid, pending, 0).to_be_bytes())
}

/// Whether the chunk has 8 to 32 bytes and all are ASCII.
#[inline(always)]
fn is_short_ascii(chunk: &[u8]) -> bool {
    // The top bit of each byte.
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

    let n = chunk.len();
    if !(8..=32).contains(&n) {
        return false;
    }
    // Words that meet or overlap; of more than 16 bytes, there are two more in the middle.
    let word = |at: usize| chunk[at..].first_chunk().map_or(HIGH, |word| u64::from_ne_bytes(*word));
    let (first, last) = (word(0), word(n - 8));
    let middle = if n > 16 { word(8) | word(n - 16) } else { 0 };
    (first | middle | last) & HIGH == 0
}

impl Validator {
    /// At the start of the input.
    ///
    /// ```
    /// let validator = trust8::Validator::new();
    /// assert_eq!((validator.valid_up_to(), validator.pending()), (0, &[][..]));
    /// assert!(validator.finish().is_ok());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { len: 0, bytes: [0; 4], failed: 0 }
    }

    /// With nothing pending, this far into the input.
    #[cfg(feature = "tokio")]
    pub(crate) const fn at(valid_up_to: u64) -> Self {
        Self { len: valid_up_to, ..Self::new() }
    }

    /// The error, if a push has returned one.
    #[cfg(feature = "std")]
    pub(crate) fn sound(&self) -> Result<(), StreamError> {
        match self.state() {
            State::Sound(_) => Ok(()),
            State::Failed(sequence) => Err(self.error(sequence)),
        }
    }

    /// Takes the next bytes of the input, any number of them, none included.
    ///
    /// # Errors
    ///
    /// If with these bytes it has become certain that the input is not UTF-8. The error stays: from
    /// then on every push returns it, until [`reset`](Self::reset).
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    ///
    /// let mut validator = Validator::new();
    /// assert!(validator.push(b"up to here\xF4").is_ok());
    /// let error = validator.push(b"\x90").unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.kind()), (10, ErrorKind::TooLarge));
    /// assert_eq!(validator.push(b"more"), Err(error));
    /// ```
    #[inline(always)]
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        if is_short_ascii(chunk) && self.ends_in_ascii() {
            // And so it still does.
            self.len += chunk.len() as u64;
            return Ok(());
        }
        if self.goes_on(chunk, Kernel::best()) {
            return Ok(());
        }
        let (next, result) = self.pushed(chunk);
        *self = next;
        result
    }

    /// [`push`](Self::push) with this kernel: for tests and measurements.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    #[inline(always)]
    pub(crate) fn push_with(&mut self, kernel: &Kernel, chunk: &[u8]) -> Result<(), StreamError> {
        if self.goes_on(chunk, kernel) {
            return Ok(());
        }
        let (next, result) = self.pushed_with(kernel, chunk);
        *self = next;
        result
    }

    /// Says that the input ends here.
    ///
    /// # Errors
    ///
    /// If it ends inside a character, with [`ErrorKind::Incomplete`]; or the error that a push
    /// returned.
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    ///
    /// let mut validator = Validator::new();
    /// validator.push(b"caf\xC3").unwrap();
    /// let error = validator.finish().unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.kind()), (3, ErrorKind::Incomplete));
    ///
    /// validator.push(b"\xA9").unwrap();
    /// assert_eq!(validator.finish(), Ok(()));
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        match self.state() {
            State::Sound(tail) if tail.pending_len() == 0 => Ok(()),
            State::Sound(_) => Err(self.error(Sequence::at_start_of(self.pending()))),
            State::Failed(sequence) => Err(self.error(sequence)),
        }
    }

    /// How many bytes so far, from the start of the input, are known to be whole characters.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"a\xE2\x82").unwrap();
    /// assert_eq!(validator.valid_up_to(), 1);
    /// validator.push(b"\xAC").unwrap();
    /// assert_eq!(validator.valid_up_to(), 4);
    /// assert!(validator.push(b"b\xFF").is_err());
    /// assert_eq!(validator.valid_up_to(), 5);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        match self.failed {
            0 => self.len - Tail(self.bytes).pending_len() as u64,
            _ => self.len,
        }
    }

    /// The last 0 to 3 bytes so far, if they begin a character that is not complete yet.
    ///
    /// Empty after an error.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"a\xE2\x82").unwrap();
    /// assert_eq!(validator.pending(), b"\xE2\x82");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        match self.failed {
            0 => &self.bytes[4 - Tail(self.bytes).pending_len()..],
            _ => &[],
        }
    }

    /// Forgets everything: as [`new`](Self::new).
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// assert!(validator.push(b"\xFF").is_err());
    /// validator.reset();
    /// assert!(validator.push(b"text").is_ok());
    /// assert_eq!(validator.valid_up_to(), 4);
    /// ```
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    fn error(&self, sequence: Sequence) -> StreamError {
        StreamError { valid_up_to: self.valid_up_to(), sequence }
    }

    /// The seen bytes of an error say all of it.
    fn state(&self) -> State {
        match self.failed as usize {
            0 => State::Sound(Tail(self.bytes)),
            seen => {
                let mut bytes = self.bytes;
                bytes.reverse();
                State::Failed(Sequence::at_start_of(&bytes[..seen]))
            }
        }
    }

    /// Whether there is no error, and the last byte was ASCII: so nothing is pending.
    #[inline(always)]
    fn ends_in_ascii(&self) -> bool {
        // Asked of all four as one word, they stay one in registers.
        u32::from_le_bytes(self.bytes) >> 31 == 0
    }

    /// Takes a chunk as it is, if it is short or stands between whole characters, and if nothing is wrong with it;
    /// otherwise nothing has changed.
    ///
    /// To have the kernel look behind what is pending, or at the chunk alone, is less work than to cut whole
    /// characters out of it first, which is what `advance` does.
    #[inline(always)]
    fn goes_on(&mut self, chunk: &[u8], kernel: &Kernel) -> bool {
        let Some(last) = chunk.last_chunk() else { return false };
        let sound = self.failed == 0 && entries::continues(kernel, self.bytes, chunk);
        if sound {
            self.len += chunk.len() as u64;
            self.bytes = *last;
        }
        sound
    }

    /// What [`push`](Self::push) does with any other chunk. A function apart, so that around the call of the kernel
    /// there is little else.
    ///
    /// By value: a validator that no pointer is taken to can live in registers while its owner loops.
    #[inline(never)]
    fn pushed(self, chunk: &[u8]) -> (Self, Result<(), StreamError>) {
        self.pushed_with(Kernel::best(), chunk)
    }

    /// [`pushed`](Self::pushed) with this kernel.
    fn pushed_with(mut self, kernel: &Kernel, chunk: &[u8]) -> (Self, Result<(), StreamError>) {
        let result = match self.advance(chunk, |bytes| kernel.verdict(bytes)) {
            Ok(_) => Ok(()),
            Err(verdict) => self.stop(chunk, verdict).map(|_| ()),
        };
        (self, result)
    }

    /// The one step that everything here is made of, as it goes when nothing is wrong.
    ///
    /// Otherwise nothing has changed, and [`stop`](Self::stop) is to be called with the verdict: that
    /// leaves little here for the compiler to keep in registers until then.
    #[inline(always)]
    fn advance<'a>(
        &mut self,
        chunk: &'a [u8],
        validate: impl FnOnce(&'a [u8]) -> Verdict,
    ) -> Result<Piece<'a>, Verdict> {
        if self.failed != 0 {
            return Err(Verdict::VALID);
        }
        let tail = Tail(self.bytes);
        let Some(cut) = Cut::of(tail.pending(), chunk) else { return Err(Verdict::VALID) };
        let verdict = validate(cut.inside);
        if verdict.is_valid()
            && let Ok(rest) = kernel::text(cut.inside, verdict)
        {
            Ok(self.accept(chunk, cut, rest))
        } else {
            Err(verdict)
        }
    }

    #[inline(always)]
    fn accept<'a>(&mut self, chunk: &[u8], cut: Cut<'a>, rest: &'a str) -> Piece<'a> {
        self.len += chunk.len() as u64;
        self.bytes = cut.next.as_tail().0;
        Piece { completed: cut.completed, rest }
    }

    /// What `advance` leaves to do.
    #[inline(always)]
    fn stop<'a>(&mut self, chunk: &'a [u8], verdict: Verdict) -> Result<Piece<'a>, StreamError> {
        let (next, result) = self.stopped(chunk, verdict);
        *self = next;
        result
    }

    /// There has been an error; or the chunk does not complete the pending character (not yet, or
    /// never); or the kernel has given its verdict on what is inside.
    ///
    /// By value: a validator that no pointer is taken to can live in registers while its owner loops.
    #[cold]
    #[inline(never)]
    fn stopped(mut self, chunk: &[u8], verdict: Verdict) -> (Self, Result<Piece<'_>, StreamError>) {
        let result = match self.state() {
            State::Failed(sequence) => Err(self.error(sequence)),
            State::Sound(tail) => match Cut::of(tail.pending(), chunk) {
                Some(cut) => self.judge(chunk, cut, verdict),
                None => self.wait(tail.pending(), chunk),
            },
        };
        (self, result)
    }

    fn judge<'a>(
        &mut self,
        chunk: &'a [u8],
        cut: Cut<'a>,
        verdict: Verdict,
    ) -> Result<Piece<'a>, StreamError> {
        match kernel::text(cut.inside, verdict) {
            Ok(rest) => Ok(self.accept(chunk, cut, rest)),
            Err(error) => {
                // The kernel has not seen the end of the chunk, which may belong to the sequence.
                let (valid, behind) = cut.inside.split_at(error.valid_up_to());
                let seen = behind.len() + cut.next.len();
                let valid = u64::from(cut.completed.len) + valid.len() as u64;
                Err(self.fail(valid, Sequence::at_start_of(&chunk[chunk.len() - seen..])))
            }
        }
    }

    /// `chunk` does not complete the pending character.
    fn wait<'a>(&mut self, pending: Pending, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        // The longest ill-formed sequence and the byte behind it are four bytes.
        let mut bytes = [0; 4];
        let held = pending.len();
        let taken = chunk.len().min(4 - held);
        bytes[..held].copy_from_slice(pending.as_slice());
        bytes[held..held + taken].copy_from_slice(&chunk[..taken]);
        let sequence = Sequence::at_start_of(&bytes[..held + taken]);
        if sequence.kind() == ErrorKind::Incomplete {
            // So there are at most three bytes of it, and all of the chunk is among them.
            self.len += chunk.len() as u64;
            bytes.rotate_left(held + taken);
            self.bytes = bytes;
            Ok(Piece { completed: Completed::NONE, rest: "" })
        } else {
            Err(self.fail(0, sequence))
        }
    }

    /// `sequence` stands behind this many more bytes of whole characters.
    fn fail(&mut self, valid: u64, sequence: Sequence) -> StreamError {
        self.len = self.valid_up_to() + valid;
        let seen = sequence.seen();
        self.failed = seen.len() as u32;
        self.bytes = [0; 4];
        self.bytes[..seen.len()].copy_from_slice(seen);
        self.bytes.reverse();
        self.error(sequence)
    }
}

impl Default for Validator {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Validator");
        fields.field("valid_up_to", &self.valid_up_to());
        match self.state() {
            State::Sound(_) => fields.field("pending", &format_args!("{}", Hex(self.pending()))),
            State::Failed(sequence) => fields.field("error", &self.error(sequence)),
        };
        fields.finish()
    }
}

/// The first place at which a stream is not UTF-8.
///
/// What [`core::str::from_utf8`] says about all the bytes together, with an offset from the start of
/// the stream, and with the reason.
///
/// ```
/// use trust8::{ErrorKind, Validator};
///
/// let mut validator = Validator::new();
/// validator.push(b"one, ").unwrap();
/// validator.push(b"two\xE2").unwrap();
/// let error = validator.push(b"\x82, three").unwrap_err();
/// assert_eq!(error.valid_up_to(), 8);
/// assert_eq!(error.error_len(), Some(2));
/// assert_eq!(error.kind(), ErrorKind::Truncated);
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-8 at byte 8: E2 82 begins a character of 3 bytes, and 2C follows; \
///      expected a continuation byte (80 to BF)"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamError {
    valid_up_to: u64,
    sequence: Sequence,
}

impl StreamError {
    /// How many bytes, from the start of the stream, are valid UTF-8. There the ill-formed sequence
    /// begins, be it in an earlier chunk than the one that gave the error.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"abc\xF0\x9F").unwrap();
    /// assert_eq!(validator.push(b"!").unwrap_err().valid_up_to(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }

    /// How many bytes the ill-formed sequence has, 1 to 3, or `None` where the stream ends too early.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"abc\xF0\x9F").unwrap();
    /// assert_eq!(validator.finish().unwrap_err().error_len(), None);
    /// assert_eq!(validator.push(b"!").unwrap_err().error_len(), Some(2));
    /// ```
    #[inline]
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        self.sequence.error_len()
    }

    /// Which rule of RFC 3629 is broken.
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    /// assert_eq!(Validator::new().push(b"\xC0\xAF").unwrap_err().kind(), ErrorKind::Overlong);
    /// ```
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.sequence.kind()
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sequence.debug(f.debug_struct("StreamError").field("valid_up_to", &self.valid_up_to))
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid UTF-8 at byte {}: {}", self.valid_up_to, self.sequence)
    }
}

impl core::error::Error for StreamError {}

/// A [`Validator`] that hands out the text: each chunk as `&str`, with nothing copied but the
/// character that a border cuts.
///
/// What the pieces hold, one after the other, is the input, without the [`pending`](Self::pending)
/// bytes at its end. So a parser can run on them.
///
/// ```
/// use trust8::stream::Decoder;
///
/// let mut decoder = Decoder::new();
/// let mut text = String::new();
/// for chunk in "Grüße aus Köln".as_bytes().chunks(3) {
///     text.extend(&decoder.decode(chunk)?);
/// }
/// decoder.finish()?;
/// assert_eq!(text, "Grüße aus Köln");
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, only as much of the buffer as was read is decoded:
///
/// ```
/// use std::io::Read;
/// use trust8::stream::Decoder;
///
/// let mut reader = "日本語".as_bytes();
/// let mut decoder = Decoder::new();
/// let mut buf = [0; 4];
/// let mut characters = 0;
/// loop {
///     let n = reader.read(&mut buf)?;
///     if n == 0 {
///         break;
///     }
///     let piece = decoder.decode(&buf[..n])?;
///     characters += piece.completed().chars().count() + piece.rest().chars().count();
/// }
/// decoder.finish()?;
/// assert_eq!(characters, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct Decoder {
    validator: Validator,
}

impl Decoder {
    /// At the start of the input.
    ///
    /// ```
    /// assert!(trust8::stream::Decoder::new().decode(b"").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { validator: Validator::new() }
    }

    /// Takes the next bytes of the input and returns the text that they complete.
    ///
    /// # Errors
    ///
    /// If with these bytes it has become certain that the input is not UTF-8. The error stays: from
    /// then on every call returns it, until [`reset`](Self::reset). It says how far the text goes:
    ///
    /// ```
    /// use trust8::stream::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// let piece = decoder.decode(b"abc\xC3").unwrap();
    /// assert_eq!((piece.completed(), piece.rest()), ("", "abc"));
    /// let piece = decoder.decode(b"\xA9def").unwrap();
    /// assert_eq!((piece.completed(), piece.rest()), ("é", "def"));
    ///
    /// let begin = decoder.valid_up_to();
    /// let chunk = b"gh\xFF";
    /// let error = decoder.decode(chunk).unwrap_err();
    /// assert_eq!(&chunk[..(error.valid_up_to() - begin) as usize], b"gh");
    /// ```
    #[inline]
    pub fn decode<'a>(&mut self, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        self.validator.advance(chunk, kernel::validate).or_else(|verdict| self.validator.stop(chunk, verdict))
    }

    /// [`decode`](Self::decode) with this kernel: for tests and measurements.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[inline]
    pub(crate) fn decode_with<'a>(
        &mut self,
        kernel: &Kernel,
        chunk: &'a [u8],
    ) -> Result<Piece<'a>, StreamError> {
        self.validator
            .advance(chunk, |bytes| kernel.verdict(bytes))
            .or_else(|verdict| self.validator.stop(chunk, verdict))
    }

    /// Says that the input ends here.
    ///
    /// # Errors
    ///
    /// If it ends inside a character, or there has been an error.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"\xE2\x82").unwrap();
    /// assert_eq!(decoder.finish().unwrap_err().error_len(), None);
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        self.validator.finish()
    }

    /// How many bytes the pieces so far have together.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"abc\xE2\x82").unwrap();
    /// assert_eq!(decoder.valid_up_to(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.validator.valid_up_to()
    }

    /// The last 0 to 3 bytes so far, if they begin a character that is not complete yet.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"abc\xE2\x82").unwrap();
    /// assert_eq!(decoder.pending(), b"\xE2\x82");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.validator.pending()
    }

    /// Forgets everything: as [`new`](Self::new).
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert!(decoder.decode(b"\x80").is_err());
    /// decoder.reset();
    /// assert_eq!(decoder.decode(b"text").unwrap().rest(), "text");
    /// ```
    pub fn reset(&mut self) {
        self.validator.reset();
    }
}

/// A decoder that goes on where the validator stands.
///
/// ```
/// use trust8::{Validator, stream::Decoder};
/// let mut validator = Validator::new();
/// validator.push(b"abc\xC3").unwrap();
/// assert_eq!(Decoder::from(validator).decode(b"\xA9").unwrap().completed(), "é");
/// ```
impl From<Validator> for Decoder {
    fn from(validator: Validator) -> Self {
        Self { validator }
    }
}

/// A validator that goes on where the decoder stands.
///
/// ```
/// use trust8::{Validator, stream::Decoder};
/// let mut decoder = Decoder::new();
/// decoder.decode(b"abc\xC3").unwrap();
/// assert_eq!(Validator::from(decoder).pending(), b"\xC3");
/// ```
impl From<Decoder> for Validator {
    fn from(decoder: Decoder) -> Self {
        decoder.validator
    }
}

/// The text that one chunk brings: a character that it completes, then the rest.
///
/// ```
/// let mut decoder = trust8::stream::Decoder::new();
/// decoder.decode(b"\xF0\x9F").unwrap();
/// let piece = decoder.decode(b"\x98\x80, hello \xC3").unwrap();
/// assert_eq!(piece.completed(), "😀");
/// assert_eq!(piece.rest(), ", hello ");
/// assert_eq!(piece.into_iter().collect::<String>(), "😀, hello ");
/// assert_eq!(piece.to_string(), "😀, hello ");
/// ```
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    completed: Completed,
    rest: &'a str,
}

impl<'a> Piece<'a> {
    /// The character that began in an earlier chunk and ends in this one; empty if there is none.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert_eq!(decoder.decode(b"a\xC2").unwrap().completed(), "");
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().completed(), "µ");
    /// ```
    #[must_use]
    pub fn completed(&self) -> &str {
        // At most four bytes: looking at them once more is cheaper than to be trusted about them.
        core::str::from_utf8(&self.completed.bytes[..self.completed.len as usize])
            .expect("`complete` has found them to be a character")
    }

    /// The chunk itself, without what completes an earlier character and without what begins one
    /// at its end.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert_eq!(decoder.decode(b"a\xC2").unwrap().rest(), "a");
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().rest(), "b");
    /// ```
    #[inline]
    #[must_use]
    pub const fn rest(&self) -> &'a str {
        self.rest
    }

    /// How many bytes both have together.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"\xC2").unwrap();
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().len(), 3);
    /// ```
    #[must_use]
    pub const fn len(&self) -> usize {
        self.completed.len as usize + self.rest.len()
    }

    /// Whether the chunk brought no text: it had no bytes, or only some of a character.
    ///
    /// ```
    /// assert!(trust8::stream::Decoder::new().decode(b"\xE2\x82").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The one or two strings that are not empty.
impl<'p> IntoIterator for &'p Piece<'_> {
    type Item = &'p str;
    type IntoIter = core::iter::Filter<core::array::IntoIter<&'p str, 2>, fn(&&'p str) -> bool>;

    fn into_iter(self) -> Self::IntoIter {
        [self.completed(), self.rest].into_iter().filter(|text| !text.is_empty())
    }
}

impl fmt::Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.completed())?;
        f.write_str(self.rest)
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece").field("completed", &self.completed()).field("rest", &self.rest).finish()
    }
}
