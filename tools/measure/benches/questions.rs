//! Measures questions about text (is it ASCII, is it well-formed, where does it stop being so) against simdutf, or
//! encoding_rs where simdutf has no such function.
//!
//! A process measures one kernel against simdutf's for the same instruction set.

use std::cell::RefCell;
use std::hint::black_box;
use std::io;

use trust8::Kernel;
use trust8::boundary::floor;
use trust8_counts::KernelCounts;
use trust8_measure::measure::{Bench, Placed, entry};
use trust8_measure::short_strings::{Contents, Lengths, random_strings};
use trust8_measure::spoil;
use trust8_measure::texts::texts;
use trust8_transcode::Encoding::Utf16Be;
use trust8_transcode::{KernelForms, Str, Utf16, Utf32};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The length of each text in UTF-8.
const TEXT: usize = 64 << 10;

/// Where texts begin after a multiple of 4096, or at the next multiple of a unit.
const OFFSETS: [usize; 4] = [0, 1, 24, 33];

/// The texts that begin there.
const MOVED: [&str; 5] = ["ASCII", "German", "Russian", "Chinese", "emoji"];

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
    text: String,
    utf8: Placed,
    utf16: Placed,
    utf16be: Vec<u16>,
    utf32: Placed,
    /// Memory for a copy of the UTF-16.
    copy: RefCell<Vec<u16>>,
}

impl Forms {
    fn new(name: &str, text: &str, offset: usize) -> Self {
        let utf16: Vec<u16> = text.encode_utf16().collect();
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            utf8: Placed::new(text.as_bytes(), offset),
            utf16: Placed::new(utf16.as_bytes(), offset.next_multiple_of(2)),
            utf16be: text.encode_utf16().map(u16::to_be).collect(),
            utf32: Placed::new(
                text.chars().map(u32::from).collect::<Vec<_>>().as_bytes(),
                offset.next_multiple_of(4),
            ),
            copy: RefCell::new(utf16),
        }
    }

    /// Returns the text in UTF-16 with unpaired surrogates at random distances; `every` is the mean
    /// distance in units.
    fn spoiled(&self, every: usize) -> Self {
        let mut forms = Self::new(&format!("{}, a fault every {every}", self.name), &self.text, 0);
        let mut units = utf16(self).to_vec();
        spoil(&mut units, &[0xDC00], every);
        forms.utf16.copy_from_slice(units.as_bytes());
        forms
    }

    /// Returns the UTF-16 after `work` has changed it again, where it has been made well-formed before.
    fn changed_again(&self, work: impl FnOnce(&mut [u16])) -> usize {
        let mut units = self.copy.borrow_mut();
        work(black_box(&mut units));
        probe(&units)
    }

    /// Returns the UTF-16 after `work` has changed a copy of it.
    fn changed(&self, work: impl FnOnce(&mut [u16])) -> usize {
        let mut copy = self.copy.borrow_mut();
        copy.copy_from_slice(utf16(self));
        work(black_box(&mut copy));
        probe(&copy)
    }
}

/// The long texts for a question.
#[derive(Clone, Copy)]
enum Texts {
    Ascii,
    Latin1,
    All,
    /// All, and some that begin elsewhere.
    AllAndMoved,
    /// All, and texts with faults.
    AllAndFaulty,
}

/// A question, the bytes of a unit of its text, the texts, and the works of trust8 and of the peer, which return the number of an answer,
/// with the peer's name.
type Question =
    (&'static str, usize, Texts, fn(&'static Kernel, &Forms) -> usize, &'static str, fn(&Forms) -> usize);

fn units<T: FromBytes + Immutable>(text: &Placed) -> &[T] {
    <[T]>::ref_from_bytes(black_box(text)).expect("whole units at their multiples")
}

fn utf8(forms: &Forms) -> &[u8] {
    black_box(&forms.utf8)
}

fn utf16(forms: &Forms) -> &[u16] {
    units(&forms.utf16)
}

fn utf32(forms: &Forms) -> &[u32] {
    units(&forms.utf32)
}

fn well_formed(kernel: &'static Kernel, units: &mut [u16]) {
    trust8_transcode::make_well_formed(kernel.form(Utf16), units);
}

fn to_well_formed(units: &mut [u16]) {
    // SAFETY: the pointers and the length are those of a slice. The function may write to where it reads.
    unsafe { cpp::to_well_formed_utf16le(units.as_ptr(), units.len(), units.as_mut_ptr()) };
}

