//! # Lossy text and repairs
//!
//! Any bytes become text: one U+FFFD replaces each ill-formed sequence, as in web browsers, or a
//! policy selects the replacement.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use trust8::Policy;
use trust8::boundary::is_continuation;
use trust8::engine::windows_1252;
use trust8::stream::Decoder;

use crate::errors::TRUST8_NONE;
use crate::memory;

/// Returns the length of the lossy text, in bytes: `len` if the bytes are UTF-8, and never more
/// than three times as many. Returns TRUST8_NONE for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy_len(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    match unsafe { memory::bytes(data, len) } {
        Some(bytes) => trust8::lossy_len(bytes),
        None => TRUST8_NONE,
    }
}

/// Writes the lossy text to `out`, without a terminator. Returns its length, or TRUST8_NONE if it
/// does not fit: then the contents of `out` are unspecified. trust8_lossy_len returns a sufficient
/// capacity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy(
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, room)) = (unsafe { memory::both(data, len, out, cap) }) else { return TRUST8_NONE };
    match trust8::copy_utf8_lossy(bytes, room) {
        Ok(text) => text.len(),
        Err(_) => TRUST8_NONE,
    }
}

/// A policy: each ill-formed sequence becomes U+FFFD, as in trust8_lossy.
pub const TRUST8_REPLACE: u32 = 1;
/// A policy: each ill-formed sequence becomes U+FFFD, as in Java, where a surrogate becomes one and
/// not three.
pub const TRUST8_JAVA: u32 = 2;
/// A policy: ill-formed sequences are dropped.
pub const TRUST8_DROP: u32 = 3;
/// A policy: each byte of an ill-formed sequence becomes \xNN, with two upper-case digits.
pub const TRUST8_ESCAPE: u32 = 4;
/// A policy: each byte of an ill-formed sequence becomes its character in windows-1252.
pub const TRUST8_WINDOWS_1252: u32 = 5;

/// Returns the output length of trust8_repair: at most four times `len`. Returns TRUST8_NONE for a
/// misuse, such as a number that names no policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_repair_len(policy: u32, data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return TRUST8_NONE };
    let mut len = 0_usize;
    let repaired = repair(policy, bytes, &mut |part| {
        len = len.saturating_add(part.len());
        Some(())
    });
    if repaired.is_some() { len } else { TRUST8_NONE }
}

/// Writes the text repaired by a policy to `out`, without a terminator. Returns its length, or
/// TRUST8_NONE if it does not fit: then the contents of `out` are unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_repair(
    policy: u32,
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, mut room)) = (unsafe { memory::both(data, len, out, cap) }) else { return TRUST8_NONE };
    let repaired = repair(policy, bytes, &mut |part| {
        let to = room.split_off_mut(..part.len())?;
        to.iter_mut().zip(part).for_each(|(to, byte)| *to = MaybeUninit::new(*byte));
        Some(())
    });
    if repaired.is_some() { cap - room.len() } else { TRUST8_NONE }
}

/// Calls `put` with the parts of the repaired text. Returns `None` if there is no such policy, or
/// as soon as `put` does.
fn repair(policy: u32, bytes: &[u8], put: &mut dyn FnMut(&[u8]) -> Option<()>) -> Option<()> {
    if !(TRUST8_REPLACE..=TRUST8_WINDOWS_1252).contains(&policy) {
        return None;
    }
    // `done` is the end of the repaired part, which may be later than the end of the ill-formed
    // sequence.
    let (mut at, mut done) = (0, 0);
    for chunk in trust8::utf8_chunks(bytes) {
        put(chunk.valid().as_bytes())?;
        at += chunk.valid().len();
        let (start, invalid) = (at, chunk.invalid());
        at += invalid.len();
        if invalid.is_empty() || start < done {
            continue;
        }
        match policy {
            TRUST8_DROP => {}
            TRUST8_ESCAPE => {
                let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
                invalid
                    .iter()
                    .try_for_each(|&byte| put(&[b'\\', b'x', digit(byte >> 4), digit(byte & 0xF)]))?;
            }
            TRUST8_WINDOWS_1252 => invalid
                .iter()
                .try_for_each(|&byte| put(windows_1252(byte).encode_utf8(&mut [0; 4]).as_bytes()))?,
            _ => {
                put("\u{FFFD}".as_bytes())?;
                if policy == TRUST8_JAVA
                    && let Some([0xED, 0xA0..=0xBF, after @ ..]) = bytes.get(start..)
                {
                    done = start + 2 + usize::from(after.first().is_some_and(|byte| is_continuation(*byte)));
                }
            }
        }
    }
    Some(())
}

/// The state of a decoder of text in pieces. The meaning of the numbers is not part of the
/// interface, and may differ in another version. They contain a checksum, as in trust8_validator.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_decoder {
    /// The state.
    pub state: [u64; 2],
}

/// What the struct contains.
#[repr(C)]
#[derive(Clone, Copy)]
struct Kept {
    replaced: u64,
    /// The [checksum](Kept::mark) of the other two.
    mark: u32,
    state: [u8; 4],
}

const _: () = assert!(size_of::<Kept>() == size_of::<trust8_decoder>());

