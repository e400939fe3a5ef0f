//! Measures conversions between UTF-8, UTF-16, UTF-32 and Latin-1 against encoding_rs and simdutf, and lossy ones against std.
//!
//! Before texts are timed, the output of every kernel is compared with std's; while they are timed, the length of each output is.
//!
//! All contestants write to the same memory. Where memory lies in the L2 cache is chance, and can halve the speed; so it must not
//! differ between them.

use std::cell::RefCell;
use std::hint::black_box;
use std::io;
use std::mem::MaybeUninit;

use trust8::Kernel;
use trust8_measure::measure::{Bench, Entry, Placed, Times, entry};
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_measure::spoil;
use trust8_measure::texts::{Text, ordinary, texts};
use trust8_transcode::Encoding::{Latin1, Utf8, Utf16Be, Utf16Le};
use trust8_transcode::{Form, KernelForms, Str, Utf16, Utf32};
use zerocopy::{FromBytes, IntoBytes};

/// The length of each text in UTF-8. The text and its conversion fit into the L2 cache.
const TEXT: usize = 64 << 10;
/// The number of short strings.
const STRINGS: usize = 2000;
const SIMDUTF: &str = "simdutf C++";
const ENCODING_RS: &str = "encoding_rs";

/// Another library, and its conversion, which returns the number of units that it wrote.
type Peer<From, Unit> = (&'static str, fn(&From, &mut [Unit]) -> usize);

/// Returns a conversion by simdutf.
macro_rules! simdutf {
    ($function:ident) => {
        |from, to| {
            // SAFETY: the pointers and the length are those of slices, and `to` has space for four units of each input unit.
            unsafe { simdutf::$function(from.as_ptr(), from.len(), to.as_mut_ptr()) }
        }
    };
}

/// Measures a conversion against simdutf's.
macro_rules! convert {
    ($measuring:ident, $texts:ident, $title:literal, $from:ident: $inputs:ident, $to:ident: $outputs:ident, $theirs:ident) => {
        $measuring.convert(
            $texts,
            $title,
            ($from, $to),
            (&$inputs, &$outputs),
            &[(SIMDUTF, simdutf!($theirs))],
        )
    };
}

/// What every section needs.
struct Measuring<'a> {
    bench: &'a mut Bench,
    /// The memory to which every contestant writes its result. It begins with a page.
    memory: RefCell<Placed>,
    kernels: Vec<&'static Kernel>,
    /// What the titles of all sections begin with.
    prefix: &'a str,
}

