//! Columns with bad rows, repaired by every policy, against a loop over the rows.

#![cfg(feature = "alloc")]

use super::dirty_columns::{Memory, Row};
use super::policies::repaired;
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::random::{Random, cases};
use super::support::scale::{Thin, scale, slow_cases};
use proptest::prelude::*;
use trust8::Kernel;
use trust8_columns::{
    Column, ColumnErrorKind, FixedSize, KernelColumns, Offset, Offsets, Policy, Repaired, RepairedRows,
    RepairedViews, Views, repair,
};

const POLICIES: [Policy; 6] =
    [Policy::Replace, Policy::Java, Policy::Drop, Policy::Null, Policy::Escape, Policy::Windows1252];

/// The repaired column: `None` if it is unchanged, or the text of each row, or `None` for a null.
type Answer = Option<Vec<Option<String>>>;

fn model(rows: &[Row], policy: Policy) -> Answer {
    let is_bad = |(bytes, is_valid): &Row| *is_valid && std::str::from_utf8(bytes).is_err();
    rows.iter().any(is_bad).then(|| {
        let repair = |row: &Row| match (row.1, is_bad(row)) {
            (false, _) => None,
            (true, true) if policy == Policy::Null => None,
            (true, true) => Some(repaired(policy, &row.0)),
            (true, false) => Some(String::from_utf8(row.0.clone()).unwrap()),
        };
        rows.iter().map(repair).collect()
    })
}

/// Returns whether each row is not null: as the new bitmap says, or as before.
fn validity(bitmap: Option<&Vec<u8>>, rows: &[Row]) -> Vec<bool> {
    match bitmap {
        None => rows.iter().map(|(_, is_valid)| *is_valid).collect(),
        Some(bits) => {
            assert_eq!(bits.len(), rows.len().div_ceil(8));
            let unused = 8 * bits.len() - rows.len();
            assert!(
                unused == 0 || bits.last().unwrap().leading_zeros() as usize >= unused,
                "bits after the rows"
            );
            (0..rows.len()).map(|row| bits[row / 8] >> (row % 8) & 1 == 1).collect()
        }
    }
}

fn of_rows<C, O: Offset>(repaired: &Repaired<C, RepairedRows<O>>, rows: &[Row]) -> Answer {
    let Repaired::Owned(RepairedRows { values, offsets, validity: bitmap }) = repaired else { return None };
    // All values are text, also those of nulls.
    let text = std::str::from_utf8(values).expect("new values are UTF-8");
    let offsets: Vec<usize> = offsets.iter().map(|&offset| offset.into() as usize).collect();
    assert_eq!((offsets.len(), offsets[0], offsets[rows.len()]), (rows.len() + 1, 0, text.len()));
    let texts = offsets.windows(2).map(|pair| text.get(pair[0]..pair[1]).expect("whole characters"));
    Some(
        texts
            .zip(validity(bitmap.as_ref(), rows))
            .map(|(text, valid)| valid.then(|| text.to_owned()))
            .collect(),
    )
}

fn of_views<C>(repaired: &Repaired<C, RepairedViews>, buffers: &[Vec<u8>], rows: &[Row]) -> Answer {
    let Repaired::Owned(RepairedViews { views, buffer, validity: bitmap }) = repaired else { return None };
    let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).chain([buffer.as_slice()]).collect();
    // No view is wrong, also under nulls.
    trust8_columns::validate_views(views, &buffers).expect("new views are UTF-8");
    let text = |view: u128| {
        let bytes = view.to_le_bytes();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let text = match word(0) {
            len @ 0..=12 => &bytes[4..4 + len],
            len => &buffers[word(8)][word(12)..][..len],
        };
        String::from_utf8(text.to_vec()).unwrap()
    };
    Some(
        views
            .iter()
            .zip(validity(bitmap.as_ref(), rows))
            .map(|(&view, valid)| valid.then(|| text(view)))
            .collect(),
    )
}

