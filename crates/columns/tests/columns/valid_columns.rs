//! Columns, with every kernel and way, against a loop over their rows. Some of the offsets and views lie.

use super::support::kernels::{fault_of, ways};
use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::oracle::{Fault, fault};
use super::support::random::{Random, cases};
use super::support::scale::{Thin, scale};
use proptest::prelude::*;
use proptest::sample::Index;
use trust8::{Kernel, Utf8Error};
use trust8_columns::{
    ColumnError, ColumnErrorKind, KernelColumns, Offset, validate_offsets, validate_slices, validate_views,
};

/// The error of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    NotUtf8(Fault),
    Other(ColumnErrorKind),
}

/// The first row that is wrong.
type Answer = Result<(), (usize, Wrong)>;

fn answer(result: Result<(), ColumnError>) -> Answer {
    result.map_err(|error| match error.kind() {
        ColumnErrorKind::NotUtf8(in_row) => (error.row(), Wrong::NotUtf8(fault_of(&in_row))),
        other => (error.row(), Wrong::Other(other)),
    })
}

fn check_row(row: usize, bytes: &[u8]) -> Answer {
    fault(bytes).map_or(Ok(()), |fault| Err((row, Wrong::NotUtf8(fault))))
}

/// Checks row by row, in numbers that hold every offset.
fn model_of_offsets(values: &[u8], offsets: &[i128]) -> Answer {
    let check_offset = |row, offset: i128| {
        let wrong = |kind| Err((row, Wrong::Other(kind)));
        if offset < 0 {
            wrong(ColumnErrorKind::NegativeOffset { offset: offset as i64 })
        } else if offset > values.len() as i128 {
            wrong(ColumnErrorKind::OffsetOutOfRange { offset: offset as i64, values_len: values.len() })
        } else {
            Ok(())
        }
    };
    if let Some(&first) = offsets.first() {
        check_offset(0, first)?;
    }
    for (row, pair) in offsets.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        check_offset(row, to)?;
        if to < from {
            let kind = ColumnErrorKind::DecreasingOffset { from: from as i64, to: to as i64 };
            return Err((row, Wrong::Other(kind)));
        }
        check_row(row, &values[from as usize..to as usize])?;
    }
    Ok(())
}

fn check_offsets<O: Offset>(values: &[u8], offsets: &[O]) {
    let wide: Vec<i128> = offsets.iter().map(|&offset| i128::from(offset.into())).collect();
    let expected = model_of_offsets(values, &wide);
    assert_eq!(answer(validate_offsets(values, offsets)), expected);
    for way in ways() {
        let result = way.kernel.validate_offsets(values, offsets);
        assert_eq!(answer(result), expected, "{}", way.name);
    }
}

/// Checks with 64-bit offsets, and with 32-bit offsets if they fit.
fn check_both(values: &[u8], offsets: &[i64]) {
    check_offsets(values, offsets);
    let narrow: Result<Vec<i32>, _> = offsets.iter().map(|&offset| i32::try_from(offset)).collect();
    if let Ok(narrow) = narrow {
        check_offsets(values, &narrow);
    }
}

/// Returns values and offsets that give these rows.
fn offsets_of<'a>(rows: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<i64>) {
    let (mut values, mut offsets) = (Vec::new(), vec![0]);
    for row in rows {
        values.extend_from_slice(row);
        offsets.push(values.len() as i64);
    }
    (values, offsets)
}

#[test]
fn few_rows() {
    check_both(b"", &[]);
    check_both(b"abc", &[]);
    for offset in -1..5 {
        check_both(b"abc", &[offset]);
    }
    check_both(b"", &[0, 0, 0]);
    check_both("é".as_bytes(), &[0, 2, 2, 2]);
    check_both("é".as_bytes(), &[0, 0, 1, 2]);
    check_both("é".as_bytes(), &[1, 1]);
    check_both("é".as_bytes(), &[1, 2]);
    // Values before the first offset and after the last one do not count.
    check_both(b"\xFFabc\x80", &[1, 2, 4]);
    check_both(b"\xFFabc\x80", &[1, 2, 5]);
    check_both(b"\xFFabc\x80", &[0, 2, 4]);
    // An empty row inside a character is valid, but the rows next to it are cut.
    check_both("aéb".as_bytes(), &[2, 2]);
    check_both("aéb".as_bytes(), &[0, 1, 2, 2, 3, 4]);
}