/// Long text, or short strings of a section of their own.
enum Texts<'a> {
    Long(&'a Text),
    Strings { section: &'a str, name: String, texts: Vec<String>, titles: &'a [&'a str] },
}

impl Texts<'_> {
    fn all(&self) -> Vec<&str> {
        match self {
            Self::Long(text) => vec![&text.text],
            Self::Strings { texts, .. } => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// Returns the memory as units.
fn units<U: FromBytes + IntoBytes>(memory: &mut [u8]) -> &mut [U] {
    <[U]>::mut_from_bytes(memory).expect("the memory begins and ends with a page")
}

/// Returns the memory for trust8.
///
/// # Safety
///
/// - Nothing uninitialised is written to it, because its bytes are read later. trust8 keeps to this: it writes only bytes of text, and
///   whole vectors that begin with such bytes.
unsafe fn uninit<U: FromBytes + IntoBytes>(memory: &mut [u8]) -> &mut [MaybeUninit<U>] {
    let units = std::ptr::from_mut(units::<U>(memory)) as *mut [MaybeUninit<U>];
    // SAFETY: `MaybeUninit<U>` has the size and alignment of `U`. The caller vouches that all bytes stay initialised.
    unsafe { &mut *units }
}

/// Returns the number of units.
fn len<F: Form>(text: &F::Text) -> usize {
    size_of_val(text) / size_of::<F::Unit>()
}

impl Measuring<'_> {
    /// Returns the contestants that convert all of `from`: the peers and the kernels.
    fn entries<'a, F: Form + 'a, T: Form<Unit: FromBytes + IntoBytes> + 'a>(
        &'a self,
        (from, to): (F, T),
        texts: &'a [&'a F::Text],
        peers: &[Peer<F::Text, T::Unit>],
    ) -> Vec<Entry<'a>> {
        let peers = peers.iter().map(|&(name, convert)| {
            entry(name, move || {
                let mut memory = self.memory.borrow_mut();
                black_box(texts).iter().map(|text| convert(text, units(&mut memory))).sum()
            })
        });
        let kernels = self.kernels.iter().map(|kernel| {
            entry(format!("trust8 {}", kernel.name()), move || {
                let mut memory = self.memory.borrow_mut();
                // SAFETY: `convert_into` writes only what is initialised.
                let buffer = unsafe { uninit(&mut memory) };
                let mut all = 0;
                for text in black_box(texts) {
                    let converted = trust8_transcode::convert_into(kernel.form(from), to, text, buffer);
                    all += converted.map_or_else(|error| panic!("{error}"), |text| len::<T>(text));
                }
                all
            })
        });
        peers.chain(kernels).collect()
    }

    /// Adds the row of one conversion, with GB/s of input of a long text, or ns a call for short strings.
    fn convert<F: Form, T: Form<Text: PartialEq, Unit: FromBytes + IntoBytes>>(
        &mut self,
        texts: &Texts<'_>,
        title: &str,
        (from, to): (F, T),
        (inputs, expected): (&[&F::Text], &[&T::Text]),
        peers: &[Peer<F::Text, T::Unit>],
    ) {
        if let Texts::Strings { titles, .. } = texts
            && !titles.contains(&title)
        {
            return;
        }
        for (kernel, (text, expected)) in
            self.kernels.iter().flat_map(|kernel| inputs.iter().zip(expected).map(move |pair| (kernel, pair)))
        {
            let mut buffer = vec![MaybeUninit::uninit(); 2 * len::<T>(expected) + 64];
            let converted = trust8_transcode::convert_into(kernel.form(from), to, text, &mut buffer);
            assert!(converted.is_ok_and(|text| text == *expected), "{title}, {}", kernel.name());
        }
        let written = expected.iter().map(|text| len::<T>(text)).sum();
        let times = self.bench.race(written, self.entries((from, to), inputs, peers));
        match texts {
            Texts::Long(text) => {
                let speeds = times.gb_per_s(inputs.iter().map(|text| size_of_val(*text)).sum());
                self.row(title, ("text", &text.name), speeds, &times);
            }
            Texts::Strings { section, name, .. } => {
                let cells = times.a_call(inputs.len());
                self.row(section, (", direction", &format!("{name}, {title}")), cells, &times);
            }
        }
    }

    fn row(&mut self, section: &str, (table, row): (&str, &str), cells: Vec<(String, f64)>, times: &Times) {
        let best = format!("trust8 {}", self.kernels[0].name());
        self.bench.data.heading(2, &format!("{}{section}", self.prefix));
        self.bench.data.row(table, row, cells);
        self.bench.data.row(table, row, [("/ simdutf", times.ratio(&best, SIMDUTF))]);
    }

    /// Measures all conversions between UTF-8, UTF-16 and UTF-32.
    fn unicode(&mut self, texts: &Texts<'_>) {
        let strs = texts.all();
        let utf16: Vec<Vec<u16>> = strs.iter().map(|text| text.encode_utf16().collect()).collect();
        let utf32: Vec<Vec<u32>> = strs.iter().map(|text| text.chars().map(u32::from).collect()).collect();
        let big: Vec<Vec<u8>> =
            utf16.iter().map(|units| units.iter().flat_map(|unit| unit.to_be_bytes()).collect()).collect();
        let utf8: Vec<&[u8]> = strs.iter().map(|text| text.as_bytes()).collect();
        let (utf16, utf32, big) = (slices(&utf16), slices(&utf32), slices(&big));
        let little: Vec<&[u8]> = utf16.iter().map(|units| units.as_bytes()).collect();
        self.convert(
            texts,
            "UTF-8 to UTF-16LE",
            (Utf8, Utf16),
            (&utf8, &utf16),
            &[
                (SIMDUTF, simdutf!(convert_utf8_to_utf16le)),
                (ENCODING_RS, |from, to| {
                    let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
                    decoder.decode_to_utf16_without_replacement(from, to, true).2
                }),
            ],
        );
        self.convert(
            texts,
            "UTF-16LE to UTF-8",
            (Utf16, Utf8),
            (&utf16, &utf8),
            &[
                (SIMDUTF, simdutf!(convert_utf16le_to_utf8)),
                // This function replaces invalid units with U+FFFD. encoding_rs has no faster one.
                (ENCODING_RS, encoding_rs::mem::convert_utf16_to_utf8),
            ],
        );
        // The text is known to be valid.
        convert!(self, texts, "`&str` to UTF-16LE", Str: strs, Utf16: utf16, convert_valid_utf8_to_utf16le);
        convert!(self, texts, "UTF-8 to UTF-32", Utf8: utf8, Utf32: utf32, convert_utf8_to_utf32);
        convert!(self, texts, "UTF-32 to UTF-8", Utf32: utf32, Utf8: utf8, convert_utf32_to_utf8);
        convert!(self, texts, "UTF-16LE to UTF-32", Utf16: utf16, Utf32: utf32, convert_utf16le_to_utf32);
        convert!(self, texts, "UTF-32 to UTF-16LE", Utf32: utf32, Utf16: utf16, convert_utf32_to_utf16le);
        self.convert(
            texts,
            "UTF-16LE to UTF-16BE",
            (Utf16Le, Utf16Be),
            (&little, &big),
            &[(SIMDUTF, |from, to| {
                let from = <[u16]>::ref_from_bytes(from).expect("aligned units");
                assert!(simdutf::validate_utf16le(from));
                // SAFETY: the pointers and the length are those of slices, and `to` has more space than `from`.
                unsafe {
                    simdutf::change_endianness_utf16(from.as_ptr(), from.len(), units(to).as_mut_ptr())
                };
                2 * from.len()
            })],
        );
    }

    /// Measures all conversions to and from Latin-1. All characters of the texts are in it.
    fn latin1(&mut self, texts: &Texts<'_>) {
        let strs = texts.all();
        let latin1: Vec<Vec<u8>> =
            strs.iter().map(|text| text.chars().map(|char| char as u8).collect()).collect();
        let utf16: Vec<Vec<u16>> = strs.iter().map(|text| text.encode_utf16().collect()).collect();
        let utf8: Vec<&[u8]> = strs.iter().map(|text| text.as_bytes()).collect();
        let (latin1, utf16) = (slices(&latin1), slices(&utf16));
        convert!(self, texts, "Latin-1 to UTF-8", Latin1: latin1, Utf8: utf8, convert_latin1_to_utf8);
        convert!(self, texts, "UTF-8 to Latin-1", Utf8: utf8, Latin1: latin1, convert_utf8_to_latin1);
        convert!(self, texts, "Latin-1 to UTF-16LE", Latin1: latin1, Utf16: utf16, convert_latin1_to_utf16le);
        convert!(self, texts, "UTF-16LE to Latin-1", Utf16: utf16, Latin1: latin1, convert_utf16le_to_latin1);
    }

    /// Measures every conversion of long texts.
    fn long(&mut self, texts: &[Text]) {
        texts.iter().for_each(|text| self.unicode(&Texts::Long(text)));
        let first = ordinary(2, 200, TEXT, 0);
        let letter = |char: char| if char.is_ascii() { char } else { char::from(0xC0 | char as u8 & 0x3F) };
        self.latin1(&Texts::Long(&Text { text: first.text.chars().map(letter).collect(), ..first }));
        for Text { name, text } in texts.iter().filter(|text| !text.name.contains("bytes apart")) {
            let text: String = text.chars().filter(|&char| char <= '\u{FF}').collect();
            if text.len() > TEXT / 2 {
                self.latin1(&Texts::Long(&Text { name: name.clone(), text }));
            }
        }
    }

    fn lengths(&mut self, texts: &[Text]) {
        for text in texts {
            let bytes = text.text.as_bytes();
            let utf16: Vec<u16> = text.text.encode_utf16().collect();
            let title = "Length in UTF-16 of UTF-8 text";
            let simdutf = entry(SIMDUTF, || simdutf::utf16_length_from_utf8(black_box(bytes)));
            self.length(title, text, (Utf8, Utf16), bytes, utf16.len(), simdutf);
            let title = "Length in UTF-8 of UTF-16LE text";
            let simdutf = entry(SIMDUTF, || simdutf::utf8_length_from_utf16le(black_box(&utf16)));
            self.length(title, text, (Utf16, Utf8), &utf16, bytes.len(), simdutf);
        }
    }

    fn length<'a, F: Form + 'a, T: Form + 'a>(
        &mut self,
        title: &str,
        text: &Text,
        (from, to): (F, T),
        input: &'a F::Text,
        expected: usize,
        simdutf: Entry<'a>,
    ) {
        let kernels = self.kernels.iter().map(|kernel| {
            entry(format!("trust8 {}", kernel.name()), move || {
                trust8_transcode::len(kernel.form(from), to, black_box(input))
            })
        });
        let times = self.bench.race(expected, [simdutf].into_iter().chain(kernels).collect());
        self.row(title, ("text", &text.name), times.gb_per_s(size_of_val(input)), &times);
    }

    /// Adds a row of a lossy conversion by the best kernel. `peers` are the others.
    fn lossy<F: Form, T: Form<Unit: FromBytes + IntoBytes>>(
        &mut self,
        row: &str,
        (from, to): (F, T),
        (input, expected): (&F::Text, usize),
        peers: &[Peer<F::Text, T::Unit>],
    ) {
        let kernel = self.kernels[0];
        let memory = &self.memory;
        let mut entries = vec![entry("trust8", || {
            let mut memory = memory.borrow_mut();
            // SAFETY: `convert_into_lossy` writes only what is initialised.
            let buffer = unsafe { uninit(&mut memory) };
            trust8_transcode::convert_into_lossy(kernel.form(from), to, black_box(input), buffer)
                .map_or(0, |text| len::<T>(text))
        })];
        for &(name, convert) in peers {
            entries.push(entry(name, move || convert(black_box(input), units(&mut memory.borrow_mut()))));
        }
        let times = self.bench.race(expected, entries);
        let table = "conversion, text, a fault every";
        self.bench.data.row(table, row, times.gb_per_s(size_of_val(input)));
        let ratio = times.fastest(|name| name != "trust8") / times.of("trust8");
        self.bench.data.row(table, row, [("ratio", ratio)]);
    }

    /// Measures lossy conversions of text with a fault every 1 to 1000 units.
    fn faulty(&mut self, texts: &[Text]) {
        self.bench.data.heading(2, "Lossy conversions of faulty text");
        self.bench.data.note("GB/s of input, where one unit in a number is FF or a lone surrogate; `ratio` is to the fastest other.");
        for text in texts.iter().filter(|text| ["ASCII", "Russian"].contains(&&*text.name)) {
            for rate in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] {
                let (mut bytes, mut units) =
                    (text.text.as_bytes().to_vec(), text.text.encode_utf16().collect::<Vec<_>>());
                spoil(&mut bytes, &[0xFF], rate);
                spoil(&mut units, &[0xDC00], rate);
                let (bytes, units) = (&bytes[..], &units[..]);
                let decoded = String::from_utf8_lossy(bytes);
                let row = |what: &str| format!("{what}, {}, {rate}", text.name);
                self.lossy(
                    &row("UTF-8 to `str`"),
                    (Utf8, Str),
                    (bytes, decoded.len()),
                    &[
                        ("std", |bytes, _| String::from_utf8_lossy(bytes).len()),
                        ("from_utf8_lossy", |bytes, _| trust8::from_utf8_lossy(bytes).len()),
                        (ENCODING_RS, |bytes, to| {
                            let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
                            decoder.decode_to_utf8(bytes, to, true).2
                        }),
                    ],
                );
                self.lossy(
                    &row("UTF-8 to UTF-16LE"),
                    (Utf8, Utf16),
                    (bytes, decoded.encode_utf16().count()),
                    &[(ENCODING_RS, encoding_rs::mem::convert_utf8_to_utf16)],
                );
                self.lossy(
                    &row("UTF-16LE to `str`"),
                    (Utf16, Str),
                    (units, String::from_utf16_lossy(units).len()),
                    &[
                        ("std", |units, _| String::from_utf16_lossy(units).len()),
                        (ENCODING_RS, encoding_rs::mem::convert_utf16_to_utf8),
                    ],
                );
            }
        }
    }

    /// Measures strings whose lengths and contents vary from call to call, and strings of medium length.
    fn strings(&mut self, section: &str, texts: &[Text]) {
        const DIRECTIONS: [&str; 4] =
            ["UTF-8 to UTF-16LE", "UTF-16LE to UTF-8", "UTF-8 to Latin-1", "Latin-1 to UTF-8"];
        let mut strings = |section, name: String, packed: &[&[u8]], titles| {
            let text = |bytes: &&[u8]| str::from_utf8(bytes).expect("text").to_owned();
            let texts = Texts::Strings { section, name, texts: packed.iter().map(text).collect(), titles };
            self.unicode(&texts);
            if titles.len() == 4 {
                // `é` replaces each character that Latin-1 lacks.
                let Texts::Strings { name, texts, .. } = texts else { return };
                let latin = |char| if char > '\u{FF}' { 'é' } else { char };
                let texts = texts.iter().map(|text| text.chars().map(latin).collect()).collect();
                self.latin1(&Texts::Strings { section, name, texts, titles });
            }
        };
        if section == "Short strings" {
            for contents in Contents::ALL {
                for below in [8, 16, 32, 64, 128, 256] {
                    let packed = random_strings(Lengths::Below(below), contents, STRINGS);
                    let name = format!("{}, below {below} bytes", contents.name());
                    strings(section, name, &packed.strings(), &DIRECTIONS[..2]);
                }
            }
            return;
        }
        // Latin-1 has only German, because `é` would replace most of the other texts.
        for (name, titles) in [("ASCII", 2), ("German", 4), ("Russian", 2), ("Chinese", 2)] {
            for text in texts.iter().filter(|text| text.name == name) {
                for len in [64, 128, 256, 512, 1024, 4096] {
                    let packed = consecutive_strings(&text.text, len, 200);
                    strings(
                        section,
                        format!("{name}, {len} bytes"),
                        &packed.strings(),
                        &DIRECTIONS[..titles],
                    );
                }
            }
        }
    }
}

