//! Measures questions about text (is it ASCII, is it well-formed, where does it stop being so) against simdutf, encoding_rs and
//! std.
//!
//! ```text
//! cargo bench -p trust8-measure --bench questions                      everything, written to docs/data/
//! cargo bench -p trust8-measure --bench questions -- --quick           a quick look, printed and not written
//! cargo bench -p trust8-measure --bench questions -- --quick UTF-32    the questions with this in their names
//! ```
//!
//! A process measures one kernel against simdutf's for the same instruction set, so there are two: simdutf chooses its kernel
//! when a process begins. The contestants of a row take turns in many rounds, and the fastest round of each counts. Every answer
//! is checked while it is timed. In `cargo test` everything runs once, to check the answers.

use std::cell::RefCell;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use std::{env, io};

use trust8::Kernel;
use trust8_counts::KernelCounts;
use trust8_measure::machine::peers;
use trust8_measure::measure::{Placed, measuring, pin, quick};
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::short_strings::{Contents, Lengths, random_strings};
use trust8_measure::texts::texts;
use trust8_transcode::Encoding::Utf16Be;
use trust8_transcode::{KernelForms, Str, Utf16, Utf32};

/// The length of each text in UTF-8.
const TEXT: usize = 64 << 10;

/// The number of short strings.
const STRINGS: usize = 2000;

/// Functions of simdutf that its crate compiles and does not offer, by their names in C++.
mod cpp {
    unsafe extern "C" {
        #[link_name = "_ZN7simdutf25validate_utf16le_as_asciiEPKDsm"]
        pub(crate) unsafe fn is_utf16le_ascii(units: *const u16, len: usize) -> bool;
        #[link_name = "_ZN7simdutf22to_well_formed_utf16leEPKDsmPDs"]
        pub(crate) unsafe fn to_well_formed_utf16le(units: *const u16, len: usize, to: *mut u16);
        #[link_name = "_ZN7simdutf41utf8_length_from_utf16le_with_replacementEPKDsm"]
        pub(crate) unsafe fn utf8_length_from_utf16le_with_replacement(
            units: *const u16,
            len: usize,
        ) -> Length;
    }

    /// Whether a text has surrogates, and a length.
    #[repr(C)]
    pub(crate) struct Length {
        _error: i32,
        pub(crate) len: usize,
    }
}

/// Returns what simdutf says of UTF-16: whether all of it is ASCII.
fn is_utf16_ascii(units: &[u16]) -> bool {
    // SAFETY: the pointer and the length are those of a slice, which the function only reads.
    unsafe { cpp::is_utf16le_ascii(units.as_ptr(), units.len()) }
}

/// Makes UTF-16 well-formed with simdutf, where it stands.
fn make_utf16_well_formed(units: &mut [u16]) {
    // SAFETY: the pointer and the length are those of a slice. The function may write to where it reads.
    unsafe { cpp::to_well_formed_utf16le(units.as_ptr(), units.len(), units.as_mut_ptr()) }
}

/// Returns the length that simdutf says UTF-16 has in UTF-8, with replacements.
fn utf8_len_lossy(units: &[u16]) -> usize {
    // SAFETY: the pointer and the length are those of a slice, which the function only reads.
    unsafe { cpp::utf8_length_from_utf16le_with_replacement(units.as_ptr(), units.len()) }.len
}

/// Returns a number that depends on some of the units.
fn probe(units: &[u16]) -> usize {
    let at = |part: usize| usize::from(units.get(units.len() * part / 8).copied().unwrap_or(1));
    (0..8).fold(units.len(), |all, part| 31 * all + at(part))
}

/// Returns the place that simdutf reports, or the length.
fn place(result: simdutf::Result, len: usize) -> usize {
    if result.error == simdutf::ErrorCode::Success { len } else { result.count }
}

/// A text in all forms.
struct Forms {
    name: String,
    utf8: Placed,
    utf16: Vec<u16>,
    utf16be: Vec<u16>,
    utf32: Vec<u32>,
    /// Memory for a copy of the UTF-16.
    copy: RefCell<Vec<u16>>,
}

