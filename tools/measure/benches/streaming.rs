//! Measures validation and lossy decoding of a stream in pieces, `copy_utf8`, and reading a file into a string.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::{env, fs, io, process};

use simdutf8::compat::from_utf8;
use trust8::stream::Decoder;
use trust8::{Kernel, Validator, copy_utf8};
use trust8_measure::measure::{Bench, Section, Times, entry};
use trust8_measure::texts::{generated, ordinary};
use trust8_measure::{WRONG, spoil};

/// The length of a text that fits into the L2 cache of any current CPU.
const TEXT: usize = 256 << 10;
/// The lengths of pieces.
const PIECES: [usize; 6] = [64 << 10, 4 << 10, 1 << 10, 256, 64, 16];
/// The distances between faults in lossy text, on average. 0 means that there is none.
const DISTANCES: [usize; 4] = [0, 1000, 100, 10];
/// The texts that are decoded, copied and read.
const TEXTS: [&str; 5] = ["ASCII", "Latin", "Russian", "Chinese", "emoji"];

fn main() -> io::Result<()> {
    let sections =
        [("pieces", pieces as Section), ("decoding", decoding), ("copying", copying), ("reading", reading)];
    Bench::start("streaming")?.run(&sections)
}

/// The kernels that streams are measured with: those with vectors.
fn kernels() -> impl Iterator<Item = &'static Kernel> {
    Kernel::available().iter().filter(|kernel| kernel.name() != "scalar")
}

/// Adds a row in GB/s, with the ratios of the best kernel and of AVX2's to a peer.
fn row_with_ratios(bench: &mut Bench, table: &str, row: &str, times: &Times, peer: &str, short: &str) {
    let best = Kernel::available()[0].name();
    bench.data.row(table, row, times.gb_per_s(TEXT));
    let ratios = [("/ ", best), ("avx2 / ", "avx2")];
    bench.data.row(
        table,
        row,
        ratios.map(|(of, kernel)| (format!("{of}{short}"), times.ratio(kernel, peer))),
    );
}

/// Validates the pieces with simdutf8, as a program does that keeps the bytes of a character that the end of a piece cuts off. Returns how
/// many pieces were valid.
fn push_with_carry(bytes: &[u8], piece_len: usize) -> usize {
    let (mut carry, mut kept) = ([0; 4], 0);
    let push = |mut piece: &[u8]| {
        while kept > 0 {
            let [byte, rest @ ..] = piece else { return true };
            piece = rest;
            carry[kept] = *byte;
            kept += 1;
            match from_utf8(&carry[..kept]) {
                Ok(_) => kept = 0,
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return false,
            }
        }
        match from_utf8(piece) {
            Ok(_) => true,
            Err(error) if error.error_len().is_none() => {
                kept = piece.len() - error.valid_up_to();
                carry[..kept].copy_from_slice(&piece[error.valid_up_to()..]);
                true
            }
            Err(_) => false,
        }
    };
    bytes.chunks(piece_len).map(black_box).map(push).filter(|is_valid| *is_valid).count()
}

fn pieces(bench: &mut Bench) -> io::Result<()> {
    bench.data.heading(2, "Validation in pieces");
    bench.data.note("GB/s. `carry` keeps the bytes of a cut character. Ratios are to compat with a carry.");
    let mut texts = vec![ordinary(3, 200, TEXT, 0)];
    texts.extend(["JSON logs", "German", "ASCII", "Russian", "Chinese"].map(|name| generated(name, TEXT)));
    for (part, is_new) in [("One text, again and again", false), ("Text that the CPU has not learned", true)]
    {
        bench.data.heading(3, part);
        for (text, len) in texts.iter().flat_map(|text| PIECES.map(|len| (text, len))) {
            let bytes = text.text.as_bytes();
            let count = bytes.len().div_ceil(len);
            let mut entries = vec![
                entry("one shot", move || trust8::from_utf8(black_box(bytes)).map_or(0, |_| count)),
                entry("simdutf8 compat, carry", move || push_with_carry(bytes, len)),
            ];
            for kernel in kernels() {
                entries.push(entry(kernel.name(), move || {
                    let mut validator = Validator::new();
                    let pieces = bytes.chunks(len).map(black_box);
                    let valid = pieces.filter(|piece| kernel.push(&mut validator, piece).is_ok()).count();
                    validator.finish().map_or(0, |_| valid)
                }));
            }
            let times =
                if is_new { bench.race_on_new_text(count, entries) } else { bench.race(count, entries) };
            let row = format!("{}, {len}", text.name);
            row_with_ratios(bench, "text, piece", &row, &times, "simdutf8 compat, carry", "compat");
        }
    }
    Ok(())
}

