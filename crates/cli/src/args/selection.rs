//! The options that say which files to work on.

use std::io::{IsTerminal, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};
use ignore::types::TypesBuilder;

use super::{Names, argument, files_from, flag, list, value};
use crate::source::{Source, path_of};

/// Which files to work on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Selection {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) files_from: Option<PathBuf>,
    pub(crate) hidden: bool,
    pub(crate) no_ignore: bool,
    pub(crate) binary: bool,
    skip_binary: bool,
    pub(crate) follow: bool,
    pub(crate) tracked: bool,
    pub(crate) glob: Vec<String>,
    pub(crate) iglob: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) type_not: Vec<String>,
    pub(crate) force_exclude: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_filesize: Option<u64>,
    pub(crate) one_file_system: bool,
    pub(crate) no_config: bool,
    /// Whether to fail if nothing is checked.
    pub(crate) require_files: bool,
    /// Whether the current folder is searched because no path is named. Its name is not shown then.
    pub(crate) is_implied: bool,
    /// The suffix of the names of backups, which are skipped in folders.
    pub(crate) backup: Option<String>,
}

/// The suffix of the name of a backup.
pub(crate) const BACKUP_SUFFIX: &str = "~";

#[rustfmt::skip]
pub(super) fn options() -> [Arg; 21] {
    let in_folders = |option: Arg| option.help_heading("Files in folders");
    let types = Names { parse: known_type, names: || types().iter().map(String::as_str).collect() };
    [
        argument("paths", "PATH", "Files and folders; `-` means standard input\n\n\
            Without a path, standard input is read. If that is a terminal or the null device, `check` searches the \
            current folder instead, and the other commands ask for a path.")
            .num_args(1..).action(ArgAction::Append).value_parser(value_parser!(PathBuf)).value_hint(ValueHint::AnyPath),
        files_from(),
        in_folders(flag("tracked", "Check the files that Git tracks, also hidden and ignored ones\n\n\
            Paths restrict this to some of the files.").conflicts_with_all(["files-from", "follow", "max-depth", "max-filesize", "one-file-system"])),
        in_folders(flag("hidden", "In folders, include hidden files (but not .git, unless --no-ignore is given)").short('H')),
        in_folders(flag("no-ignore", "In folders, include files that .gitignore and .ignore exclude").short('I')),
        in_folders(Arg::new("unrestricted").short('u').action(ArgAction::Count).help("-u means --no-ignore, -uu also \
            --hidden, -uuu also --binary")),
        in_folders(flag("binary", "In folders, include binary files")),
        flag("skip-binary", "Leave out binary files even if they are named").conflicts_with("binary"),
        flag("recursive", "Search folders: the default").short('r').hide(true),
        in_folders(flag("follow", "In folders, follow symbolic links").short('L')),
        in_folders(value("glob", "GLOB", "In folders, include only files that match GLOB; a leading ! inverts the \
            match [may be repeated]").short('g').action(ArgAction::Append)),
        in_folders(value("iglob", "GLOB", "The same, whatever the case of letters [may be repeated]")
            .action(ArgAction::Append)),
        in_folders(value("exclude", "GLOB", "In folders, leave out what matches GLOB [may be repeated]")
            .action(ArgAction::Append)),
        in_folders(flag("force-exclude", "Leave out what --exclude matches even if it is named")),
        in_folders(value("type", "TYPE", "In folders, include only files of this type, such as rust, py or md, as \
            ripgrep names them [may be repeated]").short('t')
            .action(ArgAction::Append).value_parser(types.clone()).hide_possible_values(true)),
        in_folders(value("type-not", "TYPE", "In folders, leave out files of this type [may be repeated]").short('T')
            .action(ArgAction::Append).value_parser(types).hide_possible_values(true)),
        in_folders(value("max-depth", "N", "Visit folders at most N levels deep; with 1, only the files of the folders \
            that are named").short('d').value_parser(value_parser!(usize))),
        in_folders(value("max-filesize", "SIZE", "In folders, leave out files of more bytes; K, M and G are multiples \
            of 1024").value_parser(size)),
        in_folders(flag("one-file-system", "In folders, leave out those of other file systems")),
        flag("no-config", "Do not read trust8.toml, which says what to exclude, in the current folder and those above it"),
        flag("require-files", "Exit with 2 if nothing is checked, a pattern matches nothing, or text in UTF-16 is skipped"),
    ]
}

impl Selection {
    pub(super) fn read(matches: &mut ArgMatches) -> Self {
        let unrestricted = matches.get_count("unrestricted");
        Self {
            paths: list(matches, "paths"),
            files_from: matches.remove_one("files-from"),
            tracked: matches.get_flag("tracked"),
            hidden: matches.get_flag("hidden") || unrestricted >= 2,
            no_ignore: matches.get_flag("no-ignore") || unrestricted >= 1,
            binary: matches.get_flag("binary") || unrestricted >= 3,
            skip_binary: matches.get_flag("skip-binary"),
            follow: matches.get_flag("follow"),
            glob: list(matches, "glob"),
            iglob: list(matches, "iglob"),
            exclude: list(matches, "exclude"),
            force_exclude: matches.get_flag("force-exclude"),
            types: list(matches, "type"),
            type_not: list(matches, "type-not"),
            max_depth: matches.remove_one("max-depth"),
            max_filesize: matches.remove_one("max-filesize"),
            one_file_system: matches.get_flag("one-file-system"),
            no_config: matches.get_flag("no-config"),
            require_files: matches.get_flag("require-files"),
            is_implied: false,
            backup: None,
        }
    }

    /// Returns the selection with all paths in `paths`: those given, those of `files_from`, or the
    /// default if there are none.
    ///
    /// # Errors
    ///
    /// The list can't be read; or there is no path, standard input is a terminal or the null
    /// device, and `searches_folder` is false.
    pub(crate) fn resolve(&self, searches_folder: bool) -> Result<Self, String> {
        let mut selection = self.clone();
        if selection.tracked {
            return Ok(selection);
        }
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

/// Parses a number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        _ => return Err("the units are K, M and G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "it is no number".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "it is too large".to_owned())
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
        let metadata = crate::streams::standard_input().and_then(|file| file.metadata());
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
