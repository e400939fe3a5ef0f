//! Reading and writing one code point in a dialect.
//!
//! All dialects share the forms of RFC 2279, and differ in the values that they write in each form.
//! So the reader computes the range of possible values after each byte. If the dialect writes none
//! of them in this form, the range shows which rule is broken.

#![forbid(unsafe_code)]

use super::Dialect;
use super::kind::DialectErrorKind;
use trust8::boundary::is_continuation;

/// The smallest value that needs a form of 2, 3, 4, 5 and 6 bytes. Smaller values are overlong in
/// it.
const SMALLEST: [u32; 7] = [0, 0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];

/// The first halves of surrogate pairs.
const HIGH: core::ops::RangeInclusive<u32> = 0xD800..=0xDBFF;
/// The second halves of surrogate pairs.
const LOW: core::ops::RangeInclusive<u32> = 0xDC00..=0xDFFF;

/// The replacement of an exception, and its length.
pub(super) struct Form {
    /// The bytes to write, followed by unused bytes.
    pub(super) bytes: [u8; 8],
    /// The number of bytes to write.
    pub(super) len: usize,
    /// The length of the exception in bytes.
    pub(super) read: usize,
}

impl Form {
    /// Returns U+FFFD for `read` bytes.
    #[inline(always)]
    pub(super) const fn replacement(read: usize) -> Self {
        Self { bytes: *b"\xEF\xBF\xBD\0\0\0\0\0", len: 3, read }
    }

    /// Returns the form of a character in UTF-8.
    #[inline(always)]
    pub(super) fn utf8(character: char, read: usize) -> Self {
        let value = u32::from(character);
        let bits = |from: u32| value >> from & 0x3F;
        let len = character.len_utf8();
        // The first byte is the lowest.
        let bytes = match len {
            1 => value,
            2 => 0x80C0 | value >> 6 | bits(0) << 8,
            3 => 0x80_80E0 | value >> 12 | bits(6) << 8 | bits(0) << 16,
            _ => 0x8080_80F0 | value >> 18 | bits(12) << 8 | bits(6) << 16 | bits(0) << 24,
        };
        Self { bytes: u64::from(bytes).to_le_bytes(), len, read }
    }
}

/// A sequence that is ill-formed in a dialect.
#[derive(Clone, Copy)]
pub(super) struct Malformed {
    pub(super) kind: DialectErrorKind,
    /// The length of the sequence. If `kind` is `Incomplete`, the sequence is the rest of the
    /// input.
    pub(super) len: u8,
    /// The number of bytes that prove the error: the sequence, and the next byte if it decides.
    pub(super) seen: u8,
}

impl Malformed {
    // No sequence has more than six bytes.

    pub(super) const fn new(kind: DialectErrorKind, len: usize) -> Self {
        Self { kind, len: len as u8, seen: len as u8 }
    }

    /// The byte after the sequence proves the error.
    const fn with_next(kind: DialectErrorKind, len: usize) -> Self {
        Self { kind, len: len as u8, seen: len as u8 + 1 }
    }

    /// The last of `seen` bytes proves the error. It is not part of the sequence, unless it is the
    /// only byte.
    const fn proved_by(kind: DialectErrorKind, seen: usize) -> Self {
        let len = if seen > 1 { seen - 1 } else { 1 };
        Self { kind, len: len as u8, seen: seen as u8 }
    }
}

/// Returns the code point and the length of the sequence at the start of `rest`, if it is one of
/// the dialect's own sequences that are common in texts. [`read`] returns the same, but is slower.
#[inline(always)]
pub(super) fn read_own(dialect: Dialect, rest: &[u8]) -> Option<(u32, usize)> {
    if dialect.writes_pairs()
        && let Some(character) = read_pair(rest)
    {
        return Some((character, 6));
    }
    if dialect == Dialect::Rfc2279
        && let Some(&[0xF5..=0xFF, ..] | &[0xF4, 0x90..=0xFF, ..]) = rest.first_chunk::<8>()
    {
        return read_long(rest);
    }
    let &[first, second, third, ..] = rest else { return None };
    if first == 0xED && matches!((second, third), (0xA0..=0xBF, 0x80..=0xBF)) {
        let surrogate = 0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
        return match dialect {
            Dialect::Rfc2279 => Some((surrogate, 3)),
            Dialect::Wtf8 if second >= 0xB0 => Some((surrogate, 3)),
            Dialect::Wtf8 => second_half(&rest[3..]).is_err().then_some((surrogate, 3)),
            Dialect::Utf8 | Dialect::Cesu8 | Dialect::ModifiedUtf8 => None,
        };
    }
    (dialect == Dialect::ModifiedUtf8 && first == 0xC0 && second == 0x80).then_some((0, 2))
}

