//! Values with their lengths before them, against a loop that validates each value.

use super::support::kernels::ways;
use super::support::malformed::MALFORMED;
use super::support::random::Random;
use super::support::scale::scale;
use trust8_columns::{ColumnErrorKind, KernelColumns, length_prefixed};

/// Parquet's plain encoding.
fn parquet(bytes: &[u8]) -> Option<(usize, usize)> {
    Some((4, u32::from_le_bytes(*bytes.first_chunk()?) as usize))
}

/// A varint of protocol buffers.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let last = bytes.iter().take(9).position(|&byte| byte < 0x80)?;
    let len = bytes[..=last].iter().rev().fold(0_u64, |len, &byte| len << 7 | u64::from(byte & 0x7F));
    Some((last + 1, usize::try_from(len).ok()?))
}

type Prefix = fn(&[u8]) -> Option<(usize, usize)>;

/// Returns the values, with the place of the first fault of each that is bad, and whether the buffer is wrong after them.
fn model(buffer: &[u8], prefix: Prefix) -> (Vec<Result<&str, usize>>, bool) {
    let (mut rest, mut values) = (buffer, Vec::new());
    while !rest.is_empty() {
        let value = prefix(rest)
            .and_then(|(before, len)| rest.get(before..)?.get(..len).map(|value| (before, value)));
        let Some((before, value)) = value else { return (values, true) };
        values.push(core::str::from_utf8(value).map_err(|error| error.valid_up_to()));
        rest = &rest[before + value.len()..];
    }
    (values, false)
}

fn check(buffer: &[u8], prefix: Prefix) {
    let (values, is_wrong) = model(buffer, prefix);
    for way in ways() {
        let mut row = 0;
        let mut found = way.kernel.length_prefixed(buffer, prefix);
        for value in &values {
            let place = found.next().expect("a value").map_err(|error| {
                assert_eq!(error.row(), row);
                let ColumnErrorKind::NotUtf8(error) = error.kind() else { panic!("{error}") };
                error.valid_up_to()
            });
            assert_eq!(place, *value, "{}", way.name);
            row += 1;
        }
        let last = found.next();
        assert_eq!(last.is_some(), is_wrong, "{}", way.name);
        if let Some(last) = last {
            let error = last.expect_err("the buffer ends");
            assert_eq!(error.row(), row);
            let ColumnErrorKind::OffsetOutOfRange { offset, values_len } = error.kind() else {
                panic!("{error}")
            };
            assert!(values_len == buffer.len() && offset > buffer.len() as i64, "{error}");
        }
        assert_eq!(found.next(), None);
    }
}

/// Writes values, with lengths of four bytes or as varints.
fn written(values: &[Vec<u8>], is_parquet: bool) -> Vec<u8> {
    let mut buffer = Vec::new();
    for value in values {
        if is_parquet {
            buffer.extend((value.len() as u32).to_le_bytes());
        } else {
            let mut len = value.len();
            while len >= 0x80 {
                buffer.push(len as u8 | 0x80);
                len >>= 7;
            }
            buffer.push(len as u8);
        }
        buffer.extend(value);
    }
    buffer
}

#[test]
fn values_of_every_length_and_malformed_sequence() {
    for (is_parquet, prefix) in [(true, parquet as Prefix), (false, varint)] {
        for len in [0, 1, 2, 12, 60, 127, 128, 169, 195, 256, 300, 20_000] {
            // A length such as C3 or A9 is half a character.
            let clean = "é日😀".repeat(len / 9 + 1).into_bytes();
            let mut cut = clean.clone();
            cut.truncate(len);
            check(&written(&[b"a".repeat(len), cut, clean, vec![], "\u{E9}".into()], is_parquet), prefix);
        }
        for malformed in &MALFORMED {
            for before in [0, 1, 30, 127, 150] {
                let bad = [&b"x".repeat(before)[..], malformed.bytes].concat();
                check(
                    &written(&[bad.clone(), b"ok".to_vec(), bad, vec![], b"ok".to_vec()], is_parquet),
                    prefix,
                );
            }
        }
    }
}

#[test]
fn buffers_that_lie() {
    let whole = written(&["Zo\u{EB}".into(), vec![], b"Ana".to_vec()], true);
    for end in 0..=whole.len() {
        check(&whole[..end], parquet);
        check(&whole[..end], varint);
    }
    let mut random = Random::new(77);
    for _ in 0..20_000 / scale() {
        let len = random.index(40);
        let buffer: Vec<u8> =
            (0..len).map(|_| [0, 1, 2, 3, 9, 0x80, 0xA9, 0xC3, 0xE2, 0xFF, b'a'][random.index(11)]).collect();
        check(&buffer, parquet);
        check(&buffer, varint);
    }
    check(&[0xFF; 4], parquet);
    // A prefix without bytes would be read forever.
    let nothing = length_prefixed(b"abc", |_| Some((0, 0))).collect::<Vec<_>>();
    assert!(matches!(nothing[..], [Err(error)] if error.row() == 0));
    let huge = length_prefixed(b"abc", |_| Some((usize::MAX, usize::MAX))).collect::<Vec<_>>();
    assert!(matches!(huge[..], [Err(error)] if error.row() == 0));
}
