//! The configuration file, `trust8.toml`: a profile, what to exclude, and exceptions.
//!
//! ```toml
//! profile = "source"
//! exclude = ["vendor", "*.min.js"]
//!
//! [[exception]]
//! path = "tests/fixtures/**"
//! class = ["bidi-control", "not-utf8"]
//! reason = "Input of tests"
//! ```
//!
//! It is the first one in the current folder and those above it. It needs few of TOML's forms:
//! strings, and lists of strings. Everything else is an error, because what is misread could hide a
//! finding.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use trust8::ErrorKind;
use trust8_profile::{Class, Profile};

use crate::args::profile;
use crate::culprit::Culprit;
use crate::source::{Source, read_short};

const NAME: &str = "trust8.toml";

/// Returns the classes of what is not UTF-8.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    ErrorKind::ALL.iter().map(|kind| kind.name())
}

/// What the file says.
#[derive(Debug)]
pub(crate) struct Config {
    /// The folder with the file. The patterns are relative to it.
    folder: PathBuf,
    pub(crate) profile: Option<&'static Profile>,
    profile_name: String,
    exclude: Gitignore,
    exceptions: Vec<Exception>,
}

/// Findings of these classes are expected in these files.
#[derive(Debug)]
struct Exception {
    pattern: String,
    paths: Gitignore,
    classes: Vec<String>,
    reason: String,
}

impl Config {
    /// Reads the file that holds for the current folder, if there is one.
    pub(crate) fn find() -> Result<Option<Arc<Self>>, String> {
        let Ok(current) = std::env::current_dir().and_then(|folder| folder.canonicalize()) else {
            return Ok(None);
        };
        for folder in current.ancestors() {
            let path = folder.join(NAME);
            let failed = |why: &str| format!("{}: {why}", path.display());
            match read_short(None, folder, Path::new(NAME)) {
                Err(why) => return Err(failed(&why)),
                Ok(None) => {}
                // Another user could hide findings with it.
                Ok(Some(_)) if is_strangers(&path, &current) => {
                    return Err(failed("it belongs to another user; --no-config passes over it"));
                }
                Ok(Some(text)) => {
                    let text = String::from_utf8(text).map_err(|_| failed("it is not UTF-8"))?;
                    return Self::parse(folder, text.strip_prefix('\u{FEFF}').unwrap_or(&text))
                        .map(|config| Some(Arc::new(config)))
                        .map_err(|why| format!("{}:{why}", path.display()));
                }
            }
        }
        Ok(None)
    }

