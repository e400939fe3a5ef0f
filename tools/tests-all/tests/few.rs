//! Most modules on few inputs, with every kernel, and whole texts with every way: as much as Miri has time for. The answers are
//! compared with the standard library's. `.ci/run miri` runs this.
//!
//! An input is an allocation of exactly its length, so an access outside it is found.

#![cfg(feature = "std")]

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::mem::MaybeUninit;
use std::ops::Range;

use support::kernels::{check, kernels};
use support::oracle;
use trust8::Validator;
use trust8::io::{Utf8Reader, Utf8Writer, read_to_string};
use trust8_columns::{KernelColumns, Offsets, Policy};
use trust8_counts::{KernelCounts, Part};
use trust8_dialect::Dialect;
use trust8_transcode::{Encoding, Str, Transcoder, Utf16, Utf32};

const MIXED: &str = "aé日😀bcöд語한😁!~üé";

/// Returns a text of this length, filled up with ASCII.
fn text(unit: &str, len: usize) -> Vec<u8> {
    let mut text = unit.repeat(len / unit.len()).into_bytes();
    text.resize(len, b'.');
    text
}

/// Returns texts around the lengths at which kernels choose another way, each as it is and with a fault near either end, or near one of them
/// where tests are scaled down further than usual.
fn inputs(lengths: &[usize]) -> Vec<Box<[u8]>> {
    if support::scale::scale() > 16 {
        return fewer_inputs(lengths);
    }
    with_faults(lengths, |_| 0..2)
}

/// The same with one fault, near the end of one text and near the start of the next: for what calls many functions.
fn fewer_inputs(lengths: &[usize]) -> Vec<Box<[u8]>> {
    with_faults(lengths, |i| i % 2..i % 2 + 1)
}

fn with_faults(lengths: &[usize], faults: impl Fn(usize) -> Range<usize>) -> Vec<Box<[u8]>> {
    let mut inputs = Vec::new();
    for (i, &len) in lengths.iter().enumerate() {
        let unit = ["a", "é", "日", "😀", MIXED][i % 5];
        let valid = text(unit, len);
        for &at in &[len.saturating_sub(1), len / 3][faults(i)] {
            let mut broken = valid.clone();
            if let Some(byte) = broken.get_mut(at) {
                *byte = if i % 2 == 0 { 0xFF } else { 0xE2 };
            }
            inputs.push(broken.into());
        }
        inputs.push(valid.into());
    }
    // A text of no bytes has no faults, and that of one has one.
    inputs.dedup();
    inputs
}

const SHORT: [usize; 12] = [0, 1, 3, 7, 15, 17, 31, 33, 63, 66, 96, 130];

#[test]
fn verdicts() {
    inputs(&SHORT).iter().for_each(|input| check(input));
    inputs(&[260, 530, 1100]).iter().for_each(|input| check(input));
    // A mutable text, and one that owns its bytes.
    let mut bytes = text(MIXED, 100);
    assert!(trust8::from_utf8_mut(&mut bytes).is_ok_and(|text| !text.is_empty()));
    assert!(trust8::string_from_utf8(bytes).is_ok());
}

#[test]
fn counts_and_copies() {
    for input in inputs(&[0, 5, 40, 70, 133, 300]) {
        let std = std::str::from_utf8(&input);
        let counts = std.map(|text| (text.chars().count(), text.encode_utf16().count()));
        let ascii = input.iter().take_while(|b| b.is_ascii()).count();
        for kernel in kernels() {
            assert_eq!(std.map(|text| (kernel.count_chars(text), kernel.utf16_len(text))), counts);
            assert_eq!(kernel.inspect(&input), trust8_counts::inspect(&input));
            let mut room = vec![MaybeUninit::uninit(); input.len()];
            assert_eq!(kernel.copy_utf8(&input, &mut room).ok().map(|text| &*text), std.ok());
            assert_eq!(kernel.ascii_up_to(&input), ascii);
        }
        let (head, tail) = input.split_at(input.len() / 2);
        assert_eq!(Part::of(head).then(&Part::of(tail)), Part::of(&input));
    }
}

