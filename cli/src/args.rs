//! The command line, as clap derives it. What its words mean in a running program is up to the modules
//! that they are handed to.

use std::ffi::OsString;
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use trust8::Kernel;

use crate::convert::ConvertArgs;
use crate::fix::charset::Charset;

/// Finds what is not UTF-8 in files, says exactly where and why, and repairs it.
///
/// UTF-8 is what RFC 3629 defines. Without the name of a command, `check` is meant; a file with a command's
/// name is reached as ./check, or behind --.
#[derive(Parser, Debug)]
#[command(
    name = "trust8",
    version,
    subcommand_help_heading = "Commands",
    override_usage = "trust8 [check] [OPTIONS] [PATH]...\n       trust8 <COMMAND> [OPTIONS] ...",
    after_help = EXIT,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT}")
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) check: CheckArgs,

    #[command(flatten)]
    pub(crate) common: Common,
}

impl Cli {
    /// What the program was started with. What is wrong with it ends the program.
    pub(crate) fn of_this_program() -> Self {
        Self::of(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// What a program is started with by these words, the first of which is its name.
    pub(crate) fn of(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(words)?.sensible()
    }

    /// Options of `check` before the name of a command would be lost.
    fn sensible(self) -> Result<Self, clap::Error> {
        let untouched = Self::try_parse_from(["trust8"]).is_ok_and(|bare| bare.check == self.check);
        if self.command.is_none() || untouched {
            return Ok(self);
        }
        let message = "options of a command come behind its name";
        Err(Self::command().error(clap::error::ErrorKind::ArgumentConflict, message))
    }
}

const EXIT: &str = "Exit status: 0 when all files are valid (fix: all are now), 1 when some are not, 2 when \
                    some could not be read or written (all others are seen to nevertheless).";

const EXAMPLES: &str = "\
Examples:
  trust8 dump.sql                    where, and why, is this not UTF-8?
  trust8 --all src                   every error in every file of a folder
  zcat log.gz | trust8 --quiet       the exit status alone
  trust8 --list -0 . | xargs -0 trust8 fix --in-place --from auto
  trust8 fix --from windows-1252 old.txt > new.txt
  trust8 inspect mystery.txt         what sort of text is it?";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Says where files are not UTF-8, and why (the default)
    ///
    /// For each invalid file: path, line, column, byte offset, the kind of error in words, and a few bytes
    /// of context with the culprit marked. Lines and columns count from 1, columns in characters; offsets
    /// count from 0.
    #[command(after_help = EXIT)]
    Check(CheckArgs),
    /// Repairs files, or converts them from other encodings
    ///
    /// Each invalid sequence is replaced by U+FFFD, unless one of the options says otherwise. A file that is
    /// UTF-8 is never touched. The result goes to standard output, unless --output or --in-place says
    /// otherwise.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Converts between UTF-8, UTF-16, UTF-32 and Latin-1
    ///
    /// The result goes to standard output, unless --output or --in-place says otherwise. What can't be converted
    /// is an error, and the file is left as it was, unless --replace says otherwise.
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Shows on one screen what a file is
    Inspect(InspectArgs),
    /// Shows the implementations that this CPU can run, and which one is used
    Kernels,
    /// Measures every implementation on this computer
    Bench(BenchArgs),
}

const FIX_EXAMPLES: &str = "\
Examples:
  trust8 fix broken.txt > repaired.txt
  trust8 fix --in-place --backup --from auto notes
  trust8 fix --from cesu-8 dump.sql --output dump-utf8.sql

Exit status: 0 when everything is UTF-8 now, 1 when something could not be converted (it is left as it was), 2
when something could not be read or written.";

const CONVERT_EXAMPLES: &str = "\
Examples:
  trust8 convert --from utf-16le --to utf-8 export.txt > export-utf8.txt
  trust8 convert --from latin1 --to utf-8 --in-place --backup *.txt
  trust8 convert --to utf-16be < text.txt | wc -c

Exit status: 0 when everything is converted, 1 when something could not be, 2 when something could not be read or
written.";

/// What all commands share.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// The implementation to use, in place of the best one that this CPU can run
    #[arg(long, value_name = "NAME", value_parser = kernel, global = true, help_heading = COMMON)]
    pub(crate) kernel: Option<&'static Kernel>,

    /// How many threads to use [default: one for each CPU]
    #[arg(long, short = 'j', value_name = "N", global = true, help_heading = COMMON,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = COMMON)]
    pub(crate) color: When,

    /// No progress bar, not even on a terminal when it takes long
    #[arg(long, global = true, help_heading = COMMON)]
    pub(crate) no_progress: bool,

    /// Print a manual page, or a shell's completion script, and do nothing else
    ///
    /// Behind a command, the page is that command's.
    #[arg(long, value_name = "WHAT", global = true, help_heading = COMMON, hide_short_help = true)]
    pub(crate) generate: Option<Generate>,
}

const COMMON: &str = "Common options";

impl Common {
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
pub(crate) enum When {
    /// On a terminal, unless the environment has NO_COLOR
    Auto,
    Always,
    Never,
}

impl When {
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

/// Which files are looked at.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Selection {
    /// Files and folders; `-` or none: standard input
    ///
    /// Folders are gone through, without hidden files, those that .gitignore and .ignore exclude, binary
    /// ones (with a NUL among the first 8000 bytes, as Git has it), and symbolic links.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// In folders, hidden files as well
    #[arg(long, short = 'H', help_heading = FOLDERS)]
    pub(crate) hidden: bool,

