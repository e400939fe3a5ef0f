//! Columns whose offsets and views are whatever the fuzzer likes, against a loop over the rows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_columns::{ColumnError, ColumnErrorKind, KernelColumns, Offset};
use trust8_fuzz::kernels::kernels;

fuzz_target!(|data: &[u8]| {
    let Some((&[layout, rows, spoil, by], data)) = data.split_first_chunk() else { return };
    prefixed(data, 1 + usize::from(spoil % 4));
    let rows = usize::from(rows) * if layout & 0x80 == 0 { 1 } else { 16 };
    match layout % 5 {
        // Offsets as they come, and values after them.
        0 => {
            let (offsets, values) = data.split_at(data.len().min(rows * 4) / 4 * 4);
            let offsets = offsets.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap()));
            offsets_of_any_kind(values, &offsets.collect::<Vec<_>>());
        }
        1 => {
            let (offsets, values) = data.split_at(data.len().min(rows * 8) / 8 * 8);
            let offsets = offsets.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap()));
            offsets_of_any_kind(values, &offsets.collect::<Vec<_>>());
        }
        // Short rows, with one border moved.
        2 => {
            let (lengths, values) = data.split_at(data.len().min(rows));
            let mut offsets = vec![0_i32];
            for length in lengths {
                let last = offsets[offsets.len() - 1];
                offsets.push((last + i32::from(length % 24)).min(values.len() as i32));
            }
            let place = usize::from(spoil) % offsets.len();
            offsets[place] = offsets[place].wrapping_add(i32::from(by as i8));
            offsets_of_any_kind(values, &offsets);
        }
        // Views as they come, and a buffer after them.
        3 => {
            let (views, values) = data.split_at(data.len().min(rows * 16) / 16 * 16);
            let views = views.chunks_exact(16).map(|view| u128::from_le_bytes(view.try_into().unwrap()));
            views_of_any_kind(&views.collect::<Vec<_>>(), &[values, b"a second buffer", b""]);
        }
        // Views of parts of the buffer, with one bit changed.
        _ => {
            let (places, values) = data.split_at(data.len().min(rows * 2) / 2 * 2);
            let mut views = Vec::new();
            for place in places.chunks_exact(2) {
                let from = usize::from(place[0]).min(values.len());
                let text = &values[from..(from + usize::from(place[1] % 40)).min(values.len())];
                views.push(view(text, from));
            }
            if !views.is_empty() && by < 128 {
                let place = usize::from(spoil) % views.len();
                views[place] ^= 1 << by;
            }
            views_of_any_kind(&views, &[values]);
        }
    }
});

/// Values with a length of `width` bytes before each.
fn prefixed(data: &[u8], width: usize) {
    let prefix = |bytes: &[u8]| {
        let len = bytes.get(..width)?.iter().fold(0, |len, &byte| len << 8 | usize::from(byte));
        // A length that is too great ends the buffer, so most of them are short.
        Some((width, if len > data.len() { len % 24 } else { len }))
    };
    for kernel in kernels() {
        let (mut rest, mut row) = (data, 0);
        for value in kernel.length_prefixed(data, prefix) {
            let text = prefix(rest).and_then(|(before, len)| rest.get(before..before + len));
            match (value, text) {
                (Ok(value), Some(text)) => assert_eq!(std::str::from_utf8(text), Ok(value)),
                (Err(error), Some(text)) => {
                    let ColumnErrorKind::NotUtf8(found) = error.kind() else { panic!("{error}") };
                    let error = (error.row(), std::str::from_utf8(text).unwrap_err().valid_up_to());
                    assert_eq!(error, (row, found.valid_up_to()));
                }
                (value, None) => assert!(value.is_err()),
            }
            rest = text.map_or(&[][..], |text| &rest[width + text.len()..]);
            row += 1;
        }
        assert!(rest.is_empty());
    }
}

fn view(text: &[u8], from: usize) -> u128 {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    if text.len() <= 12 {
        bytes[4..4 + text.len()].copy_from_slice(text);
    } else {
        bytes[4..8].copy_from_slice(&text[..4]);
        bytes[12..].copy_from_slice(&(from as u32).to_le_bytes());
    }
    u128::from_le_bytes(bytes)
}

/// The first row that is wrong, with what `core` says of its text if that is the reason.
type Answer = Result<(), (usize, Option<(usize, Option<usize>)>)>;

fn answer(result: Result<(), ColumnError>) -> Answer {
    result.map_err(|error| {
        let fault = match error.kind() {
            ColumnErrorKind::NotUtf8(error) => Some((error.valid_up_to(), error.error_len())),
            _ => None,
        };
        (error.row(), fault)
    })
}

fn of_text(row: usize, bytes: &[u8]) -> Answer {
    core::str::from_utf8(bytes).map(|_| ()).map_err(|e| (row, Some((e.valid_up_to(), e.error_len()))))
}

fn offsets_of_any_kind<O: Offset>(values: &[u8], offsets: &[O]) {
    let is_in_range = |offset: i64| offset >= 0 && offset <= values.len() as i64;
    let model = || -> Answer {
        if let Some(&first) = offsets.first()
            && !is_in_range(first.into())
        {
            return Err((0, None));
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            let (from, to): (i64, i64) = (pair[0].into(), pair[1].into());
            if !is_in_range(to) || to < from {
                return Err((row, None));
            }
            of_text(row, &values[from as usize..to as usize])?;
        }
        Ok(())
    };
    let expected = model();
    for kernel in kernels() {
        assert_eq!(answer(kernel.validate_offsets(values, offsets)), expected, "{}", kernel.name());
    }
}

fn views_of_any_kind(views: &[u128], buffers: &[&[u8]]) {
    let part = |view: u128| -> Option<Vec<u8>> {
        let bytes = view.to_le_bytes();
        let len = view as u32 as usize;
        if len <= 12 {
            let (text, padding) = bytes[4..].split_at(len);
            return padding.iter().all(|&byte| byte == 0).then(|| text.to_vec());
        }
        let buffer = buffers.get((view >> 64) as u32 as usize)?;
        let from = (view >> 96) as usize;
        let text = buffer.get(from..from.checked_add(len)?)?;
        (text[..4] == bytes[4..8]).then(|| text.to_vec())
    };
    let rows: Vec<_> = views.iter().map(|&view| part(view)).collect();
    let model = || -> Answer {
        rows.iter().enumerate().try_for_each(|(row, part)| match part {
            Some(text) => of_text(row, text),
            None => Err((row, None)),
        })
    };
    let expected = model();
    let texts: Vec<_> = rows.iter().map_while(Option::as_ref).collect();
    let of_texts = texts.iter().enumerate().try_for_each(|(row, text)| of_text(row, text));
    for kernel in kernels() {
        assert_eq!(answer(kernel.validate_views(views, buffers)), expected, "{}", kernel.name());
        assert_eq!(answer(kernel.validate_slices(&texts)), of_texts, "{}", kernel.name());
    }
}