#[test]
fn repairs() {
    for input in fewer_inputs(&[0, 2, 30, 65, 140, 300]) {
        let std = String::from_utf8_lossy(&input);
        let chunks: Vec<usize> = input.utf8_chunks().map(|chunk| chunk.valid().len()).collect();
        for kernel in kernels() {
            assert_eq!(kernel.from_utf8_lossy(&input), std);
            assert_eq!(kernel.lossy_len(&input), std.len());
            let mut room = vec![MaybeUninit::uninit(); std.len()];
            assert!(kernel.copy_utf8_lossy(&input, &mut room).is_ok_and(|text| *text == *std));
            let mut appended = String::from("é");
            kernel.lossy_into(&input, &mut appended);
            assert_eq!(appended[2..], *std);
            assert!(kernel.utf8_chunks(&input).map(|chunk| chunk.valid().len()).eq(chunks.iter().copied()));
        }
        assert_eq!(trust8::from_utf8_lossy_owned(input.to_vec()), std);
    }
}

#[test]
fn columns() {
    let rows = inputs(&[0, 3, 20, 40]);
    let mut offsets = vec![0_i32];
    for row in &rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as i32);
    }
    let values = rows.concat();
    for kernel in kernels() {
        let column = Offsets::new(&values, &offsets, None).expect("the offsets go up");
        let invalid: Vec<_> = kernel.invalid_rows(column).map(|(row, _)| row).collect();
        let expected: Vec<_> =
            (0..rows.len()).filter(|&row| std::str::from_utf8(&rows[row]).is_err()).collect();
        assert_eq!(invalid, expected);
        for policy in [Policy::Replace, Policy::Drop, Policy::Escape] {
            assert!(kernel.repair(column, policy, i32::MAX as usize).is_ok());
        }
    }
}

#[test]
fn streams() {
    for input in inputs(&[5, 40, 110]) {
        let lengths = match input.len() {
            5 => [1, 64],
            40 => [1, 7],
            _ => [7, 64],
        };
        let is_text = oracle::fault(&input).is_none();
        // The ways of Miri's kernels differ from them in 256 bytes or more; tests/stream tries all.
        for kernel in kernels() {
            for len in lengths {
                let (mut validator, mut decoder) = (Validator::new(), Validator::new());
                let mut decoded = String::new();
                let pushed = input.chunks(len).try_for_each(|piece| {
                    if let Ok(piece) = kernel.decode_piece(&mut decoder, piece) {
                        decoded.push_str(piece.completed());
                        decoded.push_str(piece.rest());
                    }
                    kernel.push(&mut validator, piece)
                });
                let is_valid = pushed.is_ok() && validator.finish().is_ok();
                assert_eq!(is_valid, is_text, "{kernel:?}");
                assert!(input.starts_with(decoded.as_bytes()) && (!is_valid || decoded.len() == input.len()));
            }
        }
    }
}

#[test]
fn readers_and_writers() {
    for input in inputs(&[5, 40, 150]) {
        let std = std::str::from_utf8(&input).ok();
        let mut text = String::from("before");
        assert_eq!(read_to_string(&*input, &mut text).is_ok(), std.is_some());
        assert_eq!(text, format!("before{}", std.unwrap_or_default()));
        for capacity in [8, 64] {
            let (mut text, mut bytes) = (String::new(), Vec::new());
            let read = Utf8Reader::with_capacity(capacity, &*input).read_to_string(&mut text);
            assert_eq!(read.is_ok(), std.is_some());
            let read = Utf8Reader::with_capacity(capacity, &*input).read_to_end(&mut bytes);
            assert_eq!((read.is_ok(), input.starts_with(&bytes)), (std.is_some(), true));
            let mut writer = Utf8Writer::new(Vec::new());
            let written = input
                .chunks(capacity)
                .try_for_each(|piece| writer.write_all(piece))
                .and_then(|()| writer.finish());
            assert_eq!(written.is_ok(), std.is_some());
        }
    }
}

#[test]
fn profiles() {
    use trust8_profile::KernelProfiles;
    for input in inputs(&[5, 40, 150]) {
        let is_forbidden = |c: char| c == '\0';
        let expected = std::str::from_utf8(&input).ok().filter(|text| !text.contains(is_forbidden));
        for kernel in trust8::Kernel::available() {
            let found = kernel.profile(&trust8_profile::Profile::POSTGRES).from_utf8(&input);
            assert_eq!(found.ok(), expected, "{kernel:?}");
        }
    }
}