/// Like [`read`] in RFC 2279, for a form of four to six bytes that begins with `F4` or above, if
/// eight bytes are left. (Some that begin with `F4` are characters of UTF-8.)
#[inline(always)]
pub(super) fn read_long(rest: &[u8]) -> Option<(u32, usize)> {
    let &eight = rest.first_chunk()?;
    let [lead @ 0xF4..=0xFD, a, b, c, d, e, _, _] = eight else { return None };
    let len = lead.leading_ones() as usize;
    // The first byte is the highest. The bytes after it must be continuations.
    let marks = u64::from_be_bytes([0, 0xC0, 0xC0, 0xC0, 0xC0, 0xC0, 0, 0]) & u64::MAX << (8 * (8 - len));
    let continued = u64::from_be_bytes(eight) & marks == 0x8080_8080_8080_8080 & marks;
    // Computed as if there were six bytes. The missing ones are dropped.
    let bits = |byte: u8| u64::from(byte & 0x3F);
    let six =
        u64::from(lead & (0x7F >> len)) << 30 | bits(a) << 24 | bits(b) << 18 | bits(c) << 12 | bits(d) << 6;
    let value = ((six | bits(e)) >> (6 * (6 - len))) as u32;
    (continued && value >= SMALLEST[len]).then_some((value, len))
}

/// Returns the character above U+FFFF of a surrogate pair at the start of `rest`. Emoji text has
/// nothing else, so all six bytes are compared at once.
#[inline(always)]
fn read_pair(rest: &[u8]) -> Option<u32> {
    const FIXED: u64 = u64::from_be_bytes([0, 0, 0xFF, 0xF0, 0xC0, 0xFF, 0xF0, 0xC0]);
    const PAIR: u64 = u64::from_be_bytes([0, 0, 0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]);
    let &[a, b, c, d, e, f] = rest.first_chunk()?;
    let six = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
    let bits = |from: u32, count: u32| (six >> from) as u32 & ((1 << count) - 1);
    // Each surrogate has four bits and six.
    let value = bits(32, 4) << 16 | bits(24, 6) << 10 | bits(8, 4) << 6 | bits(0, 6);
    (six & FIXED == PAIR).then_some(0x1_0000 + value)
}

/// Returns the code point at the start of `rest` and the length of its sequence. `rest` is not
/// empty.
pub(super) fn read(dialect: Dialect, rest: &[u8]) -> Result<(u32, usize), Malformed> {
    use DialectErrorKind::*;
    let in_pairs = dialect.writes_pairs();
    let lead = rest[0];
    let len = match lead.leading_ones() as usize {
        0 if lead == 0 && dialect == Dialect::ModifiedUtf8 => return Err(Malformed::new(Nul, 1)),
        0 => return Ok((lead.into(), 1)),
        1 => return Err(Malformed::new(UnexpectedContinuation, 1)),
        len @ 2..=4 => len,
        len @ 5..=6 if dialect == Dialect::Rfc2279 => len,
        _ => return Err(Malformed::new(InvalidByte, 1)),
    };
    let is_nul = lead == 0xC0 && dialect == Dialect::ModifiedUtf8;

    let mut value = u32::from(lead & (0x7F >> len));
    let mut seen = 1;
    loop {
        // The number of bits that the remaining bytes will set.
        let open = 6 * (len - seen);
        let (least, most) = (value << open, value << open | ((1 << open) - 1));
        let overlong = if is_nul { least > 0 } else { most < SMALLEST[len] };
        if overlong {
            return Err(Malformed::proved_by(Overlong, seen));
        }
        if least > dialect.largest() {
            return Err(Malformed::proved_by(TooLarge, seen));
        }
        let surrogate = *HIGH.start() <= least && most <= *LOW.end();
        if surrogate && dialect == Dialect::Utf8 {
            return Err(Malformed::proved_by(Surrogate, seen));
        }
        if seen == len {
            break;
        }
        match rest.get(seen) {
            Some(&byte @ 0x80..=0xBF) => {
                value = value << 6 | u32::from(byte & 0x3F);
                seen += 1;
            }
            _ if in_pairs && len == 4 => return Err(Malformed::new(FourBytes, seen)),
            _ if in_pairs && LOW.contains(&least) => return Err(Malformed::new(Surrogate, seen)),
            Some(_) => return Err(Malformed::with_next(Truncated, seen)),
            None => return Err(Malformed::new(Incomplete, seen)),
        }
    }

    match dialect {
        Dialect::Cesu8 | Dialect::ModifiedUtf8 if len == 4 => Err(Malformed::new(FourBytes, 4)),
        Dialect::Cesu8 | Dialect::ModifiedUtf8 if LOW.contains(&value) => Err(Malformed::new(Surrogate, 3)),
        Dialect::Cesu8 | Dialect::ModifiedUtf8 if HIGH.contains(&value) => match second_half(&rest[3..]) {
            Ok(low) => Ok((0x1_0000 + ((value - HIGH.start()) << 10 | (low - LOW.start())), 6)),
            Err(Some(there)) => Err(Malformed::new(Incomplete, 3 + there)),
            Err(None) => Err(Malformed::new(Surrogate, 3)),
        },
        Dialect::Wtf8 if HIGH.contains(&value) && second_half(&rest[3..]).is_ok() => {
            Err(Malformed::new(SurrogatePair, 6))
        }
        _ => Ok((value, len)),
    }
}