const QUESTIONS: &[Question] = &[
    (
        "where it is malformed, UTF-8",
        1,
        Texts::AllAndMoved,
        |kernel, forms| kernel.from_utf8(utf8(forms)).map_or_else(|error| error.valid_up_to(), str::len),
        "simdutf validate_utf8_with_errors",
        |forms| place(simdutf::validate_utf8_with_errors(utf8(forms)), forms.utf8.len()),
    ),
    (
        "is it well-formed, UTF-8",
        1,
        Texts::AllAndMoved,
        |kernel, forms| usize::from(kernel.is_utf8(utf8(forms))),
        "simdutf validate_utf8",
        |forms| usize::from(simdutf::validate_utf8(utf8(forms))),
    ),
    (
        "where ASCII ends, bytes",
        1,
        Texts::Ascii,
        |kernel, forms| kernel.ascii_up_to(utf8(forms)),
        "simdutf validate_ascii_with_errors",
        |forms| place(simdutf::validate_ascii_with_errors(utf8(forms)), forms.utf8.len()),
    ),
    (
        "is it ASCII, bytes",
        1,
        Texts::Ascii,
        |kernel, forms| usize::from(kernel.ascii_up_to(utf8(forms)) == forms.utf8.len()),
        "simdutf validate_ascii",
        |forms| usize::from(simdutf::validate_ascii(utf8(forms))),
    ),
    (
        "is it ASCII, UTF-16",
        2,
        Texts::Ascii,
        |kernel, forms| {
            usize::from(
                trust8_transcode::ascii_up_to_in(kernel.form(Utf16), utf16(forms)) == utf16(forms).len(),
            )
        },
        "simdutf validate_utf16le_as_ascii",
        |forms| {
            let units = utf16(forms);
            // SAFETY: the pointer and the length are those of a slice, which the function only reads.
            usize::from(unsafe { cpp::is_utf16le_ascii(units.as_ptr(), units.len()) })
        },
    ),
    (
        "where Latin-1 ends, `str`",
        1,
        Texts::Latin1,
        |kernel, forms| trust8_transcode::latin1_up_to(kernel.form(Str), black_box(&forms.text)),
        "encoding_rs str_latin1_up_to",
        |forms| encoding_rs::mem::str_latin1_up_to(black_box(&forms.text)),
    ),
    (
        "where it is malformed, UTF-16",
        2,
        Texts::AllAndMoved,
        |kernel, forms| {
            trust8_transcode::validate(kernel.form(Utf16), utf16(forms))
                .map_or_else(|error| error.valid_up_to(), |()| utf16(forms).len())
        },
        "simdutf validate_utf16le_with_errors",
        |forms| place(simdutf::validate_utf16le_with_errors(utf16(forms)), utf16(forms).len()),
    ),
    (
        "is it well-formed, UTF-16",
        2,
        Texts::AllAndMoved,
        |kernel, forms| usize::from(trust8_transcode::validate(kernel.form(Utf16), utf16(forms)).is_ok()),
        "simdutf validate_utf16le",
        |forms| usize::from(simdutf::validate_utf16le(utf16(forms))),
    ),
    (
        "is it well-formed, UTF-16BE",
        2,
        Texts::All,
        |kernel, forms| {
            let bytes = black_box(forms.utf16be.as_bytes());
            usize::from(trust8_transcode::validate(kernel.form(Utf16Be), bytes).is_ok())
        },
        "simdutf validate_utf16be",
        |forms| usize::from(simdutf::validate_utf16be(black_box(&forms.utf16be))),
    ),
    (
        "make it well-formed in place, UTF-16",
        2,
        Texts::All,
        |kernel, forms| forms.changed_again(|units| well_formed(kernel, units)),
        "simdutf to_well_formed_utf16le",
        |forms| forms.changed_again(to_well_formed),
    ),
    (
        "copy and make it well-formed, UTF-16",
        2,
        Texts::AllAndFaulty,
        |kernel, forms| forms.changed(|units| well_formed(kernel, units)),
        "simdutf to_well_formed_utf16le",
        |forms| forms.changed(to_well_formed),
    ),
    (
        "length in UTF-8 of lossy UTF-16",
        2,
        Texts::AllAndFaulty,
        |kernel, forms| trust8_transcode::len_lossy(kernel.form(Utf16), Str, utf16(forms)),
        "simdutf utf8_length_from_utf16le_with_replacement",
        |forms| {
            let units = utf16(forms);
            // SAFETY: the pointer and the length are those of a slice, which the function only reads.
            unsafe { cpp::utf8_length_from_utf16le_with_replacement(units.as_ptr(), units.len()) }.len
        },
    ),
    (
        "how many bytes are no continuations",
        1,
        Texts::All,
        |kernel, forms| kernel.count_starts(utf8(forms)),
        "simdutf count_utf8",
        |forms| simdutf::count_utf8(utf8(forms)),
    ),
    (
        "how many characters, lossy",
        1,
        Texts::All,
        |kernel, forms| kernel.count_chars_lossy(utf8(forms)),
        "simdutf validate_utf8 and count_utf8",
        |forms| {
            if simdutf::validate_utf8(utf8(forms)) { simdutf::count_utf8(utf8(forms)) } else { 0 }
        },
    ),
    (
        "where it is malformed, UTF-32",
        4,
        Texts::AllAndMoved,
        |kernel, forms| {
            trust8_transcode::validate(kernel.form(Utf32), utf32(forms))
                .map_or_else(|error| error.valid_up_to(), |()| utf32(forms).len())
        },
        "simdutf validate_utf32_with_errors",
        |forms| place(simdutf::validate_utf32_with_errors(utf32(forms)), utf32(forms).len()),
    ),
    (
        "is it well-formed, UTF-32",
        4,
        Texts::AllAndMoved,
        |kernel, forms| usize::from(trust8_transcode::validate(kernel.form(Utf32), utf32(forms)).is_ok()),
        "simdutf validate_utf32",
        |forms| usize::from(simdutf::validate_utf32(utf32(forms))),
    ),
];

