//! The options that say which files to work on.

use std::ffi::OsStr;
use std::io::{IsTerminal, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, ValueHint};
use ignore::types::TypesBuilder;

use crate::charset::parse_value;
use crate::source::{Source, path_of};
use crate::streams::standard_input;

/// Which files to work on.
#[derive(Args, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Selection {
    /// Files and folders; `-` means standard input
    ///
    /// Without a path, standard input is read. If that is a terminal or the null device, `check`
    /// searches the current folder instead, and the other commands ask for a path.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Read more paths from FILE (`-` is standard input), one per line; if it has a NUL, NULs
    /// separate them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// In folders, include hidden files
    #[arg(long, short = 'H', help_heading = FOLDERS)]
    pub(crate) hidden: bool,

    /// In folders, include files that .gitignore and .ignore exclude
    #[arg(long, short = 'I', help_heading = FOLDERS)]
    pub(crate) no_ignore: bool,

    /// In folders, include binary files
    #[arg(long, help_heading = FOLDERS)]
    pub(crate) binary: bool,

    /// Leave out binary files even if they are named
    #[arg(long, conflicts_with = "binary")]
    skip_binary: bool,

    /// Search folders: the default
    #[arg(long, short = 'r', hide = true)]
    recursive: bool,

    /// In folders, follow symbolic links
    #[arg(long, short = 'L', help_heading = FOLDERS)]
    pub(crate) follow: bool,

    /// In folders, include only files that match GLOB; a leading ! inverts the match [may be
    /// repeated]
    #[arg(long, short = 'g', value_name = "GLOB", help_heading = FOLDERS)]
    pub(crate) glob: Vec<String>,

    /// In folders, leave out what matches GLOB [may be repeated]
    #[arg(long, value_name = "GLOB", help_heading = FOLDERS)]
    pub(crate) exclude: Vec<String>,

    /// In folders, include only files of this type, such as rust, py or md, as ripgrep names them
    /// [may be repeated]
    #[arg(long = "type", short = 't', value_name = "TYPE", help_heading = FOLDERS,
          value_parser = TypeNames, hide_possible_values = true)]
    pub(crate) types: Vec<String>,

    /// In folders, leave out files of this type [may be repeated]
    #[arg(long, short = 'T', value_name = "TYPE", help_heading = FOLDERS,
          value_parser = TypeNames, hide_possible_values = true)]
    pub(crate) type_not: Vec<String>,

    /// Visit folders at most N levels deep; with 1, only the files of the folders that are named
    #[arg(long, short = 'd', value_name = "N", help_heading = FOLDERS)]
    pub(crate) max_depth: Option<usize>,

    /// Whether the current folder is searched because no path is named. Its name is not shown then.
    #[arg(skip)]
    pub(crate) is_implied: bool,

    /// The suffix of the names of backups, which are skipped in folders.
    #[arg(skip)]
    pub(crate) backup: Option<String>,
}

/// The suffix of the name of a backup.
pub(crate) const BACKUP_SUFFIX: &str = "~";

const FOLDERS: &str = "Files in folders";

impl Selection {
    /// Returns the selection with all paths in `paths`: those given, those of `files_from`, or the
    /// default if there are none.
    ///
    /// # Errors
    ///
    /// The list can't be read; or there is no path, standard input is a terminal or the null
    /// device, and `searches_folder` is false.
    pub(crate) fn resolve(&self, searches_folder: bool) -> Result<Self, String> {
        let mut selection = self.clone();
        if let Some(list) = selection.files_from.take() {
            let source = Source::named(&list);
            let bytes = read(&source).map_err(|error| format!("{}: {error}", source.display()))?;
            selection.paths.extend(paths_in(&bytes));
        } else if selection.paths.is_empty() {
            let nobody = if stdin().is_terminal() {
                Some("a terminal")
            } else if is_null_device() {
                Some("the null device")
            } else {
                None
            };
            match nobody {
                None => selection.paths.push(PathBuf::from("-")),
                Some(_) if searches_folder => {
                    selection.paths.push(PathBuf::from("."));
                    selection.is_implied = true;
                }
                Some(what) => {
                    return Err(format!(
                        "no file is named, and standard input is {what} (to read from it, write -)"
                    ));
                }
            }
        }
        Ok(selection)
    }
}

