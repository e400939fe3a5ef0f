//! Git's files: those that it tracks, and the contents of the next commit, which can differ from
//! those on disk.
//!
//! A repository can be a stranger's, so nothing that it configures is run.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf, is_separator};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// What `output` returns outside of a repository.
pub(crate) const NO_REPOSITORY: &str = "not in a Git repository";

/// Returns Git, to be run in `folder`, with the names of files taken literally.
fn git(folder: Option<&Path>) -> Command {
    let mut git = Command::new("git");
    if let Some(folder) = folder {
        // A hook of Git has variables that name the repository of the commit.
        git.current_dir(folder)
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE");
    }
    git.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    // Fetching an object that is missing runs programs. Gits before 2.45 know only the second variable.
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
    // What a repository replaces is not what is committed.
    git.env("GIT_NO_REPLACE_OBJECTS", "1");
    git.stdin(Stdio::null()).args(["-c", "core.fsmonitor=false"]);
    git
}

/// Runs Git, and returns what it prints. Its usage is no error message.
fn output(git: &mut Command) -> Result<Vec<u8>, String> {
    let output = git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => "the program git is missing".to_owned(),
        _ => format!("git: {error}"),
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
    Err(if line.starts_with("not a git repository") {
        NO_REPOSITORY.to_owned()
    } else {
        format!("git: {line}")
    })
}

/// Returns the names of the regular files that Git tracks, in their order. If there are `paths`,
/// returns only the files in them; each has to have one. The names are relative to `folder`, or to
/// the current one.
pub(crate) fn tracked(folder: Option<&Path>, paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, String> {
    let mut listing = git(folder);
    listing.args(["ls-files", "-z", "--stage"]);
    if !paths.is_empty() {
        listing.args(["--error-unmatch", "--"]).args(paths);
    }
    let list = output(&mut listing)?;
    let mut names: Vec<_> = list.split(|&byte| byte == 0).filter_map(regular).collect();
    // A file with a conflict has several versions.
    names.dedup();
    // Git checks out no file elsewhere, but lists what a stranger's index has.
    let depth = if names.iter().any(|name| name.starts_with(b"..")) {
        let top = output(git(folder).args(["rev-parse", "--show-cdup"]))?;
        top.split(|&byte| byte == b'/').filter(|&part| part == b"..").count()
    } else {
        0
    };
    if let Some(name) = names.iter().find(|name| !is_inside(name, depth)) {
        return Err(format!("git: {} is outside of the worktree", String::from_utf8_lossy(name)));
    }
    Ok(names.into_iter().map(<[u8]>::to_owned).collect())
}

/// Whether a file with this name is in the worktree, which begins `depth` folders above.
fn is_inside(name: &[u8], depth: usize) -> bool {
    let parts = name.split(|&byte| is_separator(byte.into()));
    let up = parts.clone().take_while(|part| *part == b"..").count();
    // Windows has names such as `C:f`.
    let leads_away =
        |part: &[u8]| matches!(part, b"" | b"." | b"..") || cfg!(windows) && part.contains(&b':');
    up <= depth && !parts.skip(up).any(leads_away)
}

/// Returns the name in a line that begins with a mode, if that is the mode of a regular file. Links
/// and submodules have others.
fn regular(line: &[u8]) -> Option<&[u8]> {
    let name = line.iter().position(|&byte| byte == b'\t')?;
    line.starts_with(b"100").then(|| &line[name + 1..])
}

/// The name of a staged file, and its object.
type Staged = (Vec<u8>, String);

/// Returns the names and objects of the files that differ between the index and the last commit, in
/// the order of their names, after the folder that the names are relative to. If there are `paths`, returns only the files in them. Git has to know
/// each.
pub(crate) fn staged(paths: &[PathBuf]) -> Result<(Vec<u8>, Vec<Staged>), String> {
    // Outside a repository, `git diff` prints all its options.
    let top = output(git(None).args(["rev-parse", "--show-toplevel"]))?;
    let top = top.strip_suffix(b"\n").unwrap_or(&top).to_owned();
    if !paths.is_empty() && output(git(None).args(["ls-files", "--error-unmatch", "--"]).args(paths)).is_err()
    {
        paths.iter().try_for_each(|path| known(path))?;
    }
    let mut git = git(None);
    // With this option in the user's configuration, Git leaves out all files outside the current
    // folder.
    git.args(["-c", "diff.relative=false"]);
    git.args(["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=d", "--"]);
    let output = output(git.args(paths))?;
    let mut fields = output.split(|&byte| byte == 0);
    let mut files = Vec::new();
    while let (Some(what), Some(name)) = (fields.next(), fields.next()) {
        let what = String::from_utf8_lossy(what);
        // Two modes, two objects and a letter. Links and submodules have other modes than regular
        // files.
        let [_, mode, _, object, _] = what.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!("git: cannot read {what}"));
        };
        if mode.starts_with("100") {
            files.push((name.to_owned(), object.to_owned()));
        }
    }
    Ok((top, files))
}

/// Fails if neither the index nor the last commit has a file at `path`.
fn known(path: &Path) -> Result<(), String> {
    let in_index = output(git(None).args(["ls-files", "--error-unmatch", "--"]).arg(path));
    in_index.or_else(|why| {
        let in_commit = output(git(None).args(["ls-tree", "--name-only", "HEAD", "--"]).arg(path));
        if in_commit.is_ok_and(|names| !names.is_empty()) { Ok(Vec::new()) } else { Err(why) }
    })?;
    Ok(())
}

/// A process that returns one object after another. To start one takes much longer.
struct Objects {
    _process: Child,
    names: ChildStdin,
    contents: BufReader<ChildStdout>,
}

static OBJECTS: Mutex<Option<Objects>> = Mutex::new(None);

impl Objects {
    fn start() -> io::Result<Self> {
        let mut git = git(None);
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = git.spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(names), Some(contents)) => {
                Ok(Self { _process: process, names, contents: BufReader::new(contents) })
            }
            _ => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    /// Writes the content of `object` to `file`.
    fn copy(&mut self, object: &str, file: &mut File) -> io::Result<()> {
        self.names.write_all(format!("{object}\n").as_bytes())?;
        let mut line = String::new();
        self.contents.read_line(&mut line)?;
        // The object, its type, and its length.
        let len = line.trim_end().rsplit_once(' ').and_then(|(_, len)| len.parse().ok());
        let len: u64 = len.ok_or_else(|| io::Error::other(format!("git: {}", line.trim_end())))?;
        let copied = io::copy(&mut Read::by_ref(&mut self.contents).take(len), file)?;
        let mut end = [0];
        self.contents.read_exact(&mut end)?;
        if copied < len { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Returns a file with the content of `object`.
pub(crate) fn open(object: &str) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut objects = OBJECTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut running = match objects.take() {
        Some(running) => running,
        None => Objects::start()?,
    };
    running.copy(object, &mut file)?;
    // After an error, another process is started.
    *objects = Some(running);
    file.rewind()?;
    Ok(file)
}
