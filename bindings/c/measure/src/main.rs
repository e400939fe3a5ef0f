//! Measures the functions of the shared library, as a C program calls them, and writes docs/capi.md.
//!
//! ```sh
//! bindings/c/measure/run.sh            # installs the library, measures, and writes the page
//! bindings/c/measure/run.sh --print    # only prints it
//! ```
//!
//! All contestants of a table take turns in one process, and each answer is checked. A number is the best of all rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, fs};

use trust8_measure::machine::Machine;
use trust8_measure::measure::{Packed, Placed, pin};
use trust8_measure::report::{Table, digits};
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

/// The same strings for Rust and for C.
struct Strings<'a> {
    rust: Vec<&'a [u8]>,
    c: Vec<CString>,
}

impl<'a> Strings<'a> {
    fn new(rust: Vec<&'a [u8]>) -> Self {
        let c = rust.iter().map(|bytes| CString { data: bytes.as_ptr(), len: bytes.len() }).collect();
        Self { rust, c }
    }

    /// Calls a function of C with the pointer and the number of strings, which are those of living slices.
    fn in_c(&self, sweep: impl FnOnce(*const CString, usize) -> usize) -> usize {
        sweep(black_box(self.c.as_ptr()), self.c.len())
    }
}

/// A loop that calls a function for each string, and adds up what it says.
type Sweep<'a> = Box<dyn FnMut(&Strings<'_>) -> usize + 'a>;

/// Returns the loop around a function of Rust. It is compiled once for each, so the function is inlined where a program would.
fn rust<'a>(mut call: impl FnMut(&[u8]) -> usize + 'a) -> Sweep<'a> {
    Box::new(move |strings| black_box(&strings.rust).iter().map(|bytes| call(bytes)).sum())
}

fn c(sweep: Loop) -> Sweep<'static> {
    // SAFETY: the loop reads the strings, which live.
    Box::new(move |strings| strings.in_c(|first, count| unsafe { sweep(first, count) }))
}

/// Returns the nanoseconds a call of each contestant, in the best round.
fn race(contestants: &mut [Sweep<'_>], strings: Vec<&[u8]>, rounds: usize) -> Vec<f64> {
    let strings = Strings::new(strings);
    let expected = contestants[0](&strings);
    let mut best = vec![f64::INFINITY; contestants.len()];
    let times: Vec<usize> = contestants
        .iter_mut()
        .map(|contestant| {
            assert_eq!(contestant(&strings), expected, "the answers differ");
            let start = Instant::now();
            black_box(contestant(&strings));
            (SAMPLE.as_nanos() / start.elapsed().as_nanos().max(1)) as usize + 1
        })
        .collect();
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            let start = Instant::now();
            for _ in 0..times[i] {
                black_box(contestants[i](&strings));
            }
            let nanos = start.elapsed().as_nanos() as f64 / (times[i] * strings.rust.len()) as f64;
            best[i] = best[i].min(nanos);
        }
    }
    best
}

/// The time that a round of a contestant takes, unless one pass takes longer. It is short, so that other programs leave some
/// rounds alone.
const SAMPLE: Duration = Duration::from_micros(50);

/// The length of the longest text that is converted.
const LONG: usize = 64 << 10;

fn validators(units: &mut [u16]) -> Vec<Sweep<'_>> {
    vec![
        rust(|bytes| usize::from(trust8::is_utf8(bytes))),
        c(loop_is_utf8),
        rust(|bytes| usize::from(black_box(trust8::from_utf8(bytes)).is_ok())),
        c(loop_validate),
        rust(|bytes| usize::from(simdutf::validate_utf8(bytes))),
        c(loop_glib),
        c(loop_unistring),
        icu(units, true),
    ]
}

fn icu(units: &mut [u16], valid_only: bool) -> Sweep<'_> {
    Box::new(move |strings| {
        let (out, cap) = (units.as_mut_ptr(), units.len());
        // SAFETY: the loop reads the strings, which live, and writes to `units`.
        strings.in_c(|first, count| unsafe { loop_icu(first, count, out, cap, valid_only) })
    })
}

const VALIDATORS: [&str; 8] = [
    "Rust `is_utf8`",
    "C `trust8_is_utf8`",
    "Rust `from_utf8`",
    "C `trust8_validate`",
    "simdutf",
    "glib",
    "libunistring",
    "ICU",
];

fn table(heads: &[&str]) -> Table {
    Table::new(heads.iter().copied())
}

