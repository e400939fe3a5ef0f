//! The command line, for clap. The modules of the commands decide what the options do.
//!
//! Each module has the options as clap sees them, and a struct that is read from their values.
//! `check.rs`, `convert.rs` and `fix.rs` have the options of these commands, and `selection.rs`
//! those that say which files to work on.

mod check;
mod convert;
mod fix;
mod selection;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};
use clap_complete::Shell;
use trust8::Kernel;

pub(crate) use check::{CheckArgs, Format, profile};
pub(crate) use convert::ConvertArgs;
pub(crate) use fix::{FixArgs, Remedy};
pub(crate) use selection::{BACKUP_SUFFIX, Selection};

use crate::charset::Charset;
use crate::outcome::{Outcome, print_output};
use crate::visible::push_harmless;

#[derive(Debug)]
pub(crate) struct Cli {
    pub(crate) command: Option<Command>,
    pub(crate) check: CheckArgs,
    pub(crate) common: CommonArgs,
}

impl Cli {
    /// Returns the definition of the command line.
    pub(crate) fn command() -> clap::Command {
        let about = "Finds what is not UTF-8 in files, says exactly where and why, and repairs it.\n\n\
            UTF-8 is what RFC 3629 defines. Without a command, trust8 runs `check`. If a file has the name of a \
            command, write ./check, or put it after --.";
        command("trust8", about)
            .version(env!("CARGO_PKG_VERSION"))
            .subcommand_help_heading("Commands")
            .override_usage("trust8 [check] [OPTIONS] [PATH]...\n       trust8 <COMMAND> [OPTIONS] ...")
            .after_help(EXIT_STATUS)
            .after_long_help(format!("{EXAMPLES}\n\n{EXIT_STATUS}"))
            .subcommands(commands())
            .args(selection::options())
            .args(check::options())
            .args(common_options())
    }

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
            match crate::colors::choice() {
                ColorChoice::Never => print_output(text.to_string().as_bytes()),
                _ => print_output(text.ansi().to_string().as_bytes()),
            }
        })
    }

    /// Parses `words`, which begin with the name of the program.
    pub(crate) fn parse_words(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(words)?.without_misplaced_options()
    }

    fn try_parse_from(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let mut matches = Self::command().try_get_matches_from(words)?;
        let command =
            matches.remove_subcommand().map(|(name, mut matches)| Command::read(&name, &mut matches));
        Ok(Self { command, check: CheckArgs::read(&mut matches), common: CommonArgs::read(&mut matches) })
    }

    /// Refuses options of `check` before the name of a command, because the command would never see
    /// them.
    fn without_misplaced_options(self) -> Result<Self, clap::Error> {
        let is_default = Self::try_parse_from(["trust8"]).is_ok_and(|bare| bare.check == self.check);
        if self.command.is_none() || is_default {
            return Ok(self);
        }
        let message = "put the options of a command after its name";
        Err(Self::command().error(ErrorKind::ArgumentConflict, message))
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

#[rustfmt::skip]
fn commands() -> [clap::Command; 7] {
    [
        command("check", "Reports where files are not UTF-8, and why (the default)\n\n\
            For each invalid file, this prints the path, line, column and byte offset, says what is wrong, and shows \
            a few bytes of context with the invalid bytes marked. Lines and columns count from 1, and columns count \
            characters. Offsets count from 0.")
            .after_help(EXIT_STATUS).args(selection::options()).args(check::options()),
        command("fix", "Repairs files, or converts them from other encodings\n\n\
            Without an option that says so, no byte is replaced or dropped: what is not UTF-8 is left alone, a \
            message names the options that repair it, and the exit status is 1. But lines that are clearly in one other \
            encoding, in a file that is otherwise UTF-8, are decoded. A file that is UTF-8 already stays as it is, unless --unmojibake, \
            --strip-bom or --force is given. The result goes to standard output, unless --output or --in-place is given.")
            .after_help(FIX_EXAMPLES).args(selection::options()).args(fix::options()),
        command("convert", "Converts between UTF-8, UTF-16, UTF-32, Latin-1 and the encodings of the web\n\n\
            The result goes to standard output, unless --output or --in-place is given. If something can't be \
            converted, that is an error and the file stays unchanged, unless --replace is given.")
            .after_help(CONVERT_EXAMPLES).args(convert::options()),
        command("inspect", "Shows on one screen what a file is\n\n\
            If the file is not UTF-8, its encoding is guessed. In a file over 512 KiB, nine places are read for that: the \
            start, the first error, the end, and six between. The command that converts it is shown.")
            .after_help(INSPECT_EXIT_STATUS)
            .args([files(), files_from(), flag("json", "Print one object of JSON per file")]),
        command("encodings", "Lists the encodings, with the names that --from, --to and --invalid-as take"),
        command("kernels", "Lists the implementations that this CPU can run, and which one is used"),
        command("bench", "Measures every implementation on this computer").args([
            argument("file", "FILE", "Measure with the text of this file instead of generated text")
                .value_parser(value_parser!(PathBuf)),
            value("svg", "FILE", "Also draw the result as an SVG file").value_parser(value_parser!(PathBuf)),
            value("time", "MS", "How many milliseconds to measure with each text")
                .default_value("500").value_parser(value_parser!(u64)),
        ]),
    ]
}

#[derive(Debug)]
pub(crate) enum Command {
    Check(CheckArgs),
    Fix(FixArgs),
    Convert(ConvertArgs),
    Inspect(InspectArgs),
    Encodings,
    Kernels,
    Bench(BenchArgs),
}

impl Command {
    fn read(name: &str, matches: &mut ArgMatches) -> Self {
        match name {
            "check" => Self::Check(CheckArgs::read(matches)),
            "fix" => Self::Fix(FixArgs::read(matches)),
            "convert" => Self::Convert(ConvertArgs::read(matches)),
            "inspect" => Self::Inspect(InspectArgs {
                paths: list(matches, "paths"),
                files_from: matches.remove_one("files-from"),
                json: matches.get_flag("json"),
            }),
            "encodings" => Self::Encodings,
            "kernels" => Self::Kernels,
            _ => Self::Bench(BenchArgs {
                file: matches.remove_one("file"),
                svg: matches.remove_one("svg"),
                time: set(matches, "time"),
            }),
        }
    }
}

const INSPECT_EXIT_STATUS: &str =
    "Exit status: 0 if all files are UTF-8, 1 if some are not, 2 if some could not be read.";

const FIX_EXAMPLES: &str = "\
Examples:
  trust8 fix --replace broken.txt > repaired.txt
  trust8 fix --in-place --backup --from auto notes
  trust8 fix --from cesu-8 dump.sql --output dump-utf8.sql
  trust8 fix --check --from auto src   what would be changed, for CI

Exit status: 0 if everything is UTF-8 now, 1 if something was left alone or could not be converted, 2 if something \
could not be read or written. With --check or --diff, 1 also means that something would change. With --in-place, a summary \
says how many files were changed; otherwise use --verbose or --json.";

const CONVERT_EXAMPLES: &str = "\
Examples:
  trust8 convert --from utf-16le --to utf-8 export.txt > export-utf8.txt
  trust8 convert --from latin1 --to utf-8 --in-place --backup *.txt
  trust8 convert --to utf-16be < text.txt | wc -c

Exit status: 0 if everything is converted, 1 if something could not be, 2 if something could not be read or written.";

/// The options that all commands share.
#[derive(Debug)]
pub(crate) struct CommonArgs {
    pub(crate) kernel: Option<&'static Kernel>,
    threads: Option<u16>,
    pub(crate) color: ColorChoice,
    pub(crate) no_progress: bool,
    pub(crate) generate: Option<Generate>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Generate {
    Man,
    Completions(Shell),
}

#[rustfmt::skip]
fn common_options() -> [Arg; 5] {
    let kernels = Names { parse: kernel, names: || Kernel::available().iter().map(Kernel::name).collect() };
    [
        value("kernel", "NAME", "Use this implementation instead of the best one that this CPU can run")
            .value_parser(kernels).hide_possible_values(true),
        value("threads", "N", "Use this many threads [default: one per CPU]").short('j')
            .value_parser(value_parser!(u16).range(1..=1024)),
        value("color", "WHEN", "When to use colours").default_value("auto").value_parser(choice(&[
            ("auto", ColorChoice::Auto, "On a terminal, unless the environment variable NO_COLOR is set"),
            ("always", ColorChoice::Always, ""),
            ("never", ColorChoice::Never, ""),
        ])),
        flag("no-progress", "Show no progress bar, even if the work takes long"),
        value("generate", "WHAT", "Print a manual page, or the completion script of a shell, and do nothing else\n\n\
            After the name of a command, this prints the manual page of that command.").hide_short_help(true)
            .value_parser(choice(&[
                ("man", Generate::Man, ""),
                ("bash", Generate::Completions(Shell::Bash), ""),
                ("elvish", Generate::Completions(Shell::Elvish), ""),
                ("fish", Generate::Completions(Shell::Fish), ""),
                ("powershell", Generate::Completions(Shell::PowerShell), ""),
                ("zsh", Generate::Completions(Shell::Zsh), ""),
            ])),
    ]
    .map(|option| option.global(true).help_heading("Common options"))
}

impl CommonArgs {
    fn read(matches: &mut ArgMatches) -> Self {
        Self {
            kernel: matches.remove_one("kernel"),
            threads: matches.remove_one("threads"),
            color: set(matches, "color"),
            no_progress: matches.get_flag("no-progress"),
            generate: matches.remove_one("generate"),
        }
    }

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

#[derive(Debug)]
pub(crate) struct InspectArgs {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) files_from: Option<PathBuf>,
    pub(crate) json: bool,
}

#[derive(Debug)]
pub(crate) struct BenchArgs {
    pub(crate) file: Option<PathBuf>,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) time: u64,
}

/// Returns a command. The first paragraph of `about` is what the short help shows.
fn command(name: &'static str, about: &'static str) -> clap::Command {
    let (short, long) = short_and_long(about);
    clap::Command::new(name).about(short).long_about(long)
}

/// Returns an argument without a name on the command line.
fn argument(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    flag(name, help).long(None).value_name(value_name).action(ArgAction::Set)
}

/// Returns an option that has a value.
fn value(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    argument(name, value_name, help).long(name)
}

/// Returns an option that has no value. The first paragraph of `help` is what the short help shows.
fn flag(name: &'static str, help: &'static str) -> Arg {
    let (short, long) = short_and_long(help);
    Arg::new(name).long(name).help(short).long_help(long).action(ArgAction::SetTrue)
}

fn short_and_long(text: &'static str) -> (&'static str, Option<&'static str>) {
    let (short, long) = text.split_once("\n\n").map_or((text, None), |(short, _)| (short, Some(text)));
    (short.strip_suffix('.').unwrap_or(short), long)
}

fn files() -> Arg {
    argument("paths", "FILE", "Files; `-`, or no file at all, means standard input")
        .num_args(1..)
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
}

#[rustfmt::skip]
fn files_from() -> Arg {
    value("files-from", "FILE", "Read more paths from FILE (`-` is standard input), one per line; if it has a NUL, NULs \
        separate them")
        .value_parser(value_parser!(PathBuf)).value_hint(ValueHint::FilePath)
}

#[rustfmt::skip]
fn output() -> Arg {
    value("output", "FILE", "Write to this file, which is replaced in one step at the end; `-` is standard output")
        .short('o').conflicts_with("in-place").value_parser(value_parser!(PathBuf)).value_hint(ValueHint::FilePath)
}

fn backup(help: &'static str) -> Arg {
    value("backup", "SUFFIX", help)
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value(BACKUP_SUFFIX)
        .value_parser(fix::suffix)
}

/// Returns a parser of words. Each has a meaning and may have a help, and other words that mean the
/// same.
fn choice<T: Clone + Send + Sync>(choices: &'static [(&'static str, T, &'static str)]) -> ValueParser {
    let words = choices.iter().map(|(words, _, help)| {
        let mut words = words.split(' ');
        let word = PossibleValue::new(words.next().unwrap_or_default()).aliases(words);
        if help.is_empty() { word } else { word.help(*help) }
    });
    let meaning = |word: String| {
        let choice = choices.iter().find(|(words, ..)| words.split(' ').any(|other| other == word));
        choice.map(|(_, meaning, _)| meaning.clone()).ok_or("clap has accepted another word")
    };
    PossibleValuesParser::new(words).try_map(meaning).into()
}

/// Returns the value of an option that has a default.
fn set<T: Clone + Send + Sync + 'static>(matches: &mut ArgMatches, name: &str) -> T {
    matches.remove_one(name).expect("the option has a default")
}

