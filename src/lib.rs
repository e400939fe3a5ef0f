//! Untrusted bytes into `&str`, or into an exact error.
//!
//! trust8 decides whether bytes are UTF-8 as [RFC 3629] defines it. Its answers are those of [`core::str::from_utf8`] for
//! every input, and its errors also say why. It chooses among AVX-512 (from Ice Lake and Zen 4
//! on), AVX2, SSE4.2, NEON, WebAssembly's simd128 and scalar code when the program
//! runs. It needs no `std`, no allocator and no C compiler.
//!
//! ```
//! use trust8::{ErrorKind, from_utf8};
//!
//! assert_eq!(from_utf8(b"\x41\xE2\x89\xA2\xCE\x91\x2E"), Ok("A≢Α."));
//!
//! let error = from_utf8(b"/srv/\xC0\xAE\xC0\xAE/passwd").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Overlong);
//! assert_eq!((error.valid_up_to(), error.error_len()), (5, Some(1)));
//! assert_eq!(
//!     error.to_string(),
//!     "invalid UTF-8 at byte 5: C0 begins an overlong form of an ASCII character; \
//!      expected a first byte (00 to 7F, C2 to F4)"
//! );
//! ```
//!
//! # Why
//!
//! Validation is what every parser, database and server does to each string that comes in. These are ratios of speed to
//! simdutf8's module for AVX2, and for AVX-512 to the best of simdutf8 and simdutf (C++), on an AMD EPYC 9005 (Zen 5), November
//! 2026. They are means over lengths from 100 to 30,000 bytes. *New* text is what most programs see; *learned* is one text again and
//! again, as in most benchmarks, whose branches the CPU predicts.
//!
//! | text | AVX-512, new | AVX-512, learned | AVX2, new | AVX2, learned |
//! |---|---:|---:|---:|---:|
//! | tweets in JSON | 2.79 | 1.40 | 1.76 | 1.43 |
//! | ASCII | 1.51 | 1.80 | 2.16 | 2.25 |
//! | JSON logs | 1.34 | 1.26 | 1.72 | 1.76 |
//! | German | 3.55 | 1.25 | 2.16 | 1.33 |
//! | Russian | 1.81 | 2.14 | 2.09 | 2.05 |
//! | Chinese | 1.65 | 1.93 | 1.48 | 1.55 |
//!
//! `docs/regimes.md` in the repository has each length, and those at which trust8 loses.
//!
//! Most strings are short. These are nanoseconds a call, for strings of 0 to 63 bytes whose length and content vary from call
//! to call (Intel Sapphire Rapids, November 2026; `simdutf8` is that crate's `basic`):
//!
//! | strings | std | simdutf | simdutf8 | trust8, AVX2 | trust8, AVX-512 |
//! |---|---:|---:|---:|---:|---:|
//! | ASCII | 25.7 | 4.15 | 25.5 | 6.21 | 3.32 |
//! | mixed, 1 to 4 bytes a character | 120 | 6.07 | 120 | 7.87 | 3.38 |
//!
//! `docs/benchmarks.md` in the repository has all texts, lengths, errors and peers, and the command that repeats it.
//!
//! # Which function do I want?
//!
//! | I have | I want | use | allocates |
//! |---|---|---|---|
//! | `&[u8]` | `&str`, or the error | [`from_utf8`] | no |
//! | `&mut [u8]` | `&mut str`, or the error | [`from_utf8_mut`] | no |
//! | `&[u8]` | yes or no | [`is_utf8`] | no |
//! | `Vec<u8>` | `String`, or the error and the bytes | [`string_from_utf8`] | no |
//! | `Box<[u8]>`, `Cow<[u8]>` | `Box<str>`, `Cow<str>` | [`boxed_str_from_utf8`], [`cow_from_utf8`], [`cow_from_utf8_lossy`] | no, if it is valid |
//! | `Bytes`, `BytesMut` | `&str`, `String` | [`from_utf8`], [`string_from_utf8`]: see [slices](#slices) | no, if the handle is the only one |
//! | `&[u8]` that may be invalid | text, with each invalid sequence replaced by U+FFFD | [`from_utf8_lossy`] | if it is invalid |
//! | `Vec<u8>` that may be invalid | the same as a `String` | [`from_utf8_lossy_owned`] | if it is invalid |
//! | many of these | the same, appended to a `String` | [`lossy_into`] | if the `String` is too short |
//! | the same, and memory for it | the same | [`copy_utf8_lossy`], [`lossy_len`] | no |
//! | `&[u8]` that may be invalid | valid and invalid parts in turn | [`utf8_chunks`] | no |
//! | `&[u8]` that may be invalid | every error in it | [`errors`] | no |
//! | `&[u8]` that may be invalid | its characters and errors, one by one | [`decode`] | no |
//! | an error | its line and column | [`locate`] | no |
//! | pieces of a stream | the error as soon as it is certain | [`Validator`] | no |
//! | pieces of a stream | the text of each piece | [`stream::Decoder`] | no |
//! | a reader | text, or lines, as they come | [`io::Utf8Reader`] | its buffer |
//! | a writer | the certainty that it gets only UTF-8 | [`io::Utf8Writer`] | no |
//! | a file, or a reader | all of it as a `String` | [`fs::read_to_string`], [`io::read_to_string`] | the `String` |
//! | an `AsyncRead`, or a framed connection | text, or lines, as they come | `tokio::Utf8Reader`, `tokio::LinesCodec`, with the feature `tokio` | its buffer |
//! | `&[u8]` and memory for it | a validated copy | [`copy_utf8`] | no |
//! | a column of strings | the first row that is wrong | [`columns`] | no |
//! | the same, with bad rows and nulls | all rows that are wrong, and why | [`columns::invalid_rows`] | no |
//! | the same | rows that are all UTF-8 | [`columns::repair`] | the new rows, if one is bad |
//! | parts of a text, cut anywhere, on several machines | one verdict on the whole | [`Part`] | no |
//! | `&[u8]` | text without NUL, controls, hidden or other harmful characters | [`profile::Profile`] | no |
//! | `&[u8]` | the numbers of characters, lines, UTF-16 units | [`inspect`](inspect()) | no |
//! | `&str` | one of these | [`count_chars`], [`utf16_len`] | no |
//! | `&[u8]` that may be invalid | the number of its characters | [`count_chars_lossy`], [`count_starts`] | no |
//! | `&[u8]` | whether it is ASCII, or where it stops being ASCII | [`is_ascii`], [`ascii_up_to`] | no |
//! | UTF-8, UTF-16, UTF-32 or ISO-8859-1 | another of these | [`transcode::convert`], with the feature `transcode` | the result |
//! | the same, and memory for it | the same | [`transcode::convert_into`], likewise | no |
//! | any of these | the length that it will have in another, also if it is not valid | [`transcode::len`], [`transcode::lossy_len`], likewise | no |
//! | UTF-16 or UTF-32 | whether it is well-formed, or the error | [`transcode::validate`], likewise | no |
//! | UTF-16 | the same with unpaired surrogates replaced | [`transcode::make_well_formed`], [`transcode::to_well_formed`], likewise | in a copy |
//! | any of these | where it stops being ASCII, or ISO-8859-1 | [`transcode::ascii_up_to`], [`transcode::latin1_up_to`], likewise | no |
//! | pieces of these | the same | [`transcode::Transcoder`], likewise | no, if you bring the memory |
//! | CESU-8, Modified UTF-8 (Java), WTF-8 | UTF-8, and back | [`dialect::Dialect`], with the feature `dialect` | where the two differ |
//! | bytes that may be one of these | which one it is | [`dialect::diagnose`], likewise | no |
//! | bytes that may begin with a byte order mark | the mark, or the bytes after it | [`Bom`], [`strip_bom`] | no |
//! | megabytes, and several cores | any of the first rows | `par_from_utf8`, `par_inspect`, with the feature `rayon` | what rayon does |
//! | a program that lets its user choose | one implementation | [`Kernel`] | no |
//! | a place to cut bytes | the place before it where a character begins | [`boundary::floor`] | no |
//!
//! # Slices
//!
//! A [`Utf8Error`] has the place and the length of `core`'s error. Besides, it has the [kind](ErrorKind) of the error, and
//! a message for people. [`locate`] turns the place into a line and a column, and costs nothing while all is valid.
//!
//! ```
//! let config = b"name = \"caf\xC3\xA9\"\nmotd = \"caf\xE9\"\n";
//!
//! let error = trust8::from_utf8(config).unwrap_err();
//! let place = trust8::locate(config, error.valid_up_to());
//! assert_eq!((place.line, place.column), (2, 12));
//! assert_eq!(trust8::errors(config).count(), 1);
//! ```
//!
//! `Bytes` and `BytesMut` of the crate `bytes` need no functions of their own: they are slices, and become a `Vec`. Nothing here
//! copies the text.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use bytes::{Bytes, BytesMut};
//! use trust8::{from_utf8, from_utf8_lossy_owned, from_utf8_mut, string_from_utf8};
//!
//! let frame = Bytes::from("name: Ærøskøbing".to_owned());
//! let text = from_utf8(&frame).unwrap();
//! // A part of the text becomes `Bytes` that share the memory.
//! let name: Bytes = frame.slice_ref(text[6..].as_bytes());
//! # assert_eq!((&name[..], name.as_ptr()), ("Ærøskøbing".as_bytes(), frame[6..].as_ptr()));
//!
//! let mut buffer = BytesMut::from(&b"\xC3\x86r\xC3\xB8"[..]);
//! from_utf8_mut(&mut buffer).unwrap().make_ascii_uppercase();
//! # let place = buffer.as_ptr();
//!
//! // A handle that is the only one gives its memory to the `Vec`. Others copy it.
//! let text: String = string_from_utf8(buffer.into()).unwrap();
//! assert_eq!(text, "ÆRø");
//! # assert_eq!(text.as_ptr(), place);
//! let bytes = Bytes::from(text);
//! let text: String = from_utf8_lossy_owned(bytes.into());
//! # assert_eq!((&*text, text.as_ptr()), ("ÆRø", place));
//! # }
//! ```
//!
//! # Streams
//!
//! A piece may end inside a character. [`Validator`] keeps that beginning, in 16 bytes of state, and refuses the stream with
//! the first byte that makes an error certain. [`stream::Decoder`] hands out the text as well.
//!
//! ```
//! use trust8::stream::Decoder;
//!
//! let mut decoder = Decoder::new();
//! let mut text = String::new();
//! for piece in [&b"Gr\xC3"[..], b"\xBC\xC3\x9Fe aus K\xC3", b"\xB6ln"] {
//!     text.extend(&decoder.decode(piece)?);
//! }
//! decoder.finish()?;
//! assert_eq!(text, "Grüße aus Köln");
//! # Ok::<(), trust8::stream::StreamError>(())
//! ```
//!
//! # Lossy text
//!
//! What one U+FFFD replaces is what it replaces in the standard library and in web browsers. Valid text is borrowed.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use std::borrow::Cow;
//! use trust8::{from_utf8_lossy, lossy_into};
//!
//! assert_eq!(from_utf8_lossy(b"caf\xE9 \xF0\x9F\x98!"), "caf\u{FFFD} \u{FFFD}!");
//! assert!(matches!(from_utf8_lossy("café".as_bytes()), Cow::Borrowed("café")));
//!
//! let mut line = String::new();
//! for log in [&b"caf\xE9"[..], b"100 \x80"] {
//!     line.clear();
//!     lossy_into(log, &mut line);
//!     assert!(line.ends_with('\u{FFFD}'));
//! }
//! # }
//! ```
//!
//! # Columns
//!
//! A column has the bytes of all rows one after the other, and offsets or views that say where each row is. [`columns`]
//! checks all rows in one pass. Offsets that a stranger made up are an error and no panic.
//!
//! ```
//! use trust8::columns::validate_offsets;
//!
//! let values = "OsloÅlesundTromsø".as_bytes();
//! assert_eq!(validate_offsets(values, &[0, 4, 12, 19]), Ok(()));
//!
//! // The second row begins inside the Å.
//! let error = validate_offsets(values, &[0, 5, 12, 19]).unwrap_err();
//! assert_eq!(error.row(), 0);
//! assert!(error.to_string().starts_with("row 0: invalid UTF-8 at byte 4: C3 begins a character of 2 bytes"));
//! ```
//!
//! # Conversions
//!
//! One function converts between all encodings: it takes the two encodings as values, and the text. A text that has the type
//! `&str` is not validated again. The module needs the feature `transcode`.
//!
//! ```
//! # #[cfg(all(feature = "transcode", feature = "alloc"))] {
//! use trust8::transcode::{Encoding, Str, Utf16, convert, convert_lossy};
//!
//! let units = convert(Str, Utf16, "5 €").unwrap();
//! assert_eq!(units, [0x35, 0x20, 0x20AC]);
//! assert_eq!(convert(Encoding::Utf16Be, Str, b"\0\x35\0 \x20\xAC"), Ok("5 €".to_owned()));
//! // Half a surrogate pair is an error, or is replaced.
//! assert!(convert(Utf16, Str, &[0x41, 0xD83D]).is_err());
//! assert_eq!(convert_lossy(Utf16, Str, &[0x41, 0xD83D]), "A\u{FFFD}");
//! # }
//! ```
//!
//! # When the standard library is enough
//!
//! - A program that validates little has nothing to gain. At a hundred thousand short strings a second, `std` takes less
//!   than two hundredths of one core.
//! - If all strings are ASCII, have fewer than 64 bytes, and are of one length, the CPU predicts the branches of `std`. What
//!   there is to gain then is at most 5 ns a call.
//! - If each short string gets an allocation of its own, the allocation costs more than the validation.
//! - In a `const fn` only [`core::str::from_utf8`] works, because these functions ask the CPU.
//! - If only an error path validates, or one file at the start of the program, a dependency is not worth it.
//! - If a program has to be small: `from_utf8` adds about 59 KB on x86-64, because it has kernels for four kinds of CPU.
//!
//! # Features
//!
//! | feature | on by default | brings |
//! |---|---|---|
//! | `std` | yes | [`io`] and [`fs`]; implies `alloc` |
//! | `alloc` | yes, by `std` | what makes a `String` or a `Vec`: [`string_from_utf8`], lossy text, and conversions into new memory |
//! | `transcode` | no | [`transcode`] |
//! | `dialect` | no | [`dialect`] |
//! | `rayon` | no | `par_from_utf8` and `par_inspect`, which use all cores; implies `std` |
//! | `tokio` | no | `tokio`: an `AsyncRead` adapter, and codecs that yield strings and lines; implies `std` |
//! | `memchr` | no | [`locate`] finds newlines with that crate |
//!
//! SIMD needs none of them. Without `std`, the CPU is asked as well. A program contains the code of the functions that it
//! calls, and not that of the others. But all code must be compiled, and `transcode` and `dialect` are half of it. They are
//! off by default because a parser calls neither. Without them the library takes three to four seconds to compile on two cores.
//! This documentation shows all features.
//!
//! # Migration
//!
//! ## From the standard library
//!
//! The functions have the names of `std`, and the errors have its methods. If a signature asks for `std`'s error,
//! [`Utf8Error::to_std`] makes one.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! # let bytes = b"caf\xE9";
//! // Before.
//! let strict = std::str::from_utf8(bytes);
//! let owned = String::from_utf8(bytes.to_vec()).map_err(|error| error.into_bytes());
//! let lossy = String::from_utf8_lossy(bytes);
//! # let before = (strict, owned, lossy);
//!
//! // After.
//! let strict = trust8::from_utf8(bytes).map_err(|error| error.to_std(bytes));
//! let owned = trust8::string_from_utf8(bytes.to_vec()).map_err(|error| error.into_bytes());
//! let lossy = trust8::from_utf8_lossy(bytes);
//! # assert_eq!((strict, owned, lossy), before);
//! # }
//! ```
//!
//! Likewise, [`fs::read_to_string`] replaces `std`'s, [`utf8_chunks`] the method of slices, and, with the feature `transcode`,
//! `convert(Utf16, Str, units)` replaces `String::from_utf16`.
//!
//! ## From simdutf8
//!
//! [`basic`] and [`compat`] have the stable interface of simdutf8 0.1.5. One line of `Cargo.toml` is enough:
//!
//! ```toml
//! simdutf8 = { package = "trust8", version = "0.1" }
//! ```
//!
//! New code needs no choice between the two: [`from_utf8`] is as fast as `basic`, and has the error of `compat`. In the place
//! of the streaming validators of simdutf8, which are unsafe to use, there is [`Validator`]. For the crates that a program depends
//! on, the folder `compat/simdutf8` of the repository has a package to patch in, with these validators.
//!
//! ```
//! # let bytes = b"caf\xE9 au lait";
//! // Before.
//! let up_to = simdutf8::compat::from_utf8(bytes).map_err(|error| error.valid_up_to());
//! # let before = up_to;
//!
//! // After.
//! let up_to = trust8::from_utf8(bytes).map_err(|error| error.valid_up_to());
//! # assert_eq!(up_to, before);
//! ```
//!
//! ## From `encoding_rs::mem`
//!
//! Conversions need the feature `transcode`. The buffer may be uninitialised and as long as the text needs, which
//! [`transcode::len`] says. What is written comes back as a slice.
//!
//! ```toml
//! trust8 = { version = "0.1", features = ["transcode"] }
//! ```
//!
//! ```
//! # #[cfg(all(feature = "transcode", feature = "alloc"))] {
//! use std::mem::MaybeUninit;
//! use trust8::transcode::{Encoding, Str, Utf16, convert, convert_into_lossy, convert_lossy};
//!
//! let bytes = b"na\xEFve";
//! // Before.
//! let mut buffer = [0; 6];
//! let len = encoding_rs::mem::convert_utf8_to_utf16(bytes, &mut buffer);
//! let units = &buffer[..len];
//! let valid_up_to = encoding_rs::Encoding::utf8_valid_up_to(bytes);
//! let text = encoding_rs::mem::decode_latin1(bytes);
//! # let before = (units, valid_up_to, text.into_owned());
//!
//! // After.
//! let mut buffer = [MaybeUninit::uninit(); 5];
//! let units: &[u16] = convert_into_lossy(Encoding::Utf8, Utf16, bytes, &mut buffer).unwrap();
//! let valid_up_to = trust8::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
//! let text = convert_lossy(Encoding::Latin1, Str, bytes);
//! # assert_eq!((units, valid_up_to, text), before);
//! # }
//! ```
//!
//! | `encoding_rs` | here |
//! |---|---|
//! | `Encoding::ascii_valid_up_to`, `mem::is_ascii` | [`ascii_up_to`], [`is_ascii`] |
//! | `mem::is_basic_latin` | `transcode::is_ascii(Utf16, units)` |
//! | `mem::utf16_valid_up_to` | [`transcode::validate`], and [`valid_up_to`](transcode::Error::valid_up_to) of its error |
//! | `mem::ensure_utf16_validity` | [`transcode::make_well_formed`] |
//! | `mem::str_latin1_up_to`, `mem::utf8_latin1_up_to` | [`transcode::latin1_up_to`] |
//!
//! There is nothing here for that crate's other encodings, or for right-to-left text.
//!
//! ## From bstr
//!
//! bstr makes a string type of bytes, for programs that never want to know. If they do, these are the functions:
//!
//! ```ignore
//! // Before.
//! use bstr::ByteSlice;
//!
//! let strict = bytes.to_str();
//! let lossy = bytes.to_str_lossy();
//! let chunks = bytes.utf8_chunks();
//! let characters = bytes.char_indices();
//! ```
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! # let bytes = b"caf\xE9 au lait";
//! // After.
//! let strict = trust8::from_utf8(bytes);
//! let lossy = trust8::from_utf8_lossy(bytes);
//! let chunks = trust8::utf8_chunks(bytes);
//! let characters = trust8::decode(bytes).map(|next| match next {
//!     Ok((place, character)) => (place, character),
//!     Err(error) => (error.valid_up_to(), '\u{FFFD}'),
//! });
//! # assert_eq!((strict.unwrap_err().valid_up_to(), chunks.count()), (3, 2));
//! # assert_eq!(characters.map(|(_, character)| character).collect::<String>(), lossy);
//! # }
//! ```
//!
//! # Versions of Rust
//!
//! The crate needs Rust 1.88. Rust 1.89 is the first version with stable AVX-512 intrinsics, so an older compiler leaves the
//! kernel `avx512` out. `RUSTFLAGS="--cfg trust8_without_avx512"` does the same. A release that needs a newer version of Rust has
//! a new minor version (0.2 after 0.1), asks for none that is younger than six months, and says so in the changelog.
//!
//! [RFC 3629]: https://www.rfc-editor.org/rfc/rfc3629

