//! The options of `trust8 convert`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{BACKUP_SUFFIX, suffix};
use crate::charset::{Charset, Names, from_source, from_target};

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Files; `-`, or no file at all, means standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Read more paths from FILE (`-` is standard input), one per line; if it has a NUL, NULs
    /// separate them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// The encoding of the input, as `trust8 encodings` lists them; or `auto`, to guess
    ///
    /// `utf-16` reads the byte order mark and removes it. For the other names, a mark is a
    /// character like any other. `latin1` and `iso-8859-1` are windows-1252 for every option, as
    /// they are for browsers. In `latin1-exact` every byte is the character of the same number.
    #[arg(long, value_name = "ENCODING", default_value = "utf-8", value_parser = Names(from_source),
          hide_possible_values = true)]
    pub(crate) from: Charset,

    /// The encoding of the output, from the same list
    ///
    /// `utf-16` is little-endian, with a byte order mark. The other names add none; one that is
    /// there is converted like any other character.
    #[arg(long, value_name = "ENCODING", value_parser = Names(from_target), hide_possible_values = true,
          required_unless_present = "generate")]
    pub(crate) to: Option<Charset>,

    /// Replace what can't be converted by U+FFFD (by `?` in an encoding that has no U+FFFD)
    #[arg(long)]
    pub(crate) replace: bool,

    /// Write to this file, which is replaced in one step at the end; `-` is standard output
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace each file by its converted text, in one step
    #[arg(long, short = 'i')]
    pub(crate) in_place: bool,

    /// With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = BACKUP_SUFFIX,
          requires = "in_place", value_parser = suffix)]
    pub(crate) backup: Option<String>,
}