impl Forms {
    fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            utf8: Placed::new(text.as_bytes(), 0),
            utf16: text.encode_utf16().collect(),
            utf16be: text.encode_utf16().map(u16::to_be).collect(),
            utf32: text.chars().map(u32::from).collect(),
            copy: RefCell::new(text.encode_utf16().collect()),
        }
    }

    /// Returns the text in UTF-16 with unpaired surrogates at random distances; `every` is the mean
    /// distance in units.
    fn spoiled(name: &str, text: &str, every: usize) -> Self {
        let mut forms = Self::new(&format!("{name}, a fault every {every}"), text);
        let (mut random, mut at) = (Random::named("questions"), 0);
        while at < forms.utf16.len() {
            forms.utf16[at] = 0xDC00;
            at += random.between(1, 2 * every - 1);
        }
        forms
    }

    /// Returns the UTF-16 after `work` has changed a copy of it.
    fn changed(&self, work: impl FnOnce(&mut [u16])) -> usize {
        let mut copy = self.copy.borrow_mut();
        copy.copy_from_slice(black_box(&self.utf16));
        work(black_box(&mut copy));
        probe(&copy)
    }

    fn text(&self) -> &str {
        // SAFETY: the bytes were copied from a `str`.
        unsafe { std::str::from_utf8_unchecked(self.utf8.bytes()) }
    }
}

