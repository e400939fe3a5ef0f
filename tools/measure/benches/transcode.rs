//! Measures conversions between UTF-8, UTF-16, UTF-32 and Latin-1 against std, encoding_rs and simdutf.
//!
//! ```text
//! cargo bench -p trust8-measure --bench transcode              everything, written to docs/data/
//! cargo bench -p trust8-measure --bench transcode -- --quick   a quick look, printed and not written
//! ```
//!
//! The contestants of a row take turns in many rounds, and the fastest round of each counts. Before the
//! texts are timed, the output of every kernel is compared with std's; while they are timed, the length of
//! each output is checked. In `cargo test` everything runs once, to check the answers.
//!
//! All contestants that take a buffer write to the same memory. Where memory lies in the L2 cache is chance, and can halve the
//! speed; so it must not differ between them.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, io, ptr};

use trust8::Kernel;
use trust8_measure::machine::Machine;
use trust8_measure::measure::{Placed, pin};
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_measure::texts::{Text, ordinary, texts};
use trust8_transcode::Encoding::{Latin1, Utf8, Utf16Be, Utf16Le};
use trust8_transcode::{Encoding, Form, KernelForms, Str, Utf16, Utf32};

/// The length of each text in UTF-8. The text and its conversion fit into the L2 cache.
const TEXT: usize = 64 << 10;

/// The number of bytes of ASCII between the other characters of ordinary text.
const DISTANCE: usize = 200;

/// How thorough the measurement is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// `cargo test`: everything runs once.
    Smoke,
    Quick,
    Full,
}

impl Plan {
    fn rounds(self) -> usize {
        match self {
            Self::Smoke => 1,
            Self::Quick => 30,
            Self::Full => 300,
        }
    }

    /// The shortest time that a sample may take.
    fn sample(self) -> Duration {
        if self == Self::Smoke { Duration::ZERO } else { Duration::from_micros(50) }
    }
}

/// The memory to which every contestant that takes a buffer writes its result. It begins with a page.
struct Room {
    memory: Placed,
}

impl Room {
    /// More than any contestant asks for.
    const BYTES: usize = 1 << 20;

    fn new() -> Self {
        Self { memory: Placed::room(Self::BYTES) }
    }

    /// Returns the first `len` units of the memory. Panics if it is too small.
    fn units<U: Unit>(&mut self, len: usize) -> &mut [U] {
        // SAFETY: all bytes are initialised. They stay so: a `U` has no padding, and callers of `uninit` vouch for what is
        // written through it. Any initialised bytes are a `U`.
        let (before, units, _) = unsafe { self.memory.align_to_mut() };
        assert!(before.is_empty(), "the memory begins with a page");
        &mut units[..len]
    }

    /// Returns the same memory for trust8, with twice the space that `units` need. Panics if it is too small.
    ///
    /// # Safety
    ///
    /// - Nothing uninitialised is written to it, because `units` returns the same bytes later. trust8 keeps to this: it
    ///   writes only bytes of text, and whole vectors that begin with such bytes.
    unsafe fn uninit<U: Unit>(&mut self, units: usize) -> &mut [MaybeUninit<U>] {
        let units = ptr::from_mut(self.units::<U>(2 * units + 64)) as *mut [MaybeUninit<U>];
        // SAFETY: `MaybeUninit<U>` has the size and alignment of `U`, and every `U` is a valid one. Address, length and borrow
        // are those of the units. The caller vouches that all of them stay initialised.
        unsafe { &mut *units }
    }
}

/// A unit of text.
///
/// # Safety
///
/// - Any bytes are a valid value of the type, and it has no padding.
unsafe trait Unit: Copy {}
// SAFETY: integers may have any bytes, and have no padding.
unsafe impl Unit for u8 {}
// SAFETY: as above.
unsafe impl Unit for u16 {}
// SAFETY: as above.
unsafe impl Unit for u32 {}

/// A contestant of a row: its name and its work. `run` returns the number of units that it wrote.
struct Contestant<'a> {
    name: String,
    run: Box<dyn FnMut(&mut Room) -> usize + 'a>,
}

fn contestant<'a>(name: impl Into<String>, run: impl FnMut(&mut Room) -> usize + 'a) -> Contestant<'a> {
    Contestant { name: name.into(), run: Box::new(run) }
}

/// Returns the nanoseconds of each contestant's fastest round. Panics if one does not write `expected` units.
fn race(plan: Plan, room: &mut Room, expected: usize, contestants: &mut [Contestant<'_>]) -> Vec<f64> {
    let mut sample = |contestant: &mut Contestant<'_>, times: u32| {
        let start = Instant::now();
        for _ in 0..times {
            let units = (contestant.run)(room);
            assert_eq!(units, expected, "the number of units that {} wrote", contestant.name);
        }
        start.elapsed()
    };
    let times: Vec<u32> = contestants
        .iter_mut()
        .map(|contestant| {
            let once = sample(contestant, 1).min(sample(contestant, 1)).as_nanos().max(1);
            plan.sample().as_nanos().div_ceil(once).max(1) as u32
        })
        .collect();
    let mut best = vec![f64::INFINITY; contestants.len()];
    for round in 0..plan.rounds() {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            let nanos = sample(&mut contestants[i], times[i]).as_nanos() as f64 / f64::from(times[i]);
            best[i] = nanos.min(best[i]);
        }
    }
    best
}

/// A ratio that trust8 should reach, and the lowest one that was measured.
struct Target {
    what: String,
    wanted: f64,
    measured: f64,
    place: String,
}

/// The data and the targets, to which every section adds, and what every section needs.
struct Report {
    plan: Plan,
    room: Room,
    data: Data,
    targets: Vec<Target>,
    /// The title of a section, a text, and the ratio of the best kernel to simdutf.
    ratios: Vec<(String, String, f64)>,
}

/// The name of a text, its share of non-ASCII bytes, and the speed of each contestant.
type Row = (String, f64, Vec<(String, f64)>);

impl Report {
    /// Records a ratio. Of all ratios with the same name, the lowest counts.
    fn target(&mut self, what: &str, wanted: f64, measured: f64, place: &str) {
        let place = place.to_owned();
        match self.targets.iter_mut().find(|target| target.what == what) {
            Some(target) if target.measured <= measured => {}
            Some(target) => (target.measured, target.place) = (measured, place),
            None => self.targets.push(Target { what: what.to_owned(), wanted, measured, place }),
        }
    }