    /// Parses `text`. An error begins with the number of its line.
    fn parse(folder: &Path, text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text, line: 1 };
        let mut config = Self {
            folder: folder.to_owned(),
            profile: None,
            profile_name: String::new(),
            exclude: Gitignore::empty(),
            exceptions: Vec::new(),
        };
        let mut seen = Vec::new();
        while let Some(item) = parser.item()? {
            let line = item.line;
            let failed = |why: &str| format!("{line}: {why}");
            if seen.contains(&item.key) {
                return Err(failed(&format!("{} is there twice", item.key)));
            }
            seen.push(item.key.clone());
            let exception = config.exceptions.last_mut();
            match (item.key.as_str(), item.value, exception) {
                ("[[exception]]", ..) => {
                    seen.clear();
                    let (pattern, reason) = (String::new(), String::new());
                    let empty = Exception { pattern, paths: Gitignore::empty(), classes: Vec::new(), reason };
                    config.exceptions.push(empty);
                }
                ("path", Value::Text(pattern), Some(exception)) => {
                    exception.paths = patterns(std::slice::from_ref(&pattern)).map_err(|why| failed(&why))?;
                    exception.pattern = pattern;
                }
                ("class", value, Some(exception)) => {
                    exception.classes = value.into_list();
                    for class in &exception.classes {
                        let is_known = Class::ALL.iter().any(|known| known.name() == class)
                            || kinds().any(|kind| kind == class)
                            || matches!(class.as_str(), "not-utf8" | "mojibake");
                        if !is_known {
                            return Err(failed(&format!("{class} is no class of findings")));
                        }
                    }
                }
                ("reason", Value::Text(reason), Some(exception)) => exception.reason = reason,
                ("profile", Value::Text(name), None) => {
                    config.profile = Some(profile(&name).map_err(|why| failed(&why))?);
                    config.profile_name = name;
                }
                ("exclude", value, None) => {
                    config.exclude = patterns(&value.into_list()).map_err(|why| failed(&why))?;
                }
                (key, ..) => return Err(failed(&format!("{key} has no meaning here"))),
            }
        }
        for exception in &config.exceptions {
            if exception.pattern.is_empty()
                || exception.classes.is_empty()
                || exception.reason.trim().is_empty()
            {
                return Err(format!("{}: an exception has a path, a class and a reason", parser.line));
            }
        }
        Ok(config)
    }

    /// Whether the file excludes `path`, which is absolute.
    pub(crate) fn excludes(&self, path: &Path, is_folder: bool) -> bool {
        self.relative(path).is_some_and(|path| self.exclude.matched(path, is_folder).is_ignore())
    }

    /// Whether the file excludes the file at `path`, which is absolute, or a folder above it.
    pub(crate) fn excludes_file(&self, path: &Path) -> bool {
        let is_excluded = |path| self.exclude.matched_path_or_any_parents::<PathBuf>(path, false).is_ignore();
        self.resolved(path).is_some_and(is_excluded)
    }

    /// Returns `path`, which is absolute, as it is seen from the folder with the file, if it is in there.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                part => plain.push(part),
            }
        }
        plain.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }

    /// Does the same, also if `path` leads there through links, or on Windows has another form.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        self.relative(path).or_else(|| self.relative(&path.canonicalize().ok()?))
    }

    /// Returns the classes of findings that are expected in `source`, whose name is relative to `base`.
    pub(crate) fn expected(&self, source: &Source, base: &Path) -> Vec<&str> {
        match source {
            Source::Path(path) | Source::Staged(path, _) => self.expected_at(&base.join(path)),
            Source::StandardInput => Vec::new(),
        }
    }

    /// Does the same for the file at `path`, which is absolute.
    fn expected_at(&self, path: &Path) -> Vec<&str> {
        let Some(path) = self.resolved(path) else { return Vec::new() };
        let matching =
            |exception: &&Exception| exception.paths.matched_path_or_any_parents(&path, false).is_ignore();
        let classes = self.exceptions.iter().filter(matching).flat_map(|exception| &exception.classes);
        classes.map(String::as_str).collect()
    }

    /// Describes the file, for `--files`.
    pub(crate) fn describe(&self) -> Vec<String> {
        let path = self.folder.join(NAME);
        let profile =
            if self.profile.is_some() { format!("profile {}, ", self.profile_name) } else { String::new() };
        let mut lines = vec![format!(
            "{}: {profile}{} excluded, {} exceptions",
            path.display(),
            self.exclude.len(),
            self.exceptions.len()
        )];
        lines.extend(self.exceptions.iter().map(|Exception { pattern, classes, reason, .. }| {
            format!("{NAME}: {pattern} may have {}: {reason}", classes.join(", "))
        }));
        lines
    }
}

/// Whether a finding is of one of the classes that are expected, and each character of a run is.
pub(crate) fn is_expected(classes: &[&str], culprit: &Culprit<'_>) -> bool {
    match culprit.forbidden() {
        Some(run) => {
            let mut found = Class::ALL.iter().filter(|class| run.classes >> class.code() & 1 == 1);
            found.all(|class| classes.contains(&class.name()))
        }
        None => {
            let kind = culprit.keyword();
            classes.iter().any(|&class| {
                class == kind || class == "not-utf8" && kinds().any(|not_utf8| not_utf8 == kind)
            })
        }
    }
}