/// Returns the bytes of UTF-16.
fn bytes_of(units: &[u16]) -> &[u8] {
    // SAFETY: memory and borrow are the same; a `u16` has no padding.
    unsafe { std::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

/// A contestant: its name, and its work on a text, which returns the number of the answer.
type Contestant = (&'static str, Box<dyn Fn(&Forms) -> usize>);

fn contestant(name: &'static str, work: impl Fn(&Forms) -> usize + 'static) -> Contestant {
    (name, Box::new(work))
}

/// The question, how many bytes of a text it reads, and the contestants. The first contestant is
/// trust8, the second simdutf, where it has such a function.
struct Question {
    name: &'static str,
    len: fn(&Forms) -> usize,
    contestants: Vec<Contestant>,
    texts: Texts,
}

/// The long texts for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    Ascii,
    Latin1,
    All,
    /// These, and texts with faults.
    AllAndFaulty,
}

/// Returns all questions, for a kernel.
fn questions(kernel: &'static Kernel) -> Vec<Question> {
    let utf8 = |forms: &Forms| forms.utf8.bytes().len();
    let utf16 = |forms: &Forms| 2 * forms.utf16.len();
    let utf32 = |forms: &Forms| 4 * forms.utf32.len();
    let result = |valid: bool| usize::from(valid);
    vec![
        Question {
            name: "where ASCII ends, bytes",
            len: utf8,
            contestants: vec![
                contestant("trust8 ascii_up_to", move |forms| {
                    kernel.ascii_up_to(black_box(forms.utf8.bytes()))
                }),
                contestant("simdutf validate_ascii_with_errors", |forms| {
                    let bytes = black_box(forms.utf8.bytes());
                    place(simdutf::validate_ascii_with_errors(bytes), bytes.len())
                }),
                contestant("encoding_rs ascii_valid_up_to", |forms| {
                    encoding_rs::Encoding::ascii_valid_up_to(black_box(forms.utf8.bytes()))
                }),
            ],
            texts: Texts::Ascii,
        },
        Question {
            name: "is it ASCII, bytes",
            len: utf8,
            contestants: vec![
                contestant("trust8 is_ascii", move |forms| {
                    let bytes = black_box(forms.utf8.bytes());
                    result(kernel.ascii_up_to(bytes) == bytes.len())
                }),
                contestant("simdutf validate_ascii", move |forms| {
                    result(simdutf::validate_ascii(black_box(forms.utf8.bytes())))
                }),
                contestant("std is_ascii", move |forms| result(black_box(forms.utf8.bytes()).is_ascii())),
            ],
            texts: Texts::Ascii,
        },
        Question {
            name: "is it ASCII, UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 is_ascii", move |forms| {
                    let units = black_box(&forms.utf16);
                    result(trust8_transcode::ascii_up_to_in(kernel.form(Utf16), units) == units.len())
                }),
                contestant("simdutf validate_utf16le_as_ascii", move |forms| {
                    result(is_utf16_ascii(black_box(&forms.utf16)))
                }),
                contestant("encoding_rs is_basic_latin", move |forms| {
                    result(encoding_rs::mem::is_basic_latin(black_box(&forms.utf16)))
                }),
            ],
            texts: Texts::Ascii,
        },
        Question {
            name: "where Latin-1 ends, `str`",
            len: utf8,
            contestants: vec![
                contestant("trust8 latin1_up_to", move |forms| {
                    trust8_transcode::latin1_up_to(kernel.form(Str), black_box(forms.text()))
                }),
                contestant("encoding_rs str_latin1_up_to", |forms| {
                    encoding_rs::mem::str_latin1_up_to(black_box(forms.text()))
                }),
            ],
            texts: Texts::Latin1,
        },
        Question {
            name: "where it is malformed, UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 validate", move |forms| {
                    let units = black_box(&forms.utf16);
                    trust8_transcode::validate(kernel.form(Utf16), units)
                        .map_or_else(|error| error.valid_up_to(), |()| units.len())
                }),
                contestant("simdutf validate_utf16le_with_errors", |forms| {
                    let units = black_box(&forms.utf16);
                    place(simdutf::validate_utf16le_with_errors(units), units.len())
                }),
                contestant("encoding_rs utf16_valid_up_to", |forms| {
                    encoding_rs::mem::utf16_valid_up_to(black_box(&forms.utf16))
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "is it well-formed, UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 validate", move |forms| {
                    result(trust8_transcode::validate(kernel.form(Utf16), black_box(&forms.utf16)).is_ok())
                }),
                contestant("simdutf validate_utf16le", move |forms| {
                    result(simdutf::validate_utf16le(black_box(&forms.utf16)))
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "is it well-formed, UTF-16BE",
            len: utf16,
            contestants: vec![
                contestant("trust8 validate", move |forms| {
                    result(
                        trust8_transcode::validate(kernel.form(Utf16Be), bytes_of(black_box(&forms.utf16be)))
                            .is_ok(),
                    )
                }),
                contestant("simdutf validate_utf16be", move |forms| {
                    result(simdutf::validate_utf16be(black_box(&forms.utf16be)))
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "make it well-formed in place, UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 make_well_formed", move |forms| {
                    let mut units = forms.copy.borrow_mut();
                    kernel.form(trust8_transcode::Utf16).make_well_formed(black_box(&mut units));
                    probe(&units)
                }),
                contestant("simdutf to_well_formed_utf16le", |forms| {
                    let mut units = forms.copy.borrow_mut();
                    make_utf16_well_formed(black_box(&mut units));
                    probe(&units)
                }),
                contestant("encoding_rs ensure_utf16_validity", |forms| {
                    let mut units = forms.copy.borrow_mut();
                    encoding_rs::mem::ensure_utf16_validity(black_box(&mut units));
                    probe(&units)
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "copy and make it well-formed, UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 make_well_formed", move |forms| {
                    forms.changed(|units| kernel.form(trust8_transcode::Utf16).make_well_formed(units))
                }),
                contestant("simdutf to_well_formed_utf16le", |forms| forms.changed(make_utf16_well_formed)),
                contestant("encoding_rs ensure_utf16_validity", |forms| {
                    forms.changed(encoding_rs::mem::ensure_utf16_validity)
                }),
            ],
            texts: Texts::AllAndFaulty,
        },
        Question {
            name: "length in UTF-8 of lossy UTF-16",
            len: utf16,
            contestants: vec![
                contestant("trust8 lossy_len", move |forms| {
                    trust8_transcode::len_lossy(kernel.form(Utf16), Str, black_box(&forms.utf16))
                }),
                contestant("simdutf utf8_length_from_utf16le_with_replacement", |forms| {
                    utf8_len_lossy(black_box(&forms.utf16))
                }),
            ],
            texts: Texts::AllAndFaulty,
        },
        Question {
            name: "how many bytes are no continuations",
            len: utf8,
            contestants: vec![
                contestant("trust8 count_starts", move |forms| {
                    kernel.count_starts(black_box(forms.utf8.bytes()))
                }),
                contestant("simdutf count_utf8", |forms| simdutf::count_utf8(black_box(forms.utf8.bytes()))),
            ],
            texts: Texts::All,
        },
        Question {
            name: "how many characters, lossy",
            len: utf8,
            contestants: vec![
                contestant("trust8 count_chars_lossy", move |forms| {
                    kernel.count_chars_lossy(black_box(forms.utf8.bytes()))
                }),
                contestant("simdutf validate_utf8 and count_utf8", |forms| {
                    let bytes = black_box(forms.utf8.bytes());
                    if simdutf::validate_utf8(bytes) { simdutf::count_utf8(bytes) } else { 0 }
                }),
                contestant("bstr chars().count()", |forms| {
                    bstr::ByteSlice::chars(black_box(forms.utf8.bytes())).count()
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "where it is malformed, UTF-32",
            len: utf32,
            contestants: vec![
                contestant("trust8 validate", move |forms| {
                    let units = black_box(&forms.utf32);
                    trust8_transcode::validate(kernel.form(Utf32), units)
                        .map_or_else(|error| error.valid_up_to(), |()| units.len())
                }),
                contestant("simdutf validate_utf32_with_errors", |forms| {
                    let units = black_box(&forms.utf32);
                    place(simdutf::validate_utf32_with_errors(units), units.len())
                }),
            ],
            texts: Texts::All,
        },
        Question {
            name: "is it well-formed, UTF-32",
            len: utf32,
            contestants: vec![
                contestant("trust8 validate", move |forms| {
                    result(trust8_transcode::validate(kernel.form(Utf32), black_box(&forms.utf32)).is_ok())
                }),
                contestant("simdutf validate_utf32", move |forms| {
                    result(simdutf::validate_utf32(black_box(&forms.utf32)))
                }),
            ],
            texts: Texts::All,
        },
    ]
}

/// Returns the nanoseconds that each contestant takes for all texts, in its fastest round. Panics if one has another answer than the
/// first.
fn race(contestants: &[Contestant], texts: &[&Forms]) -> Vec<f64> {
    let expected: Vec<usize> = texts.iter().map(|forms| contestants[0].1(forms)).collect();
    let sample = |(name, work): &Contestant, times: usize| {
        let start = Instant::now();
        for _ in 0..times {
            for (forms, expected) in texts.iter().zip(&expected) {
                assert_eq!(work(forms), *expected, "{name}, {}", forms.name);
            }
        }
        start.elapsed().as_nanos() as f64 / times as f64
    };
    let (rounds, shortest) = match (measuring(), quick()) {
        (false, _) => (1, 0.0),
        (true, true) => (60, 20_000.0),
        (true, false) => (400, 30_000.0),
    };
    let times: Vec<usize> = contestants
        .iter()
        .map(|contestant| (shortest / sample(contestant, 1).max(1.0)).ceil().max(1.0) as usize)
        .collect();
    let mut best = vec![f64::INFINITY; contestants.len()];
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            best[i] = best[i].min(sample(&contestants[i], times[i]));
        }
    }
    best
}

/// Measures one kernel, and adds its tables.
fn measure(data: &mut Data, kernel: &'static Kernel, chosen: &[String]) -> io::Result<()> {
    let texts = texts(TEXT)?;
    let latin1: Vec<_> = texts
        .iter()
        .map(|text| text.text.chars().filter(|&char| char <= '\u{FF}').collect::<String>())
        .collect();
    let forms: Vec<_> = texts.iter().map(|text| Forms::new(&text.name, &text.text)).collect();
    let ascii = Forms::new("ASCII", &"The quick brown fox. ".repeat(TEXT / 21 + 1)[..TEXT]);
    let latin1: Vec<_> = texts
        .iter()
        .zip(&latin1)
        .filter(|(text, latin1)| ["German", "French"].contains(&&*text.name) && latin1.len() > TEXT / 2)
        .map(|(text, latin1)| Forms::new(&text.name, latin1))
        .collect();
    let spoiled: Vec<_> = texts
        .iter()
        .filter(|text| ["ASCII", "Russian", "emoji"].contains(&&*text.name))
        .flat_map(|text| [1, 10, 100, 1000].map(|every| Forms::spoiled(&text.name, &text.text, every)))
        .collect();
    let short: Vec<(String, Vec<Forms>)> = [Contents::Ascii, Contents::Rare, Contents::Mixed]
        .into_iter()
        .flat_map(|contents| {
            [16, 64, 256].map(|below| {
                let strings = random_strings(Lengths::Below(below), contents, STRINGS);
                let strings = strings.strings();
                let forms =
                    strings.iter().map(|bytes| Forms::new("", std::str::from_utf8(bytes).expect("text")));
                (format!("below {below}, {}", contents.name()), forms.collect())
            })
        })
        .collect();
    for question in questions(kernel) {
        if !chosen.iter().all(|chosen| question.name.contains(&**chosen)) {
            continue;
        }
        data.heading(2, &format!("{}: {}", kernel.name(), question.name));
        let names = question.contestants.iter().map(|(name, _)| (*name).to_owned());
        let mut table = Table::new([String::new()].into_iter().chain(names).chain(["ratio".to_owned()]));
        let mut row = |name: &str, texts: &[&Forms], unit: &dyn Fn(f64) -> f64| {
            let nanos = race(&question.contestants, texts);
            let cells = nanos.iter().map(|nanos| digits(unit(*nanos)));
            let ratio = format!("{:.2}", nanos[1] / nanos[0]);
            table.row([name.to_owned()].into_iter().chain(cells).chain([ratio]));
        };
        let long: Vec<&Forms> = match question.texts {
            Texts::Ascii => vec![&ascii],
            Texts::Latin1 => [&ascii].into_iter().chain(&latin1).collect(),
            Texts::All => forms.iter().collect(),
            Texts::AllAndFaulty => forms.iter().chain(&spoiled).collect(),
        };
        for text in long {
            row(&text.name, &[text], &|nanos| (question.len)(text) as f64 / nanos);
        }
        for (name, strings) in &short {
            row(name, &strings.iter().collect::<Vec<_>>(), &|nanos| nanos / STRINGS as f64);
        }
        data.table(&table);
    }
    Ok(())
}

/// The variable by which simdutf is told which kernel to use, the kernels, and simdutf's for the same instruction set.
const SIMDUTF: &str = "SIMDUTF_FORCE_IMPLEMENTATION";
const KERNELS: [(&str, &str); 2] = [("avx512", "icelake"), ("avx2", "haswell")];

fn main() -> io::Result<()> {
    pin()?;
    let chosen: Vec<_> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if !measuring() {
        return Kernel::available()
            .iter()
            .try_for_each(|kernel| measure(&mut Data::default(), kernel, &chosen));
    }
    if let Ok(implementation) = env::var(SIMDUTF) {
        let kernel = KERNELS.iter().find(|kernel| kernel.1 == implementation).map(|kernel| kernel.0);
        let kernel = kernel.and_then(Kernel::by_name).expect("a kernel of this CPU");
        let mut data = Data::default();
        measure(&mut data, kernel, &chosen)?;
        print!("{}", data.rows());
        return Ok(());
    }
    let mut data = Data::default();
    data.note(&format!(
        "each text has {} KiB in UTF-8, with GB/s of the form that is asked about; short strings of random lengths, in bytes of UTF-8, \
         have ns a call. simdutf runs its kernel for the same instruction set. `ratio` says how many times as fast as the second \
         contestant trust8 is.",
        TEXT >> 10
    ));
    for (name, implementation) in KERNELS {
        if Kernel::by_name(name).is_none() {
            continue;
        }
        let output = Command::new(env::current_exe()?)
            .args(env::args().skip(1))
            .env(SIMDUTF, implementation)
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        data.add_rows(&String::from_utf8_lossy(&output.stdout));
    }
    let peers = peers(&["simdutf", "encoding_rs", "bstr"]);
    data.publish(!quick() && chosen.is_empty(), "questions", &[("peers", &peers)])
}
