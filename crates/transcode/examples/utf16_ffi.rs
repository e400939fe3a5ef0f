//! Calls functions that take and return UTF-16.
//!
//! For programs that talk to Windows, a Java virtual machine, .NET or a JavaScript engine. Text
//! goes out through a buffer on the stack. What comes back may contain half a surrogate pair, which
//! such systems allow and UTF-8 does not.
//!
//! ```sh
//! cargo run --release --features transcode --example utf16_ffi
//! ```

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use trust8_transcode::{Str, Utf16, convert, convert_into, convert_lossy};

/// A stand-in for the other system.
mod foreign {
    /// Returns the units from `from` to `to`, like a `substring` that ignores surrogate pairs.
    pub(super) fn substring(text: &[u16], from: usize, to: usize) -> Vec<u16> {
        text[from..to].to_vec()
    }
}

/// Calls `f` with the text in UTF-16. Only text of more than 256 units is allocated.
fn with_utf16<R>(text: &str, f: impl FnOnce(&[u16]) -> R) -> R {
    let mut buffer = [MaybeUninit::uninit(); 256];
    if let Ok(units) = convert_into(Str, Utf16, text, &mut buffer) {
        return f(units);
    }
    // The buffer was too small: nothing else can be wrong with a `&str`.
    f(&convert(Str, Utf16, text).expect("a `&str` is valid"))
}

fn main() {
    let title = "trust8 🦀";

    let word = with_utf16(title, |units| foreign::substring(units, 0, 6));
    // `convert` refuses half a surrogate pair, and says where it is.
    assert_eq!(convert(Utf16, Str, &word), Ok("trust8".to_owned()));

    let half = with_utf16(title, |units| foreign::substring(units, 0, 8));
    let error = convert(Utf16, Str, &half).expect_err("the crab is cut in two");
    println!("{error}");
    // `convert_lossy` puts U+FFFD in its place.
    assert_eq!(convert_lossy(Utf16, Str, &half), "trust8 \u{FFFD}");
}

#[test]
fn text_goes_out_and_comes_back() {
    main();
    for text in ["", "é", "🦀", &"日本語".repeat(85), &"日本語".repeat(86), &"🦀".repeat(1000)] {
        let units = with_utf16(text, <[u16]>::to_vec);
        assert_eq!(units, text.encode_utf16().collect::<Vec<_>>());
        assert_eq!(convert(Utf16, Str, &units).as_deref(), Ok(text));
    }
}