/// Returns all values of an argument.
fn list<T: Clone + Send + Sync + 'static>(matches: &mut ArgMatches, name: &str) -> Vec<T> {
    matches.remove_many(name).into_iter().flatten().collect()
}

/// Parses the value of an option with `parse`. Completions offer those of `names` that it takes.
#[derive(Clone)]
pub(crate) struct Names<T> {
    pub(crate) parse: fn(&str) -> Result<T, String>,
    pub(crate) names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Names<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        (self.parse)(&text).map_err(|why| {
            let name = arg.map_or_else(String::new, ToString::to_string);
            let mut error = clap::Error::raw(
                ErrorKind::ValueValidation,
                format!("invalid value '{}' for '{name}': {why}\n", crate::visible::visible(text.as_bytes())),
            );
            error = error.with_cmd(command);
            error.insert(ContextKind::InvalidValue, ContextValue::String(text.into_owned()));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = (self.names)().into_iter();
        Some(Box::new(names.filter(|name| (self.parse)(name).is_ok()).map(PossibleValue::new)))
    }
}

/// Returns a parser of the names that `parse` takes.
fn encoding<T>(parse: fn(&str) -> Result<T, String>) -> Names<T> {
    static ALL: LazyLock<Vec<String>> = LazyLock::new(|| Charset::all().iter().map(Charset::label).collect());
    Names { parse, names: || ALL.iter().map(String::as_str).collect() }
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