/// Measures one kernel, and adds its tables.
fn measure(bench: &mut Bench, kernel: &'static Kernel) -> io::Result<()> {
    let forms: Vec<_> = texts(TEXT)?.iter().map(|text| Forms::new(&text.name, &text.text, 0)).collect();
    let ascii = [Forms::new("ASCII", &"The quick brown fox. ".repeat(TEXT / 21 + 1)[..TEXT], 0)];
    let latin1 = forms.iter().filter(|forms| ["German", "French"].contains(&&*forms.name)).map(|forms| {
        let text = forms.text.chars().filter(|&char| char <= '\u{FF}').collect::<String>();
        Forms::new(&forms.name, &text, 0)
    });
    let latin1: Vec<_> = latin1.collect();
    let spoiled = forms.iter().filter(|forms| ["ASCII", "Russian", "emoji"].contains(&&*forms.name));
    let spoiled: Vec<_> =
        spoiled.flat_map(|forms| [1, 10, 100, 1000].map(|every| forms.spoiled(every))).collect();
    let moved = forms.iter().filter(|forms| MOVED.contains(&&*forms.name)).flat_map(|forms| {
        [4 << 10, TEXT].into_iter().flat_map(move |len| {
            OFFSETS.map(|offset| {
                let text = &forms.text[..floor(forms.text.as_bytes(), len)];
                Forms::new(&format!("{}, {len} bytes, offset {offset}", forms.name), text, offset)
            })
        })
    });
    let moved: Vec<_> = moved.collect();
    let mut short: Vec<(String, Vec<Forms>)> = Vec::new();
    for contents in [Contents::Ascii, Contents::Rare, Contents::Mixed] {
        for below in [16, 64, 256] {
            let packed = random_strings(Lengths::Below(below), contents, STRINGS);
            let strings = packed.strings().into_iter();
            let strings = strings.map(|bytes| Forms::new("", str::from_utf8(bytes).expect("text"), 0));
            short.push((format!("below {below}, {}", contents.name()), strings.collect()));
        }
    }
    for &(name, width, texts, ours, peer, theirs) in QUESTIONS {
        if !bench.wants(name) {
            continue;
        }
        bench.data.heading(2, &format!("{}: {name}", kernel.name()));
        let long: Vec<&Forms> = match texts {
            Texts::Ascii => ascii.iter().chain(moved.iter().filter(|forms| forms.text.is_ascii())).collect(),
            Texts::Latin1 => ascii.iter().chain(&latin1).collect(),
            Texts::All => forms.iter().collect(),
            Texts::AllAndMoved => forms.iter().chain(&moved).collect(),
            Texts::AllAndFaulty => forms.iter().chain(&spoiled).collect(),
        };
        let rows = long.into_iter().map(|forms| (&forms.name, std::slice::from_ref(forms)));
        for (row, texts) in rows.chain(short.iter().map(|(name, strings)| (name, &strings[..]))) {
            // Returns a number that depends on each answer.
            let all = |work: &dyn Fn(&Forms) -> usize| {
                texts.iter().fold(0_usize, |all, forms| all.wrapping_mul(31).wrapping_add(work(forms)))
            };
            let ours = |forms: &Forms| ours(kernel, forms);
            let entries = vec![entry("trust8", || all(&ours)), entry(peer, || all(&theirs))];
            let times = bench.race(all(&ours), entries);
            let bytes =
                |forms: &Forms| [&forms.utf8, &forms.utf16, &forms.utf8, &forms.utf32][width - 1].len();
            bench.data.row(
                "",
                row,
                match texts {
                    [forms] => times.gb_per_s(bytes(forms)),
                    _ => times.a_call(STRINGS),
                },
            );
            bench.data.row("", row, [("ratio", times.ratio("trust8", peer))]);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut bench = Bench::start("questions")?;
    bench.data.note("GB/s of the form that is asked about, or ns a call of short strings.");
    bench.for_kernels_of_simdutf(&["avx512", "avx2"], measure)?;
    bench.finish()
}
