//! Logs user input, so that nobody can forge lines or send commands to the terminal that shows the
//! log.
//!
//! ```sh
//! cargo run -p trust8-profile --example log_field < request.bin
//! ```

#![forbid(unsafe_code)]

use std::io::{self, Read, Write};

use trust8_profile::{Class, Profile, ProfilePolicy};

/// One field of a line.
const FIELD: Profile =
    Profile::TERMINAL.forbid(Class::Tab).forbid(Class::LineFeed).forbid(Class::CarriageReturn);

/// Writes a field, with harmful characters made visible.
fn write_field(field: &[u8], mut log: impl Write) -> io::Result<()> {
    match FIELD.from_utf8(field) {
        Ok(text) => writeln!(log, "field: {text}"),
        Err(error) => {
            let text = trust8::from_utf8_lossy(field);
            writeln!(log, "field: {} ({error})", FIELD.repair(&text, ProfilePolicy::Caret))
        }
    }
}

fn main() -> io::Result<()> {
    let mut field = Vec::new();
    io::stdin().read_to_end(&mut field)?;
    write_field(&field, io::stdout())
}

#[test]
fn a_field_stays_in_its_line() {
    let mut log = Vec::new();
    write_field(b"bob", &mut log).unwrap();
    write_field(b"eve\nfield: bob\x1B[A", &mut log).unwrap();
    let log = String::from_utf8(log).unwrap();
    assert_eq!(
        log,
        "field: bob\nfield: eve^Jfield: bob^[[A (forbidden character at byte 3: U+000A is a line feed, which begins \
         another line)\n"
    );
}