/// Returns the error at the start of `rest`, if it is one that is common in broken texts. [`read`]
/// returns the same, but is slower.
#[inline]
pub(super) fn read_fault(dialect: Dialect, rest: &[u8]) -> Option<Malformed> {
    use DialectErrorKind::*;
    match *rest {
        [0x80..=0xBF, ..] => Some(Malformed::new(UnexpectedContinuation, 1)),
        [0xFE | 0xFF, ..] => Some(Malformed::new(InvalidByte, 1)),
        [0xF5..=0xF7, ..] if dialect != Dialect::Rfc2279 => Some(Malformed::new(TooLarge, 1)),
        [0xF8..=0xFD, ..] if dialect != Dialect::Rfc2279 => Some(Malformed::new(InvalidByte, 1)),
        [0xC1, ..] => Some(Malformed::new(Overlong, 1)),
        [0xC0, ..] if dialect != Dialect::ModifiedUtf8 => Some(Malformed::new(Overlong, 1)),
        [0xF0..=0xF4, next, ..] if !is_continuation(next) && dialect.writes_pairs() => {
            Some(Malformed::new(FourBytes, 1))
        }
        [0xC2..=0xFD, next, ..] if !is_continuation(next) => Some(Malformed::with_next(Truncated, 1)),
        [0xE1..=0xEC | 0xEE | 0xEF, _, next, ..] if !is_continuation(next) => {
            Some(Malformed::with_next(Truncated, 2))
        }
        _ => None,
    }
}

/// Returns whether `rest` begins with a lead byte without a continuation. In every dialect, that
/// byte is an error by itself.
#[inline(always)]
pub(super) fn is_lone_lead(rest: &[u8]) -> bool {
    matches!(*rest, [0xC0..=0xFF, second, ..] if !is_continuation(second))
}

/// Returns the length of the ill-formed sequence at the start of `rest`, if it is one that is
/// common in broken texts and not a [lone lead](is_lone_lead). [`read`] returns the same, but is
/// slower.
#[inline(always)]
pub(super) fn malformed_len(dialect: Dialect, rest: &[u8]) -> Option<usize> {
    if dialect.writes_pairs() && is_utf8_of_four(rest) {
        return Some(4);
    }
    match *rest {
        [0xF5..=0xFF, ..] if dialect != Dialect::Rfc2279 => Some(1),
        [0x80..=0xBF | 0xFE | 0xFF, ..] => Some(1),
        [0, ..] | [0xC0, 0x81..=0xBF, ..] if dialect == Dialect::ModifiedUtf8 => Some(1),
        // Overlong, or too large.
        [0xF0, 0x80..=0x8F, ..] | [0xF4, 0x90..=0xBF, ..] if dialect.writes_pairs() => Some(1),
        [0xF8, 0x80..=0x87, ..] | [0xFC, 0x80..=0x83, ..] if dialect == Dialect::Rfc2279 => Some(1),
        [lead @ 0xF4..=0xFD, _, _, _, _, _, ..] if dialect == Dialect::Rfc2279 => {
            let len = lead.leading_ones() as usize;
            let seen = 1 + rest[1..].iter().take(len).take_while(|&&byte| is_continuation(byte)).count();
            (seen < len).then_some(seen)
        }
        // An incomplete character of four bytes.
        [0xF0, 0x90..=0xBF, third, ..]
        | [0xF1..=0xF3, 0x80..=0xBF, third, ..]
        | [0xF4, 0x80..=0x8F, third, ..]
            if dialect.writes_pairs() && rest.len() > 3 =>
        {
            Some(2 + usize::from(is_continuation(third)))
        }
        [0xED, 0xA0..=0xBF, third, ..] if !is_continuation(third) => Some(2),
        // Surrogates: if they are not an error, `read_own` recognises them.
        [0xED, 0xB0..=0xBF, _, ..] if dialect.writes_pairs() => Some(3),
        [0xED, 0xA0..=0xAF, _, ref after @ ..] if dialect.writes_pairs() => {
            (second_half(after) == Err(None)).then_some(3)
        }
        [0xED, 0xA0..=0xAF, ..] if dialect == Dialect::Wtf8 => read_pair(rest).map(|_| 6),
        _ => None,
    }
}

