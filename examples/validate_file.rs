//! Says where files are not UTF-8, and why.
//!
//! For programs that read what somebody else wrote (configuration, source code, uploads) and want to tell that person
//! which line to look at.
//!
//! ```sh
//! cargo run --release --example validate_file -- FILE...
//! ```

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use trust8::{from_utf8, locate};

/// Returns a line about the first error in the file, or `None` if the file is UTF-8.
fn complaint(path: &Path) -> io::Result<Option<String>> {
    let bytes = fs::read(path)?;
    let Err(error) = from_utf8(&bytes) else { return Ok(None) };
    // Lines are only counted now that there is an error: a valid file costs nothing more than its validation.
    let place = locate(&bytes, error.valid_up_to());
    Ok(Some(format!("{}:{}:{}: {error}", path.display(), place.line, place.column)))
}

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in env::args_os().skip(1) {
        match complaint(path.as_ref()) {
            Ok(None) => {}
            Ok(Some(line)) => {
                println!("{line}");
                code = ExitCode::FAILURE;
            }
            Err(error) => {
                eprintln!("{}: {error}", Path::new(&path).display());
                code = ExitCode::from(2);
            }
        }
    }
    code
}

/// Checks a valid file and one whose second line is in ISO-8859-1.
#[test]
fn the_line_and_the_column_are_those_of_the_error() {
    let folder = env::temp_dir().join(format!("trust8-validate_file-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [valid, invalid] = ["valid", "invalid"].map(|name| folder.join(name));
    fs::write(&valid, "first\ncafé\n").unwrap();
    fs::write(&invalid, b"first\ncaf\xE9\n").unwrap();

    let answers = [&valid, &invalid].map(|path| complaint(path).unwrap());
    let missing = complaint(&folder.join("missing"));
    fs::remove_dir_all(&folder).unwrap();

    assert_eq!(answers[0], None);
    let expected = "2:4: invalid UTF-8 at byte 9: E9 begins a character of 3 bytes, and 0A follows; \
                    expected a continuation byte (80 to BF)";
    assert_eq!(answers[1], Some(format!("{}:{expected}", invalid.display())));
    assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
}