    /// Adds a section with a table: a row for each text, with each contestant's GB/s of input and, in the last
    /// column, the ratio of the best kernel to simdutf.
    fn section(
        &mut self,
        title: &str,
        about: &str,
        rows: Vec<(&Text, usize, usize, Vec<Contestant<'_>>)>,
    ) -> Vec<Row> {
        self.data.heading(2, title);
        self.data.note(about);
        let mut table: Option<Table> = None;
        let mut results = Vec::new();
        for (text, bytes, expected, mut contestants) in rows {
            let nanos = race(self.plan, &mut self.room, expected, &mut contestants);
            let speeds: Vec<(String, f64)> = contestants
                .iter()
                .zip(&nanos)
                .map(|(contestant, nanos)| (contestant.name.clone(), bytes as f64 / nanos))
                .collect();
            let heads = ["text".to_owned()].into_iter().chain(speeds.iter().map(|speed| speed.0.clone()));
            let table = table.get_or_insert_with(|| Table::new(heads.chain(["/ simdutf".to_owned()])));
            let ratio = best_kernel(&speeds) / speed_of(&speeds, SIMDUTF).unwrap_or(f64::NAN);
            let cells = [text.name.clone()].into_iter().chain(speeds.iter().map(|speed| digits(speed.1)));
            table.row(cells.chain([format!("{ratio:.2}")]));
            self.ratios.push((title.to_owned(), text.name.clone(), ratio));
            results.push((text.name.clone(), text.density(), speeds));
        }
        if let Some(table) = table {
            self.data.table(&table);
        }
        results
    }
}

const SIMDUTF: &str = "simdutf C++";

/// The variable by which simdutf is told which kernel to use.
const IMPLEMENTATION: &str = "SIMDUTF_FORCE_IMPLEMENTATION";

/// A kernel that is not the best one of a CPU with AVX-512, and simdutf's for the same instruction set.
const LESSER: [&str; 2] = ["avx2", "haswell"];

/// Returns the kernels that are measured: all of them, or the lesser one if simdutf runs its own for that.
fn measured() -> impl Iterator<Item = &'static Kernel> + Clone {
    let lesser = env::var(IMPLEMENTATION).is_ok_and(|name| name == LESSER[1]);
    Kernel::available().iter().filter(move |kernel| !lesser || kernel.name() == LESSER[0])
}
const ENCODING_RS: &str = "encoding_rs";

/// The least share of non-ASCII bytes for a target against encoding_rs. Below it, a text costs what ASCII costs,
/// and every contestant handles ASCII with vectors.
const DENSE: f64 = 0.02;

fn speed_of(speeds: &[(String, f64)], name: &str) -> Option<f64> {
    speeds.iter().find(|speed| speed.0 == name).map(|speed| speed.1)
}

/// Returns the speed of the best kernel, which is the first of trust8's.
fn best_kernel(speeds: &[(String, f64)]) -> f64 {
    speeds.iter().find(|speed| speed.0.starts_with("trust8")).map_or(f64::NAN, |speed| speed.1)
}

/// Returns a contestant for each kernel, which converts `text`.
fn kernels<'a, F: Form + 'a, T: Form<Unit: Unit> + 'a>(
    from: F,
    to: T,
    text: &'a F::Text,
    units: usize,
    len: fn(&T::Text) -> usize,
) -> Vec<Contestant<'a>> {
    let kernels = measured().map(move |kernel| {
        contestant(format!("trust8 {}", kernel.name()), move |room| {
            // SAFETY: `convert_into` writes only what is initialised.
            let buffer = unsafe { room.uninit(units) };
            match trust8_transcode::convert_into(kernel.form(from), to, black_box(text), buffer) {
                Ok(text) => len(text),
                Err(error) => panic!("{error}"),
            }
        })
    });
    kernels.collect()
}

fn from_utf8(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    let mut rows = Vec::new();
    for (text, units) in texts.iter().zip(units) {
        let bytes = text.text.as_bytes();
        check_kernels(text, units);
        let mut contestants = vec![
            contestant("std", move |room| {
                let text = std::str::from_utf8(black_box(bytes)).expect("valid");
                let units = room.units(bytes.len());
                let mut len = 0;
                for (to, unit) in units.iter_mut().zip(text.encode_utf16()) {
                    *to = unit;
                    len += 1;
                }
                black_box(&*units);
                len
            }),
            contestant(ENCODING_RS, move |room| {
                let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
                let to = room.units(bytes.len() + 1);
                let (result, read, written) =
                    decoder.decode_to_utf16_without_replacement(black_box(bytes), to, true);
                assert_eq!((result, read), (encoding_rs::DecoderResult::InputEmpty, bytes.len()));
                written
            }),
            contestant(SIMDUTF, move |room| {
                let (from, to) = (black_box(bytes), room.units(bytes.len()).as_mut_ptr());
                // SAFETY: the buffer has one unit for each byte of the text, and no text needs more.
                unsafe { simdutf::convert_utf8_to_utf16le(from.as_ptr(), from.len(), to) }
            }),
        ];
        contestants.extend(kernels(Utf8, Utf16, bytes, bytes.len(), <[u16]>::len));
        rows.push((text, bytes.len(), units.len(), contestants));
    }
    let about = "GB/s of UTF-8 input, validated and converted. The last column divides the best kernel's speed by \
                 simdutf's.";
    for (name, density, speeds) in report.section("UTF-8 to UTF-16LE", about, rows) {
        compare(report, "UTF-8 to UTF-16LE", &name, density, &speeds);
    }
}

fn compare(report: &mut Report, what: &str, name: &str, density: f64, speeds: &[(String, f64)]) {
    let simdutf = best_kernel(speeds) / speed_of(speeds, SIMDUTF).unwrap_or(f64::NAN);
    if density == 0.0 {
        report.target(&format!("{what}, ASCII, against simdutf"), 1.0, simdutf, name);
    } else {
        report.target(&format!("{what}, all other texts, against simdutf"), 0.95, simdutf, name);
        if density >= DENSE
            && let Some(encoding_rs) = speed_of(speeds, ENCODING_RS)
        {
            let what = format!("{what}, texts at least 2 % non-ASCII, against encoding_rs");
            report.target(&what, 3.0, best_kernel(speeds) / encoding_rs, name);
        }
    }
}

/// Returns zeros to be overwritten with a result that is only checked. In the buffer, the check could find an earlier result.
fn buffer<U: Copy>(units: usize) -> Vec<MaybeUninit<U>> {
    vec![MaybeUninit::zeroed(); 2 * units + 64]
}

/// Panics unless every kernel converts the text as std does, in both directions.
fn check_kernels(text: &Text, units: &[u16]) {
    for kernel in Kernel::available() {
        let mut buffer16 = buffer(text.text.len());
        let converted =
            trust8_transcode::convert_into(kernel.form(Utf8), Utf16, text.text.as_bytes(), &mut buffer16)
                .unwrap();
        assert!(converted == units, "{}, {}", text.name, kernel.name());
        let mut buffer8 = buffer(text.text.len());
        let converted = trust8_transcode::convert_into(kernel.form(Utf16), Str, units, &mut buffer8).unwrap();
        assert!(*converted == *text.text, "{}, {}", text.name, kernel.name());
    }
}

fn from_utf16(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    let mut rows = Vec::new();
    for (text, units) in texts.iter().zip(units) {
        let len = text.text.len();
        let mut to_std = String::with_capacity(len + 4);
        let mut contestants = vec![
            contestant("std", move |_| {
                to_std.clear();
                for char in char::decode_utf16(black_box(units).iter().copied()) {
                    to_std.push(char.expect("well-formed"));
                }
                to_std.len()
            }),
            contestant(ENCODING_RS, move |room| {
                // This function replaces invalid units with U+FFFD. encoding_rs has no faster one.
                encoding_rs::mem::convert_utf16_to_utf8(black_box(units), room.units(3 * units.len() + 16))
            }),
            contestant(SIMDUTF, move |room| {
                let (from, to) = (black_box(units), room.units(len).as_mut_ptr());
                // SAFETY: the buffer has as many bytes as the text has in UTF-8.
                unsafe { simdutf::convert_utf16le_to_utf8(from.as_ptr(), from.len(), to) }
            }),
        ];
        contestants.extend(kernels(Utf16, Utf8, units, len, <[u8]>::len));
        rows.push((text, 2 * units.len(), len, contestants));
    }
    let about = "GB/s of UTF-16 input, validated and converted. The last column divides the best kernel's speed by \
                 simdutf's.";
    for (name, density, speeds) in report.section("UTF-16LE to UTF-8", about, rows) {
        compare(report, "UTF-16LE to UTF-8", &name, density, &speeds);
    }
}

