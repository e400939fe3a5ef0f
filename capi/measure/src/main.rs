//! Measures the functions of the shared library, as a C program calls them, and writes docs/capi.md.
//!
//! ```sh
//! capi/measure/run.sh            # installs the library, measures, and writes the page
//! capi/measure/run.sh --print    # only prints it
//! ```
//!
//! All contestants of a table take turns in one process, and each answer is checked. A number is the best of all rounds.

use std::ffi::c_void;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use std::{env, fs};

use trust8::transcode::{Encoding, Utf16, convert_into};
use trust8_benches::machine::Machine;
use trust8_benches::measure::{Packed, Placed, pin};
use trust8_benches::report::{Table, digits};
use trust8_benches::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_benches::texts;

/// The state of `trust8_validator`.
#[repr(C)]
struct CValidator([u64; 2]);

// SAFETY: the functions as trust8.h and others.c declare them.
unsafe extern "C" {
    fn trust8_is_utf8(data: *const c_void, len: usize) -> bool;
    fn trust8_validate(data: *const c_void, len: usize, error: *mut c_void) -> bool;
    fn trust8_count_chars(data: *const c_void, len: usize) -> usize;
    fn trust8_validator_init(validator: *mut CValidator);
    fn trust8_validator_push(
        validator: *mut CValidator,
        piece: *const c_void,
        len: usize,
        error: *mut c_void,
    ) -> bool;
    fn trust8_convert(
        from: u32,
        to: u32,
        flags: u32,
        text: *const c_void,
        len: usize,
        out: *mut c_void,
        cap: usize,
        result: *mut c_void,
    ) -> bool;
    fn others_glib(bytes: *const u8, len: usize) -> bool;
    fn others_unistring(bytes: *const u8, len: usize) -> bool;
    fn others_icu(bytes: *const u8, len: usize, out: *mut u16, cap: usize) -> usize;
}

/// A function that is called for each string, and says something about it.
type Sweep<'a> = Box<dyn FnMut(&[&[u8]]) -> usize + 'a>;

/// Returns the loop around a function. It is compiled once for each, so the function is inlined where a program would.
fn sweep<'a>(mut call: impl FnMut(&[u8]) -> usize + 'a) -> Sweep<'a> {
    Box::new(move |strings| strings.iter().map(|bytes| call(black_box(bytes))).sum())
}

/// Returns the nanoseconds a call of each contestant, in the best round.
fn race(contestants: &mut [Sweep<'_>], strings: &[&[u8]], rounds: usize) -> Vec<f64> {
    let expected = contestants[0](strings);
    let mut best = vec![f64::INFINITY; contestants.len()];
    let times: Vec<usize> = contestants
        .iter_mut()
        .map(|contestant| {
            assert_eq!(contestant(strings), expected, "the answers differ");
            let start = Instant::now();
            black_box(contestant(strings));
            (Duration::from_micros(500).as_nanos() / start.elapsed().as_nanos().max(1)) as usize + 1
        })
        .collect();
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            let start = Instant::now();
            for _ in 0..times[i] {
                black_box(contestants[i](strings));
            }
            let nanos = start.elapsed().as_nanos() as f64 / (times[i] * strings.len()) as f64;
            best[i] = best[i].min(nanos);
        }
    }
    best
}

/// The length of the longest text that is converted.
const LONG: usize = 64 << 10;