fn check(rows: &[Row], bit: usize) {
    let memory = Memory::of(rows, bit);
    let narrow: Vec<i32> = memory.offsets.iter().map(|&offset| offset as i32).collect();
    let is_null = rows.iter().any(|(_, is_valid)| !is_valid);
    let validity = if is_null || bit % 2 == 1 { memory.validity() } else { None };
    let wide = Offsets::new(&memory.values, &memory.offsets, validity).unwrap();
    let narrow = Offsets::new(&memory.values, &narrow, validity).unwrap();
    let views = Views::new(&memory.views, &memory.buffers, validity).unwrap();
    for policy in POLICIES {
        let expected = model(rows, policy);
        for kernel in kernels() {
            let of = |what: &str| format!("{policy:?}, {}, {what}: {rows:02X?}", kernel.name());
            let answer = kernel.repair(wide, policy, usize::MAX).unwrap();
            assert_eq!(of_rows(&answer, rows), expected, "{}", of("64 bits"));
            let answer = kernel.repair(narrow, policy, usize::MAX).unwrap();
            assert_eq!(of_rows(&answer, rows), expected, "{}", of("32 bits"));
            let answer = kernel.repair(views, policy, usize::MAX).unwrap();
            assert_eq!(of_views(&answer, &memory.buffers, rows), expected, "{}", of("views"));
        }
        let width = rows.first().map_or(0, |(bytes, _)| bytes.len());
        if rows.iter().all(|(bytes, _)| bytes.len() == width) {
            let column = FixedSize::<i64>::new(&memory.values[3..], width, rows.len(), validity).unwrap();
            assert_eq!(of_rows(&repair(column, policy).unwrap(), rows), expected, "{policy:?}, fixed size");
        }
    }
}