/// Measures conversions from `&str`, whose bytes are known to be valid.
fn from_str(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    let mut rows = Vec::new();
    for (text, units) in texts.iter().zip(units) {
        let bytes = text.text.as_bytes();
        let mut contestants = vec![contestant(SIMDUTF, move |room| {
            let (from, to) = (black_box(bytes), room.units(bytes.len()).as_mut_ptr());
            // SAFETY: the text is valid, and the buffer has one unit for each of its bytes.
            unsafe { simdutf::convert_valid_utf8_to_utf16le(from.as_ptr(), from.len(), to) }
        })];
        contestants.extend(kernels(Str, Utf16, text.text.as_str(), bytes.len(), <[u16]>::len));
        rows.push((text, bytes.len(), units.len(), contestants));
    }
    let about = "GB/s of UTF-8 input that is known to be valid. trust8 takes a `&str`, and simdutf runs \
                 `convert_valid_utf8_to_utf16le`. The last column divides the best kernel's speed by simdutf's.";
    report.section("`&str` to UTF-16LE", about, rows);
}

fn lengths(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    let title = "Length in UTF-16 of UTF-8 text";
    let mut rows = Vec::new();
    for (text, units) in texts.iter().zip(units) {
        let bytes = text.text.as_bytes();
        let mut contestants =
            vec![contestant(SIMDUTF, move |_| simdutf::utf16_length_from_utf8(black_box(bytes)))];
        for kernel in Kernel::available() {
            let name = format!("trust8 {}", kernel.name());
            contestants.push(contestant(name, move |_| {
                trust8_transcode::len(kernel.form(Utf8), Utf16, black_box(bytes))
            }));
        }
        rows.push((text, bytes.len(), units.len(), contestants));
    }
    for (name, _, speeds) in report.section(title, "GB/s of UTF-8 input.", rows) {
        let ratio = best_kernel(&speeds) / speed_of(&speeds, SIMDUTF).unwrap_or(f64::NAN);
        report.target(&format!("{title}, against simdutf"), 1.0, ratio, &name);
    }

    let title = "Length in UTF-8 of UTF-16LE text";
    let mut rows = Vec::new();
    for (text, units) in texts.iter().zip(units) {
        let mut contestants =
            vec![contestant(SIMDUTF, move |_| simdutf::utf8_length_from_utf16le(black_box(units)))];
        for kernel in Kernel::available() {
            let name = format!("trust8 {}", kernel.name());
            contestants.push(contestant(name, move |_| {
                trust8_transcode::len(kernel.form(Utf16), Utf8, black_box(units))
            }));
        }
        rows.push((text, 2 * units.len(), text.text.len(), contestants));
    }
    for (name, _, speeds) in report.section(title, "GB/s of UTF-16 input.", rows) {
        let ratio = best_kernel(&speeds) / speed_of(&speeds, SIMDUTF).unwrap_or(f64::NAN);
        report.target(&format!("{title}, against simdutf"), 1.0, ratio, &name);
    }
}

/// A conversion of simdutf. It takes the input, its number of units, and memory that the whole output fits into,
/// and returns the number of units that it wrote.
type SimdutfConversion<F, T> = unsafe fn(*const F, usize, *mut T) -> usize;

/// A conversion of encoding_rs. It returns the number of units that it wrote.
type EncodingRsConversion<F, T> = fn(&[F], &mut [T]) -> usize;

/// A text, its input form and its output form.
type Case<'a, F, T> = (&'a Text, &'a [F], &'a [T]);

