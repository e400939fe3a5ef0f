//! The command's guesses for the web page, which so says the same of a file as `trust8 inspect`.
//!
//! The command's own files are compiled here, by their paths. A package that both depend on would have to be published with the
//! command, and its functions would be an interface.
//!
//! JavaScript writes to the buffer of `input` and reads that of `output`, whose length most functions return.

#[path = "../../../../crates/cli/src/charset.rs"]
#[expect(dead_code, reason = "the command also reads names from its command line")]
mod charset;
#[path = "../../../../crates/cli/src/guess/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the command also says what to do with a file, and does it"
)]
mod guess;
#[path = "../../../../crates/cli/src/fix/mojibake.rs"]
#[expect(dead_code, reason = "the command undoes mojibake in a stream")]
mod mojibake;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::mem::take;

use charset::Charset;
use guess::dialects::{Accepting, last_cut};
use guess::evidence::Evidence;
use guess::pages::johab;
use guess::{Guess, guess_valid, likely};
use trust8::Bom;

struct State {
    input: Vec<u8>,
    output: Vec<u8>,
    /// The sample of a file.
    pieces: Vec<Vec<u8>>,
    /// The dialects of UTF-8 that accept the file.
    accepting: Accepting,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State {
        input: Vec::new(), output: Vec::new(), pieces: Vec::new(), accepting: Accepting::new(),
    });
}

/// Makes `output`, and returns its length.
fn put(make: impl FnOnce(&mut State) -> String) -> usize {
    STATE.with_borrow_mut(|state| {
        state.output = make(state).into_bytes();
        state.output.len()
    })
}

/// Returns a buffer for `len` bytes. The next call invalidates it.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.input.resize(len, 0);
        state.input.as_mut_ptr()
    })
}

/// Returns what the last function has made. The next call invalidates it.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    STATE.with_borrow(|state| state.output.as_ptr())
}

/// Begins a file, and writes the places of its sample: pairs of offsets as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn places(len: f64, first_error: f64) -> usize {
    put(|state| {
        state.pieces.clear();
        state.accepting = Accepting::new();
        let places = Evidence::places(len as u64, first_error as u64);
        let places: Vec<_> = places.iter().map(|place| format!("[{},{}]", place.start, place.end)).collect();
        format!("[{}]", places.join(","))
    })
}

/// Adds the input to the sample.
#[unsafe(no_mangle)]
pub extern "C" fn add_piece() {
    STATE.with_borrow_mut(|state| state.pieces.push(take(&mut state.input)));
}

/// Looks at the input, a chunk of the file, for dialects of UTF-8. Returns how many of its bytes the next chunk does not begin
/// with, or 0 if no dialect accepts the file.
#[unsafe(no_mangle)]
pub extern "C" fn add_chunk(is_last: bool) -> usize {
    STATE.with_borrow_mut(|state| {
        let end = if is_last { state.input.len() } else { last_cut(&state.input) };
        state.accepting.push(&state.input[..end]);
        if state.accepting.dialects().is_empty() { 0 } else { end }
    })
}

/// Guesses what a file of `len` bytes is, from what was added, and writes that as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn guess_file(len: f64, is_utf8: bool) -> usize {
    put(|state| {
        let evidence = Evidence::of(take(&mut state.pieces), len as u64);
        if is_utf8 {
            let texts = evidence.pieces().filter_map(|piece| trust8::from_utf8(piece).ok());
            let mojibake: u64 = texts.map(mojibake::count).sum();
            return match guess_valid(&evidence) {
                Some(charset) => format!(r#"{{"from":"{}"}}"#, charset.label()),
                None => format!(r#"{{"mojibake":{mojibake}}}"#),
            };
        }
        let mark = Bom::detect(evidence.first_piece()).map(|(mark, _)| mark);
        let accepted = state.accepting.dialects();
        let guess = guess::guess(mark, accepted, &evidence);
        let mut json = match &guess {
            Guess::From(charset) => format!(r#"{{"from":"{}""#, charset.label()),
            Guess::Lines(others) => {
                let others = others.map(|others| others.charset);
                let (label, is_single) =
                    others.map_or_else(Default::default, |it| (it.label(), it.is_single_byte()));
                format!(r#"{{"lines":"{label}","isSingleByte":{is_single}"#)
            }
            Guess::Unknown(why) => format!(r#"{{"why":"{why}""#),
        };
        // Writing to a string never fails.
        let _ = write!(json, r#","hasControls":{}"#, evidence.has_controls());
        if let Some(by) = accepted.iter().find(|by| by.convertible).or(accepted.first()) {
            let _ = write!(json, r#","dialect":"{}","convertible":{}"#, by.dialect.name(), by.convertible);
        }
        let labels: Vec<_> =
            likely(&guess, &evidence).iter().map(|it| format!(r#""{}""#, it.label())).collect();
        let _ = write!(json, r#","likely":[{}]}}"#, labels.join(","));
        json
    })
}

/// Writes the characters of the bytes from 80 on in the single-byte encoding that the input names. U+FFFD is none.
#[unsafe(no_mangle)]
pub extern "C" fn characters() -> usize {
    put(|state| {
        let name = String::from_utf8_lossy(&state.input);
        let charset: Option<Charset> = name.parse().ok().filter(Charset::is_single_byte);
        let character =
            |byte| charset.and_then(|it| it.character(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
        (0x80..=0xFF).map(character).collect()
    })
}

/// Writes the input, which is Johab, as text, with U+FFFD for each byte that is none.
#[unsafe(no_mangle)]
pub extern "C" fn from_johab() -> usize {
    put(|state| {
        let (mut text, mut rest) = (String::new(), &*state.input);
        while !rest.is_empty() {
            let (c, len) = johab(rest).unwrap_or((char::REPLACEMENT_CHARACTER, 1));
            text.push(c);
            rest = &rest[len..];
        }
        text
    })
}

/// Writes the lines of the input, with mojibake undone.
#[unsafe(no_mangle)]
pub extern "C" fn undo_mojibake() -> usize {
    put(|state| {
        let text = String::from_utf8_lossy(&state.input);
        text.split_inclusive('\n')
            .map(|line| mojibake::undo(line).unwrap_or_else(|| line.to_owned()))
            .collect()
    })
}