/// `count` was also a method of a hidden supertrait, so this call was ambiguous.
#[test]
fn hidden_methods_hide_no_others() {
    use trust8_columns::Column;

    trait Counted {
        fn count(&self) -> usize {
            7
        }
    }
    impl<C: Column> Counted for C {}

    fn count<C: Column>(column: C) -> usize {
        column.count()
    }
    assert_eq!(count(trust8_columns::Offsets::new(b"", &[0_i32], None).unwrap()), 7);
}

#[test]
fn rows_of_every_layout() {
    use trust8_columns::{Column, FixedSize, Offsets, Validity, Views};

    fn check<C: Column>(column: C, rows: &[Vec<u8>]) {
        assert_eq!(column.rows(), rows.len());
        for (row, bytes) in rows.iter().enumerate() {
            let found = column.row(row);
            assert_eq!(found.as_deref(), (row != 2).then_some(&bytes[..]));
            if let Some(found) = found {
                assert_eq!(answer_of_row(found.text()), fault(bytes));
            }
        }
        assert!(column.row(rows.len()).is_none());
    }
    fn answer_of_row(result: Result<&str, Utf8Error>) -> Option<Fault> {
        result.map(str::len).err().as_ref().map(fault_of)
    }

    for malformed in &MALFORMED {
        let rows = [&b""[..], b"short", b"null", malformed.bytes, b"a string of more than twelve bytes"];
        let rows = rows.map(<[u8]>::to_vec);
        let validity = Some(Validity::new(&[0b1_1011], 0));
        let (values, offsets) = offsets_of(rows.iter().map(|row| &row[..]));
        check(Offsets::new(&values, &offsets, validity).unwrap(), &rows);
        let buffers = [values.clone()];
        let views: Vec<u128> = (0..rows.len())
            .map(|row| match &rows[row] {
                inline if inline.len() <= 12 => inline_view(inline),
                _ => long_view(&buffers, 0, offsets[row] as usize, offsets[row + 1] as usize),
            })
            .collect();
        check(Views::new(&views, &buffers, validity).unwrap(), &rows);
        let fixed = rows.clone().map(|mut row| {
            row.resize(5, b'.');
            row
        });
        check(FixedSize::<i32>::new(&fixed.concat(), 5, rows.len(), validity).unwrap(), &fixed);
    }
}

#[test]
fn hostile_offsets() {
    let values = "aé日😀".repeat(300);
    let starts: Vec<i64> = values.char_indices().map(|(at, _)| at as i64).collect();
    let hostile = [
        i64::MIN,
        i64::MIN + 1,
        i64::from(i32::MIN) - 1,
        i64::from(i32::MIN),
        -1,
        0,
        1,
        values.len() as i64 - 1,
        values.len() as i64,
        values.len() as i64 + 1,
        i64::from(i32::MAX),
        i64::from(i32::MAX) + 1,
        i64::from(u32::MAX),
        i64::from(u32::MAX) + 1,
        i64::from(u32::MAX) + 3,
        i64::MAX - 1,
        i64::MAX,
    ];
    let last = starts.len() - 1;
    for place in [0, 1, 2, 7, 8, 9, 500, 504, 1022, 1023, 1024, 1025, last - 1, last] {
        for offset in hostile {
            let mut offsets = starts.clone();
            offsets[place] = offset;
            check_both(values.as_bytes(), &offsets);
        }
    }
    // Eight offsets are tested together, and the rest one by one. A column may end inside a character.
    for len in 9..=17 {
        let offsets = &starts[..len];
        check_both(values.as_bytes(), offsets);
        for place in 0..len {
            for offset in [-1, offsets[place.saturating_sub(1)] - 1, offsets[place] + 1] {
                let mut offsets = offsets.to_vec();
                offsets[place] = offset;
                check_both(values.as_bytes(), &offsets);
            }
        }
    }
    for first in hostile {
        for second in hostile {
            check_both(values.as_bytes(), &[first, second]);
        }
    }
    // All of them in one column, and a column in which two offsets exchange places.
    check_both(values.as_bytes(), &hostile);
    let mut offsets = starts;
    offsets.swap(700, 701);
    check_both(values.as_bytes(), &offsets);
}