impl Selection {
    /// Whether a file is skipped if it is binary. `named` is whether it was named on the command
    /// line.
    pub(crate) fn skips_binary(&self, named: bool) -> bool {
        if named { self.skip_binary } else { !self.binary }
    }

    /// Returns the sources for `paths` and the list `files_from`, of a command that does not search
    /// folders.
    pub(crate) fn of_files(paths: &[PathBuf], files_from: Option<&Path>) -> Result<Vec<Source>, String> {
        let selection =
            Self { paths: paths.to_vec(), files_from: files_from.map(Path::to_owned), ..Self::default() };
        let selection = selection.resolve(false)?;
        Ok(selection.paths.iter().map(|path| Source::named(path)).collect())
    }
}

/// Parses the name of a file type. Completions offer all types.
#[derive(Clone)]
struct TypeNames;

impl TypedValueParser for TypeNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        parse_value(command, arg, value, known_type)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(types().iter().map(|name| name.as_str().into())))
    }
}

/// Returns the names of all types, in their order.
fn types() -> &'static [String] {
    static TYPES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut types = TypesBuilder::new();
        types.add_defaults();
        // `all` means all the others.
        let names = types.definitions().into_iter().map(|definition| definition.name().to_owned());
        ["all".to_owned()].into_iter().chain(names).collect()
    });
    &TYPES
}

/// Returns `name` if it is the name of a type.
fn known_type(name: &str) -> Result<String, String> {
    let types = types();
    if types.iter().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    let similar = types
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    Err(match similar {
        Some((_, similar)) => format!("this type is not known; did you mean {similar}?"),
        None => "this type is not known; `rg --type-list` shows the same types".to_owned(),
    })
}

fn read(source: &Source) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.open()?.into_file().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the paths in a list.
fn paths_in(list: &[u8]) -> impl Iterator<Item = PathBuf> {
    let end = if list.contains(&0) { 0 } else { b'\n' };
    let crlf = end == b'\n' && is_crlf(list);
    let lines = list.split(move |&byte| byte == end);
    let paths = lines.map(move |line| if crlf { line.strip_suffix(b"\r").unwrap_or(line) } else { line });
    // In a list, `-` is the name of a file.
    paths.filter(|path| !path.is_empty()).map(|bytes| path_of(if bytes == b"-" { b"./-" } else { bytes }))
}

/// Whether each line of `list` ends with a carriage return and a line feed.
fn is_crlf(list: &[u8]) -> bool {
    let mut ends = list.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    list.contains(&b'\n') && ends.all(|at| list[..at].ends_with(b"\r"))
}

/// Whether standard input is the null device, as in many jobs of cron and CI.
fn is_null_device() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let metadata = standard_input().and_then(|file| file.metadata());
        let null = Path::new("/dev/null").metadata();
        matches!((metadata, null), (Ok(input), Ok(null))
            if input.file_type().is_char_device() && input.rdev() == null.rdev())
    }
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_ends_each_path_of_a_list_if_there_is_any() {
        let paths = |list: &[u8]| paths_in(list).collect::<Vec<_>>();
        assert_eq!(paths(b"a b\n\nc"), [Path::new("a b"), Path::new("c")]);
        assert_eq!(paths(b"a\nb\0c\0"), [Path::new("a\nb"), Path::new("c")]);
        assert_eq!(paths(b"a\r\n-\r\n"), [Path::new("a"), Path::new("./-")]);
        assert_eq!(paths(b"a\r\nb\n"), [Path::new("a\r"), Path::new("b")]);
        assert!(paths(b"").is_empty());
    }
}