/// The names of the packages do not clash. (Two had a `With`.)
#[test]
fn all_names_at_once() {
    use trust8::*;
    use trust8_dialect::*;
    use trust8_profile::*;
    use trust8_transcode::*;
    let text = from_utf8(b"na\xC3\xAFve").unwrap();
    for kernel in Kernel::available() {
        assert_eq!(trust8_transcode::len(kernel.form(Str), Utf16, text), len(Str, Utf32, text));
        assert!(kernel.profile(&Profile::POSTGRES).check(text).is_ok());
        assert_eq!(kernel.diagnose(text.as_bytes()), diagnose(text.as_bytes()));
    }
}

#[test]
fn conversions() {
    use trust8_transcode::KernelForms;
    for input in fewer_inputs(&[0, 5, 31, 110]) {
        let std = String::from_utf8_lossy(&input);
        let utf16: Vec<u16> = std.encode_utf16().collect();
        let utf32: Vec<u32> = std.chars().map(u32::from).collect();
        let latin1: String = input.iter().map(|&byte| char::from(byte)).collect();
        let mut broken = utf16.clone();
        broken.insert(broken.len() / 2, 0xD800);
        let lossy = String::from_utf16_lossy(&broken);
        let mended: Vec<u16> = lossy.encode_utf16().collect();
        for kernel in kernels() {
            assert_eq!(trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Utf16, &input), utf16);
            assert_eq!(trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Utf32, &input), utf32);
            assert_eq!(trust8_transcode::convert(kernel.form(Utf16), Str, &utf16).as_deref(), Ok(&*std));
            assert_eq!(trust8_transcode::convert(kernel.form(Utf32), Utf16, &utf32).as_deref(), Ok(&*utf16));
            assert_eq!(
                trust8_transcode::convert(kernel.form(Str), Encoding::Utf16Be, &std).map(|text| text.len()),
                Ok(2 * utf16.len())
            );
            assert_eq!(trust8_transcode::len(kernel.form(Str), Utf16, &std), utf16.len());
            let mut room = vec![MaybeUninit::uninit(); std.len()];
            assert!(
                trust8_transcode::convert_into(kernel.form(Utf16), Str, &utf16, &mut room)
                    .is_ok_and(|text| *text == *std)
            );
            assert_eq!(
                trust8_transcode::convert(kernel.form(Encoding::Latin1), Str, &input).as_deref(),
                Ok(&*latin1)
            );
            assert_eq!(
                trust8_transcode::convert(kernel.form(Str), Encoding::Latin1, &latin1).as_deref(),
                Ok(&*input)
            );
            assert_eq!(trust8_transcode::convert_lossy(kernel.form(Utf16), Str, &broken), lossy);
            let mut units = broken.clone();
            trust8_transcode::make_well_formed(kernel.form(Utf16), &mut units);
            assert_eq!(units, mended);
            let (mut transcoder, mut streamed) =
                (Transcoder::lossy(kernel.form(Encoding::Utf8), Utf16), Vec::new());
            // Pieces shorter than a vector, and longer; each cuts characters.
            for piece in input.chunks(if input.len() < 100 { 7 } else { 37 }) {
                assert!(transcoder.push(piece, &mut streamed).is_ok());
            }
            assert!(transcoder.finish(&mut streamed).is_ok());
            assert_eq!(streamed, utf16);
        }
    }
}

#[test]
fn dialects() {
    use trust8_dialect::KernelDialects;
    for input in fewer_inputs(&[0, 5, 40, 100]) {
        let lossy = String::from_utf8_lossy(&input);
        for kernel in kernels() {
            assert_eq!(kernel.dialect(Dialect::Utf8).to_utf8_lossy(&input), lossy);
        }
        let Ok(std) = std::str::from_utf8(&input) else { continue };
        for dialect in [Dialect::Wtf8, Dialect::Cesu8, Dialect::ModifiedUtf8] {
            let bytes = dialect.from_utf8(std);
            for kernel in kernels() {
                assert_eq!(kernel.dialect(dialect).validate(&bytes), Ok(()));
                assert_eq!(kernel.dialect(dialect).to_utf8(&bytes).as_deref(), Ok(std));
            }
        }
    }
}