/// Appends the lossy text of the pieces to `text`, which is cleared first.
fn decode_all(kernel: &'static Kernel, bytes: &[u8], piece_len: usize, text: &mut String) {
    text.clear();
    let mut decoder = Decoder::new();
    for piece in bytes.chunks(piece_len) {
        text.extend(kernel.push_lossy(&mut decoder, black_box(piece)));
    }
    text.extend(decoder.finish());
}

/// Writes the lossy text of the pieces to `text`, and returns its length.
fn decode_with_encoding_rs(bytes: &[u8], piece_len: usize, text: &mut [u8]) -> usize {
    let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
    let (pieces, mut len) = (bytes.len().div_ceil(piece_len), 0);
    for (i, piece) in bytes.chunks(piece_len).enumerate() {
        let (result, _, written, _) =
            decoder.decode_to_utf8(black_box(piece), &mut text[len..], i + 1 == pieces);
        assert!(result == encoding_rs::CoderResult::InputEmpty);
        len += written;
    }
    len
}

fn decoding(bench: &mut Bench) -> io::Result<()> {
    bench.data.heading(2, "Lossy text in pieces");
    bench
        .data
        .note("GB/s on text that the CPU has not learned. The distance is that of wrong bytes (0: none).");
    for (name, distance) in TEXTS.iter().flat_map(|name| DISTANCES.map(|distance| (name, distance))) {
        let mut bytes = generated(name, TEXT).text.into_bytes();
        if distance > 0 {
            spoil(&mut bytes, &WRONG, distance);
        }
        let expected = String::from_utf8_lossy(&bytes);
        for len in PIECES {
            let (mut text, mut other) = (String::with_capacity(3 * TEXT), vec![0; 3 * TEXT + 16]);
            for kernel in kernels() {
                decode_all(kernel, &bytes, len, &mut text);
                assert!(text == expected, "{name}, {distance}, {len}, {}", kernel.name());
            }
            assert_eq!(decode_with_encoding_rs(&bytes, len, &mut other), expected.len());
            assert!(other[..expected.len()] == *expected.as_bytes());
            let bytes = &bytes;
            let mut entries = vec![entry("encoding_rs", || decode_with_encoding_rs(bytes, len, &mut other))];
            for kernel in kernels() {
                let mut text = String::with_capacity(3 * TEXT);
                entries.push(entry(kernel.name(), move || {
                    decode_all(kernel, bytes, len, &mut text);
                    text.len()
                }));
            }
            let times = bench.race_on_new_text(expected.len(), entries);
            let row = format!("{name}, {distance}, {len}");
            row_with_ratios(bench, "text, distance, piece", &row, &times, "encoding_rs", "encoding_rs");
        }
    }
    Ok(())
}

fn copying(bench: &mut Bench) -> io::Result<()> {
    // Fits into no cache.
    let large = bench.by(1 << 20, 16 << 20, 64 << 20);
    bench.data.heading(2, "Validate and copy");
    bench.data.note(&format!("GB/s on {} MiB of text.", large >> 20));
    let mut copy = vec![MaybeUninit::new(1_u8); large];
    let mut room = vec![1_u8; large];
    for name in TEXTS {
        let text = generated(name, large).text;
        let bytes = || black_box(text.as_bytes());
        assert!(copy_utf8(text.as_bytes(), &mut copy).is_ok_and(|copy| *copy == *text));
        let into = |to: &mut [u8]| {
            black_box(to).copy_from_slice(bytes());
            large
        };
        let times = bench.race(
            large,
            vec![
                entry("copy_utf8", || copy_utf8(bytes(), &mut copy).map_or(0, |copy| copy.len())),
                entry("from_utf8, then memcpy", || trust8::from_utf8(bytes()).map_or(0, |_| into(&mut room))),
            ],
        );
        bench.data.row("text", name, times.gb_per_s(large));
        let ratio = times.ratio("copy_utf8", "from_utf8, then memcpy");
        bench.data.row("text", name, [("copy_utf8 / from_utf8", ratio)]);
    }
    Ok(())
}

fn reading(bench: &mut Bench) -> io::Result<()> {
    let large = bench.by(1 << 20, 16 << 20, 64 << 20);
    bench.data.heading(2, "A file into a String");
    bench.data.note(&format!("Milliseconds for a file of {} MiB in the page cache.", large >> 20));
    let path = env::temp_dir().join(format!("trust8-streaming-{}", process::id()));
    for name in TEXTS {
        let text = generated(name, large).text;
        fs::write(&path, &text)?;
        assert_eq!(trust8::fs::read_to_string(&path)?, text);
        let times = bench.race(
            large,
            vec![
                entry("trust8::fs", || trust8::fs::read_to_string(&path).map_or(0, |text| text.len())),
                entry("std::fs", || fs::read_to_string(&path).map_or(0, |text| text.len())),
            ],
        );
        bench.data.row("text", name, times.a_call(1_000_000));
        bench.data.row("text", name, [("std / trust8", times.ratio("trust8::fs", "std::fs"))]);
    }
    fs::remove_file(&path)
}
