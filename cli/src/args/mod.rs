//! The command line, derived with clap. The modules of the commands decide what the options do.
//!
//! `check.rs`, `convert.rs` and `fix.rs` have the options of these commands, and `selection.rs`
//! those that say which files to work on.

mod check;
mod convert;
mod fix;
mod selection;

use std::ffi::OsString;
use std::io::stdout;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use trust8::Kernel;

pub(crate) use check::{CheckArgs, Format};
pub(crate) use convert::ConvertArgs;
pub(crate) use fix::{FixArgs, Remedy, suffix};
pub(crate) use selection::{BACKUP_SUFFIX, Selection};

use crate::outcome::{Outcome, print_output};
use crate::visible::push_harmless;

/// Finds what is not UTF-8 in files, says exactly where and why, and repairs it.
///
/// UTF-8 is what RFC 3629 defines. Without a command, trust8 runs `check`. If a file has the name
/// of a command, write ./check, or put it after --.
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
    /// Parses `words`, which begin with the name of the program. If they are wrong or ask for help,
    /// returns the exit code.
    pub(crate) fn from_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, ExitCode> {
        let words: Vec<_> = words.into_iter().collect();
        Self::parse_words(words.iter().cloned()).map_err(|mut error| {
            // clap's messages repeat words unescaped, so it gets harmless words if the message is
            // to be printed.
            let harmless = words.iter().map(|word| harmless(word.to_string_lossy().trim()));
            if harmless.clone().zip(&words).any(|(harmless, word)| *word != *harmless)
                && let Err(other) = Self::parse_words(harmless.map(OsString::from))
            {
                error = other;
            }
            if error.use_stderr() {
                // If standard error is closed, the exit code still reports the error.
                let _ = error.print();
                return Outcome::SomeUnread.into();
            }
            let text = error.render();
            match AutoStream::choice(&stdout()) {
                ColorChoice::Never => print_output(text.to_string().as_bytes()),
                _ => print_output(text.ansi().to_string().as_bytes()),
            }
        })
    }

    /// Parses `words`, which begin with the name of the program.
    pub(crate) fn parse_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(words)?.without_misplaced_options()
    }

    /// Refuses options of `check` before the name of a command, because the command would never see
    /// them.
    fn without_misplaced_options(self) -> Result<Self, clap::Error> {
        let is_default = Self::try_parse_from(["trust8"]).is_ok_and(|bare| bare.check == self.check);
        if self.command.is_none() || is_default {
            return Ok(self);
        }
        let message = "put the options of a command after its name";
        Err(Self::command().error(clap::error::ErrorKind::ArgumentConflict, message))
    }
}

/// Returns `word` with all characters escaped that can harm a terminal.
fn harmless(word: &str) -> String {
    let mut harmless = String::new();
    push_harmless(&mut harmless, word);
    harmless
}

const EXIT_STATUS: &str = "Exit status: 0 if all files are valid (fix: are valid now), 1 if some are not, 2 if some \
                           could not be read or written (the others are still processed).";

const EXAMPLES: &str = "\
Examples:
  trust8 dump.sql                    where is this file not UTF-8, and why?
  trust8 --all src                   every error in every file of a folder
  zcat log.gz | trust8 --quiet       only the exit status
  trust8 --list -0 . | xargs -0r trust8 fix --in-place --from auto
  trust8 fix --from windows-1252 old.txt > new.txt
  trust8 fix --diff --from auto src  what would change?
  trust8 inspect mystery.txt         what kind of text is this?";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Reports where files are not UTF-8, and why (the default)
    ///
    /// For each invalid file, this prints the path, line, column and byte offset, says what is
    /// wrong, and shows a few bytes of context with the invalid bytes marked. Lines and columns
    /// count from 1, and columns count characters. Offsets count from 0.
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
    /// Repairs files, or converts them from other encodings
    ///
    /// Each invalid sequence is replaced by U+FFFD, unless an option says otherwise. A file that is
    /// UTF-8 already stays as it is, unless --unmojibake, --strip-bom or --force is given. The
    /// result goes to standard output, unless --output or --in-place is given.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Converts between UTF-8, UTF-16, UTF-32, Latin-1 and the encodings of the web
    ///
    /// The result goes to standard output, unless --output or --in-place is given. If something
    /// can't be converted, that is an error and the file stays unchanged, unless --replace is
    /// given.
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(ConvertArgs),
    /// Shows on one screen what a file is
    ///
    /// If the file is not UTF-8, its encoding is guessed from a sample: the start, the first
    /// errors, and the end. The command that converts it is shown.
    #[command(after_help = INSPECT_EXIT_STATUS)]
    Inspect(InspectArgs),
    /// Lists the encodings, with the names that --from, --to and --invalid-as take
    Encodings,
    /// Lists the implementations that this CPU can run, and which one is used
    Kernels,
    /// Measures every implementation on this computer
    Bench(BenchArgs),
}

const INSPECT_EXIT_STATUS: &str =
    "Exit status: 0 if all files are UTF-8, 1 if some are not, 2 if some could not be read.";

const FIX_EXAMPLES: &str = "\
Examples:
  trust8 fix broken.txt > repaired.txt
  trust8 fix --in-place --backup --from auto notes
  trust8 fix --from cesu-8 dump.sql --output dump-utf8.sql
  trust8 fix --check --from auto src   what would be changed, for CI

Exit status: 0 if everything is UTF-8 now, 1 if something could not be converted (it stays unchanged), 2 if something \
could not be read or written. With --check or --diff, 1 also means that something would change. With --in-place, a summary \
says how many files were changed; otherwise use --verbose or --json.";

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
    #[arg(long, value_name = "NAME", value_parser = KernelNames, hide_possible_values = true, global = true,
          help_heading = COMMON)]
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

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Files; `-`, or no file at all, means standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Read more paths from FILE (`-` is standard input), one per line; if it has a NUL, NULs
    /// separate them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// Print one object of JSON per file
    #[arg(long)]
    pub(crate) json: bool,
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

/// Parses the name of a kernel.
#[derive(Clone)]
struct KernelNames;

impl clap::builder::TypedValueParser for KernelNames {
    type Value = &'static Kernel;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        crate::charset::parse_value(command, arg, value, kernel)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(Kernel::available().iter().map(|kernel| kernel.name().into())))
    }
}

/// Returns the kernel called `name`, or an error that lists the names that this CPU supports.
fn kernel(name: &str) -> Result<&'static Kernel, String> {
    Kernel::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Kernel::available().iter().map(Kernel::name).collect();
        format!("this CPU supports {}", names.join(", "))
    })
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