/// Adds the section of one conversion, with all texts.
fn convert_texts<F, T, A: Copy + 'static, B: Unit + PartialEq + 'static>(
    report: &mut Report,
    title: &str,
    forms: (F, T),
    cases: &[Case<'_, A, B>],
    simdutf_conversion: SimdutfConversion<A, B>,
    encoding_rs_conversion: Option<EncodingRsConversion<A, B>>,
) where
    F: Form<Text = [A]>,
    T: Form<Text = [B], Unit = B>,
{
    let mut rows = Vec::new();
    for &(text, from, to) in cases {
        for kernel in Kernel::available() {
            let mut buffer = buffer(to.len());
            let converted =
                trust8_transcode::convert_into(kernel.form(forms.0), forms.1, from, &mut buffer).unwrap();
            assert!(*converted == *to, "{title}, {}, {}", text.name, kernel.name());
        }
        let mut contestants = vec![contestant(SIMDUTF, move |room| {
            let (from, to) = (black_box(from), room.units(to.len()).as_mut_ptr());
            // SAFETY: the buffer has as many units as the text has in the output form.
            unsafe { simdutf_conversion(from.as_ptr(), from.len(), to) }
        })];
        if let Some(convert) = encoding_rs_conversion {
            contestants.push(contestant(ENCODING_RS, move |room| {
                // encoding_rs asks for a buffer that fits the longest output of any input of this length.
                convert(black_box(from), room.units(2 * to.len().max(from.len())))
            }));
        }
        contestants.extend(kernels(forms.0, forms.1, from, to.len(), <[B]>::len));
        rows.push((text, size_of_val(from), to.len(), contestants));
    }
    let about = "GB/s of input. The last column divides the best kernel's speed by simdutf's.";
    for (name, density, speeds) in report.section(title, about, rows) {
        compare(report, title, &name, density, &speeds);
    }
}

/// Measures every conversion to or from UTF-32 or Latin-1.
fn utf32_and_latin1(report: &mut Report, texts: &[Text], utf16: &[Vec<u16>]) {
    let utf32: Vec<Vec<u32>> = texts.iter().map(|text| text.text.chars().map(u32::from).collect()).collect();
    let all = texts.iter().zip(utf16).zip(&utf32);
    let cases: Vec<Case<'_, _, _>> =
        all.clone().map(|((text, _), utf32)| (text, text.text.as_bytes(), &utf32[..])).collect();
    convert_texts(report, "UTF-8 to UTF-32", (Utf8, Utf32), &cases, simdutf::convert_utf8_to_utf32, None);
    let cases: Vec<Case<'_, _, _>> =
        cases.into_iter().map(|(text, utf8, utf32)| (text, utf32, utf8)).collect();
    convert_texts(report, "UTF-32 to UTF-8", (Utf32, Utf8), &cases, simdutf::convert_utf32_to_utf8, None);
    let cases: Vec<Case<'_, _, _>> =
        all.map(|((text, utf16), utf32)| (text, &utf16[..], &utf32[..])).collect();
    let title = "UTF-16LE to UTF-32";
    convert_texts(report, title, (Utf16, Utf32), &cases, simdutf::convert_utf16le_to_utf32, None);
    let cases: Vec<Case<'_, _, _>> =
        cases.into_iter().map(|(text, utf16, utf32)| (text, utf32, utf16)).collect();
    let title = "UTF-32 to UTF-16LE";
    convert_texts(report, title, (Utf32, Utf16), &cases, simdutf::convert_utf32_to_utf16le, None);

    let first = ordinary(2, DISTANCE, TEXT, 0);
    let letter = |char: char| if char.is_ascii() { char } else { char::from(0xC0 | char as u8 & 0x3F) };
    let first = Text { text: first.text.chars().map(letter).collect(), ..first };
    let latin = texts.iter().filter(|text| !text.name.contains("bytes apart"));
    let latin = latin.map(|text| Text {
        name: text.name.clone(),
        text: text.text.chars().filter(|&char| char <= '\u{FF}').collect(),
    });
    let latin: Vec<Text> =
        [first].into_iter().chain(latin.filter(|text| text.text.len() > TEXT / 2)).collect();
    let latin1: Vec<Vec<u8>> =
        latin.iter().map(|text| text.text.chars().map(|char| char as u8).collect()).collect();
    let utf16: Vec<Vec<u16>> =
        latin1.iter().map(|bytes| bytes.iter().map(|&byte| byte.into()).collect()).collect();
    let all = latin.iter().zip(&latin1).zip(&utf16);
    let cases: Vec<Case<'_, _, _>> =
        all.clone().map(|((text, latin1), _)| (text, &latin1[..], text.text.as_bytes())).collect();
    let title = "Latin-1 to UTF-8";
    let encoding_rs_conversion = encoding_rs::mem::convert_latin1_to_utf8;
    convert_texts(
        report,
        title,
        (Latin1, Utf8),
        &cases,
        simdutf::convert_latin1_to_utf8,
        Some(encoding_rs_conversion),
    );
    let cases: Vec<Case<'_, _, _>> =
        cases.into_iter().map(|(text, latin1, utf8)| (text, utf8, latin1)).collect();
    let title = "UTF-8 to Latin-1";
    // This function and the other lossy one below replace what Latin-1 lacks.
    let encoding_rs_conversion = encoding_rs::mem::convert_utf8_to_latin1_lossy;
    convert_texts(
        report,
        title,
        (Utf8, Latin1),
        &cases,
        simdutf::convert_utf8_to_latin1,
        Some(encoding_rs_conversion),
    );
    let cases: Vec<Case<'_, _, _>> =
        all.map(|((text, latin1), utf16)| (text, &latin1[..], &utf16[..])).collect();
    let title = "Latin-1 to UTF-16LE";
    let encoding_rs_conversion = |from: &[u8], to: &mut [u16]| {
        encoding_rs::mem::convert_latin1_to_utf16(from, to);
        from.len()
    };
    convert_texts(
        report,
        title,
        (Latin1, Utf16),
        &cases,
        simdutf::convert_latin1_to_utf16le,
        Some(encoding_rs_conversion),
    );
    let cases: Vec<Case<'_, _, _>> =
        cases.into_iter().map(|(text, latin1, utf16)| (text, utf16, latin1)).collect();
    let title = "UTF-16LE to Latin-1";
    let encoding_rs_conversion = |from: &[u16], to: &mut [u8]| {
        encoding_rs::mem::convert_utf16_to_latin1_lossy(from, to);
        from.len()
    };
    convert_texts(
        report,
        title,
        (Utf16, Latin1),
        &cases,
        simdutf::convert_utf16le_to_latin1,
        Some(encoding_rs_conversion),
    );
}

/// Does what a conversion from UTF-16LE into UTF-16BE does, with simdutf: validates, and reverses bytes. Returns the number of bytes
/// that it wrote, or 0 if the text is not valid.
///
/// # Safety
///
/// - `from` points to `len` bytes, an even number, and `to` to as many that may be written. Both are aligned for `u16`.
unsafe fn simdutf_reversed(from: *const u8, len: usize, to: *mut u8) -> usize {
    // SAFETY: the caller vouches for the memory and its alignment.
    let units = unsafe { std::slice::from_raw_parts(from.cast::<u16>(), len / 2) };
    if !simdutf::validate_utf16le(units) {
        return 0;
    }
    // SAFETY: the caller vouches for the memory.
    unsafe { simdutf::change_endianness_utf16(units.as_ptr(), units.len(), to.cast()) };
    len
}

/// Measures UTF-16 of one byte order into the other one.
fn byte_orders(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    let in_order = |bytes: fn(u16) -> [u8; 2]| -> Vec<Vec<u8>> {
        units.iter().map(|units| units.iter().flat_map(|&unit| bytes(unit)).collect()).collect()
    };
    let (little, big) = (in_order(u16::to_le_bytes), in_order(u16::to_be_bytes));
    let cases: Vec<Case<'_, _, _>> =
        texts.iter().zip(&little).zip(&big).map(|((text, from), to)| (text, &from[..], &to[..])).collect();
    convert_texts(report, "UTF-16LE to UTF-16BE", (Utf16Le, Utf16Be), &cases, simdutf_reversed, None);
}

/// Returns `text` with a wrong unit after every 1 to `2 * rate - 1` units.
fn spoiled<U: Copy>(text: &[U], wrong: U, rate: usize) -> Vec<U> {
    let mut text = text.to_vec();
    let (mut state, mut at) = (0x9E37_79B9_7F4A_7C15_u64, 0);
    while at < text.len() {
        text[at] = wrong;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        at += 1 + state as usize % (2 * rate - 1);
    }
    text
}

/// Measures lossy conversions of text with a fault every 1 to 1000 units.
fn faulty(report: &mut Report, texts: &[Text], units: &[Vec<u16>]) {
    report.data.heading(2, "Lossy conversions of faulty text");
    report.data.note(
        "GB/s of input, with the best kernel: ASCII and Russian text in which one unit of so many, at random distances, is FF \
         or a lone surrogate. The last column divides by the fastest of the others.",
    );
    let heads =
        ["conversion", "text", "a fault every", "std", ENCODING_RS, "from_utf8_lossy", "trust8", "ratio"];
    let mut table = Table::keyed(3, heads);
    let kernel = Kernel::best();
    for (text, units) in
        texts.iter().zip(units).filter(|(text, _)| ["ASCII", "Russian"].contains(&&*text.name))
    {
        for rate in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] {
            let bytes = spoiled(text.text.as_bytes(), 0xFF, rate);
            let units = spoiled(units, 0xDC00, rate);
            let (bytes, units) = (&bytes[..], &units[..]);
            let decoded = String::from_utf8_lossy(bytes);
            let (in_utf8, in_utf16) = (decoded.len(), decoded.encode_utf16().count());
            let of_units = String::from_utf16_lossy(units).len();
            let rows: [(&str, usize, usize, Vec<Contestant<'_>>); 3] = [
                (
                    "UTF-8 to `str`",
                    bytes.len(),
                    in_utf8,
                    vec![
                        contestant("trust8", |room| {
                            let text = black_box(bytes);
                            // SAFETY: `convert_into_lossy` writes only what is initialised.
                            let buffer = unsafe { room.uninit(in_utf8) };
                            trust8_transcode::convert_into_lossy(kernel.form(Utf8), Str, text, buffer)
                                .unwrap()
                                .len()
                        }),
                        contestant("std", |_| String::from_utf8_lossy(black_box(bytes)).len()),
                        contestant("from_utf8_lossy", |_| trust8::from_utf8_lossy(black_box(bytes)).len()),
                        contestant(ENCODING_RS, |room| {
                            let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
                            decoder.decode_to_utf8(black_box(bytes), room.units(in_utf8 + 64), true).2
                        }),
                    ],
                ),
                (
                    "UTF-8 to UTF-16LE",
                    bytes.len(),
                    in_utf16,
                    vec![
                        contestant("trust8", |room| {
                            let text = black_box(bytes);
                            // SAFETY: `convert_into_lossy` writes only what is initialised.
                            let buffer = unsafe { room.uninit(in_utf16) };
                            trust8_transcode::convert_into_lossy(kernel.form(Utf8), Utf16, text, buffer)
                                .unwrap()
                                .len()
                        }),
                        contestant(ENCODING_RS, |room| {
                            let to = room.units(bytes.len() + 64);
                            encoding_rs::mem::convert_utf8_to_utf16(black_box(bytes), to)
                        }),
                    ],
                ),
                (
                    "UTF-16LE to `str`",
                    2 * units.len(),
                    of_units,
                    vec![
                        contestant("trust8", |room| {
                            let text = black_box(units);
                            // SAFETY: `convert_into_lossy` writes only what is initialised.
                            let buffer = unsafe { room.uninit(of_units) };
                            trust8_transcode::convert_into_lossy(kernel.form(Utf16), Str, text, buffer)
                                .unwrap()
                                .len()
                        }),
                        contestant("std", |_| String::from_utf16_lossy(black_box(units)).len()),
                        contestant(ENCODING_RS, |room| {
                            let to = room.units(3 * units.len() + 64);
                            encoding_rs::mem::convert_utf16_to_utf8(black_box(units), to)
                        }),
                    ],
                ),
            ];
            for (what, len, expected, mut contestants) in rows {
                let nanos = race(report.plan, &mut report.room, expected, &mut contestants);
                let speed = |name: &str| {
                    let i = contestants.iter().position(|contestant| contestant.name == name)?;
                    Some(len as f64 / nanos[i])
                };
                let others = nanos[1..].iter().copied().fold(f64::INFINITY, f64::min);
                report.target(
                    &format!("{what}, lossy, against the fastest other"),
                    1.0,
                    others / nanos[0],
                    &text.name,
                );
                let names = ["std", ENCODING_RS, "from_utf8_lossy", "trust8"];
                let cells = names.map(|name| speed(name).map_or_else(String::new, digits));
                let first = [what.to_owned(), text.name.clone(), rate.to_string()];
                table.row(first.into_iter().chain(cells).chain([format!("{:.2}", others / nanos[0])]));
            }
        }
    }
    report.data.table(&table);
}

/// Measures every pair of encodings with the best kernel, on the characters of German text that all encodings have.
fn every_pair(report: &mut Report, texts: &[Text]) {
    report.data.heading(2, "Every pair of encodings");
    report.data.note(
        "GB/s of input, of German text, with the best kernel: from the encoding of the row into the encoding of the column.",
    );
    let kernel = Kernel::best();
    let german = texts.iter().find(|text| text.name == "German").expect("there is one");
    let has = |encoding: &Encoding, char: char| {
        trust8_transcode::convert(kernel.form(Str), *encoding, char.encode_utf8(&mut [0; 4])).is_ok()
    };
    let common = german.text.chars().filter(|&char| Encoding::ALL.iter().all(|encoding| has(encoding, char)));
    let text: String = common.collect();
    let encode = |&encoding| trust8_transcode::convert(kernel.form(Str), encoding, &text).unwrap();
    let encoded: Vec<_> = Encoding::ALL.iter().map(encode).collect();
    let heads = ["from".to_owned()].into_iter().chain(Encoding::ALL.iter().map(|to| to.name().to_owned()));
    let mut table = Table::new(heads);
    for (&from, bytes) in Encoding::ALL.iter().zip(&encoded) {
        let cells = Encoding::ALL.iter().zip(&encoded).map(|(&to, expected)| {
            let mut buffer = buffer(expected.len());
            let converted =
                trust8_transcode::convert_into(kernel.form(from), to, bytes, &mut buffer).unwrap();
            assert!(*converted == **expected, "{} to {}", from.name(), to.name());
            let mut contestant = [contestant(kernel.name(), move |room| {
                // SAFETY: `convert_into` writes only what is initialised.
                let buffer = unsafe { room.uninit(expected.len()) };
                trust8_transcode::convert_into(kernel.form(from), to, black_box(bytes), buffer).unwrap().len()
            })];
            let nanos = race(report.plan, &mut report.room, expected.len(), &mut contestant)[0];
            digits(bytes.len() as f64 / nanos)
        });
        table.row([from.name().to_owned()].into_iter().chain(cells));
    }
    report.data.table(&table);
}

/// Measures one conversion on short strings. Returns each contestant's name and its nanoseconds for all strings.
fn convert_short_strings<F, T, A: Copy, B: Unit>(
    report: &mut Report,
    forms: (F, T),
    strings: &[(Vec<A>, Vec<B>)],
    simdutf_conversion: SimdutfConversion<A, B>,
) -> Vec<(String, f64)>
where
    F: Form<Text = [A]>,
    T: Form<Text = [B], Unit = B>,
{
    let longest = strings.iter().map(|(_, to)| to.len()).max().unwrap_or(0);
    let mut contestants = vec![contestant(SIMDUTF, move |room| {
        let to = room.units(longest);
        let mut all = 0;
        for (from, _) in black_box(strings) {
            // SAFETY: the buffer fits the output of the longest string.
            all += unsafe { simdutf_conversion(from.as_ptr(), from.len(), to.as_mut_ptr()) };
        }
        all
    })];
    for kernel in Kernel::available() {
        contestants.push(contestant(format!("trust8 {}", kernel.name()), move |room| {
            // SAFETY: `convert_into` writes only what is initialised.
            let buffer = unsafe { room.uninit(longest) };
            let mut all = 0;
            for (from, _) in black_box(strings) {
                all += trust8_transcode::convert_into(kernel.form(forms.0), forms.1, from, buffer)
                    .unwrap()
                    .len();
            }
            all
        }));
    }
    let expected = strings.iter().map(|(_, to)| to.len()).sum();
    let nanos = race(report.plan, &mut report.room, expected, &mut contestants);
    contestants.iter().zip(nanos).map(|(contestant, nanos)| (contestant.name.clone(), nanos)).collect()
}

/// Returns each text in UTF-8 and in Latin-1. `é` replaces each character that Latin-1 lacks.
fn with_latin1<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<(Vec<u8>, Vec<u8>)> {
    texts
        .map(|text| text.chars().map(|char| if char > '\u{FF}' { 'é' } else { char }))
        .map(|chars| (chars.clone().collect::<String>().into(), chars.map(|char| char as u8).collect()))
        .collect()
}

/// Returns pairs with their halves exchanged.
fn turned<A: Clone, B: Clone>(pairs: &[(A, B)]) -> Vec<(B, A)> {
    pairs.iter().cloned().map(|(a, b)| (b, a)).collect()
}

/// Measures short strings from UTF-8 to UTF-32 and Latin-1, and back.
fn short_utf32_and_latin1(report: &mut Report) {
    const STRINGS: usize = 2000;
    report.data.heading(2, "Short strings in UTF-32 and Latin-1");
    report.data.note("ns a call, as above. For Latin-1, `é` replaces each character that Latin-1 lacks.");
    let mut table = None;
    for contents in Contents::ALL {
        for below in [16, 64, 256] {
            let set = random_strings(Lengths::Below(below), contents, STRINGS);
            let texts =
                set.strings().into_iter().map(|bytes| str::from_utf8(bytes).expect("text").to_owned());
            let texts: Vec<String> = texts.collect();
            let utf32: Vec<(Vec<u8>, Vec<u32>)> = texts
                .iter()
                .map(|text| (text.as_bytes().to_vec(), text.chars().map(u32::from).collect()))
                .collect();
            let latin1 = with_latin1(texts.iter().map(String::as_str));
            let back32 = turned(&utf32);
            let back1 = turned(&latin1);
            for (direction, results) in [
                (
                    "to UTF-32",
                    convert_short_strings(report, (Utf8, Utf32), &utf32, simdutf::convert_utf8_to_utf32),
                ),
                (
                    "from UTF-32",
                    convert_short_strings(report, (Utf32, Utf8), &back32, simdutf::convert_utf32_to_utf8),
                ),
                (
                    "to Latin-1",
                    convert_short_strings(report, (Utf8, Latin1), &latin1, simdutf::convert_utf8_to_latin1),
                ),
                (
                    "from Latin-1",
                    convert_short_strings(report, (Latin1, Utf8), &back1, simdutf::convert_latin1_to_utf8),
                ),
            ] {
                let table = table.get_or_insert_with(|| {
                    let names = results.iter().map(|result| result.0.clone());
                    Table::keyed(2, [String::new(), "direction".to_owned()].into_iter().chain(names))
                });
                let cells = results.iter().map(|result| digits(result.1 / STRINGS as f64));
                let name = format!("{}, below {below} bytes", contents.name());
                table.row([name, direction.to_owned()].into_iter().chain(cells));
            }
        }
    }
    if let Some(table) = table {
        report.data.table(&table);
    }
}

fn compare_short(
    report: &mut Report,
    direction: &str,
    contents: Contents,
    name: &str,
    speeds: &[(String, f64)],
) {
    let simdutf = best_kernel(speeds) / speed_of(speeds, SIMDUTF).unwrap_or(f64::NAN);
    if contents == Contents::Ascii {
        report.target(&format!("Short strings, {direction}, ASCII, against simdutf"), 1.0, simdutf, name);
    } else {
        report.target(
            &format!("Short strings, {direction}, not all ASCII, against simdutf"),
            0.95,
            simdutf,
            name,
        );
    }
    if contents == Contents::Mixed {
        let encoding_rs = best_kernel(speeds) / speed_of(speeds, ENCODING_RS).unwrap_or(f64::NAN);
        let what = format!("Short strings, {direction}, 1 to 4 bytes mixed, against encoding_rs");
        report.target(&what, 3.0, encoding_rs, name);
    }
}

/// Measures strings whose lengths and contents vary from call to call.
fn short(report: &mut Report) {
    const STRINGS: usize = 2000;
    report.data.heading(2, "Short strings");
    report.data.note(
        "ns a call, from UTF-8 into a buffer of UTF-16LE, and back. Lengths and contents vary from call to call, so \
         that no branch predictor learns them. The last column divides the best kernel's speed by simdutf's.",
    );
    let mut table = None;
    for contents in Contents::ALL {
        for below in [8, 16, 32, 64, 128, 256] {
            let set = random_strings(Lengths::Below(below), contents, STRINGS);
            let strings = set.strings();
            let texts: Vec<&str> =
                strings.iter().map(|bytes| std::str::from_utf8(bytes).expect("text")).collect();
            let units: Vec<Vec<u16>> = texts.iter().map(|text| text.encode_utf16().collect()).collect();
            let expected: usize = units.iter().map(Vec::len).sum();
            let back: usize = strings.iter().map(|bytes| bytes.len()).sum();

            let mut forth = vec![
                contestant("std", |room| {
                    let to = room.units(256);
                    let mut all = 0;
                    for bytes in black_box(&strings) {
                        let text = std::str::from_utf8(bytes).expect("valid");
                        for (to, unit) in to.iter_mut().zip(text.encode_utf16()) {
                            *to = unit;
                            all += 1;
                        }
                        black_box(&*to);
                    }
                    all
                }),
                contestant(ENCODING_RS, |room| {
                    let to = room.units(260);
                    let mut all = 0;
                    for bytes in black_box(&strings) {
                        let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
                        all += decoder.decode_to_utf16_without_replacement(bytes, to, true).2;
                    }
                    all
                }),
                contestant(SIMDUTF, |room| {
                    let to = room.units(256);
                    let mut all = 0;
                    for bytes in black_box(&strings) {
                        // SAFETY: the strings have less than 256 bytes, and the buffer has 256 units.
                        all += unsafe {
                            simdutf::convert_utf8_to_utf16le(bytes.as_ptr(), bytes.len(), to.as_mut_ptr())
                        };
                    }
                    all
                }),
            ];
            for kernel in Kernel::available() {
                let strings = &strings;
                forth.push(contestant(format!("trust8 {}", kernel.name()), move |room| {
                    // SAFETY: `convert_into` writes only what is initialised.
                    let buffer = unsafe { room.uninit(256) };
                    let mut all = 0;
                    for bytes in black_box(strings) {
                        all += trust8_transcode::convert_into(kernel.form(Utf8), Utf16, bytes, buffer)
                            .unwrap()
                            .len();
                    }
                    all
                }));
            }
            let forth_nanos = race(report.plan, &mut report.room, expected, &mut forth);

            let mut to_std = String::with_capacity(800);
            let mut back_again = vec![
                contestant("std", |_| {
                    let mut all = 0;
                    for units in black_box(&units) {
                        to_std.clear();
                        to_std.extend(char::decode_utf16(units.iter().copied()).map(|char| char.unwrap()));
                        all += to_std.len();
                    }
                    all
                }),
                contestant(ENCODING_RS, |room| {
                    let to = room.units(800);
                    let units = black_box(&units).iter();
                    units.map(|units| encoding_rs::mem::convert_utf16_to_utf8(units, to)).sum()
                }),
                contestant(SIMDUTF, |room| {
                    let to = room.units(768);
                    let mut all = 0;
                    for units in black_box(&units) {
                        // SAFETY: a unit needs at most three bytes; there are less than 256 units and 768 bytes.
                        all += unsafe {
                            simdutf::convert_utf16le_to_utf8(units.as_ptr(), units.len(), to.as_mut_ptr())
                        };
                    }
                    all
                }),
            ];
            for kernel in Kernel::available() {
                let units = &units;
                back_again.push(contestant(format!("trust8 {}", kernel.name()), move |room| {
                    // SAFETY: `convert_into` writes only what is initialised.
                    let buffer = unsafe { room.uninit(768) };
                    let mut all = 0;
                    for units in black_box(units) {
                        all += trust8_transcode::convert_into(kernel.form(Utf16), Utf8, units, buffer)
                            .unwrap()
                            .len();
                    }
                    all
                }));
            }
            let back_nanos = race(report.plan, &mut report.room, back, &mut back_again);

            let names: Vec<String> = forth.iter().map(|contestant| contestant.name.clone()).collect();
            for (direction, nanos) in [("UTF-8 to UTF-16LE", forth_nanos), ("UTF-16LE to UTF-8", back_nanos)]
            {
                let table = table.get_or_insert_with(|| {
                    let heads =
                        [String::new(), "direction".to_owned()].into_iter().chain(names.iter().cloned());
                    Table::keyed(2, heads.chain(["/ simdutf".to_owned()]))
                });
                let name = format!("{}, below {below} bytes", contents.name());
                let speeds: Vec<(String, f64)> =
                    names.iter().cloned().zip(nanos.iter().map(|nanos| STRINGS as f64 / nanos)).collect();
                let ratio = best_kernel(&speeds) / speed_of(&speeds, SIMDUTF).unwrap_or(f64::NAN);
                let cells = nanos.iter().map(|nanos| digits(nanos / STRINGS as f64));
                let cells = [name.clone(), direction.to_owned()].into_iter().chain(cells);
                table.row(cells.chain([format!("{ratio:.2}")]));
                compare_short(report, direction, contents, &name, &speeds);
            }
        }
    }
    if let Some(table) = table {
        report.data.table(&table);
    }
}

/// Measures strings of medium length, as paragraphs and messages have.
fn medium(report: &mut Report, texts: &[Text]) {
    const MOST: usize = 200;
    report.data.heading(2, "Medium lengths");
    report.data.note(
        "ns a call. Each text is cut into strings of one length, which are converted one after the other. The last column \
         divides the best kernel's speed by simdutf's. Latin-1 has only German, because `é` would replace most of the others.",
    );
    let mut table = None;
    for text in texts.iter().filter(|text| ["ASCII", "German", "Russian", "Chinese"].contains(&&*text.name)) {
        for len in [64, 128, 256, 512, 1024, 4096] {
            let set = consecutive_strings(&text.text, len, MOST);
            let strings: Vec<&str> =
                set.strings().into_iter().map(|bytes| str::from_utf8(bytes).expect("text")).collect();
            let utf16: Vec<(Vec<u8>, Vec<u16>)> = strings
                .iter()
                .map(|text| (text.as_bytes().to_vec(), text.encode_utf16().collect()))
                .collect();
            let back = turned(&utf16);
            let mut directions = vec![
                (
                    "UTF-8 to UTF-16LE",
                    convert_short_strings(report, (Utf8, Utf16), &utf16, simdutf::convert_utf8_to_utf16le),
                ),
                (
                    "UTF-16LE to UTF-8",
                    convert_short_strings(report, (Utf16, Utf8), &back, simdutf::convert_utf16le_to_utf8),
                ),
            ];
            if text.name == "German" {
                let latin1 = with_latin1(strings.iter().copied());
                let back = turned(&latin1);
                directions.extend([
                    (
                        "UTF-8 to Latin-1",
                        convert_short_strings(
                            report,
                            (Utf8, Latin1),
                            &latin1,
                            simdutf::convert_utf8_to_latin1,
                        ),
                    ),
                    (
                        "Latin-1 to UTF-8",
                        convert_short_strings(report, (Latin1, Utf8), &back, simdutf::convert_latin1_to_utf8),
                    ),
                ]);
            }
            for (direction, results) in directions {
                let table = table.get_or_insert_with(|| {
                    let names = results.iter().map(|result| result.0.clone());
                    let heads = [String::new(), "direction".to_owned()].into_iter().chain(names);
                    Table::keyed(2, heads.chain(["/ simdutf".to_owned()]))
                });
                let name = format!("{}, {len} bytes", text.name);
                let speeds: Vec<(String, f64)> = results
                    .iter()
                    .map(|(name, nanos)| (name.clone(), strings.len() as f64 / nanos))
                    .collect();
                let ratio = best_kernel(&speeds) / speed_of(&speeds, SIMDUTF).unwrap_or(f64::NAN);
                let cells = results.iter().map(|result| digits(result.1 / strings.len() as f64));
                let cells = [name.clone(), direction.to_owned()].into_iter().chain(cells);
                table.row(cells.chain([format!("{ratio:.2}")]));
                report.target(&format!("Medium lengths, {direction}, against simdutf"), 1.0, ratio, &name);
            }
        }
    }
    if let Some(table) = table {
        report.data.table(&table);
    }
}

/// The lengths in bytes of the buffers through which a text is converted part by part.
const SMALL: [usize; 4] = [256, 512, 1000, 4000];

/// Converts a text with encoding_rs, in parts of some number of units: it takes the memory, and
/// returns the number of units of all parts.
type Peer<'a> = Box<dyn FnMut(&mut Room, usize) -> usize + 'a>;

/// Measures conversions of a text through buffers that are smaller than the result.
fn small_buffers(report: &mut Report, texts: &[Text]) {
    report.data.heading(2, "Small buffers");
    report.data.note(
        "GB/s of input: of all the text into one buffer, and through buffers of some bytes, one call of `convert_as_fits` for each. The \
         last column is encoding_rs, with buffers of 256 bytes and one decoder or encoder for the whole text.",
    );
    let rooms = SMALL.map(|room| format!("{room} bytes"));
    let heads = ["text", "direction", "whole"].map(str::to_owned).into_iter();
    let mut table = Table::keyed(2, heads.chain(rooms).chain(["encoding_rs, 256".to_owned()]));
    let kinds = ["ASCII", "German", "Russian", "Chinese", "emoji"];
    for text in texts.iter().filter(|text| kinds.contains(&&*text.name)) {
        let (name, bytes) = (&*text.name, text.text.as_bytes());
        let utf16: Vec<u16> = text.text.encode_utf16().collect();
        let utf32: Vec<u32> = text.text.chars().map(u32::from).collect();
        let latin1 = with_latin1([&*text.text].into_iter()).remove(0);
        let decode: Peer<'_> = Box::new(|room, len| {
            let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
            let (mut at, mut all) = (0, 0);
            while at < bytes.len() {
                let rest = black_box(&bytes[at..]);
                let (_, read, written) =
                    decoder.decode_to_utf16_without_replacement(rest, room.units(len), true);
                at += read;
                all += written;
            }
            all
        });
        let encode: Peer<'_> = Box::new(|room, len| {
            let mut encoder = encoding_rs::UTF_8.new_encoder();
            let (mut at, mut all) = (0, 0);
            while at < utf16.len() {
                let rest = black_box(&utf16[at..]);
                let (_, read, written) =
                    encoder.encode_from_utf16_without_replacement(rest, room.units(len), true);
                at += read;
                all += written;
            }
            all
        });
        let units = utf16.len();
        let rows = [
            ("UTF-8 to UTF-16LE", through_buffers(report, (Utf8, Utf16), bytes, units, Some(decode))),
            ("UTF-8 to UTF-32", through_buffers(report, (Utf8, Utf32), bytes, utf32.len(), None)),
            ("UTF-8 to UTF-8", through_buffers(report, (Utf8, Utf8), bytes, bytes.len(), None)),
            ("UTF-16LE to UTF-8", through_buffers(report, (Utf16, Utf8), &utf16, bytes.len(), Some(encode))),
            ("UTF-16LE to UTF-16LE", through_buffers(report, (Utf16, Utf16), &utf16, units, None)),
            ("UTF-16LE to UTF-32", through_buffers(report, (Utf16, Utf32), &utf16, utf32.len(), None)),
            ("UTF-32 to UTF-8", through_buffers(report, (Utf32, Utf8), &utf32, bytes.len(), None)),
            ("UTF-32 to UTF-16LE", through_buffers(report, (Utf32, Utf16), &utf32, units, None)),
            ("Latin-1 to UTF-8", through_buffers(report, (Latin1, Utf8), &latin1.1, latin1.0.len(), None)),
            ("UTF-8 to Latin-1", through_buffers(report, (Utf8, Latin1), &latin1.0, latin1.1.len(), None)),
        ];
        // Latin-1 has only ASCII and German, because `é` would replace most of the other texts.
        let shown = if ["ASCII", "German"].contains(&name) { rows.len() } else { rows.len() - 2 };
        for (direction, speeds) in &rows[..shown] {
            let cells =
                (0..=SMALL.len() + 1).map(|i| speeds.get(i).map_or_else(String::new, |speed| digits(*speed)));
            table.row([name.to_owned(), (*direction).to_owned()].into_iter().chain(cells));
            for (room, speed) in SMALL.iter().zip(&speeds[1..]) {
                let what = format!("Buffers of {room} bytes, against one for all of the text");
                report.target(&what, 0.5, speed / speeds[0], &format!("{name}, {direction}"));
            }
        }
    }
    report.data.table(&table);
}

