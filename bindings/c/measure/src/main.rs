//! Measures the functions of the shared library, as a C program calls them: `bindings/c/measure/run.sh`.

use std::cell::RefCell;
use std::hint::black_box;
use std::io;
use std::mem::MaybeUninit;

use trust8_measure::measure::{Bench, Entry, Packed, Placed, Times, entry};
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_measure::texts;
use trust8_transcode::{Encoding, convert_into};

/// The `string` of loops.c.
#[repr(C)]
#[derive(Clone, Copy)]
struct CString {
    data: *const u8,
    len: usize,
}

/// A loop in C.
type Loop = unsafe extern "C" fn(*const CString, usize) -> usize;

// SAFETY: the functions as loops.c defines them.
unsafe extern "C" {
    fn loop_is_utf8(strings: *const CString, count: usize) -> usize;
    fn loop_validate(strings: *const CString, count: usize) -> usize;
    fn loop_count_chars(strings: *const CString, count: usize) -> usize;
    fn loop_push(pieces: *const CString, count: usize) -> usize;
    fn loop_to_utf16(strings: *const CString, count: usize, out: *mut u16, cap: usize) -> usize;
    fn loop_glib(strings: *const CString, count: usize) -> usize;
    fn loop_unistring(strings: *const CString, count: usize) -> usize;
    fn loop_icu(strings: *const CString, count: usize, out: *mut u16, cap: usize, valid_only: bool) -> usize;
}

/// The length of the longest text that is converted.
const LONG: usize = 64 << 10;

/// The same strings for Rust and for C, and memory for results.
struct Strings<'a> {
    rust: Vec<&'a [u8]>,
    c: Vec<CString>,
    units: RefCell<Vec<u16>>,
}

impl<'a> Strings<'a> {
    fn new(rust: Vec<&'a [u8]>) -> Self {
        let c = rust.iter().map(|bytes| CString { data: bytes.as_ptr(), len: bytes.len() }).collect();
        Self { rust, c, units: RefCell::new(vec![0; LONG + 64]) }
    }

    /// Returns the loop around a function of Rust. It is compiled once for each, so the function is inlined where a program would.
    fn rust<'s>(&'s self, name: &str, mut call: impl FnMut(&[u8]) -> usize + 's) -> Entry<'s> {
        entry(name, move || black_box(&self.rust).iter().map(|bytes| call(bytes)).sum())
    }

    fn c(&self, name: &str, sweep: Loop) -> Entry<'_> {
        // SAFETY: the loop reads the strings, which live.
        entry(name, move || unsafe { sweep(black_box(self.c.as_ptr()), self.c.len()) })
    }

    fn icu(&self, valid_only: bool) -> Entry<'_> {
        entry("ICU", move || {
            let mut units = self.units.borrow_mut();
            let (out, cap) = (units.as_mut_ptr(), units.len());
            // SAFETY: the loop reads the strings, which live, and writes to `units`.
            unsafe { loop_icu(black_box(self.c.as_ptr()), self.c.len(), out, cap, valid_only) }
        })
    }

    /// Measures all validators, which find every string valid.
    fn validate(&self, bench: &Bench) -> Times {
        let entries = vec![
            self.rust("Rust is_utf8", |bytes| usize::from(trust8::is_utf8(bytes))),
            self.c("C trust8_is_utf8", loop_is_utf8),
            self.rust("Rust from_utf8", |bytes| usize::from(black_box(trust8::from_utf8(bytes)).is_ok())),
            self.c("C trust8_validate", loop_validate),
            self.rust("simdutf", |bytes| usize::from(simdutf::validate_utf8(bytes))),
            self.c("glib", loop_glib),
            self.c("libunistring", loop_unistring),
            self.icu(true),
        ];
        bench.race(self.rust.len(), entries)
    }
}

/// Adds a table of validators on strings.
fn strings(bench: &mut Bench, cases: &[(Contents, Lengths, usize)]) {
    for &(contents, lengths, count) in cases {
        let packed = random_strings(lengths, contents, count);
        let times = Strings::new(packed.strings()).validate(bench);
        let name = match lengths {
            Lengths::Below(end) => format!("{}, 0 to {}", contents.name(), end - 1),
            _ => format!("{}, {}", contents.name(), lengths.name()),
        };
        bench.data.row("strings", &name, times.a_call(count));
    }
}