    /// In folders, files that .gitignore and .ignore exclude as well
    #[arg(long, short = 'I', help_heading = FOLDERS)]
    pub(crate) no_ignore: bool,

    /// In folders, binary files as well
    #[arg(long, help_heading = FOLDERS)]
    pub(crate) binary: bool,

    /// In folders, follow symbolic links
    #[arg(long, short = 'L', help_heading = FOLDERS)]
    pub(crate) follow: bool,

    /// In folders, only files that match, or with ! before it, that don't [may be repeated]
    #[arg(long, short = 'g', value_name = "GLOB", help_heading = FOLDERS)]
    pub(crate) glob: Vec<String>,
}

const FOLDERS: &str = "What is looked at in folders";

#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Every error, in place of each file's first
    #[arg(long, short = 'a')]
    all: bool,

    /// At most so many errors of each file [default: 1]
    #[arg(long, short = 'm', value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    max_errors: Option<u64>,

    /// How errors are told
    #[arg(long, short = 'f', value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// Nothing but the exit status, and what could not be read
    #[arg(long, short = 'q', conflicts_with_all = ["list", "format"])]
    pub(crate) quiet: bool,

    /// Only the names of the invalid files
    #[arg(long, short = 'l', conflicts_with_all = ["format", "all", "max_errors"])]
    pub(crate) list: bool,

    /// With --list, a NUL behind each name in place of a line feed
    #[arg(long, short = '0', requires = "list")]
    pub(crate) null: bool,

    /// At the end: files, bytes, speed, characters by length
    #[arg(long, short = 's')]
    pub(crate) stats: bool,
}

impl CheckArgs {
    /// How many errors of one file to tell of.
    pub(crate) fn limit(&self) -> u64 {
        if self.all { u64::MAX } else { self.max_errors.unwrap_or(1) }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// With context, for people
    Human,
    /// One line each, path:line:column: message, for editors and CI
    Short,
    /// One JSON document
    Json,
    /// One JSON object a line
    Jsonl,
}

#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    #[command(flatten)]
    remedy: RemedyArgs,

    /// Convert from this encoding: any label of the WHATWG Encoding Standard, or cesu-8, mutf-8, wtf-8,
    /// rfc2279; or `auto`, to guess
    ///
    /// With --from, what the encoding has no character for is an error, unless --replace, --skip or --escape
    /// says what to do with it.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) from: Option<Charset>,

    /// Convert also what is UTF-8 already
    ///
    /// Text in UTF-16 or ISO-2022-JP can look like UTF-8 (as ASCII with control characters).
    #[arg(long, requires = "from")]
    pub(crate) force: bool,

    /// Write to this file, which is replaced at the end, in one step
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,

    /// Write each file's repaired text in its place
    ///
    /// In one step (into a new file beside it, which is synced and renamed), with the permissions of
    /// before. Symbolic links are followed; of several hard links, the others keep the old text.
    #[arg(long, short = 'i')]
    pub(crate) in_place: bool,

    /// With --in-place, keep the old file under its name with this behind it
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "~",
          requires = "in_place", value_parser = suffix)]
    pub(crate) backup: Option<String>,

    /// Tell of each file that was repaired, and how
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
}

/// What to do with bytes that stand for no character.
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
    /// The remedy that was asked for, if one was.
    pub(crate) fn remedy(&self) -> Option<Remedy> {
        let RemedyArgs { replace, skip, escape } = self.remedy;
        [(replace, Remedy::Replace), (skip, Remedy::Skip), (escape, Remedy::Escape)]
            .into_iter()
            .find_map(|(asked, remedy)| asked.then_some(remedy))
    }
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// The file; `-` or none: standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Text to measure with, in place of generated text
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Draw the result as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Milliseconds for each text
    #[arg(long, value_name = "MS", default_value_t = 500)]
    pub(crate) time: u64,
}

/// The kernel of that name, or a message with the names that would do.
fn kernel(name: &str) -> Result<&'static Kernel, String> {
    Kernel::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Kernel::available().iter().map(Kernel::name).collect();
        format!("this CPU has {}", names.join(", "))
    })
}

/// What can stand behind a file name.
pub(crate) fn suffix(text: &str) -> Result<String, String> {
    if text.is_empty() {
        Err("without a suffix it would be the file itself".to_owned())
    } else if text.contains(std::path::is_separator) {
        Err("a suffix, not a path".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap checks what it is told only when asked to.
    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn check_is_meant_where_no_command_is_named() {
        let paths = |line: &[&str]| {
            let cli = Cli::try_parse_from([&["trust8"], line].concat()).unwrap().sensible().unwrap();
            let check = match cli.command {
                Some(Command::Check(check)) => check,
                None => cli.check,
                other => panic!("{other:?}"),
            };
            (check.selection.paths.clone(), check.limit())
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
    fn options_of_a_command_come_behind_its_name() {
        let sensible =
            |line: &[&str]| Cli::try_parse_from([&["trust8"], line].concat()).unwrap().sensible().is_ok();
        assert!(!sensible(&["--all", "check", "a"]));
        assert!(!sensible(&["-H", "fix", "a"]));
        assert!(sensible(&["a", "check"]));
        assert!(sensible(&["-j", "3", "check", "--all"]));
    }
}