/// From one offset to the next, the difference is positive modulo 2^32 or 2^64. In truth it is negative once.
#[test]
fn offsets_that_go_round() {
    let values = "some text, of which no offset is wrong but one".as_bytes();
    for (least, more) in [(i64::from(i32::MIN), i64::from(i32::MAX)), (i64::MIN, i64::MAX)] {
        for first in [1, 5, 30] {
            for next in [least, least + 1, least + first - 1] {
                for len in [0, 3, 9, 2000] {
                    let mut offsets = vec![first; len];
                    offsets.extend([first, next, next + more, -1, 40]);
                    check_both(values, &offsets);
                    offsets.truncate(len + 2);
                    check_both(values, &offsets);
                }
            }
        }
    }
}

/// Every bit of a view's padding, for every length.
#[test]
fn padding_of_views() {
    for len in 0..=12_usize {
        let mut view = [0; 16];
        view[0] = len as u8;
        view[4..][..len].fill(b'x');
        let valid = u128::from_le_bytes(view);
        for (at, number) in (4..16).zip([0, 1, 5, 127, 128, 129, 130, 200, 255, 256, 257, 258]) {
            for bit in 0..8 {
                let mut views = vec![valid; number];
                views.push(valid ^ 1 << (8 * at + bit));
                views.push(valid);
                check_views(&views, &[]);
            }
        }
    }
}

/// A row may not begin inside a character, whichever row and character it is.
#[test]
fn no_border_inside_a_character() {
    let values = BOUNDARY_CHARACTERS.iter().collect::<String>().repeat(150);
    let starts: Vec<i64> = values.char_indices().map(|(at, _)| at as i64).collect();
    for place in (0..60).chain(1000..1050).chain(1400..1490) {
        for by in 1..4 {
            let mut offsets = starts.clone();
            offsets[place] += by;
            check_both(values.as_bytes(), &offsets);
        }
    }
}

/// Malformed sequences in the rows where one block of rows ends, also with their end in the next row.
#[test]
fn every_malformed_sequence_across_borders() {
    let mut thin = Thin::new();
    for malformed in &MALFORMED {
        for filler in ["", "é", "日本", "some more of that, longer than a vector, and so on é"] {
            for row in [0, 600, 1022, 1023, 1024, 2047, 2099] {
                if !thin.keep() {
                    continue;
                }
                let rows = (0..2100).map(|i| if i == row { malformed.bytes } else { filler.as_bytes() });
                let (values, mut offsets) = offsets_of(rows);
                check_offsets(&values, &offsets);
                // The row's end, or its start, a byte earlier or later.
                for (which, by) in [(row + 1, -1), (row, 1), (row + 1, 1), (row, -1)] {
                    offsets[which] += by;
                    check_offsets(&values, &offsets);
                    offsets[which] -= by;
                }
            }
        }
    }
}

/// Returns the 16 bytes of a view.
fn view(len: u32, prefix: [u8; 4], buffer: u32, offset: u32) -> u128 {
    let words = [len, u32::from_le_bytes(prefix), buffer, offset];
    words.iter().rev().fold(0, |view, &word| view << 32 | u128::from(word))
}

fn inline_view(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[0] = text.len() as u8;
    bytes[4..4 + text.len()].copy_from_slice(text);
    u128::from_le_bytes(bytes)
}

/// Returns the view of a part of a buffer.
fn long_view(buffers: &[Vec<u8>], buffer: usize, from: usize, to: usize) -> u128 {
    let text = &buffers[buffer][from..to];
    match text.len() {
        0..=12 => inline_view(text),
        len => view(len as u32, [text[0], text[1], text[2], text[3]], buffer as u32, from as u32),
    }
}