/// Adds streams, counts and conversions.
fn others(bench: &mut Bench) {
    for (name, len) in ["ASCII", "Russian", "Chinese"].iter().flat_map(|name| [(name, 16), (name, 64)]) {
        let text = texts::generated(name, LONG).text;
        // The pieces cut characters.
        let ranges: Vec<_> = (0..LONG).step_by(len).map(|at| at..LONG.min(at + len)).collect();
        let count = ranges.len();
        let packed = Packed::new(text.as_bytes(), ranges);
        let strings = Strings::new(packed.strings());
        let push = entry("Rust", || {
            let mut validator = trust8::Validator::new();
            black_box(&strings.rust).iter().filter(|piece| validator.push(piece).is_ok()).count()
        });
        let times = bench.race(count, vec![push, strings.c("C", loop_push)]);
        let name = format!("stream of {name}, pieces of {len} bytes, ns a push");
        bench.data.row("what", &name, times.a_call(count));
    }
    for name in ["ASCII", "Russian", "Chinese"] {
        let text = texts::generated(name, LONG).text;
        let strings = Strings::new(vec![text.as_bytes()]);
        let entries = vec![
            strings.rust("Rust", |bytes| trust8_counts::inspect(bytes).chars()),
            strings.c("C", loop_count_chars),
            strings.rust("simdutf", simdutf::count_utf8),
        ];
        let times = bench.race(text.chars().count(), entries);
        let name = format!("characters of {name}, GB/s (simdutf does not validate)");
        bench.data.row("what", &name, times.gb_per_s(LONG));
    }
    for (name, len) in
        [("ASCII", LONG), ("Russian", LONG), ("Chinese", LONG), ("Russian", 16), ("Russian", 64)]
    {
        let text = texts::generated(name, LONG).text;
        let packed = match len {
            LONG => Packed::new(text.as_bytes(), vec![0..LONG]),
            _ => consecutive_strings(&text, len, 1024),
        };
        let strings = Strings::new(packed.strings());
        let mut ours = vec![MaybeUninit::new(0_u8); 2 * LONG + 128];
        let units = |bytes: &&[u8]| str::from_utf8(bytes).expect("text").encode_utf16().count();
        let entries = vec![
            strings.rust("Rust", |bytes| {
                convert_into(black_box(Encoding::Utf8), black_box(Encoding::Utf16Le), bytes, &mut ours)
                    .map_or(usize::MAX, |bytes| bytes.len() / 2)
            }),
            entry("C", || {
                let mut units = strings.units.borrow_mut();
                let (out, cap) = (units.as_mut_ptr(), units.len());
                // SAFETY: the loop reads the strings, which live, and writes to `units`.
                unsafe { loop_to_utf16(black_box(strings.c.as_ptr()), strings.c.len(), out, cap) }
            }),
            strings.rust("simdutf", |bytes| {
                let out = strings.units.borrow_mut().as_mut_ptr();
                // SAFETY: the memory has a unit for each byte.
                unsafe { simdutf::convert_utf8_to_utf16le(bytes.as_ptr(), bytes.len(), out) }
            }),
            strings.icu(false),
        ];
        let times = bench.race(strings.rust.iter().map(units).sum(), entries);
        let (name, cells) = match len {
            LONG => (format!("{name} to UTF-16, GB/s"), times.gb_per_s(LONG)),
            _ => (
                format!("{name} to UTF-16, strings of {len} bytes, ns a call"),
                times.a_call(strings.rust.len()),
            ),
        };
        bench.data.row("what", &name, cells);
    }
}

fn main() -> io::Result<()> {
    let mut bench = Bench::start("capi")?;
    bench.command = "bindings/c/measure/run.sh".to_owned();
    bench.data.heading(2, "Short strings");
    let random = [9, 65].map(|end| Contents::ALL.map(|contents| (contents, Lengths::Below(end), 4096)));
    strings(&mut bench, &random.concat());
    bench.data.heading(2, "At one length");
    let fixed = [Contents::Ascii, Contents::Mixed]
        .map(|contents| [0, 1, 4, 16, 64].map(|len| (contents, Lengths::Fixed(len), 64)));
    strings(&mut bench, &fixed.concat());

    bench.data.heading(2, "Long texts");
    for name in ["ASCII", "JSON logs", "German", "Russian", "Chinese", "emoji", "random"] {
        let placed = Placed::filled(&texts::generated(name, LONG).text, LONG);
        let times = Strings::new(vec![&*placed]).validate(&bench);
        bench.data.row("text", name, times.gb_per_s(LONG));
        let others = times.fastest(|name| ["glib", "libunistring", "ICU"].contains(&name));
        bench.data.row("text", name, [("times as fast", others / times.of("C trust8_validate"))]);
    }
    bench.data.heading(2, "Streams, counts and conversions");
    others(&mut bench);
    bench.finish()
}