fn main() {
    let core = pin().expect("the core exists");
    let machine = Machine::ask();
    let rounds = if env::args().any(|argument| argument == "--quick") { 30 } else { 400 };
    let mut units = vec![0_u16; LONG + 64];
    let mut page = format!(
        "# The C interface, measured\n\n\
         `bindings/c/measure/run.sh` writes this page. All numbers are from one run, on one core of an {}, {}. {}; {}. The C functions are \
         those of the shared library, called through the procedure linkage table, as a C program calls them. The contestants of a \
         table took turns, their answers were compared, and each number is the best of {rounds} rounds of {} microseconds. trust8's \
         kernel was {}.{}\n",
        machine.cpu,
        machine.date,
        machine.rustc,
        machine.cxx,
        SAMPLE.as_micros(),
        trust8::Kernel::best().name(),
        core.map_or(String::new(), |_| " The process was pinned to a core.".to_owned()),
    );

    page += "\n## Short strings\n\nNanoseconds a call. Lengths and contents vary from call to call; `0 to 64` is every length with \
             equal chance.\n\n";
    let mut short = table(&[&["strings"], &VALIDATORS[..]].concat());
    let mut slower = Vec::new();
    let mut most_over = [0.0_f64; 2];
    for contents in Contents::ALL {
        for lengths in [Lengths::Below(9), Lengths::Below(65)] {
            let packed = random_strings(lengths, contents, 4096);
            let best = race(&mut validators(&mut units), packed.strings(), rounds);
            let name = match lengths {
                Lengths::Below(end) => format!("{}, 0 to {}", contents.name(), end - 1),
                _ => lengths.name(),
            };
            for (i, other) in VALIDATORS.iter().enumerate().skip(5) {
                if best[1] > best[i] || best[3] > best[i] {
                    slower.push(format!("{name}: {other}"));
                }
            }
            for call in 0..2 {
                most_over[call] = most_over[call].max(best[2 * call + 1] - best[2 * call]);
            }
            short.row([name].into_iter().chain(best.iter().map(|ns| digits(*ns))));
        }
    }
    page += &short.markdown();
    page += &format!(
        "\nThe C call costs at most {:.2} ns more than the Rust call for `is_utf8`, and {:.2} ns for `validate`. Slower than glib, \
         libunistring or ICU: {}.\n",
        most_over[0],
        most_over[1],
        if slower.is_empty() { "none".to_owned() } else { slower.join("; ") },
    );

    page += "\n### At one length\n\nAll strings have one length, so the CPU predicts the branches.\n\n";
    let mut fixed = table(&[&["strings"], &VALIDATORS[..]].concat());
    let mut slower = Vec::new();
    let mut most_over = [0.0_f64; 2];
    for contents in [Contents::Ascii, Contents::Mixed] {
        for len in [0, 1, 4, 16, 64] {
            let packed = random_strings(Lengths::Fixed(len), contents, 64);
            let name = format!("{}, {len}", contents.name());
            let best = race(&mut validators(&mut units), packed.strings(), rounds);
            for (i, other) in VALIDATORS.iter().enumerate().skip(5) {
                if best[1] > best[i] || best[3] > best[i] {
                    slower.push(format!("{name} bytes: {other}"));
                }
            }
            for call in 0..2 {
                most_over[call] = most_over[call].max(best[2 * call + 1] - best[2 * call]);
            }
            fixed.row([name].into_iter().chain(best.iter().map(|ns| digits(*ns))));
        }
    }
    page += &fixed.markdown();
    page += &format!(
        "\nThe C call costs at most {:.2} ns more than the Rust call for `is_utf8`, and {:.2} ns for `validate`. Slower than glib, \
         libunistring or ICU: {}.\n",
        most_over[0],
        most_over[1],
        if slower.is_empty() { "none".to_owned() } else { slower.join("; ") }
    );

    page += "\n## Long texts\n\nGB/s on 64 KiB. The last column is how many times as fast `trust8_validate` is as the fastest of glib, \
             libunistring and ICU.\n\n";
    let mut long = table(&[&["text"], &VALIDATORS[..], &["times as fast"]].concat());
    const SHOWN: [&str; 7] = ["ASCII", "JSON logs", "German", "Russian", "Chinese", "emoji", "random"];
    let all = texts::texts(LONG).expect("the texts are generated");
    for text in all.into_iter().filter(|text| SHOWN.contains(&&*text.name)) {
        let placed = Placed::filled(&text.text, text.text.len());
        let best = race(&mut validators(&mut units), vec![placed.bytes()], rounds);
        let fastest = best[5..].iter().copied().fold(f64::INFINITY, f64::min);
        let speeds = best.iter().map(|ns| digits(placed.bytes().len() as f64 / ns));
        long.row([text.name].into_iter().chain(speeds).chain([digits(fastest / best[3])]));
    }
    page += &long.markdown();

    page += "\n## Streams, counts and conversions\n\nNanoseconds a call, or GB/s of UTF-8 on 64 KiB. A stream is pushed in pieces of \
             one length, cut anywhere. Rust has its validator on the stack; C has its struct, and gets the number of valid \
             bytes from each push.\n\n";
    let mut others = table(&["what", "Rust", "C", "simdutf", "ICU"]);
    for (name, len) in
        [("ASCII", 16), ("ASCII", 64), ("Russian", 16), ("Russian", 64), ("Chinese", 16), ("Chinese", 64)]
    {
        let text = texts::generated(name, LONG);
        let pieces = pieces(&text.text, len);
        let strings = pieces.strings();
        let best = race(
            &mut [
                Box::new(|strings| {
                    let mut validator = trust8::Validator::new();
                    black_box(&strings.rust).iter().filter(|piece| validator.push(piece).is_ok()).count()
                }),
                c(loop_push),
            ],
            strings,
            rounds,
        );
        others.row([
            format!("stream of {name}, pieces of {len} bytes, ns a push"),
            digits(best[0]),
            digits(best[1]),
            String::new(),
            String::new(),
        ]);
    }
    for name in ["ASCII", "Russian", "Chinese"] {
        let text = texts::generated(name, LONG);
        let bytes = text.text.as_bytes();
        let best = race(
            &mut [
                rust(|bytes| trust8_counts::inspect(bytes).chars()),
                c(loop_count_chars),
                rust(|bytes| simdutf::count_utf8(bytes)),
            ],
            vec![bytes],
            rounds,
        );
        let speed = |ns: f64| digits(bytes.len() as f64 / ns);
        others.row([
            format!("characters of {name}, GB/s (simdutf does not validate)"),
            speed(best[0]),
            speed(best[1]),
            speed(best[2]),
            String::new(),
        ]);
    }
    for (name, len) in
        [("ASCII", LONG), ("Russian", LONG), ("Chinese", LONG), ("Russian", 16), ("Russian", 64)]
    {
        let text = texts::generated(name, LONG);
        let packed = consecutive(&text.text, len);
        let strings = packed.strings();
        let (mut ours, mut in_c, mut theirs) =
            (vec![0_u16; LONG + 64], vec![0_u16; LONG + 64], vec![0_u16; LONG + 64]);
        let text_len = strings[0].len();
        let best = race(
            &mut [
                rust(|bytes| {
                    // SAFETY: initialised memory may be written to in any way, and has two bytes for each unit.
                    let room =
                        unsafe { std::slice::from_raw_parts_mut(ours.as_mut_ptr().cast(), 2 * ours.len()) };
                    convert_into(black_box(Encoding::Utf8), black_box(Encoding::Utf16Le), bytes, room)
                        .map_or(usize::MAX, |bytes| bytes.len() / 2)
                }),
                Box::new(|strings| {
                    let (out, cap) = (in_c.as_mut_ptr(), in_c.len());
                    // SAFETY: the loop reads the strings, which live, and writes to `in_c`.
                    strings.in_c(|first, count| unsafe { loop_to_utf16(first, count, out, cap) })
                }),
                rust(|bytes| {
                    // SAFETY: the buffer has a unit for each byte.
                    unsafe {
                        simdutf::convert_utf8_to_utf16le(bytes.as_ptr(), bytes.len(), theirs.as_mut_ptr())
                    }
                }),
                icu(&mut units, false),
            ],
            strings,
            rounds,
        );
        if len == LONG {
            let speeds = best.iter().map(|ns| digits(text_len as f64 / ns));
            others.row([format!("{name} to UTF-16, GB/s")].into_iter().chain(speeds));
        } else {
            let name = format!("{name} to UTF-16, strings of {len} bytes, ns a call");
            others.row([name].into_iter().chain(best.iter().map(|ns| digits(*ns))));
        }
    }
    page += &others.markdown();

    print!("{page}");
    if !env::args().any(|argument| argument == "--print") {
        let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/capi.md");
        fs::write(place, page).expect("the page can be written");
    }
}

/// Returns the text in pieces of this length, which cut characters.
fn pieces(text: &str, len: usize) -> Packed {
    let ranges = (0..text.len()).step_by(len).map(|at| at..text.len().min(at + len)).collect();
    Packed::new(text.as_bytes(), ranges)
}

/// Returns the text as strings of a length, or as one string.
fn consecutive(text: &str, len: usize) -> Packed {
    if len < text.len() {
        consecutive_strings(text, len, 1024)
    } else {
        Packed::new(text.as_bytes(), vec![0..text.len()])
    }
}
