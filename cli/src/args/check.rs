//! The options of `trust8 check`.

use clap::{Args, ValueEnum};

use super::Selection;
use trust8_profile::Profile;

#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Check the staged version of the files that the next commit changes, not the version on disk
    ///
    /// Paths restrict this to some of the files. Names are shown relative to the top of the
    /// repository.
    #[arg(long, conflicts_with_all = ["files_from", "follow", "max_depth"])]
    pub(crate) staged: bool,

    /// Report every error, not only the first one of each file
    #[arg(long, short = 'a')]
    all: bool,

    /// Report at most N errors per file [default: 1]
    #[arg(long, short = 'm', value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    max_errors: Option<u64>,

    /// Report characters that this profile forbids as well: xml, assignables, i-json, postgres,
    /// terminal, source, prompt or file-name
    #[arg(long, value_name = "NAME", value_parser = profile)]
    pub(crate) profile: Option<&'static Profile>,

    /// How to report errors
    #[arg(long, short = 'f', value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with_all = ["format", "quiet", "list"])]
    json: bool,

    /// Print only read errors; the exit status has the result
    #[arg(long, short = 'q', conflicts_with_all = ["list", "format"])]
    pub(crate) quiet: bool,

    /// Print only the names of the invalid files
    #[arg(long, short = 'l', conflicts_with_all = ["format", "all", "max_errors"])]
    pub(crate) list: bool,

    /// With --list, end each name with a NUL instead of a line feed
    #[arg(long, short = '0', requires = "list")]
    pub(crate) null: bool,

    /// At the end, print the number of files and bytes, the speed, and the number of characters of
    /// each length
    #[arg(long, short = 's')]
    pub(crate) stats: bool,
}

impl CheckArgs {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Returns how many errors of one file to report.
    pub(crate) fn error_limit(&self) -> u64 {
        if self.all { u64::MAX } else { self.max_errors.unwrap_or(1) }
    }
}

/// Returns the preset of this name.
pub(crate) fn profile(name: &str) -> Result<&'static Profile, String> {
    let preset = Profile::PRESETS.iter().find(|preset| preset.0 == name);
    preset.map(|preset| &preset.1).ok_or_else(|| {
        let names: Vec<&str> = Profile::PRESETS.iter().map(|preset| preset.0).collect();
        format!("the profiles are {}", names.join(", "))
    })
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// With context, for people
    Human,
    /// One line per error, path:line:column: message, for editors and CI
    Short,
    /// GitHub Actions annotations
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, for test reports
    Junit,
    /// One JSON document
    Json,
    /// One JSON object per line
    Jsonl,
}
