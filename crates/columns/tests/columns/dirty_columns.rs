//! Columns with rows that are not UTF-8, with every kernel: the bad rows, and what they are repaired to, against a loop over the
//! rows.

use super::support::kernels::{fault_of, kernels, ways};
use super::support::malformed::MALFORMED;
use super::support::oracle::{Fault, fault};
use super::support::random::{Random, cases, passage, text};
use super::support::scale::{Thin, scale};
use proptest::prelude::*;
use trust8::TooSmall;
use trust8_columns::{
    Column, ColumnErrorKind, FixedSize, KernelColumns, Offset, Offsets, Validity, Views, invalid_rows,
    validate_offsets,
};

/// The rows of a column, in order; `None` is a null, under which these bytes lie.
pub(crate) type Row = (Vec<u8>, bool);

fn model(rows: &[Row]) -> Vec<(usize, Fault)> {
    let rows = rows.iter().enumerate().filter(|(_, (_, is_valid))| *is_valid);
    rows.filter_map(|(row, (bytes, _))| Some((row, fault(bytes)?))).collect()
}

fn check_column<C: Column>(column: C, rows: &[Row], expected: &[(usize, Fault)], what: &str) {
    assert_eq!(column.rows(), rows.len());
    let mut bits = vec![0; rows.len().div_ceil(8)];
    expected.iter().for_each(|(row, _)| bits[row / 8] |= 1 << (row % 8));
    for way in ways() {
        let found: Vec<_> =
            way.kernel.invalid_rows(column).map(|(row, error)| (row, fault_of(&error))).collect();
        assert_eq!(found, expected, "{}, {what}: {rows:02X?}", way.name);
        let mut bitmap = vec![0xA5; bits.len() + 1];
        let count = way.kernel.invalid_rows(column).bitmap(&mut bitmap);
        assert_eq!(count, Ok(expected.len()), "{}, {what}", way.name);
        assert_eq!((&bitmap[..bits.len()], bitmap[bits.len()]), (&bits[..], 0xA5), "{}, {what}", way.name);
    }
}

/// The memory of a column in each layout.
pub(crate) struct Memory {
    pub(crate) values: Vec<u8>,
    pub(crate) offsets: Vec<i64>,
    pub(crate) views: Vec<u128>,
    pub(crate) buffers: [Vec<u8>; 2],
    pub(crate) validity: Vec<u8>,
    pub(crate) bit: usize,
}

impl Memory {
    pub(crate) fn of(rows: &[Row], bit: usize) -> Self {
        // Values before the first row and after the last one are not part of the column.
        let (mut values, mut offsets) = (b"\xFF\xE2\x82".to_vec(), vec![3]);
        let mut buffers = [b"\xF0\x9F".to_vec(), b"first".to_vec()];
        let mut validity = vec![0xA5; (bit + rows.len()).div_ceil(8)];
        let mut views = Vec::new();
        for (row, (bytes, is_valid)) in rows.iter().enumerate() {
            values.extend_from_slice(bytes);
            offsets.push(values.len() as i64);
            let (byte, mask) = ((bit + row) / 8, 1 << ((bit + row) % 8));
            validity[byte] = if *is_valid { validity[byte] | mask } else { validity[byte] & !mask };
            let mut view = [0; 16];
            view[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            if bytes.len() <= 12 {
                view[4..4 + bytes.len()].copy_from_slice(bytes);
            } else {
                let number = row / 5 % 2;
                view[4..8].copy_from_slice(&bytes[..4]);
                view[8..12].copy_from_slice(&(number as u32).to_le_bytes());
                view[12..].copy_from_slice(&(buffers[number].len() as u32).to_le_bytes());
                buffers[number].extend_from_slice(bytes);
            }
            // Under a null, a view may be anything.
            views.push(if *is_valid || row % 2 == 0 { u128::from_le_bytes(view) } else { u128::MAX - 7 });
        }
        values.extend_from_slice(b"\x82\xFF");
        Self { values, offsets, views, buffers, validity, bit }
    }

    pub(crate) fn validity(&self) -> Option<Validity<'_>> {
        Some(Validity::new(&self.validity, self.bit))
    }
}