fn validators<'a>(units: &'a mut [u16]) -> Vec<Sweep<'a>> {
    let cap = units.len();
    let out = units.as_mut_ptr();
    vec![
        sweep(|bytes| usize::from(trust8::is_utf8(bytes))),
        // SAFETY: the bytes of a slice.
        sweep(|bytes| usize::from(unsafe { trust8_is_utf8(bytes.as_ptr().cast(), bytes.len()) })),
        sweep(|bytes| usize::from(black_box(trust8::from_utf8(bytes)).is_ok())),
        sweep(|bytes| {
            let mut error = MaybeUninit::<[u64; 2]>::uninit();
            // SAFETY: the bytes of a slice, and memory for the struct.
            usize::from(unsafe {
                trust8_validate(bytes.as_ptr().cast(), bytes.len(), error.as_mut_ptr().cast())
            })
        }),
        sweep(|bytes| usize::from(simdutf::validate_utf8(bytes))),
        // SAFETY: the bytes of a slice.
        sweep(|bytes| usize::from(unsafe { others_glib(bytes.as_ptr(), bytes.len()) })),
        // SAFETY: the bytes of a slice.
        sweep(|bytes| usize::from(unsafe { others_unistring(bytes.as_ptr(), bytes.len()) })),
        sweep(move |bytes| {
            // SAFETY: the bytes of a slice, and memory for as many units as it says.
            usize::from(unsafe { others_icu(bytes.as_ptr(), bytes.len(), out, cap) } != usize::MAX)
        }),
    ]
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
    let rounds = if env::args().any(|argument| argument == "--quick") { 5 } else { 40 };
    let mut units = vec![0_u16; LONG + 64];
    let mut page = format!(
        "# The C interface, measured\n\n\
         `capi/measure/run.sh` writes this page. All numbers are from one run, on one core of: {}. {}; {}. The C functions are \
         those of the shared library, called through the procedure linkage table, as a C program calls them. The contestants of a \
         table took turns, their answers were compared, and each number is the best of {rounds} rounds. trust8's kernel was \
         {}.{}\n",
        machine.cpu,
        machine.rustc,
        machine.cxx,
        trust8::Kernel::best().name(),
        core.map_or(String::new(), |_| " The process was pinned to a core.".to_owned()),
    );

    page += "\n## Short strings\n\nNanoseconds a call. Lengths and contents vary from call to call; `0 to 64` is every length with \
             equal chance.\n\n";
    let mut short = table(&[&["strings"], &VALIDATORS[..]].concat());
    let mut slower = Vec::new();
    let mut most_over = [0.0_f64; 2];
    for contents in Contents::ALL {
        for lengths in [Lengths::Below(9), Lengths::Below(17), Lengths::Below(33), Lengths::Below(65)] {
            let packed = random_strings(lengths, contents, 4096);
            let best = race(&mut validators(&mut units), &packed.strings(), rounds);
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

    page += "\n### At one length\n\nThe same, where all strings have one length, so that the CPU predicts the branches.\n\n";
    let mut fixed = table(&[&["strings"], &VALIDATORS[..]].concat());
    let mut slower = Vec::new();
    for contents in [Contents::Ascii, Contents::Mixed] {
        for len in [0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64] {
            let packed = random_strings(Lengths::Fixed(len), contents, 64);
            let name = format!("{}, {len}", contents.name());
            let best = race(&mut validators(&mut units), &packed.strings(), rounds);
            for (i, other) in VALIDATORS.iter().enumerate().skip(5) {
                if best[1] > best[i] || best[3] > best[i] {
                    slower.push(format!("{name} bytes: {other}"));
                }
            }
            fixed.row([name].into_iter().chain(best.iter().map(|ns| digits(*ns))));
        }
    }
    page += &fixed.markdown();
    page += &format!(
        "\nSlower than glib, libunistring or ICU: {}.\n",
        if slower.is_empty() { "none".to_owned() } else { slower.join("; ") }
    );

    page += "\n## Long texts\n\nGB/s on 64 KiB. The last column is how many times as fast `trust8_validate` is as the fastest of glib, \
             libunistring and ICU.\n\n";
    let mut long = table(&[&["text"], &VALIDATORS[..], &["times as fast"]].concat());
    for text in texts::texts(LONG).expect("the texts are generated") {
        let placed = Placed::filled(&text.text, text.text.len());
        let best = race(&mut validators(&mut units), &[placed.bytes()], rounds);
        let fastest = best[5..].iter().copied().fold(f64::INFINITY, f64::min);
        let speeds = best.iter().map(|ns| digits(placed.bytes().len() as f64 / ns));
        long.row([text.name].into_iter().chain(speeds).chain([digits(fastest / best[3])]));
    }
    page += &long.markdown();

    page += "\n## Streams, counts and conversions\n\nNanoseconds a call, or GB/s of UTF-8 on 64 KiB. A stream is pushed in pieces of \
             64 bytes, cut anywhere; Rust has its validator on the stack, and C its struct.\n\n";
    let mut others = table(&["what", "Rust", "C", "simdutf", "ICU"]);
    for name in ["ASCII", "Russian", "Chinese"] {
        let text = texts::generated(name, LONG);
        let pieces = pieces(&text.text);
        let strings = pieces.strings();
        let mut rust = trust8::Validator::new();
        let mut c = CValidator([0; 2]);
        // SAFETY: memory for the struct.
        unsafe { trust8_validator_init(&mut c) };
        let best = race(
            &mut [
                sweep(|piece| usize::from(rust.push(piece).is_ok())),
                sweep(|piece| {
                    // SAFETY: the struct, and the bytes of a slice.
                    usize::from(unsafe {
                        trust8_validator_push(&mut c, piece.as_ptr().cast(), piece.len(), null_mut())
                    })
                }),
            ],
            &strings,
            rounds,
        );
        others.row([
            format!("stream of {name}, ns a push"),
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
                sweep(|bytes| trust8::inspect(bytes).chars()),
                // SAFETY: the bytes of a slice.
                sweep(|bytes| unsafe { trust8_count_chars(bytes.as_ptr().cast(), bytes.len()) }),
                sweep(|bytes| simdutf::count_utf8(bytes)),
            ],
            &[bytes],
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
        let (mut ours, mut c, mut theirs, mut icu) =
            (vec![0_u16; LONG + 64], vec![0_u16; LONG + 64], vec![0_u16; LONG + 64], vec![0_u16; LONG + 64]);
        let best = race(
            &mut [
                sweep(|bytes| {
                    // SAFETY: initialised memory may be written to in any way.
                    let room =
                        unsafe { std::slice::from_raw_parts_mut(ours.as_mut_ptr().cast(), ours.len()) };
                    convert_into(Encoding::Utf8, Utf16, bytes, room).map_or(usize::MAX, |units| units.len())
                }),
                sweep(|bytes| {
                    let mut result = [0_u64; 3];
                    // SAFETY: the bytes of a slice, and memory for the units and the struct.
                    unsafe {
                        trust8_convert(
                            1,
                            7,
                            0,
                            bytes.as_ptr().cast(),
                            bytes.len(),
                            c.as_mut_ptr().cast(),
                            2 * c.len(),
                            result.as_mut_ptr().cast(),
                        )
                    };
                    result[1] as usize / 2
                }),
                sweep(|bytes| {
                    // SAFETY: the buffer has a unit for each byte.
                    unsafe {
                        simdutf::convert_utf8_to_utf16le(bytes.as_ptr(), bytes.len(), theirs.as_mut_ptr())
                    }
                }),
                // SAFETY: the bytes of a slice, and memory for the units.
                sweep(|bytes| unsafe {
                    others_icu(bytes.as_ptr(), bytes.len(), icu.as_mut_ptr(), icu.len())
                }),
            ],
            &strings,
            rounds,
        );
        if len == LONG {
            let speeds = best.iter().map(|ns| digits(strings[0].len() as f64 / ns));
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

/// Returns the text in pieces of 64 bytes, which cut characters.
fn pieces(text: &str) -> Packed {
    let ranges = (0..text.len()).step_by(64).map(|at| at..text.len().min(at + 64)).collect();
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
