//! Measures the functions of the shared library, as a C program calls them, and writes docs/capi.md.
//!
//! ```sh
//! bindings/c/measure/run.sh            # installs the library, measures, and writes the page
//! bindings/c/measure/run.sh --print    # only prints it
//! ```
//!
//! All contestants of a row take turns in one process, and each answer is checked.

use std::cell::RefCell;
use std::fmt::Write;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::{env, fs, io};

use trust8_measure::machine::Machine;
use trust8_measure::measure::{Bench, Entry, Packed, Placed, Times, entry};
use trust8_measure::report::digits;
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
            self.rust("Rust `is_utf8`", |bytes| usize::from(trust8::is_utf8(bytes))),
            self.c("C `trust8_is_utf8`", loop_is_utf8),
            self.rust("Rust `from_utf8`", |bytes| usize::from(black_box(trust8::from_utf8(bytes)).is_ok())),
            self.c("C `trust8_validate`", loop_validate),
            self.rust("simdutf", |bytes| usize::from(simdutf::validate_utf8(bytes))),
            self.c("glib", loop_glib),
            self.c("libunistring", loop_unistring),
            self.icu(true),
        ];
        bench.race(self.rust.len(), entries)
    }
}

/// The libraries that users choose from instead.
fn is_other(name: &str) -> bool {
    ["glib", "libunistring", "ICU"].contains(&name)
}

/// Adds a row to a table, with a head if it is the first. Columns that have no contestant are empty.
fn row(page: &mut String, columns: &[&str], name: &str, cells: &[(String, f64)]) {
    if page.ends_with("\n\n") {
        let _ = writeln!(page, "| | {} |\n|---{}|", columns.join(" | "), "|---:".repeat(columns.len()));
    }
    let cell =
        |column| cells.iter().find(|cell| cell.0 == column).map_or(String::new(), |cell| digits(cell.1));
    let cells: Vec<_> = columns.iter().map(|&column| cell(column)).collect();
    let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
}

/// Adds a table of validators on strings, and says what the C calls cost and where they lose.
fn strings(page: &mut String, bench: &Bench, cases: &[(Contents, Lengths, usize)]) {
    let (mut slower, mut most_over) = (Vec::new(), [0.0_f64; 2]);
    for &(contents, lengths, count) in cases {
        let packed = random_strings(lengths, contents, count);
        let times = Strings::new(packed.strings()).validate(bench);
        let name = match lengths {
            Lengths::Below(end) => format!("{}, 0 to {}", contents.name(), end - 1),
            _ => format!("{}, {}", contents.name(), lengths.name()),
        };
        let cells = times.a_call(count);
        let columns: Vec<_> = cells.iter().map(|cell| &*cell.0).collect();
        row(page, &columns, &name, &cells);
        let slowest_of_c = cells[1].1.max(cells[3].1);
        let faster = cells.iter().filter(|cell| is_other(&cell.0) && cell.1 < slowest_of_c);
        slower.extend(faster.map(|cell| format!("{name}: {}", cell.0)));
        most_over = [0, 1].map(|call| most_over[call].max(cells[2 * call + 1].1 - cells[2 * call].1));
    }
    let slower = if slower.is_empty() { "none".to_owned() } else { slower.join("; ") };
    let _ = writeln!(
        page,
        "\nThe C call costs at most {:.2} ns more than the Rust call for `is_utf8`, and {:.2} ns for `validate`. Slower than glib, \
         libunistring or ICU: {slower}.",
        most_over[0], most_over[1],
    );
}

/// Adds streams, counts and conversions.
fn others(page: &mut String, bench: &Bench) {
    const COLUMNS: [&str; 4] = ["Rust", "C", "simdutf", "ICU"];
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
        row(page, &COLUMNS, &name, &times.a_call(count));
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
        row(page, &COLUMNS, &name, &times.gb_per_s(LONG));
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
        row(page, &COLUMNS, &name, &cells);
    }
}

fn main() -> io::Result<()> {
    let bench = Bench::start("capi")?;
    let machine = Machine::ask();
    let mut page = format!(
        "# The C interface, measured\n\n\
         `bindings/c/measure/run.sh` writes this page. All numbers are from one run, on one core of an {}, {}. {}; {}. The C functions are \
         those of the shared library, called through the procedure linkage table, as a C program calls them. The contestants of a \
         row took turns, and their answers were checked; each number is the best round. trust8's kernel was {}.\n",
        machine.cpu,
        machine.date,
        machine.rustc,
        machine.cxx,
        trust8::Kernel::best().name(),
    );
    page += "\n## Short strings\n\nNanoseconds a call. Lengths and contents vary from call to call; `0 to 64` is every length with \
             equal chance.\n\n";
    let random = [9, 65].map(|end| Contents::ALL.map(|contents| (contents, Lengths::Below(end), 4096)));
    strings(&mut page, &bench, &random.concat());
    page += "\n### At one length\n\nAll strings have one length, so the CPU predicts the branches.\n\n";
    let fixed = [Contents::Ascii, Contents::Mixed]
        .map(|contents| [0, 1, 4, 16, 64].map(|len| (contents, Lengths::Fixed(len), 64)));
    strings(&mut page, &bench, &fixed.concat());

    page += "\n## Long texts\n\nGB/s on 64 KiB. The last column is how many times as fast `trust8_validate` is as the fastest of glib, \
             libunistring and ICU.\n\n";
    for name in ["ASCII", "JSON logs", "German", "Russian", "Chinese", "emoji", "random"] {
        let placed = Placed::filled(&texts::generated(name, LONG).text, LONG);
        let times = Strings::new(vec![&*placed]).validate(&bench);
        let mut cells = times.gb_per_s(LONG);
        let lead = times.fastest(is_other) / times.of("C `trust8_validate`");
        cells.push(("times as fast".to_owned(), lead));
        let columns: Vec<_> = cells.iter().map(|cell| &*cell.0).collect();
        row(&mut page, &columns, name, &cells);
    }
    page += "\n## Streams, counts and conversions\n\nNanoseconds a call, or GB/s of UTF-8 on 64 KiB. A stream is pushed in pieces of \
             one length, cut anywhere. Rust has its validator on the stack; C has its struct, and gets the number of valid \
             bytes from each push.\n\n";
    others(&mut page, &bench);

    print!("{page}");
    if !env::args().any(|argument| argument == "--print") {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/capi.md"), page)?;
    }
    Ok(())
}