impl Kept {
    /// What no decoder has.
    const MISUSE: Self = Self { replaced: 0, mark: !Self::mark(0, [0; 4]), state: [0; 4] };

    fn new(decoder: &Decoder) -> Self {
        let (replaced, state) = decoder.parts();
        Self { replaced, mark: Self::mark(replaced, state), state }
    }

    const fn mark(replaced: u64, state: [u8; 4]) -> u32 {
        const ODD: u64 = 0xD6E8_FEB8_6659_FD93;
        let mixed = (replaced ^ (u32::from_ne_bytes(state) as u64) << 32).wrapping_mul(ODD);
        (mixed >> 32) as u32 ^ u32::from_ne_bytes(*b"loss")
    }

    /// Returns the decoder, or `None` if no function of this library has written the struct.
    fn decoder(self) -> Option<Decoder> {
        let is_intact = self.mark == Self::mark(self.replaced, self.state);
        if is_intact { Decoder::from_parts(self.replaced, self.state) } else { None }
    }
}

/// A flag for trust8_decoder_init, beside a policy: the signature EF BB BF is removed if the text
/// begins with it.
pub const TRUST8_STRIP_BOM: u32 = 0x100;

/// Begins text in pieces, which a policy repairs: TRUST8_REPLACE, or another one, also with
/// TRUST8_STRIP_BOM. Returns false for a misuse, such as a number that names no policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_decoder_init(decoder: *mut trust8_decoder, policy: u32) -> bool {
    let strips_bom = policy & TRUST8_STRIP_BOM != 0;
    let policy = match policy & !TRUST8_STRIP_BOM {
        TRUST8_REPLACE => Some(Policy::Replace),
        TRUST8_JAVA => Some(Policy::Java),
        TRUST8_DROP => Some(Policy::Drop),
        TRUST8_ESCAPE => Some(Policy::Escape),
        TRUST8_WINDOWS_1252 => Some(Policy::Windows1252),
        _ => None,
    };
    let new = policy.and_then(Decoder::with_policy).map(|decoder| decoder.strip_bom(strips_bom));
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(decoder.cast(), new.as_ref().map_or(Kept::MISUSE, Kept::new)) };
    new.is_some() && !decoder.is_null()
}

/// Writes the repaired text that the next piece completes to `out`, without a terminator. Returns
/// its length. The texts of all pieces, and that of trust8_decoder_finish, together are what
/// trust8_repair makes of the whole, wherever it is cut, without a signature if it is removed.
///
/// A capacity of four times `len`, and 12 more, is always enough. If the text does not fit, or for
/// a misuse, the result is TRUST8_NONE, the contents of `out` are unspecified, and the state does
/// not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_decoder_push(
    decoder: *mut trust8_decoder,
    piece: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    if !memory::is_apart(decoder, (piece, len)) {
        return TRUST8_NONE;
    }
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, room)) = (unsafe { memory::both(piece, len, out, cap) }) else { return TRUST8_NONE };
    // SAFETY: the caller vouches for the struct.
    unsafe { decode(decoder, Some(bytes), room) }
}

/// Ends the text: writes to `out` what replaces a character that is not complete, at most 12 bytes,
/// and returns its length. The next piece begins a new text. The result is TRUST8_NONE as for
/// trust8_decoder_push.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_decoder_finish(
    decoder: *mut trust8_decoder,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory.
    let Some(room) = (unsafe { memory::room(out, cap) }) else { return TRUST8_NONE };
    // SAFETY: the caller vouches for the struct.
    unsafe { decode(decoder, None, room) }
}

/// Returns how many ill-formed sequences the text had so far, or UINT64_MAX for a misuse. Under
/// every policy, these are what TRUST8_REPLACE replaces with one U+FFFD each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_decoder_replaced(decoder: *const trust8_decoder) -> u64 {
    // SAFETY: the caller vouches for the struct.
    let kept: Option<Kept> = unsafe { memory::take(decoder.cast()) };
    kept.and_then(Kept::decoder).map_or(u64::MAX, |decoder| decoder.replaced())
}

/// Writes the text of a piece, or of the end, to `room`, and the state to `decoder`. Returns the
/// length of the text, or TRUST8_NONE.
///
/// # Safety
///
/// - The same as for [`memory::take`] and [`memory::put`].
unsafe fn decode(
    decoder: *mut trust8_decoder,
    piece: Option<&[u8]>,
    mut room: &mut [MaybeUninit<u8>],
) -> usize {
    let cap = room.len();
    if !memory::is_apart(decoder, (room.as_ptr().cast(), cap)) {
        return TRUST8_NONE;
    }
    // SAFETY: the caller vouches for the struct.
    let kept: Option<Kept> = unsafe { memory::take(decoder.cast()) };
    let Some(mut next) = kept.and_then(Kept::decoder) else { return TRUST8_NONE };
    let mut text = match piece {
        Some(piece) => next.push(piece),
        None => next.finish(),
    };
    let written = text.try_for_each(|part| {
        let to = room.split_off_mut(..part.len())?;
        to.iter_mut().zip(part.as_bytes()).for_each(|(to, byte)| *to = MaybeUninit::new(*byte));
        Some(())
    });
    if written.is_none() {
        return TRUST8_NONE;
    }
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(decoder.cast(), Kept::new(&next)) };
    cap - room.len()
}
