//! The options of `trust8 check`.

use clap::{Arg, ArgMatches, value_parser};
use trust8_profile::Profile;

use super::{Names, Selection, choice, flag, set, value};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CheckArgs {
    pub(crate) selection: Selection,
    pub(crate) staged: bool,
    pub(crate) files: bool,
    pub(crate) verbose: bool,
    all: bool,
    max_errors: Option<u64>,
    pub(crate) profile: Option<&'static Profile>,
    pub(crate) mojibake: bool,
    format: Format,
    json: bool,
    pub(crate) quiet: bool,
    pub(crate) list: bool,
    pub(crate) null: bool,
    pub(crate) stats: bool,
}

/// Returns the options after those of `Selection`.
#[rustfmt::skip]
pub(super) fn options() -> [Arg; 13] {
    [
        flag("staged", "Check the staged version of the files that the next commit changes, not the version on disk\n\n\
            Paths restrict this to some of the files. Names are shown relative to the top of the repository.")
            .conflicts_with_all(["files-from", "follow", "max-depth", "max-filesize", "one-file-system", "tracked"]),
        flag("files", "Print the files that would be checked, and on standard error what is skipped and why")
            .conflicts_with_all(["quiet", "list", "format", "json", "all", "max-errors", "stats"]).group("names"),
        flag("verbose", "Say on standard error what is skipped, and why").short('v').conflicts_with("quiet"),
        flag("all", "Report every error, not only the first one of each file").short('a'),
        value("max-errors", "N", "Report at most N errors per file [default: 1]").short('m')
            .conflicts_with("all").value_parser(value_parser!(u64).range(1..)),
        value("profile", "NAME", "Report characters that this profile forbids as well: xml, assignables, i-json, \
            postgres, terminal, source, prompt, file-name or scalars").value_parser(profiles()).hide_possible_values(true),
        flag("mojibake", "Report text in UTF-8 that was decoded as windows-1252 as well (`GrÃ¶ÃŸe`), once for each line"),
        value("format", "FORMAT", "How to report errors").short('f').default_value("human").value_parser(choice(&[
            ("human", Format::Human, "With context, for people"),
            ("short", Format::Short, "One line per error, path:line:column: message, for editors and CI"),
            ("github", Format::Github, "GitHub Actions annotations"),
            ("sarif", Format::Sarif, "SARIF 2.1.0, for code scanning"),
            ("junit", Format::Junit, "JUnit XML, for test reports"),
            ("json", Format::Json, "One JSON document"),
            ("jsonl", Format::Jsonl, "One JSON object per line"),
        ])),
        flag("json", "The same as --format json").conflicts_with_all(["format", "quiet", "list"]),
        flag("quiet", "Print only read errors; the exit status has the result").short('q')
            .conflicts_with_all(["list", "format"]),
        flag("list", "Print only the names of the invalid files").short('l').group("names")
            .conflicts_with_all(["format", "all", "max-errors"]),
        flag("null", "With --list or --files, end each name with a NUL instead of a line feed").short('0').requires("names"),
        flag("stats", "At the end, print the number of files and bytes, the speed, and the number of characters of \
            each length").short('s'),
    ]
}

impl CheckArgs {
    pub(super) fn read(matches: &mut ArgMatches) -> Self {
        Self {
            selection: Selection::read(matches),
            staged: matches.get_flag("staged"),
            files: matches.get_flag("files"),
            verbose: matches.get_flag("verbose"),
            all: matches.get_flag("all"),
            max_errors: matches.remove_one("max-errors"),
            profile: matches.remove_one("profile"),
            mojibake: matches.get_flag("mojibake"),
            format: set(matches, "format"),
            json: matches.get_flag("json"),
            quiet: matches.get_flag("quiet"),
            list: matches.get_flag("list"),
            null: matches.get_flag("null"),
            stats: matches.get_flag("stats"),
        }
    }

    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Returns how many errors of one file to report.
    pub(crate) fn error_limit(&self) -> u64 {
        if self.all { u64::MAX } else { self.max_errors.unwrap_or(1) }
    }
}

/// Returns the parser of the name of a preset.
pub(super) fn profiles() -> Names<&'static Profile> {
    Names { parse: profile, names: || Profile::PRESETS.iter().map(|preset| preset.0).collect() }
}

/// Returns the preset of this name.
pub(crate) fn profile(name: &str) -> Result<&'static Profile, String> {
    let preset = Profile::PRESETS.iter().find(|preset| preset.0 == name);
    preset.map(|preset| &preset.1).ok_or_else(|| {
        let names: Vec<&str> = Profile::PRESETS.iter().map(|preset| preset.0).collect();
        format!("the profiles are {}", names.join(", "))
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Human,
    Short,
    Github,
    Sarif,
    Junit,
    Json,
    Jsonl,
}
