//! The command line, derived with clap. The modules of the commands decide what the options do.

use std::ffi::OsString;
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use trust8::Kernel;

use crate::convert::ConvertArgs;
use crate::fix::charset::Charset;

/// Finds what is not UTF-8 in files, says exactly where and why, and repairs it.
///
/// UTF-8 is what RFC 3629 defines. Without a command, trust8 runs `check`. If a file has the name of a command, write
/// ./check, or put it after --.
#[derive(Parser, Debug)]
#[command(
    name = "trust8",
    version,
    subcommand_help_heading = "Commands",
    override_usage = "trust8 [check] [OPTIONS] [PATH]...\n       trust8 <COMMAND> [OPTIONS] ...",
    after_help = EXIT_STATUS,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}")
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) check: CheckArgs,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl Cli {
    /// Parses the arguments that the program was started with. If they are wrong, the program ends.
    pub(crate) fn from_env() -> Self {
        Self::parse_words(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// Parses `words`, the first of which is the name of the program.
    pub(crate) fn parse_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(words)?.without_misplaced_options()
    }

    /// Refuses options of `check` before the name of a command, because the command would never see them.
    fn without_misplaced_options(self) -> Result<Self, clap::Error> {
        let is_default = Self::try_parse_from(["trust8"]).is_ok_and(|bare| bare.check == self.check);
        if self.command.is_none() || is_default {
            return Ok(self);
        }
        let message = "put the options of a command after its name";
        Err(Self::command().error(clap::error::ErrorKind::ArgumentConflict, message))
    }
}

const EXIT_STATUS: &str = "Exit status: 0 if all files are valid (fix: are valid now), 1 if some are not, 2 if some \
                           could not be read or written (the others are still processed).";

const EXAMPLES: &str = "\
Examples:
  trust8 dump.sql                    where is this file not UTF-8, and why?
  trust8 --all src                   every error in every file of a folder
  zcat log.gz | trust8 --quiet       only the exit status
  trust8 --list -0 . | xargs -0 trust8 fix --in-place --from auto
  trust8 fix --from windows-1252 old.txt > new.txt
  trust8 inspect mystery.txt         what kind of text is this?";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Reports where files are not UTF-8, and why (the default)
    ///
    /// For each invalid file, this prints the path, line, column and byte offset, says what is wrong, and shows a few
    /// bytes of context with the invalid bytes marked. Lines and columns count from 1, and columns count characters.
    /// Offsets count from 0.
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
    /// Repairs files, or converts them from other encodings
    ///
    /// Each invalid sequence is replaced by U+FFFD, unless an option says otherwise. A file that is UTF-8 already is
    /// never changed. The result goes to standard output, unless --output or --in-place is given.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Converts between UTF-8, UTF-16, UTF-32 and Latin-1
    ///
    /// The result goes to standard output, unless --output or --in-place is given. If something can't be converted,
    /// that is an error and the file stays unchanged, unless --replace is given.
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Shows on one screen what a file is
    Inspect(InspectArgs),
    /// Lists the implementations that this CPU can run, and which one is used
    Kernels,
    /// Measures every implementation on this computer
    Bench(BenchArgs),
}

const FIX_EXAMPLES: &str = "\
Examples:
  trust8 fix broken.txt > repaired.txt
  trust8 fix --in-place --backup --from auto notes
  trust8 fix --from cesu-8 dump.sql --output dump-utf8.sql

Exit status: 0 if everything is UTF-8 now, 1 if something could not be converted (it stays unchanged), 2 if something \
could not be read or written.";

const CONVERT_EXAMPLES: &str = "\
Examples:
  trust8 convert --from utf-16le --to utf-8 export.txt > export-utf8.txt
  trust8 convert --from latin1 --to utf-8 --in-place --backup *.txt
  trust8 convert --to utf-16be < text.txt | wc -c

Exit status: 0 if everything is converted, 1 if something could not be, 2 if something could not be read or written.";

