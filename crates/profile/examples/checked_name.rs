//! A type for file names without hidden characters: arguments and fields are checked when they are
//! parsed.
//!
//! `FromStr` is what clap takes (`#[arg()] name: FileName`), and `TryFrom<String>` what serde takes
//! (`#[serde(try_from = "String")]`). The error says which character is forbidden, where and why.
//!
//! ```sh
//! cargo run -p trust8-profile --example checked_name -- report.txt
//! ```

#![forbid(unsafe_code)]

use std::fmt;
use std::process::ExitCode;
use std::str::FromStr;

use trust8_profile::{Class, Forbidden, Profile};

/// One name of a file, which Windows allows too.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileName(String);

impl FileName {
    const PROFILE: Profile = Profile::FILE_NAME.forbid(Class::WindowsReserved);
}

impl TryFrom<String> for FileName {
    type Error = Forbidden;

    fn try_from(name: String) -> Result<Self, Forbidden> {
        Self::PROFILE.check(&name)?;
        Ok(Self(name))
    }
}

impl FromStr for FileName {
    type Err = Forbidden;

    fn from_str(name: &str) -> Result<Self, Forbidden> {
        name.to_owned().try_into()
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn main() -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for argument in std::env::args().skip(1) {
        match argument.parse::<FileName>() {
            Ok(name) => println!("{name}"),
            Err(error) => {
                eprintln!("{error}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}

#[test]
fn names_that_hide_something_are_refused() {
    assert_eq!("report – März.txt".parse(), Ok(FileName("report – März.txt".into())));
    let refused = |name: &str| name.parse::<FileName>().map_err(|error| (error.offset(), error.class()));
    assert_eq!(refused("photo\u{202E}gpj.exe"), Err((5, Class::BidiControl)));
    assert_eq!(refused("../passwd"), Err((2, Class::Slash)));
    assert_eq!(refused("a:b"), Err((1, Class::WindowsReserved)));
    assert_eq!(refused("two\nlines"), Err((3, Class::LineFeed)));
}