fn model_of_views(views: &[u128], buffers: &[Vec<u8>]) -> Answer {
    for (row, view) in views.iter().enumerate() {
        let bytes = view.to_le_bytes();
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let wrong = |kind| Err((row, Wrong::Other(kind)));
        let len = word(0);
        if len <= 12 {
            let (text, padding) = bytes[4..].split_at(len as usize);
            if padding.iter().any(|&byte| byte > 0) {
                return wrong(ColumnErrorKind::NonZeroPadding { len });
            }
            check_row(row, text)?;
            continue;
        }
        let (buffer, offset) = (word(8), word(12));
        let Some(whole) = buffers.get(buffer as usize) else {
            return wrong(ColumnErrorKind::NoSuchBuffer { buffer, buffers: buffers.len() });
        };
        if u64::from(offset) + u64::from(len) > whole.len() as u64 {
            let buffer_len = whole.len();
            return wrong(ColumnErrorKind::ViewOutOfRange { buffer, offset, len, buffer_len });
        }
        let text = &whole[offset as usize..(offset + len) as usize];
        let (prefix, actual) = (bytes[4..8].try_into().unwrap(), text[..4].try_into().unwrap());
        if prefix != actual {
            return wrong(ColumnErrorKind::WrongPrefix { prefix, actual });
        }
        check_row(row, text)?;
    }
    Ok(())
}

fn check_views(views: &[u128], buffers: &[Vec<u8>]) {
    let expected = model_of_views(views, buffers);
    assert_eq!(answer(validate_views(views, buffers)), expected);
    for way in ways() {
        // Any kernel will do, not only a static one.
        let validate = |kernel: &Kernel| kernel.validate_views(views, buffers);
        assert_eq!(answer(validate(way.kernel)), expected, "{}", way.name);
    }
}

#[test]
fn views_of_every_length_and_malformed_sequence() {
    let buffers = vec!["日本語😀é, and ASCII".repeat(9).into_bytes()];
    check_views(&[], &buffers);
    check_views(&[], &[]);
    check_views(&[0; 300], &[]);
    for len in 0..=100 {
        for from in 0..40 {
            check_views(&[long_view(&buffers, 0, from, from + len)], &buffers);
        }
    }
    for malformed in &MALFORMED {
        for before in 0..12 {
            for row in [0, 1, 127, 128, 129] {
                let text = [&b"ASCII and yet more"[..before], malformed.bytes].concat();
                let buffers = [[text.as_slice(), b" and after"].concat()];
                let mut views = vec![inline_view(b"x"); 140];
                views[row] = long_view(&buffers, 0, 0, text.len());
                check_views(&views, &buffers);
                views[row] = long_view(&buffers, 0, 0, buffers[0].len());
                check_views(&views, &buffers);
            }
        }
    }
}

/// The next view must not continue a character that the end of an inline string cuts off.
#[test]
fn inline_views_are_rows_of_their_own() {
    for cut in [&b"elevenbytes\xC3"[..], b"tenbytes..\xE6\x97", b"nine.....\xF0\x9F\x98"] {
        assert_eq!(cut.len(), 12);
        for after in [&b"\xA9"[..], b"\xA5", b"\x80"] {
            let views = [inline_view(cut), inline_view(after)];
            check_views(&views, &[]);
            check_views(&views[1..], &[]);
        }
    }
}

#[test]
fn hostile_views() {
    let buffers = vec![b"thirteen byte".to_vec(), vec![], "é".repeat(50).into_bytes()];
    let edges = [0, 1, 2, 3, 11, 12, 13, 14, 99, 100, 101, 0x7FFF_FFFF, 0x8000_0000, u32::MAX - 1, u32::MAX];
    for len in edges {
        for buffer in [0, 1, 2, 3, u32::MAX] {
            for offset in edges {
                for prefix in [*b"thir", "éé".as_bytes().try_into().unwrap(), [0; 4]] {
                    let one = view(len, prefix, buffer, offset);
                    check_views(&[one], &buffers);
                    check_views(&[inline_view(b"ok"), one, view(len, prefix, 9, 9)], &buffers);
                }
            }
        }
    }
    for byte in 4..16 {
        for len in 0..=12_u8 {
            let mut bytes = [0; 16];
            bytes[0] = len;
            bytes[byte] = b'x';
            check_views(&[u128::from_le_bytes(bytes)], &[]);
        }
    }
}