#![cfg_attr(not(test), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "std"),
    expect(rustdoc::broken_intra_doc_links, reason = "the front page names what the features bring")
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[macro_use]
mod simd;

pub mod boundary;
mod error;
mod output;

mod kernel;

#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod foreign;
#[cfg(feature = "std")]
pub mod io;
mod repair;
mod simdutf8;
pub mod stream;
mod text;

pub use error::{ErrorKind, TooSmall, Utf8Error};
#[cfg(feature = "std")]
pub use io::fs;
#[cfg(feature = "tokio")]
pub use io::tokio;
pub use kernel::Kernel;
pub use repair::{Errors, Utf8Chunk, Utf8Chunks, copy_utf8_lossy, errors, lossy_len, utf8_chunks};
#[cfg(feature = "alloc")]
pub use repair::{from_utf8_lossy, from_utf8_lossy_owned, lossy_into};
pub use simdutf8::{basic, compat};
pub use stream::Validator;
pub use text::ascii::{ascii_up_to, is_ascii};
pub use text::bom::{Bom, Label, is_utf8_label, strip_bom};
pub use text::characters::{Decode, EncodeError, decode, encode_scalar};
pub use text::columns;
pub use text::copy::{CopyError, copy_utf8};
pub use text::inspect::{Summary, count_chars, count_chars_lossy, count_starts, inspect, utf16_len};
pub use text::locate::{Location, locate};
#[cfg(feature = "rayon")]
pub use text::parallel::{par_from_utf8, par_inspect};
pub use text::part::{Part, PartError, Tally};
pub use text::profile;
#[cfg(feature = "alloc")]
pub use text::string::{
    FromUtf8Error, boxed_str_from_utf8, cow_from_utf8, cow_from_utf8_lossy, string_from_utf8,
};

