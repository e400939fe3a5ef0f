//! UTF-8 validation with SIMD: the standard library's results, faster, with errors that say why.
//!
//! [`from_utf8`] decides whether bytes are UTF-8 as [RFC 3629] defines it. Its results are those of
//! [`core::str::from_utf8`] for every input. It detects the CPU at run time and uses AVX-512 (from
//! Ice Lake and Zen 4 on), AVX2, SSE4.2, NEON, WebAssembly's simd128, or scalar code. It needs no
//! `std`, no allocator and no C compiler.
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
//! # Speed
//!
//! Most strings are short. These are nanoseconds a call for strings of 0 to 63 bytes, whose length
//! and content vary from call to call (AMD EPYC 9004, Zen 4, 28 November 2026). Each crate is
//! measured with its fastest function; for simdutf8, this is its AVX2 module.
//!
//! | strings | std | simdutf | simdutf8 | smoothutf8 | trust8, AVX2 | trust8, AVX-512 |
//! |---|---:|---:|---:|---:|---:|---:|
//! | ASCII | 20.1 | 4.67 | 18.9 | 9.48 | 5.55 | 3.07 |
//! | mixed, 1 to 4 bytes a character | 103 | 6.94 | 20.5 | 34.6 | 7.14 | 3.08 |
//!
//! In longer text, the gain depends on whether the CPU has seen the text before.
//! `docs/performance.md` in the repository has both cases, and the lengths at which trust8 loses.
//!
//! # Which function do I want?
//!
//! | I have | I want | use |
//! |---|---|---|
//! | `&[u8]` | `&str`, or the error | [`from_utf8`] |
//! | `&[u8]` | yes or no | [`is_utf8`] |
//! | `Vec<u8>` | `String`, or the error and the bytes | [`string_from_utf8`] |
//! | `&[u8]` that may be invalid | text, with each invalid sequence replaced by U+FFFD | [`from_utf8_lossy`] |
//! | many byte strings that may be invalid | lossy text appended to one `String` | [`lossy_into`] |
//! | `&[u8]` that may be invalid | every error in it, and the line and column of each | [`errors`], [`Locator`] |
//! | pieces of a stream | the error as soon as it is certain | [`Validator`] |
//! | pieces of a stream | the text of each piece | [`Validator::decode`] |
//! | pieces of a stream that may be invalid | text, with what is invalid replaced | [`stream::Decoder`] |
//! | a reader, a writer, a file | text as it comes, or all of it | [`io`], [`fs`] |
//!
//! Byte order marks: [`Bom`]. Places to cut: [`boundary`]. A kernel of your choice: [`Kernel`].
//!
//! Other crates build on this one. Columns of strings as Arrow stores them, with repairs, are
//! `trust8-columns`. The numbers of characters, lines and UTF-16 units, and where ASCII ends, are
//! `trust8-counts`, also for parts of a text on several machines, and on all cores. UTF-16, UTF-32 and Latin-1 are
//! `trust8-transcode`; CESU-8, Modified UTF-8 and WTF-8 are `trust8-dialect`. Text without NUL,
//! controls, hidden or other harmful characters is `trust8-profile`. Readers and codecs for tokio
//! are `trust8-tokio`.
//!
//! # Slices
//!
//! A [`Utf8Error`] has the place and the length of `core`'s error, the [kind](ErrorKind) of the
//! error, and a message for people. [`locate`] turns the place into a line and a column.
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
//! `Bytes` and `BytesMut` of the crate `bytes` dereference to slices, and become a `Vec` without a
//! copy if no other handle shares their memory.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use bytes::{Bytes, BytesMut};
//!
//! let frame = Bytes::from("name: Ærøskøbing".to_owned());
//! let text = trust8::from_utf8(&frame).unwrap();
//! // Part of the text becomes `Bytes` that share the memory.
//! let name: Bytes = frame.slice_ref(text[6..].as_bytes());
//! # assert_eq!((&name[..], name.as_ptr()), ("Ærøskøbing".as_bytes(), frame[6..].as_ptr()));
//! let text: String = trust8::string_from_utf8(BytesMut::from(&b"\xC3\x86r\xC3\xB8"[..]).into()).unwrap();
//! # assert_eq!(text, "Ærø");
//! # }
//! ```
//!
//! # Streams
//!
//! A piece may end inside a character. [`Validator`] keeps the beginning of that character in 16
//! bytes of state, and refuses the stream at the first byte that makes an error certain.
//! [`decode`](Validator::decode) also returns the text.
//!
//! ```
//! use trust8::Validator;
//!
//! let mut validator = Validator::new();
//! let mut text = String::new();
//! for piece in [&b"Gr\xC3"[..], b"\xBC\xC3\x9Fe aus K\xC3", b"\xB6ln"] {
//!     text.extend(&validator.decode(piece)?);
//! }
//! validator.finish()?;
//! assert_eq!(text, "Grüße aus Köln");
//! # Ok::<(), trust8::stream::StreamError>(())
//! ```
//!
//! # Lossy text
//!
//! Replacement matches [`String::from_utf8_lossy`] and web browsers. Valid text is borrowed.
//!
//! [`String::from_utf8_lossy`]: https://doc.rust-lang.org/std/string/struct.String.html#method.from_utf8_lossy
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use std::borrow::Cow;
//! use trust8::from_utf8_lossy;
//!
//! assert_eq!(from_utf8_lossy(b"caf\xE9 \xF0\x9F\x98!"), "caf\u{FFFD} \u{FFFD}!");
//! assert!(matches!(from_utf8_lossy("café".as_bytes()), Cow::Borrowed("café")));
//! # }
//! ```
//!
//! # When the standard library is enough
//!
//! - A program that validates little has nothing to gain. For a hundred thousand short strings a
//!   second, `std` takes less than 2 % of one core.
//! - If all strings are ASCII, shorter than 64 bytes and of one length, the CPU predicts `std`'s
//!   branches. At most 5 ns a call are left to gain.
//! - If each short string gets its own allocation, the allocation costs more than the validation.
//! - `const fn`: only [`core::str::from_utf8`] works there, because these functions detect the CPU.
//! - If a program must be small: `from_utf8` adds 36 KB on x86-64, because it has kernels for four
//!   kinds of CPU.
//!
//! # Features
//!
//! | feature | on by default | brings |
//! |---|---|---|
//! | `std` | yes | [`io`] and [`fs`]; implies `alloc` |
//! | `alloc` | yes, by `std` | functions that return a `String` or a `Vec` |
//! | `memchr` | no | [`locate`] finds newlines with that crate |
//! | `serde` | no | `Serialize` for errors and places; kinds and policies are read and written as their names; also in the other crates |
//!
//! SIMD detection works without `std`. A program contains only the functions that it calls.
//!
//! # Migration
//!
//! **From the standard library.** The functions have the names of `std`, and the errors have its
//! methods. [`Utf8Error::to_std`] returns `std`'s error.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! # let bytes = b"caf\xE9";
//! // Before.
//! let strict = std::str::from_utf8(bytes);
//! let lossy = String::from_utf8_lossy(bytes);
//! # let before = (strict, lossy);
//!
//! // After.
//! let strict = trust8::from_utf8(bytes).map_err(|error| error.to_std(bytes));
//! let lossy = trust8::from_utf8_lossy(bytes);
//! # assert_eq!((strict, lossy), before);
//! # }
//! ```
//!
//! **From simdutf8.** [`basic`] and [`compat`] have the stable interface of simdutf8 0.1.5. Once
//! trust8 is published, `simdutf8 = { package = "trust8", version = "0.1" }` replaces it. New code
//! calls [`from_utf8`], which is as fast as `basic` and has the error of `compat`. [`Validator`]
//! replaces simdutf8's streaming validators, which are unsafe to use.
//!
//! **From `encoding_rs::mem`.** The documentation of the crate `trust8-transcode` has a table.
//!
//! **From bstr.** `to_str` is [`from_utf8`], `to_str_lossy` is [`from_utf8_lossy`], `utf8_chunks`
//! is [`utf8_chunks`], and `char_indices` is [`decode`].
//!
//! # Versions of Rust
//!
//! The crate needs Rust 1.88. Rust 1.89 is the first version with stable AVX-512 intrinsics, so an
//! older compiler leaves out the kernel `avx512`. `RUSTFLAGS="--cfg trust8_without_avx512"` does
//! the same. A release that needs a newer Rust has a new minor version (0.2 after 0.1), and that
//! Rust is at least six months old.
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
mod names;
mod output;
mod policy;

mod kernel;

#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod foreign;
#[cfg(feature = "std")]
pub mod io;
mod repair;
#[cfg(feature = "serde")]
mod serialize;
mod simdutf8;
pub mod stream;
mod text;

pub use error::{CopyError, ErrorKind, TooSmall, Utf8Error};
#[cfg(feature = "std")]
pub use io::fs;
pub use kernel::{Kernel, from_utf8, from_utf8_mut, is_utf8};
pub use names::UnknownName;
pub use policy::Policy;
pub use repair::{Errors, Utf8Chunk, Utf8Chunks, copy_utf8_lossy, errors, lossy_len, utf8_chunks};
#[cfg(feature = "alloc")]
pub use repair::{from_utf8_lossy, from_utf8_lossy_owned, lossy_into};
pub use simdutf8::{basic, compat};
pub use stream::Validator;
pub use text::bom::{Bom, strip_bom};
pub use text::characters::{Decode, decode};
pub use text::copy::copy_utf8;
pub use text::locate::{Location, Locator, locate};
#[cfg(feature = "alloc")]
pub use text::string::{FromUtf8Error, string_from_utf8};