/// Views that overlap, repeat each other, go backwards, leave gaps, and change buffers.
#[test]
fn views_in_any_order() {
    let text = "日本語, é and 😀: more than enough of it. ".repeat(4).into_bytes();
    let mut spoilt = text.clone();
    spoilt[70] = 0xFF;
    let buffers = vec![text, spoilt];
    let starts: Vec<usize> = (0..=60).collect();
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut below = |n: usize| random.index(n);
    for _ in 0..40_000 / scale() {
        let valid_only = below(2) == 0;
        let views: Vec<u128> = (0..below(300))
            .map(|_| {
                let (mut from, mut len) = (starts[below(61)], 13 + below(30));
                let mut buffer = below(40) / 39;
                if valid_only {
                    let text = core::str::from_utf8(&buffers[0]).unwrap();
                    buffer = 0;
                    while !text.is_char_boundary(from) {
                        from += 1;
                    }
                    while !text.is_char_boundary(from + len) {
                        len += 1;
                    }
                }
                long_view(&buffers, buffer, from, from + len)
            })
            .collect();
        check_views_once(&views, &buffers);
        // All of the first buffer is text.
        check_views_once(&views, &buffers[..1]);
        if below(32) == 0 {
            check_views(&views, &buffers[..1]);
        }
    }
}

/// Views into a page of Parquet, where a length of four bytes is before each string. A gap hides neither
/// half a character before it nor half of one after it, and bytes in a gap are no rows.
#[test]
fn views_with_gaps() {
    let clean = "thirteen: 日本語😀é and some more".as_bytes();
    let cut = [&clean[..28], &clean[..27], b"thirteen bytes and \xE6\x97", b"\xA5 thirteen bytes and more"];
    for gap in [
        &b"\x1B\0\0\0"[..],
        b"\x05\0\0\0\xC3\xA9\xE2\x82\xAC\x1B\0\0\0",
        b"\xE2\x82....",
        b"",
        b"12345678",
        b"123456789",
        b"\xC8\0\0\0",
        b"\xA9\xA9\xA9",
        b"\xC3",
        b"\xFF",
    ] {
        for (row, bad) in [0, 1, 126, 127, 128, 139].into_iter().flat_map(|row| cut.map(|bad| (row, bad))) {
            let (mut buffer, mut places) = (Vec::new(), Vec::new());
            for n in 0..140 {
                buffer.extend_from_slice(gap);
                let text = if n == row { bad } else { clean };
                places.push((buffer.len(), buffer.len() + text.len()));
                buffer.extend_from_slice(text);
            }
            buffer.extend_from_slice(gap);
            let buffers = [buffer];
            let views: Vec<u128> =
                places.iter().map(|&(from, to)| long_view(&buffers, 0, from, to)).collect();
            check_views(&views, &buffers);
            check_views(&views[row + 1..], &buffers);
            // Every other row is in a gap.
            check_views(&views.iter().copied().step_by(2).collect::<Vec<_>>(), &buffers);
        }
    }
}

/// Checks with the best kernel only.
fn check_views_once(views: &[u128], buffers: &[Vec<u8>]) {
    assert_eq!(answer(validate_views(views, buffers)), model_of_views(views, buffers));
}