fn all_valid(rows: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<Row> {
    rows.into_iter().map(|row| (row.as_ref().to_vec(), true)).collect()
}

/// All sequences of up to four bytes, by classes of bytes: each a row, alone and among text.
#[test]
fn every_short_row() {
    const BYTES: [u8; 19] = [
        b'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3,
        0xF4, 0xFF,
    ];
    let mut thin = Thin::new();
    let mut rows = Vec::new();
    for len in 0..=4_u32 {
        for number in 0..19_usize.pow(len) {
            if len < 3 || thin.keep() {
                rows.push((0..len).map(|i| BYTES[number / 19_usize.pow(i) % 19]).collect::<Vec<_>>());
            }
        }
    }
    for rows in rows.chunks(3000) {
        check(&all_valid(rows), 1);
        check(
            &all_valid(
                rows.iter().map(|row| [b"long enough for views: ", &row[..], "é".as_bytes()].concat()),
            ),
            0,
        );
    }
}

#[test]
fn clean_columns_are_left_alone() {
    check(&[], 0);
    check(&all_valid(["", "é", "日本", ""]), 0);
    check(&[(b"\xFF".to_vec(), false), (b"ok".to_vec(), true), (b"\xE2\x82".to_vec(), false)], 4);
}

#[test]
fn nulls_over_bytes_that_are_no_text() {
    let row = |bytes: &[u8], is_valid| (bytes.to_vec(), is_valid);
    check(
        &[
            row(b"\xE2\x82", false),
            row(b"\xAC", true),
            row("é".as_bytes(), false),
            row(b"\x80 long enough for a view of its own \xFF", false),
            row(b"\xFF long enough for a view of its own \xFF", true),
            row(b"end", true),
        ],
        3,
    );
}

/// Rows of many lengths; many, few, or all are bad. Long rows take other paths than short ones.
#[test]
fn columns_with_many_bad_rows() {
    let mut random = Random::new(0x4E_9A17);
    let texts =
        ["", "a", "é", "日本", "😀", "plain text", "Съешь же ещё этих", "long enough for a buffer, é"];
    for case in 0..(300 / scale()).max(12) {
        let bad_one_in = [1, 3, 100][case % 3];
        let null_one_in = [5, 1000][case / 3 % 2];
        let long = [1, 40][case / 6 % 2];
        let rows: Vec<Row> = (0..random.index(3000 / long))
            .map(|_| {
                let mut bytes = random.one_of(&texts).repeat(random.index(2 * long + 1)).into_bytes();
                if random.below(bad_one_in) == 0 {
                    for _ in 0..=random.index(3) {
                        let malformed = MALFORMED[random.index(MALFORMED.len())].bytes;
                        let at = random.index(bytes.len() + 1);
                        bytes.splice(at..at, malformed.iter().copied());
                    }
                }
                (bytes, random.below(null_one_in) != 0)
            })
            .collect();
        check(&rows, random.index(70));
    }
}

/// The error names the row, for each limit that is too low, and there is none if the limit is the new length.
#[test]
fn what_is_too_long_names_the_row() {
    let rows = all_valid([
        &b"clean"[..],
        b"a\xFFb",
        b"",
        "é twelve and more".as_bytes(),
        b"\xFF\xFF and twelve more",
        b"end",
    ]);
    let memory = Memory::of(&rows, 0);
    for policy in POLICIES {
        let ends: Vec<usize> = model(&rows, policy)
            .unwrap()
            .iter()
            .scan(0, |end, row| {
                *end += row.as_ref().map_or(0, String::len);
                Some(*end)
            })
            .collect();
        let whole = ends[ends.len() - 1];
        for limit in 0..whole + 3 {
            let column = Offsets::new(&memory.values, &memory.offsets, None).unwrap();
            let result = Kernel::best().repair(column, policy, limit);
            match ends.iter().position(|&end| end > limit) {
                None => assert_eq!(of_rows(&result.unwrap(), &rows), model(&rows, policy)),
                Some(row) => {
                    let error = result.unwrap_err();
                    assert_eq!(
                        (error.row(), error.kind()),
                        (row, ColumnErrorKind::TooLong { limit }),
                        "{policy:?}"
                    );
                }
            }
        }
    }
    let views = Views::new(&memory.views, &memory.buffers, None).unwrap();
    let error = Kernel::best().repair(views, Policy::Replace, 20).unwrap_err();
    assert_eq!((error.row(), error.kind()), (4, ColumnErrorKind::TooLong { limit: 20 }));
    assert_eq!(error.to_string(), "row 4: the repaired rows up to this one have more than 20 bytes");
    assert!(Kernel::best().repair(views, Policy::Drop, 20).is_ok());
}

/// The values are allocated once: their capacity is what was asked for, with room for the worst case of the bad bytes alone.
#[test]
fn the_capacity_is_near_the_length() {
    for policy in POLICIES {
        for bad in [
            &b"\xFF"[..],
            b"caf\xE9",
            b"\xF0\x9F\x98",
            "é, and a long row\u{FFFD}".as_bytes(),
            b"\x80 and a long row \xE2\x82",
            &[0x93; 150],
        ] {
            let mut rows = all_valid(std::iter::repeat_n("clean, and as long as others", 500));
            rows.resize(2000, (bad.to_vec(), true));
            rows[700].0 = b"\xFF".to_vec();
            let memory = Memory::of(&rows, 0);
            let column = Offsets::new(&memory.values, &memory.offsets, None).unwrap();
            let Repaired::Owned(new) = repair(column, policy).unwrap() else { panic!() };
            let len = memory.values.len() - 5;
            let invalid: usize =
                rows.iter().flat_map(|row| row.0.utf8_chunks()).map(|chunk| chunk.invalid().len()).sum();
            assert!(new.values.capacity() <= len + 4 * invalid + 400, "{policy:?} {bad:02X?}");
            assert_eq!(new.offsets.capacity(), rows.len() + 1);
        }
    }
}

/// As much memory was asked for as all rows have together, which no machine has. And `Drop` read all
/// of them, because it wrote nothing.
#[test]
fn views_that_overlap_are_repaired_once() {
    let buffer = vec![0xFF; 1 << 20];
    let view = u128::from_le_bytes(*b"\0\0\x10\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0");
    let views = vec![view; slow_cases(1_000_000, 10_000) as usize];
    let buffers = [buffer];
    let column = Views::new(&views, &buffers, None).unwrap();
    for policy in POLICIES {
        let error = Kernel::best().repair(column, policy, 1 << 20).map(drop);
        let is_short = matches!(policy, Policy::Null | Policy::Drop);
        let expected = if is_short { Ok(()) } else { Err(ColumnErrorKind::TooLong { limit: 1 << 20 }) };
        assert_eq!(error.map_err(|error| error.kind()), expected, "{policy:?}");
        let Ok(Repaired::Owned(new)) = repair(column, policy) else { panic!() };
        assert!(new.buffer.len() <= 4 << 20, "{policy:?}");
        assert!(new.views.iter().all(|view| *view == new.views[0]));
    }
}

/// The rows were copied, 2 GiB of them, and then there was an error.
#[test]
fn equal_views_share_their_repaired_row() {
    for bytes in [&b"a\xFF"[..], b"\x80\x80", b"\xE2\x82"] {
        let buffer = [&vec![b'a'; (1 << 20) - 2], bytes].concat();
        let view = u128::from_le_bytes(*b"\0\0\x10\0aaaa\0\0\0\0\0\0\0\0");
        let (views, buffers) = (vec![view; 3000], [buffer]);
        let column = Views::new(&views, &buffers, None).unwrap();
        for policy in POLICIES {
            let Ok(Repaired::Owned(new)) = repair(column, policy) else { panic!() };
            assert!(new.buffer.capacity() + 16 * new.views.capacity() <= 2 << 20, "{policy:?}");
            let expected = if policy == Policy::Null { String::new() } else { repaired(policy, &buffers[0]) };
            assert_eq!(new.buffer, expected.as_bytes(), "{policy:?}");
            assert!(new.views.iter().all(|view| *view == new.views[0]));
        }
    }
}

/// Rows that begin inside characters share nothing. What they may read is limited, whatever the policy writes.
#[test]
fn views_that_overlap_inside_characters_are_too_long_in_time() {
    let buffers = [vec![0x80; 1 << 20]];
    let view = |from: u32| u128::from((1 << 20) - from) | 0x8080_8080 << 32 | u128::from(from) << 96;
    let views: Vec<u128> = (0..100_000).map(view).collect();
    let column = Views::new(&views, &buffers, None).unwrap();
    for policy in POLICIES.into_iter().filter(|&policy| policy != Policy::Null) {
        let error = repair(column, policy).unwrap_err();
        assert_eq!(
            (error.row(), error.kind()),
            (4, ColumnErrorKind::TooLong { limit: 4 << 20 }),
            "{policy:?}"
        );
    }
    assert!(repair(column, Policy::Null).is_ok());
    let column = Views::new(&views[1..], &buffers, None).unwrap();
    let error = Kernel::best().repair(column, Policy::Replace, 1 << 20).unwrap_err();
    assert_eq!((error.row(), error.kind()), (0, ColumnErrorKind::TooLong { limit: 1 << 20 }));
}

/// Rows that overlap in all ways have the text that each of them has alone.
#[test]
fn views_that_overlap_in_any_way() {
    let mut random = Random::new(77);
    let mut counts = [0; 2];
    for _ in 0..300 / scale().max(1) + 20 {
        let buffers: Vec<Vec<u8>> = (0..1 + random.below(2))
            .map(|_| {
                let mut bytes = Vec::new();
                while bytes.len() < 60 {
                    bytes.extend_from_slice(&b"plain text"[..random.index(10)]);
                    bytes.extend_from_slice(MALFORMED[random.index(MALFORMED.len())].bytes);
                    bytes.extend_from_slice(["é", "€", "😀", ""][random.index(4)].as_bytes());
                }
                bytes
            })
            .collect();
        let inside_one_in = [2, 20, 1_000_000][random.index(3)];
        let mut rows = Vec::new();
        while rows.len() < 60 {
            let number = random.index(buffers.len());
            let bytes = &buffers[number];
            let mut ends = [random.index(bytes.len() + 1), random.index(bytes.len() + 1)];
            ends.sort_unstable();
            let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
            if !ends.into_iter().any(is_inside) || random.below(inside_one_in) == 0 {
                rows.push((number, ends[0], ends[1], ends.into_iter().any(is_inside)));
            }
        }
        let view = |&(number, from, to, _): &(usize, usize, usize, bool)| {
            let row = &buffers[number][from..to];
            let mut view = [0; 16];
            view[0] = row.len() as u8;
            if row.len() <= 12 {
                view[4..4 + row.len()].copy_from_slice(row);
            } else {
                view[4..8].copy_from_slice(&row[..4]);
                (view[8], view[12]) = (number as u8, from as u8);
            }
            u128::from_le_bytes(view)
        };
        let views: Vec<u128> = rows.iter().map(view).collect();
        let column = Views::new(&views, &buffers, None).unwrap();
        let texts: Vec<Row> =
            rows.iter().map(|&(number, from, to, _)| (buffers[number][from..to].to_vec(), true)).collect();
        let there: usize = buffers.iter().map(Vec::len).sum();
        let mut cut: Vec<_> = rows
            .iter()
            .zip(&texts)
            .filter(|((.., cut), (text, _))| *cut && text.len() > 12 && std::str::from_utf8(text).is_err())
            .map(|(&row, _)| row)
            .collect();
        cut.sort_unstable();
        cut.dedup();
        let is_too_long = cut.iter().map(|row| row.2 - row.1).sum::<usize>() > 4 * there;
        counts[usize::from(is_too_long)] += 1;
        for (kernel, policy) in kernels().iter().flat_map(|kernel| POLICIES.map(|policy| (kernel, policy))) {
            match kernel.repair(column, policy, usize::MAX) {
                Err(error) => assert!(is_too_long && policy != Policy::Null, "{error}"),
                Ok(Repaired::Borrowed(_)) => assert_eq!(model(&texts, policy), None),
                Ok(Repaired::Owned(new)) => {
                    assert!(!is_too_long || policy == Policy::Null);
                    let mut buffers = buffers.clone();
                    buffers.push(new.buffer);
                    let new_column = Views::new(&new.views, &buffers, None).unwrap();
                    let expected = model(&texts, policy).unwrap();
                    for (row, expected) in expected.iter().enumerate() {
                        let text = new_column.row(row).unwrap();
                        assert_eq!(text.text(), Ok(expected.as_deref().unwrap_or_default()), "{policy:?}");
                    }
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

/// Compares the repair of one text.
fn check_one(bytes: &[u8]) {
    for (kernel, policy) in kernels().iter().flat_map(|kernel| POLICIES.map(|policy| (kernel, policy))) {
        let expected = match policy {
            Policy::Null => std::str::from_utf8(bytes).ok().map(str::to_owned),
            _ => Some(repaired(policy, bytes)),
        };
        assert_eq!(kernel.repair_one(bytes, policy).as_deref(), expected.as_deref(), "{kernel:?} {policy:?}");
    }
}

/// Faults and surrogates at every place of a block, after text whose length varies.
#[test]
fn one_text() {
    for fault in
        [&b"\xED\xA0\x80"[..], b"\xED\xA0", b"\xFF", b"\xF0\x9F\x98", b"\xED\xA0\x80\xFF\xED\xB8\x80"]
    {
        let mut thin = Thin::where_slow();
        for len in (0..140).filter(|_| thin.keep()) {
            check_one(
                &["a".repeat(len).as_bytes(), &fault.repeat(60), "é".repeat(90).as_bytes(), fault].concat(),
            );
        }
    }
}

/// In a block of many faults, bytes are looked up, but not if one of them belongs to a longer sequence. That
/// begins and ends at each place of a block.
#[test]
fn blocks_of_faults() {
    let all: Vec<u8> = (0x80..=0xFF).chain(0..=0x7F).collect();
    let mut thin = Thin::where_slow();
    for len in (0..130).filter(|_| thin.keep()) {
        for sequence in
            [&b""[..], "é".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xC3", b"\xE2\x82", b"\xF0\x9F\x98"]
        {
            let ends = [0x93].repeat(len);
            check_one(&[&ends, sequence, &all, sequence, &ends, sequence].concat());
        }
    }
}

proptest! {
    #![proptest_config(cases(600, 40))]

    #[test]
    fn any_bytes_cut_anywhere(
        bytes in prop::collection::vec(prop::sample::select(&b"ab\x80\x9F\xA0\xC3\xE0\xE2\xED\xF0\xF4\xFF"[..]), 0..600),
        cuts in prop::collection::vec(0..600_usize, 0..40),
        nulls in any::<u64>(),
        bit in 0..20_usize,
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let rows: Vec<Row> = cuts.windows(2).enumerate()
            .map(|(row, pair)| (bytes[pair[0]..pair[1]].to_vec(), nulls >> (row % 64) & 1 == 0)).collect();
        check(&rows, bit);
        check_one(&bytes);
    }
}