/// Returns `pattern` with its braces escaped. For Git they are characters like any other, and for the crate ignore they
/// have alternatives, which take as much of the stack as they are nested. A pattern that matches nothing for Git, and some
/// or all for the crate, becomes empty.
pub(crate) fn literal_braces(pattern: &str) -> String {
    let plain = pattern.trim_end();
    if matches!(plain, "!" | "/") || plain.ends_with("\\/") || plain.contains("//") {
        return String::new();
    }
    let (mut literal, mut rest, mut is_unclosed) = (String::new(), pattern, false);
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            // Without its end, a class is a bracket, and so are all after it.
            '[' if !is_unclosed => class_len(rest).unwrap_or_else(|| {
                is_unclosed = true;
                1
            }),
            '{' | '}' => {
                literal.push('\\');
                1
            }
            _ => c.len_utf8(),
        };
        literal.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    literal
}

/// Returns the length of the class of characters that `pattern` begins with, such as `[!]a]`, if it ends.
fn class_len(pattern: &str) -> Option<usize> {
    let start = 1 + usize::from(pattern[1..].starts_with(['!', '^']));
    let next = start + pattern[start..].chars().next()?.len_utf8();
    Some(next + pattern[next..].find(']')? + 1)
}

/// Returns a matcher for patterns as in `.gitignore`.
fn patterns(patterns: &[String]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new(".");
    for pattern in patterns {
        builder.add_line(None, &literal_braces(pattern)).map_err(|error| error.to_string())?;
    }
    builder.build().map_err(|error| error.to_string())
}

/// Whether the file, or a link to it, belongs to neither the user, nor root, nor the owner of the current folder, or of
/// the one that is searched.
pub(crate) fn is_strangers(path: &Path, current: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = |found: std::io::Result<std::fs::Metadata>| found.map(|metadata| metadata.uid()).ok();
        let trusted = [Some(rustix::process::geteuid().as_raw()), Some(0), owner(current.metadata())];
        let found = [path.metadata(), path.symlink_metadata()];
        found.into_iter().any(|found| !trusted.contains(&owner(found)))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, current);
        false
    }
}

/// A key with its value, or the heading of a table.
struct Item {
    line: usize,
    key: String,
    value: Value,
}

enum Value {
    None,
    Text(String),
    List(Vec<String>),
}

impl Value {
    fn into_list(self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::Text(text) => vec![text],
            Self::List(list) => list,
        }
    }
}

/// Reads the part of TOML that the file needs.
struct Parser<'t> {
    rest: &'t str,
    line: usize,
}