fn slices<T>(all: &[Vec<T>]) -> Vec<&[T]> {
    all.iter().map(Vec::as_slice).collect()
}

fn main() -> io::Result<()> {
    let mut bench = Bench::start("transcode")?;
    let mut all = [2, 3].map(|width| ordinary(width, 200, TEXT, 0)).to_vec();
    all.extend(texts(TEXT)?);
    bench
        .data
        .note("GB/s of input, or ns a call of strings. `/ simdutf` is the best kernel's speed to simdutf's.");
    let memory = || RefCell::new(Placed::room(1 << 20));
    if bench.wants("avx2") {
        bench.for_kernels_of_simdutf(&["avx2"], |bench, kernel| {
            let prefix = &*format!("{}, ", kernel.name());
            Measuring { bench, memory: memory(), kernels: vec![kernel], prefix }.long(&all);
            Ok(())
        })?;
    }
    let kernels = Kernel::available().iter().collect();
    let mut measuring = Measuring { bench: &mut bench, memory: memory(), kernels, prefix: "" };
    for (name, section) in [
        ("long", (|to, texts| to.long(texts)) as fn(&mut Measuring<'_>, &[Text])),
        ("long", |to, texts| to.lengths(texts)),
        ("short", |to, texts| to.strings("Short strings", texts)),
        ("medium", |to, texts| to.strings("Medium lengths", texts)),
        ("faulty", |to, texts| to.faulty(texts)),
    ] {
        if measuring.bench.wants(name) {
            section(&mut measuring, &all);
        }
    }
    bench.finish()
}