/// Returns whether `bytes` is UTF-8.
///
/// ```
/// assert!(trust8::is_utf8("Ελλάδα".as_bytes()));
/// assert!(!trust8::is_utf8(b"\xF5\x80\x80\x80"));
/// assert!(trust8::is_utf8(b""));
/// ```
#[inline]
#[must_use]
pub fn is_utf8(bytes: &[u8]) -> bool {
    kernel::check(bytes).is_ok()
}

/// Returns `bytes` as text, if it is UTF-8.
///
/// The answer is that of [`core::str::from_utf8`] for every input: the same text, or an error with the same
/// [`valid_up_to`](Utf8Error::valid_up_to) and [`error_len`](Utf8Error::error_len).
///
/// # Errors
///
/// Returns the first place at which `bytes` is not UTF-8, and why it is not.
///
/// ```
/// use trust8::{ErrorKind, from_utf8};
///
/// assert_eq!(from_utf8(b"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4"), Ok("한국어"));
///
/// let error = from_utf8(b"abc\xED\xA0\x80").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (3, ErrorKind::Surrogate));
/// ```
#[inline]
pub fn from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    kernel::check(bytes).or_else(kernel::Rejected::text)
}

/// Returns `bytes` as mutable text, if it is UTF-8.
///
/// # Errors
///
/// Returns the first place at which `bytes` is not UTF-8, and why it is not. The bytes are as they were.
///
/// ```
/// let mut bytes = *b"stra\xC3\x9Fe";
/// trust8::from_utf8_mut(&mut bytes).unwrap().make_ascii_uppercase();
/// assert_eq!(trust8::from_utf8(&bytes), Ok("STRAßE"));
/// assert!(trust8::from_utf8_mut(&mut [0x80]).is_err());
/// ```
#[inline]
pub fn from_utf8_mut(bytes: &mut [u8]) -> Result<&mut str, Utf8Error> {
    kernel::check_mut(bytes)
}