/// The options that all commands share.
#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    /// Use this implementation instead of the best one that this CPU can run
    #[arg(long, value_name = "NAME", value_parser = kernel, global = true, help_heading = COMMON)]
    pub(crate) kernel: Option<&'static Kernel>,

    /// Use this many threads [default: one per CPU]
    #[arg(long, short = 'j', value_name = "N", global = true, help_heading = COMMON,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = COMMON)]
    pub(crate) color: ColorWhen,

    /// Show no progress bar, even if the work takes long
    #[arg(long, global = true, help_heading = COMMON)]
    pub(crate) no_progress: bool,

    /// Print a manual page, or the completion script of a shell, and do nothing else
    ///
    /// After the name of a command, this prints the manual page of that command.
    #[arg(long, value_name = "WHAT", global = true, help_heading = COMMON, hide_short_help = true)]
    pub(crate) generate: Option<Generate>,
}

const COMMON: &str = "Common options";

impl CommonArgs {
    pub(crate) fn kernel(&self) -> &'static Kernel {
        self.kernel.unwrap_or_else(Kernel::best)
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => threads.into(),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless the environment variable NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    pub(crate) fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Generate {
    Man,
    Bash,
    Elvish,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}

/// Which files to work on.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Selection {
    /// Files and folders; `-`, or no path at all, means standard input
    ///
    /// Folders are searched recursively, without hidden files, files that .gitignore and .ignore exclude, symbolic
    /// links, and binary files (files with a NUL among their first 8000 bytes, which is what Git calls binary).
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// In folders, include hidden files
    #[arg(long, short = 'H', help_heading = FOLDERS)]
    pub(crate) hidden: bool,

    /// In folders, include files that .gitignore and .ignore exclude
    #[arg(long, short = 'I', help_heading = FOLDERS)]
    pub(crate) no_ignore: bool,

    /// In folders, include binary files
    #[arg(long, help_heading = FOLDERS)]
    pub(crate) binary: bool,

    /// In folders, follow symbolic links
    #[arg(long, short = 'L', help_heading = FOLDERS)]
    pub(crate) follow: bool,

    /// In folders, include only files that match GLOB, or that don't if it begins with ! [may be repeated]
    #[arg(long, short = 'g', value_name = "GLOB", help_heading = FOLDERS)]
    pub(crate) glob: Vec<String>,
}

const FOLDERS: &str = "Files in folders";

#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Report every error, not only the first of each file
    #[arg(long, short = 'a')]
    all: bool,

    /// Report at most N errors of each file [default: 1]
    #[arg(long, short = 'm', value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    max_errors: Option<u64>,

    /// How to report errors
    #[arg(long, short = 'f', value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// Print nothing except which files could not be read; the exit status says the rest
    #[arg(long, short = 'q', conflicts_with_all = ["list", "format"])]
    pub(crate) quiet: bool,

    /// Print only the names of the invalid files
    #[arg(long, short = 'l', conflicts_with_all = ["format", "all", "max_errors"])]
    pub(crate) list: bool,

    /// With --list, end each name with a NUL instead of a line feed
    #[arg(long, short = '0', requires = "list")]
    pub(crate) null: bool,

    /// At the end, print the number of files and bytes, the speed, and the number of characters of each length
    #[arg(long, short = 's')]
    pub(crate) stats: bool,
}

impl CheckArgs {
    /// Returns how many errors of one file to report.
    pub(crate) fn error_limit(&self) -> u64 {
        if self.all { u64::MAX } else { self.max_errors.unwrap_or(1) }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// With context, for people
    Human,
    /// One line per error, path:line:column: message, for editors and CI
    Short,
    /// One JSON document
    Json,
    /// One JSON object per line
    Jsonl,
}

#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    #[command(flatten)]
    remedy: RemedyArgs,

    /// Convert from this encoding: any label of the WHATWG Encoding Standard, or cesu-8, mutf-8, wtf-8,
    /// utf-8-rfc2279; or `auto`, to guess
    ///
    /// With --from, a sequence that is not valid in the encoding is an error, unless --replace, --skip or --escape
    /// says what to do with it.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) from: Option<Charset>,

    /// Convert files even if they are UTF-8 already
    ///
    /// Text in UTF-16 or ISO-2022-JP can look like UTF-8 (like ASCII with control characters).
    #[arg(long, requires = "from")]
    pub(crate) force: bool,