impl Parser<'_> {
    /// Returns the next item.
    fn item(&mut self) -> Result<Option<Item>, String> {
        self.skip_space();
        if self.rest.is_empty() {
            return Ok(None);
        }
        let line = self.line;
        if self.rest.starts_with('[') {
            let key = self.rest.lines().next().unwrap_or_default().split('#').next().unwrap_or_default();
            self.rest = &self.rest[key.len()..];
            return Ok(Some(Item { line, key: key.split_whitespace().collect(), value: Value::None }));
        }
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let len = self.rest.find(|c| !is_key(c)).unwrap_or(self.rest.len());
        let key = self.rest[..len].to_owned();
        self.rest = self.rest[len..].trim_start_matches([' ', '\t']);
        let Some(rest) = self.rest.strip_prefix('=').filter(|_| len > 0) else {
            return Err(format!("{line}: a line is `key = value`, or [[exception]]"));
        };
        self.rest = rest.trim_start_matches([' ', '\t']);
        let value = if self.take('[') { Value::List(self.list()?) } else { Value::Text(self.text()?) };
        let end = self.rest.trim_start_matches([' ', '\t', '\r']);
        if !(end.is_empty() || end.starts_with(['\n', '#'])) {
            return Err(format!("{}: something is left after the value", self.line));
        }
        Ok(Some(Item { line, key, value }))
    }

    /// Passes over white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest.trim_start();
            self.line += self.rest[..self.rest.len() - rest.len()].matches('\n').count();
            self.rest = rest;
            if !rest.starts_with('#') {
                return;
            }
            self.rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        }
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a list of strings, after its bracket.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let mut list = Vec::new();
        loop {
            self.skip_space();
            if self.take(']') {
                return Ok(list);
            }
            list.push(self.text()?);
            self.skip_space();
            if !self.take(',') && !self.rest.starts_with(']') {
                return Err(format!("{}: a list has commas, and ends with ]", self.line));
            }
        }
    }

    /// Reads a string.
    fn text(&mut self) -> Result<String, String> {
        let failed = |why: &str| Err(format!("{}: {why}", self.line));
        let (quote, rest) = match self.rest.as_bytes() {
            [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] => return failed("a string has one line"),
            [quote @ (b'"' | b'\''), ..] => (char::from(*quote), &self.rest[1..]),
            _ => return failed("a value is a string, or a list of strings"),
        };
        let mut text = String::new();
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => return failed("the string does not end"),
                c if c == quote => {
                    self.rest = &rest[at + 1..];
                    return Ok(text);
                }
                '\\' if quote == '"' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => return failed(r#"only \\ and \" are known; '...' needs no escapes"#),
                },
                c => text.push(c),
            }
        }
        failed("the string does not end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("/r"), text)
    }

    #[test]
    fn a_file_says_what_to_exclude_and_what_is_expected() {
        let text = r#"
            # A comment.
            profile = "source"  # another
            exclude = [
                "vendor",       # a folder
                '*.min.js', "/\"a\\*b\"",
            ]
            [[exception]]
            path = "tests/**"
            class = ["bidi-control", "not-utf8"]
            reason = "Input of tests"

            [[ exception ]]
            path = "log"
            class = "invalid-byte"
            reason = "It is cut"
        "#;
        let config = parse(text).unwrap();
        assert_eq!(config.profile, Some(&Profile::SOURCE_CODE));
        for (path, excluded) in [
            ("/r/vendor/a/b", true),
            ("/r/x/y.min.js", true),
            ("/r/a", false),
            ("/vendor/a", false),
            ("/r/\"a*b\"", true),
            ("/r/\"acb\"", false),
            ("/r/x/../vendor/a", true),
            ("/r/vendor/../a", false),
            ("/r/../vendor/a", false),
        ] {
            assert_eq!(config.excludes_file(Path::new(path)), excluded, "{path}");
        }
        for nothing in ["/", "//", "\\/", "a\\/"] {
            assert!(
                !parse(&format!("exclude = '{nothing}'")).unwrap().excludes_file(Path::new("/r/a/b")),
                "{nothing}"
            );
        }
        assert_eq!(config.expected_at(Path::new("/r/tests/a/b")), ["bidi-control", "not-utf8"]);
        assert_eq!(config.expected_at(Path::new("/r/d/log")), ["invalid-byte"]);
        assert!(config.expected_at(Path::new("/r/src/tests.rs")).is_empty());
        assert_eq!(config.describe()[0], "/r/trust8.toml: profile source, 3 excluded, 2 exceptions");
        assert_eq!(parse("").unwrap().describe(), ["/r/trust8.toml: 0 excluded, 0 exceptions"]);
    }

    #[test]
    fn what_is_misread_is_an_error() {
        for (text, why) in [
            ("profil = 'source'", "1: profil has no meaning here"),
            ("\n[general]\n", "2: [general] has no meaning here"),
            ("profile = 'sauce'", "1: the profiles are "),
            ("profile = source", "1: a value is a string, or a list of strings"),
            ("exclude = ['a' 'b']", "1: a list has commas, and ends with ]"),
            ("exclude = ['a',\n", "2: a value is a string"),
            ("exclude = 'a' 'b'", "1: something is left after the value"),
            ("exclude = 'a\n'", "1: the string does not end"),
            ("exclude = \"\\x\"", "1: only "),
            ("exclude = '''a'''", "1: a string has one line"),
            ("exclude", "1: a line is `key = value`, or [[exception]]"),
            ("path = 'a'", "1: path has no meaning here"),
            ("[[exception]]\nprofile = 'source'", "2: profile has no meaning here"),
            ("[[exception]]\npath = 'a'\nclass = 'bidi'", "3: bidi is no class of findings"),
            ("profile = 'source'\nprofile = 'xml'", "2: profile is there twice"),
            ("[[exception]]\npath = 'a'\nclass = 'nul'\npath = 'b'", "4: path is there twice"),
            ("[[exception]]\npath = 'a'\nclass = 'nul'", "3: an exception has a path, a class and a reason"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(why), "{text:?} {error}");
        }
    }
}