/// Converts a text into one buffer, and through each of the small ones, with the best kernel; and with a peer through the smallest.
/// Returns the GB/s of input of each. `expected` is the number of units of the result.
fn through_buffers<F, T, A, B: Unit>(
    report: &mut Report,
    (from, to): (F, T),
    text: &[A],
    expected: usize,
    peer: Option<Peer<'_>>,
) -> Vec<f64>
where
    F: Form<Text = [A]>,
    T: Form<Text = [B], Unit = B>,
{
    let kernel = Kernel::best();
    let mut contestants: Vec<Contestant<'_>> = [expected]
        .into_iter()
        .chain(SMALL.map(|room| room / size_of::<B>()))
        .map(|len| {
            contestant(kernel.name(), move |room| {
                // SAFETY: `convert_as_fits` writes only what is initialised.
                let buffer = unsafe { &mut room.uninit(len)[..len] };
                let (mut at, mut all) = (0, 0);
                while at < text.len() {
                    let rest = black_box(&text[at..]);
                    let progress =
                        trust8_transcode::convert_as_fits(kernel.form(from), to, rest, buffer).unwrap();
                    at += progress.read;
                    all += progress.written;
                }
                all
            })
        })
        .collect();
    contestants.extend(
        peer.map(|mut peer| contestant(ENCODING_RS, move |room| peer(room, SMALL[0] / size_of::<B>()))),
    );
    let nanos = race(report.plan, &mut report.room, expected, &mut contestants);
    nanos.into_iter().map(|nanos| size_of_val(text) as f64 / nanos).collect()
}

