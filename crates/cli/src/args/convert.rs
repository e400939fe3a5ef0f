//! The options of `trust8 convert`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};

use super::{backup, encoding, files, files_from, flag, list, output, set, value};
use crate::charset::{Charset, from_source, from_target};

#[derive(Debug)]
pub(crate) struct ConvertArgs {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) files_from: Option<PathBuf>,
    pub(crate) from: Charset,
    pub(crate) to: Option<Charset>,
    pub(crate) replace: bool,
    pub(crate) output: Option<PathBuf>,
    pub(crate) in_place: bool,
    pub(crate) backup: Option<String>,
}

#[rustfmt::skip]
pub(super) fn options() -> [Arg; 8] {
    [
        files(),
        files_from(),
        value("from", "ENCODING", "The encoding of the input, as `trust8 encodings` lists them; or `auto`, to guess\n\n\
            `utf-16` and `auto` read the byte order mark of UTF-16, and remove it. For the other names, a mark is a \
            character like any other. `latin1` and `iso-8859-1` are windows-1252 for every option, as they are for browsers. In \
            `latin1-exact` every byte is the character of the same number.")
            .default_value("utf-8").value_parser(encoding(from_source)).hide_possible_values(true),
        value("to", "ENCODING", "The encoding of the output, from the same list\n\n\
            `utf-16` is little-endian, with a byte order mark. The other names add none; one that is there is \
            converted like any other character.")
            .value_parser(encoding(from_target)).hide_possible_values(true).required_unless_present("generate"),
        flag("replace", "Replace what can't be converted by U+FFFD (by `?` in an encoding that has no U+FFFD)"),
        output(),
        flag("in-place", "Replace each file by its converted text, in one step").short('i'),
        backup("With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)")
            .requires("in-place"),
    ]
}

impl ConvertArgs {
    pub(super) fn read(matches: &mut ArgMatches) -> Self {
        Self {
            paths: list(matches, "paths"),
            files_from: matches.remove_one("files-from"),
            from: set(matches, "from"),
            to: matches.remove_one("to"),
            replace: matches.get_flag("replace"),
            output: matches.remove_one("output"),
            in_place: matches.get_flag("in-place"),
            backup: matches.remove_one("backup"),
        }
    }
}