#[test]
fn slices() {
    assert_eq!(validate_slices([b""; 0]), Ok(()));
    for malformed in &MALFORMED {
        let rows: [&[u8]; 4] = ["é".as_bytes(), b"", malformed.bytes, b"\xFF"];
        let expected = check_row(2, malformed.bytes);
        assert!(expected.is_err());
        assert_eq!(answer(validate_slices(rows)), expected);
        assert_eq!(answer(validate_slices(rows.map(<[u8]>::to_vec))), expected);
        for way in ways() {
            assert_eq!(answer(way.kernel.validate_slices(rows)), expected, "{}", way.name);
            assert_eq!(way.kernel.validate_slices(&rows[..2]), Ok(()), "{}", way.name);
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let message = |result: Result<(), ColumnError>| result.unwrap_err().to_string();
    assert_eq!(
        message(validate_offsets(b"abc", &[0, 4])),
        "row 0: the offset 4 is beyond the end of the values, which have 3 bytes"
    );
    assert_eq!(
        message(validate_offsets(b"abc", &[-7, 4])),
        "row 0: offsets must not be negative: this one is -7"
    );
    assert_eq!(
        message(validate_offsets(b"abc", &[0, 2, 1])),
        "row 1: offsets must not decrease: 2 is followed by 1"
    );
    assert!(
        message(validate_offsets(b"ab\xFF", &[0, 1, 3])).starts_with("row 1: invalid UTF-8 at byte 1: FF ")
    );
    assert_eq!(
        message(validate_views(&[view(13, *b"abcd", 2, 0)], &[b""])),
        "row 0: the view names buffer 2, and the number of buffers is 1"
    );
    assert_eq!(
        message(validate_views(&[view(13, *b"abcd", 0, 5)], &[b"abcd"])),
        "row 0: the view names 13 bytes from byte 5 on, and buffer 0 has 4 bytes"
    );
    assert_eq!(
        message(validate_views(&[view(13, *b"abcd", 0, 0)], &[b"abce567890123"])),
        "row 0: the view has the prefix [61, 62, 63, 64], and its string begins with [61, 62, 63, 65]"
    );
    assert_eq!(
        message(validate_views(&[view(1, *b"ab\0\0", 0, 0)], &[b""])),
        "row 0: the view must have zeros after its string of 1 byte"
    );
    let error = validate_slices([b"\xFF"]).unwrap_err();
    assert_eq!(error.to_string(), format!("row 0: {}", trust8::from_utf8(b"\xFF").unwrap_err()));
}

fn row() -> impl Strategy<Value = Vec<u8>> {
    let text = prop::collection::vec(prop::sample::select(BOUNDARY_CHARACTERS.to_vec()), 0..8)
        .prop_map(|chars| String::from_iter(chars).into_bytes());
    prop_oneof![
        400 => text,
        1 => prop::collection::vec(any::<u8>(), 0..6),
        1 => any::<Index>().prop_map(|which| MALFORMED[which.index(MALFORMED.len())].bytes.to_vec()),
    ]
}

proptest! {
    #![proptest_config(cases(1500, 32))]

    #[test]
    fn random_columns(
        rows in prop_oneof![prop::collection::vec(row(), 0..40), prop::collection::vec(row(), 1000..1100)],
        changes in prop::collection::vec((any::<Index>(), prop_oneof![-3..=3_i64, any::<i64>()]), 0..=2),
        slice in any::<(Index, Index)>(),
    ) {
        let (values, mut offsets) = offsets_of(rows.iter().map(Vec::as_slice));
        for (at, by) in changes {
            let at = at.index(offsets.len());
            offsets[at] = offsets[at].wrapping_add(by);
        }
        check_both(&values, &offsets);
        // A part, as a slice of an array is.
        let (from, to) = (slice.0.index(offsets.len()), slice.1.index(offsets.len()));
        check_both(&values, &offsets[from.min(to)..=from.max(to)]);
    }

    #[test]
    fn random_views(
        rows in prop::collection::vec((row(), 0..3_usize), 0..300),
        changes in prop::collection::vec((any::<Index>(), 0..128_u32), 0..=2),
    ) {
        let mut buffers = vec![Vec::new(); 3];
        let mut views = Vec::new();
        for (row, buffer) in &rows {
            let from = buffers[*buffer].len();
            buffers[*buffer].extend_from_slice(row);
            views.push(long_view(&buffers, *buffer, from, from + row.len()));
        }
        for (at, bit) in changes {
            if !views.is_empty() {
                let at = at.index(views.len());
                views[at] ^= 1 << bit;
            }
        }
        check_views(&views, &buffers);
    }
}