    /// Write to this file, which is replaced in one step at the end
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,

    /// Replace each file by its repaired text
    ///
    /// Each file is replaced in one step: the new file is written beside it, synced, and renamed. It has the
    /// permissions of the old one. Symbolic links are followed. If there are other hard links to the file, they keep the
    /// old text.
    #[arg(long, short = 'i')]
    pub(crate) in_place: bool,

    /// With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "~",
          requires = "in_place", value_parser = suffix)]
    pub(crate) backup: Option<String>,

    /// Report each file that was repaired, and how
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
}

/// What to do with invalid sequences.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct RemedyArgs {
    /// Replace each invalid sequence by U+FFFD, as browsers do (the default)
    #[arg(long)]
    replace: bool,

    /// Leave invalid sequences out
    #[arg(long)]
    skip: bool,

    /// Write the bytes of invalid sequences as \xNN
    #[arg(long)]
    escape: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Remedy {
    Replace,
    Skip,
    Escape,
}

impl FixArgs {
    /// Returns the remedy that the command line asks for, if any.
    pub(crate) fn remedy(&self) -> Option<Remedy> {
        let RemedyArgs { replace, skip, escape } = self.remedy;
        [(replace, Remedy::Replace), (skip, Remedy::Skip), (escape, Remedy::Escape)]
            .into_iter()
            .find_map(|(asked, remedy)| asked.then_some(remedy))
    }
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// The file; `-`, or no file at all, means standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Measure with the text of this file instead of generated text
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Also draw the result as an SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// How many milliseconds to measure with each text
    #[arg(long, value_name = "MS", default_value_t = 500)]
    pub(crate) time: u64,
}

/// Returns the kernel called `name`, or an error that lists the names that this CPU supports.
fn kernel(name: &str) -> Result<&'static Kernel, String> {
    Kernel::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Kernel::available().iter().map(Kernel::name).collect();
        format!("this CPU supports {}", names.join(", "))
    })
}

/// Returns `text` if it can be appended to the name of a file.
pub(crate) fn suffix(text: &str) -> Result<String, String> {
    if text.is_empty() {
        Err("an empty suffix would name the file itself".to_owned())
    } else if text.contains(std::path::is_separator) {
        Err("a suffix cannot contain a path separator".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap checks the definition of a command line only if asked to.
    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_default_command_is_check() {
        let paths = |line: &[&str]| {
            let cli = Cli::try_parse_from([&["trust8"], line].concat()).unwrap();
            let cli = cli.without_misplaced_options().unwrap();
            let check = match cli.command {
                Some(Command::Check(check)) => check,
                None => cli.check,
                other => panic!("{other:?}"),
            };
            (check.selection.paths.clone(), check.error_limit())
        };
        assert_eq!(paths(&[]), (vec![], 1));
        assert_eq!(paths(&["check"]), (vec![], 1));
        assert_eq!(paths(&["a", "--all"]), (vec!["a".into()], u64::MAX));
        assert_eq!(paths(&["check", "-m", "3", "a"]), (vec!["a".into()], 3));
        assert_eq!(paths(&["--color", "never", "check", "a"]), (vec!["a".into()], 1));
        assert_eq!(paths(&["check", "check"]), (vec!["check".into()], 1));
        assert_eq!(paths(&["--", "check"]), (vec!["check".into()], 1));
        assert_eq!(paths(&["./fix"]), (vec!["./fix".into()], 1));
        assert_eq!(paths(&["a", "check"]), (vec!["a".into(), "check".into()], 1));
    }

    #[test]
    fn options_of_a_command_come_after_its_name() {
        let is_accepted = |line: &[&str]| {
            let cli = Cli::try_parse_from([&["trust8"], line].concat()).unwrap();
            cli.without_misplaced_options().is_ok()
        };
        assert!(!is_accepted(&["--all", "check", "a"]));
        assert!(!is_accepted(&["-H", "fix", "a"]));
        assert!(is_accepted(&["a", "check"]));
        assert!(is_accepted(&["-j", "3", "check", "--all"]));
    }
}