/// Returns a table with a row for each conversion: the lowest ratio, where that is, and the mean of all.
fn lesser_table(ratios: &[(String, String, f64)]) -> Table {
    let mut table = Table::new(["conversion", "lowest", "where", "mean"]);
    for of_one in ratios.chunk_by(|a, b| a.0 == b.0) {
        let lowest = of_one.iter().min_by(|a, b| a.2.total_cmp(&b.2)).expect("a chunk is not empty");
        let mean = (of_one.iter().map(|ratio| ratio.2.ln()).sum::<f64>() / of_one.len() as f64).exp();
        table.row([&lowest.0, &format!("{:.2}", lowest.2), &lowest.1, &format!("{mean:.2}")]);
    }
    table
}

/// Adds the section of the lesser kernel. simdutf runs its own for the same instruction set in another process.
fn lesser(report: &mut Report) -> io::Result<()> {
    let arguments = env::args().skip(1);
    let output = Command::new(env::current_exe()?).args(arguments).env(IMPLEMENTATION, LESSER[1]).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    report.data.add_rows(&String::from_utf8_lossy(&output.stdout));
    Ok(())
}

fn main() -> io::Result<()> {
    let has = |name: &str| env::args().any(|argument| argument == name);
    let plan = match (has("--bench"), has("--quick")) {
        (false, _) => Plan::Smoke,
        (true, true) => Plan::Quick,
        (true, false) => Plan::Full,
    };
    pin()?;
    let machine = Machine::ask();
    let ordinary = [2, 3].map(|width| ordinary(width, DISTANCE, TEXT, 0));
    let texts: Vec<Text> = ordinary.into_iter().chain(texts(TEXT)?).collect();
    let units: Vec<Vec<u16>> = texts.iter().map(|text| text.text.encode_utf16().collect()).collect();

    let mut report =
        Report { plan, room: Room::new(), data: Data::default(), targets: Vec::new(), ratios: Vec::new() };
    if env::var(IMPLEMENTATION).is_ok() {
        from_utf8(&mut report, &texts, &units);
        from_utf16(&mut report, &texts, &units);
        utf32_and_latin1(&mut report, &texts, &units);
        byte_orders(&mut report, &texts, &units);
        let mut data = Data::default();
        data.heading(2, &format!("{}, and simdutf's {}", LESSER[0], LESSER[1]));
        data.table(&lesser_table(&report.ratios));
        print!("{}", data.rows());
        return Ok(());
    }
    from_utf8(&mut report, &texts, &units);
    from_utf16(&mut report, &texts, &units);
    from_str(&mut report, &texts, &units);
    lengths(&mut report, &texts, &units);
    short(&mut report);
    medium(&mut report, &texts);
    small_buffers(&mut report, &texts);
    utf32_and_latin1(&mut report, &texts, &units);
    byte_orders(&mut report, &texts, &units);
    faulty(&mut report, &texts, &units);
    every_pair(&mut report, &texts);
    short_utf32_and_latin1(&mut report);
    if plan != Plan::Smoke && Kernel::by_name("avx512").is_some() {
        lesser(&mut report)?;
    }

    let mut data = Data::default();
    data.note(&format!(
        "each text has {} KiB in UTF-8, and is converted into an existing buffer",
        TEXT >> 10
    ));
    data.heading(2, "Targets");
    data.note("a ratio of speeds: the lowest of those that it covers, and where that is");
    let mut table = Table::new(["target", "wanted", "measured", "met", "where"]);
    for Target { what, wanted, measured, place } in &report.targets {
        let met = if measured >= wanted { "yes" } else { "no" };
        table.row([what, &format!("{wanted:.2}"), &format!("{measured:.2}"), met, place]);
    }
    data.table(&table);
    data.append(&report.data);
    data.publish(plan == Plan::Full, "transcode", &[("peers", &machine.peers)])
}