/// Returns whether `rest` begins with a four-byte character: the most frequent sequence that CESU-8
/// excludes.
fn is_utf8_of_four(rest: &[u8]) -> bool {
    match *rest {
        [0xF0, 0x90..=0xBF, third, fourth, ..]
        | [0xF1..=0xF3, 0x80..=0xBF, third, fourth, ..]
        | [0xF4, 0x80..=0x8F, third, fourth, ..] => is_continuation(third) & is_continuation(fourth),
        _ => false,
    }
}

/// Returns the second half of a pair at the start of `rest`. If the input ends inside one, the
/// error is the number of its bytes that are there.
fn second_half(rest: &[u8]) -> Result<u32, Option<usize>> {
    match *rest {
        [0xED, second @ 0xB0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Ok(0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F))
        }
        [] | [0xED] | [0xED, 0xB0..=0xBF] => Err(Some(rest.len())),
        _ => Err(None),
    }
}

/// Returns the code point of the bytes of an error, if they are a complete sequence or a pair of
/// surrogates.
pub(super) fn value(bytes: &[u8]) -> Option<u32> {
    let whole = |dialect| match read(dialect, bytes) {
        Ok((value, len)) if len == bytes.len() => Some(value),
        _ => None,
    };
    whole(Dialect::Rfc2279).or_else(|| whole(Dialect::Cesu8))
}

/// Writes `value` as the dialect does. Returns `None` if the dialect can't express it.
pub(super) fn write(dialect: Dialect, value: u32, buffer: &mut [u8; 6]) -> Option<&[u8]> {
    let is_surrogate = HIGH.contains(&value) || LOW.contains(&value);
    let allows_surrogates = matches!(dialect, Dialect::Rfc2279 | Dialect::Wtf8);
    if is_surrogate && !allows_surrogates || value > dialect.largest() {
        return None;
    }
    if value > 0xFFFF && dialect.writes_pairs() {
        *buffer = pair(value);
        return Some(buffer);
    }
    let len = match value {
        0 if dialect == Dialect::ModifiedUtf8 => 2,
        _ => (2..=6).rev().find(|&len| value >= SMALLEST[len]).unwrap_or(1),
    };
    let form = &mut buffer[..len];
    let mut bits = value;
    for byte in form[1..].iter_mut().rev() {
        *byte = 0x80 | (bits & 0x3F) as u8;
        bits >>= 6;
    }
    // The first byte begins with `len` ones and a zero. An ASCII byte begins with a zero.
    let mark = if len == 1 { 0 } else { 0xFF00 >> len & 0xFF };
    form[0] = (mark | bits) as u8;
    Some(form)
}

/// Returns a character above U+FFFF as two surrogates.
#[inline(always)]
fn pair(value: u32) -> [u8; 6] {
    // Each surrogate has four bits of the twenty, and then six.
    let bits = |at: u32, count: u32| ((value - 0x1_0000) >> at & ((1 << count) - 1)) as u8;
    [0xED, 0xA0 | bits(16, 4), 0x80 | bits(10, 6), 0xED, 0xB0 | bits(6, 4), 0x80 | bits(0, 6)]
}