fn check(rows: &[Row], bit: usize) {
    let expected = model(rows);
    let memory = Memory::of(rows, bit);
    let narrow: Vec<i32> = memory.offsets.iter().map(|&offset| offset as i32).collect();
    let validity = memory.validity();
    check_column(
        Offsets::new(&memory.values, &memory.offsets, validity).unwrap(),
        rows,
        &expected,
        "64 bits",
    );
    check_column(Offsets::new(&memory.values, &narrow, validity).unwrap(), rows, &expected, "32 bits");
    check_column(Views::new(&memory.views, &memory.buffers, validity).unwrap(), rows, &expected, "views");
    if rows.iter().all(|(_, is_valid)| *is_valid) {
        check_column(Offsets::new(&memory.values, &narrow, None).unwrap(), rows, &expected, "no bitmap");
        check_column(Views::new(&memory.views, &memory.buffers, None).unwrap(), rows, &expected, "no bitmap");
    }
    let width = rows.first().map_or(0, |(bytes, _)| bytes.len());
    if rows.iter().all(|(bytes, _)| bytes.len() == width) {
        let column = FixedSize::<i32>::new(&memory.values[3..], width, rows.len(), validity).unwrap();
        check_column(column, rows, &expected, "fixed size");
    }
}

fn all_valid(rows: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<Row> {
    rows.into_iter().map(|row| (row.as_ref().to_vec(), true)).collect()
}

#[test]
fn few_rows() {
    check(&[], 0);
    check(&all_valid([b""; 3]), 1);
    check(&all_valid([&b"a"[..], b"", b"\xFF"]), 0);
    check(&[(b"\xFF".to_vec(), false), (b"\xFF".to_vec(), true)], 7);
    assert_eq!(invalid_rows(Offsets::<i32>::new(b"\xFF", &[], None).unwrap()).count(), 0);
    assert_eq!(invalid_rows(Offsets::new(b"\xFF", &[1], None).unwrap()).count(), 0);
    assert_eq!(invalid_rows(FixedSize::<i32>::new(b"", 0, 5, None).unwrap()).count(), 0);
}

/// A text cut into rows at every place, and rows that are empty inside a character: every row that has a part of a character is
/// bad, and no other one.
#[test]
fn rows_that_cut_characters() {
    let mut thin = Thin::new();
    for text in ["aé日😀b", "😀😀", "日é"] {
        let bytes = text.as_bytes();
        for mask in 0..1_usize << (bytes.len() - 1) {
            for empty in [0, 1, 2] {
                if !thin.keep() {
                    continue;
                }
                let mut rows = vec![Vec::new()];
                for (at, &byte) in bytes.iter().enumerate() {
                    if at > 0 && mask >> (at - 1) & 1 == 1 {
                        rows.resize(rows.len() + 1 + empty, Vec::new());
                    }
                    rows.last_mut().unwrap().push(byte);
                }
                check(&all_valid(&rows), mask % 9);
                // With every second row null.
                let rows: Vec<Row> = rows.into_iter().zip([true, false].into_iter().cycle()).collect();
                check(&rows, mask % 9);
            }
        }
    }
}

/// Each malformed sequence in a row, at the ends of words, groups of views, and groups of rows.
#[test]
fn every_malformed_sequence_at_borders() {
    let mut thin = Thin::new();
    for malformed in &MALFORMED {
        for filler in ["", "é", "日本語", "some more of that, longer than a view holds: é"] {
            for row in [0, 63, 64, 127, 128, 1023, 1024, 1025, 2047, 2099] {
                if !thin.keep() {
                    continue;
                }
                let mut rows = all_valid(std::iter::repeat_n(filler, 2100));
                rows[row].0 = malformed.bytes.to_vec();
                check(&rows, 3);
                rows[row].0 = [filler.as_bytes(), malformed.bytes, filler.as_bytes()].concat();
                check(&rows, 0);
                rows[row].1 = false;
                check(&rows, 5);
            }
        }
    }
}

/// Rows of many lengths; many, few, or all are bad.
#[test]
fn columns_with_many_bad_rows() {
    let mut random = Random::new(0xC01_5EED);
    let texts =
        ["", "a", "é", "日本", "😀", "plain text", "Съешь же ещё этих", "long enough for a buffer, é"];
    for case in 0..(400 / scale()).max(12) {
        let bad_one_in = [1, 2, 30, 1000][case % 4];
        let null_one_in = [5, 1000, 1][case / 4 % 3];
        let long = [1, 1, 30][case / 12 % 3];
        let rows: Vec<Row> = (0..random.index(5000 / long))
            .map(|_| {
                let mut bytes = random.one_of(&texts).repeat(random.index(2 * long + 1)).into_bytes();
                if random.below(bad_one_in) == 0 {
                    let malformed = random.one_of(&[0, 7, 13, 21, 30, 40]);
                    let at = random.index(bytes.len() + 1);
                    bytes.splice(at..at, MALFORMED[malformed].bytes.iter().copied());
                }
                (bytes, null_one_in == 1 || random.below(null_one_in) != 0)
            })
            .collect();
        check(&rows, random.index(70));
    }
}

#[test]
fn fixed_size_rows() {
    let mut random = Random::new(0xF1_8ED);
    for width in [1, 2, 3, 4, 5, 8, 16, 33] {
        for bad in [0, 1, 40] {
            let mut values = "aé日😀".repeat(300).into_bytes();
            for _ in 0..bad {
                let at = random.index(values.len());
                values[at] = random.below(256) as u8;
            }
            check(&all_valid(values.chunks_exact(width)), 0);
            // Whole characters, so that most rows are valid.
            let rows = std::iter::repeat_n(&values[..width], 1500).chain(values.chunks_exact(width).take(9));
            check(&all_valid(rows), 6);
        }
    }
}

#[test]
fn layouts_that_lie() {
    let kind = |error: trust8_columns::ColumnError| (error.row(), error.kind());
    // The errors of offsets and views are those of the functions that validate, whose tests go through them.
    for offsets in
        [[0, 1, 5, 2], [-1, 0, 1, 2], [0, 9, 9, 9], [0, 0, 0, 4], [i64::MAX, 0, 1, i64::MIN], [3, 2, 1, 0]]
    {
        let expected = validate_offsets(b"abc", &offsets).unwrap_err();
        assert_eq!(Offsets::new(b"abc", &offsets, None).unwrap_err(), expected);
    }
    assert_eq!(Offsets::new(b"abc", &[-7_i32], None).unwrap_err().row(), 0);
    let short = Validity::new(&[0xFF, 0xFF], 5);
    let offsets = [0_i32; 13];
    assert_eq!(
        kind(Offsets::new(b"", &offsets, Some(short)).unwrap_err()),
        (11, ColumnErrorKind::ShortValidity { rows: 12 })
    );
    assert_eq!(
        kind(Views::new(&[0; 12], &[b""], Some(short)).unwrap_err()),
        (11, ColumnErrorKind::ShortValidity { rows: 12 })
    );
    assert!(Offsets::new(b"", &offsets[..12], Some(short)).is_ok());
    let beyond = Validity::new(&[0xFF], usize::MAX);
    assert!(!beyond.is_valid(0) && !beyond.is_valid(1));
    assert_eq!(Offsets::new(b"", &offsets, Some(beyond)).unwrap_err().row(), 0);
    assert_eq!(
        kind(FixedSize::<i64>::new(b"abcdefg", 3, 4, None).unwrap_err()),
        (2, ColumnErrorKind::ShortValues { width: 3, values_len: 7 })
    );
    // It was "the offset 9223372036854775807 is beyond the end", which no column has.
    assert_eq!(
        FixedSize::<i32>::new(b"abc", 1000, usize::MAX, None).unwrap_err().to_string(),
        "row 0: a row of 1000 bytes ends beyond the end of the values, which have 3 bytes"
    );
    let mut bad = trust8_columns::invalid_rows(FixedSize::<i32>::new(b"\xFF\xFF", 1, 2, None).unwrap());
    assert!(bad.next().is_some() && bad.size_hint().1 >= Some(1));
    let view = |word: u128| {
        Views::new(&[0, word], &[b"13 characters"], None).map(|column| column.rows()).map_err(kind)
    };
    let good = u128::from_le_bytes(*b"\x0D\0\0\x0013 c\0\0\0\0\0\0\0\0");
    assert_eq!(view(good), Ok(2));
    assert!(matches!(view(good + 1), Err((1, ColumnErrorKind::ViewOutOfRange { .. }))));
    assert!(matches!(view(good + (1 << 32)), Err((1, ColumnErrorKind::WrongPrefix { .. }))));
    assert!(matches!(view(good + (1 << 64)), Err((1, ColumnErrorKind::NoSuchBuffer { .. }))));
    assert!(matches!(view(1 << 40), Err((1, ColumnErrorKind::NonZeroPadding { len: 0 }))));
    let message = Offsets::new(b"", &offsets, Some(short)).unwrap_err().to_string();
    assert_eq!(message, "row 11: the validity bitmap has no bit for this row, and the number of rows is 12");
}

#[test]
fn a_bitmap_that_is_too_short_is_an_error() {
    let offsets = [0_i32; 18];
    let column = Offsets::new(b"", &offsets, None).unwrap();
    assert_eq!(invalid_rows(column).bitmap(&mut [0; 2]), Err(TooSmall { needed: 3, len: 2 }));
}

/// A bitmap that is written in the middle has the remaining rows.
#[test]
fn the_rest_of_an_iterator_as_a_bitmap() {
    let values = [0xFF; 3000];
    for taken in [0, 1, 63, 64, 1023, 1024, 1025, 2999, 3000] {
        let column = FixedSize::<i32>::new(&values, 1, 3000, None).unwrap();
        let mut rows = invalid_rows(column);
        assert!(rows.by_ref().take(taken).map(|(row, _)| row).eq(0..taken));
        let mut bitmap = [0xFF; 375];
        assert_eq!(rows.bitmap(&mut bitmap), Ok(3000 - taken));
        assert!((0..3000).all(|row| (bitmap[row / 8] >> (row % 8) & 1 == 1) == (row >= taken)), "{taken}");
    }
}

/// There are no bytes to look at, so rows without any take no time.
#[test]
fn any_number_of_rows_of_no_bytes() {
    let column = FixedSize::<i32>::new(b"", 0, usize::MAX / 2, None).unwrap();
    assert_eq!(column.rows(), usize::MAX / 2);
    assert_eq!(invalid_rows(column).next(), None);
    #[cfg(feature = "alloc")]
    assert!(matches!(
        trust8_columns::repair(column, trust8_columns::Policy::Replace),
        Ok(trust8_columns::Repaired::Borrowed(_))
    ));
}

/// Returns the view of `buffer[from..to]`, of more than 12 bytes.
fn long_view(buffer: &[u8], number: u32, from: usize, to: usize) -> u128 {
    let mut view = [0; 16];
    view[..4].copy_from_slice(&((to - from) as u32).to_le_bytes());
    view[4..8].copy_from_slice(&buffer[from..from + 4]);
    view[8..12].copy_from_slice(&number.to_le_bytes());
    view[12..].copy_from_slice(&(from as u32).to_le_bytes());
    u128::from_le_bytes(view)
}

#[test]
fn views_that_overlap() {
    let mut random = Random::new(0x0_7E4_1A9);
    for case in 0..(60 / scale()).max(6) {
        let buffers: [Vec<u8>; 2] = std::array::from_fn(|_| {
            let mut bytes = "aé日😀".repeat(20).into_bytes();
            for _ in 0..case % 7 {
                let at = random.index(bytes.len());
                let malformed = MALFORMED[random.index(MALFORMED.len())].bytes;
                bytes.splice(at..at, malformed.iter().copied());
            }
            bytes
        });
        let (views, rows): (Vec<_>, Vec<Row>) = (0..400)
            .map(|_| {
                let number = random.index(2);
                let buffer = &buffers[number];
                let from = random.index(buffer.len() - 13);
                let to = from + 13 + random.index(buffer.len() - from - 12);
                (long_view(buffer, number as u32, from, to), (buffer[from..to].to_vec(), true))
            })
            .unzip();
        let column = Views::new(&views, &buffers, None).unwrap();
        check_column(column, &rows, &model(&rows), "overlapping views");
    }
}

/// An `AsRef` that returns another buffer each time gives wrong answers, and no panic.
#[test]
fn buffers_that_change() {
    use std::cell::Cell;
    struct Shrinking(Cell<usize>, Vec<u8>);
    impl AsRef<[u8]> for Shrinking {
        fn as_ref(&self) -> &[u8] {
            self.0.set(self.0.get().saturating_sub(1));
            &self.1[..self.0.get().min(self.1.len())]
        }
    }
    for calls in 100..400 {
        let buffers = [Shrinking(Cell::new(calls), b"13 characters\xFF and more".to_vec())];
        let view = u128::from_le_bytes(*b"\x0E\0\0\x0013 c\0\0\0\0\0\0\0\0");
        if let Ok(column) = Views::new(&[view; 150], &buffers, None) {
            assert!(invalid_rows(column).count() <= 150);
        }
    }
}

fn generic_rows<O: Offset>(values: &[u8], offsets: &[O]) -> Vec<usize> {
    invalid_rows(Offsets::new(values, offsets, None).unwrap()).map(|(row, _)| row).collect()
}

proptest! {
    #![proptest_config(cases(1500, 60))]

    #[test]
    fn any_bytes_cut_anywhere(
        bytes in prop::collection::vec(prop::sample::select(&b"ab\x80\x9F\xA0\xC3\xE0\xE2\xED\xF0\xF4\xFF"[..]), 0..400),
        cuts in prop::collection::vec(0..400_usize, 0..60),
        nulls in any::<u64>(),
        bit in 0..20_usize,
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let rows: Vec<Row> = cuts.windows(2).enumerate()
            .map(|(row, pair)| (bytes[pair[0]..pair[1]].to_vec(), nulls >> (row % 64) & 1 == 0)).collect();
        check(&rows, bit);
    }

    #[test]
    fn spoiled_text_in_rows(
        passages in prop::collection::vec(passage(0..900_usize), 1..4),
        spots in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        len in 1..90_usize,
    ) {
        let mut bytes = text(&passages);
        for (spot, byte) in spots {
            if !bytes.is_empty() {
                let at = spot.index(bytes.len());
                bytes[at] = byte;
            }
        }
        let mut offsets: Vec<i64> = (0..=bytes.len()).step_by(len).map(|at| trust8::boundary::floor(&bytes, at) as i64).collect();
        offsets.sort_unstable();
        let expected: Vec<usize> = (0..offsets.len() - 1)
            .filter(|&row| std::str::from_utf8(&bytes[offsets[row] as usize..offsets[row + 1] as usize]).is_err()).collect();
        prop_assert_eq!(generic_rows(&bytes, &offsets), expected);
        prop_assert!(!kernels().is_empty());
    }
}