/// Returns the dialect's own form of the character at the start of `text`, if the dialect writes
/// pairs and excludes the UTF-8 form.
#[inline(always)]
pub(super) fn excluded(dialect: Dialect, text: &[u8]) -> Option<Form> {
    debug_assert!(dialect.writes_pairs());
    if let Some(&four) = text.first_chunk()
        && four[0] >= 0xF0
    {
        let four = u32::from_be_bytes(four);
        let bits = |from: u32, count: u32| four >> from & ((1 << count) - 1);
        let [a, b, c, d, e, f] = pair(bits(24, 3) << 18 | bits(16, 6) << 12 | bits(8, 6) << 6 | bits(0, 6));
        return Some(Form { bytes: [a, b, c, d, e, f, 0, 0], len: 6, read: 4 });
    }
    let nul = Form { bytes: [0xC0, 0x80, 0, 0, 0, 0, 0, 0], len: 2, read: 1 };
    (dialect == Dialect::ModifiedUtf8 && text.first() == Some(&0)).then_some(nul)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges of the classes of bytes.
    const BYTES: [u8; 28] = [
        0x00, 0x41, 0x7F, 0x80, 0x83, 0x84, 0x87, 0x88, 0x8F, 0x90, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF, 0xC0, 0xC1,
        0xC2, 0xE0, 0xED, 0xEE, 0xF0, 0xF4, 0xF7, 0xF8, 0xFC, 0xFD, 0xFF,
    ];

    /// Calls a function for every string of up to four of these bytes, alone and before the second
    /// half of a pair.
    fn for_each_string(mut f: impl FnMut(&[u8])) {
        for number in 0..BYTES.len().pow(4) {
            let four: [u8; 4] =
                core::array::from_fn(|i| BYTES[number / BYTES.len().pow(i as u32) % BYTES.len()]);
            let [a, b, c, d] = four;
            for len in 1..=4 {
                f(&four[..len]);
            }
            f(&[a, b, c, 0xED, 0xB0, 0x80]);
            f(&[a, b, c, d, 0xB0, 0x80]);
            f(&[a, b, 0xA5, c, d, 0x9A, 0xFF, 0x80]);
        }
    }

    #[test]
    fn what_is_common_is_read_as_everything_is() {
        let (mut own, mut malformed, mut single) = (0, 0, 0);
        for_each_string(|bytes| {
            for &dialect in Dialect::ALL {
                let read = read(dialect, bytes);
                if let Some(fault) = read_fault(dialect, bytes) {
                    let fields = |Malformed { kind, len, seen }| (kind, len, seen);
                    assert_eq!(read.err().map(fields), Some(fields(fault)), "{dialect}: {bytes:02X?}");
                    single += 1;
                }
                if let Some(long) = read_long(bytes)
                    && dialect == Dialect::Rfc2279
                {
                    assert_eq!(read.ok(), Some(long), "{bytes:02X?}");
                }
                if let Some(common) = read_own(dialect, bytes) {
                    assert_eq!(read.ok(), Some(common), "{dialect}: {bytes:02X?}");
                    own += 1;
                } else if let Some(len) =
                    if is_lone_lead(bytes) { Some(1) } else { malformed_len(dialect, bytes) }
                    && dialect != Dialect::Utf8
                {
                    let expected = read.err().map(|malformed| usize::from(malformed.len));
                    assert_eq!(Some(len), expected, "{dialect}: {bytes:02X?}");
                    malformed += 1;
                }
            }
        });
        assert!(own > 1000 && malformed > 1000 && single > 1000);
    }

    #[test]
    fn what_a_dialect_excludes_is_written_as_everything_is() {
        for value in [0, 0x1_0000, 0x1_F600, 0x2_03FF, 0xF_FFFF, 0x10_0000, 0x10_FFFF] {
            let character = char::from_u32(value).expect("a character");
            let mut text = [0; 5];
            let len = character.encode_utf8(&mut text).len();
            for dialect in [Dialect::Cesu8, Dialect::ModifiedUtf8] {
                for text in [&text[..len], &text] {
                    let Form { bytes, len: written, read } = match excluded(dialect, text) {
                        Some(form) => form,
                        None => {
                            assert!(dialect == Dialect::Cesu8 && value == 0);
                            continue;
                        }
                    };
                    assert_eq!(
                        write(dialect, value, &mut [0; 6]),
                        Some(&bytes[..written]),
                        "{dialect} {value:X}"
                    );
                    assert_eq!(read, len);
                }
            }
        }
        for dialect in [Dialect::Cesu8, Dialect::ModifiedUtf8] {
            assert!(excluded(dialect, "a\u{7FF}".as_bytes()).is_none());
            assert!(excluded(dialect, "\u{FFFF}a".as_bytes()).is_none());
            assert!(excluded(dialect, b"").is_none());
        }
    }
}
