//! The options of `trust8 fix`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use encoding_rs::Encoding;
use trust8_profile::{Policy, Profile};

use super::check::profile;
use super::{BACKUP_SUFFIX, Selection};
use crate::charset::{Charset, Names, from_fix, from_single_byte};

#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,

    #[command(flatten)]
    remedy: RemedyArgs,

    /// Convert from this encoding (`trust8 encodings` lists them); or `auto`, to guess
    ///
    /// With --from, a sequence that is not valid in the encoding is an error, unless --replace,
    /// --drop or --escape says what to do with it. Files that are UTF-8 already stay as they are.
    /// `auto` keeps all valid text of a file that is mostly UTF-8, and decodes only the rest, as
    /// --invalid-as does.
    #[arg(long, value_name = "ENCODING", value_parser = Names(from_fix), hide_possible_values = true)]
    pub(crate) from: Option<Charset>,

    /// Keep valid UTF-8, and decode only the invalid bytes, from this single-byte encoding
    #[arg(long, value_name = "ENCODING", value_parser = Names(from_single_byte), hide_possible_values = true,
          conflicts_with = "from")]
    pub(crate) invalid_as: Option<&'static Encoding>,

    /// Repair text in UTF-8 that was decoded as windows-1252 (`GrÃ¶ÃŸe` becomes `Größe`)
    ///
    /// A line changes only if all its non-ASCII characters can be undone exactly. Invalid sequences
    /// are repaired as well.
    #[arg(long, conflicts_with_all = ["from", "invalid_as"])]
    pub(crate) unmojibake: bool,

    /// Repair characters that this profile forbids as well: xml, assignables, i-json, postgres,
    /// terminal, source, prompt or file-name
    #[arg(long, value_name = "NAME", value_parser = profile)]
    pub(crate) profile: Option<&'static Profile>,

    /// What to do with the characters that the profile forbids
    #[arg(long, value_name = "POLICY", requires = "profile", default_value = "replace")]
    policy: PolicyName,

    /// Remove the byte order mark of UTF-8
    #[arg(long)]
    pub(crate) strip_bom: bool,

    /// Convert files even if they are UTF-8 already
    ///
    /// Text in UTF-16 or ISO-2022-JP can look like UTF-8 (like ASCII with control characters).
    #[arg(long, requires = "from")]
    pub(crate) force: bool,

    /// Write to this file, which is replaced in one step at the end; `-` is standard output
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace each file by its repaired text
    ///
    /// Each file is replaced in one step: the new file is written beside it, synced, and renamed.
    /// It has the owner, the permissions, the access control list and the extended attributes of
    /// the old one. Symbolic links are followed. If there are other hard links to the file, they
    /// keep the old text. If another program changes the file in the meantime, it is left alone.
    ///
    /// A file that does not look like UTF-8 with errors (text in another encoding, or a binary
    /// file) is left alone, and the exit status is 1, unless an option says what to do with it:
    /// --from or --replace, for example.
    #[arg(long, short = 'i', group = "rewrites")]
    pub(crate) in_place: bool,

    /// With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)
    ///
    /// If that name is taken, the file is not repaired. In folders, backups are skipped.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = BACKUP_SUFFIX,
          requires = "rewrites", value_parser = suffix)]
    pub(crate) backup: Option<String>,

    /// Restore the backups, except over files that may have changed since the repair
    #[arg(long, group = "rewrites",
          conflicts_with_all = ["from", "invalid_as", "unmojibake", "strip_bom", "output", "check", "diff", "json"])]
    pub(crate) undo: bool,

    /// Change nothing; exit with 1 if a file would change
    #[arg(long, short = 'n', visible_alias = "dry-run", conflicts_with = "output")]
    pub(crate) check: bool,

    /// Show what would change, as a unified diff; implies --check
    #[arg(long, conflicts_with_all = ["output", "json"])]
    pub(crate) diff: bool,

    /// Report each file as a JSON object, one per line (on standard output with --in-place,
    /// --output or --check, else on standard error)
    #[arg(long)]
    pub(crate) json: bool,

    /// Report each file that was repaired, and how; and at the end, how many (the default with
    /// --in-place)
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,

    /// Print only errors, and which files were left alone
    #[arg(long, short = 'q', conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum PolicyName {
    /// U+FFFD
    Replace,
    /// Drop them
    #[value(aliases = ["skip", "ignore"])]
    Drop,
    /// \u{202E}
    Escape,
    /// ^[ for controls, as in terminals
    Caret,
    /// &#x202E;, or U+FFFD where XML has no reference
    Reference,
}

/// What to do with invalid sequences.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct RemedyArgs {
    /// Replace each invalid sequence by U+FFFD, as browsers do (the default)
    #[arg(long)]
    replace: bool,

    /// Drop invalid sequences
    #[arg(long, aliases = ["skip", "ignore"])]
    drop: bool,

    /// Write the bytes of invalid sequences as \xNN
    #[arg(long)]
    escape: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Remedy {
    Replace,
    Drop,
    Escape,
}

impl FixArgs {
    /// Returns the remedy that the command line asks for, if any.
    pub(crate) fn remedy(&self) -> Option<Remedy> {
        let RemedyArgs { replace, drop, escape } = self.remedy;
        [(replace, Remedy::Replace), (drop, Remedy::Drop), (escape, Remedy::Escape)]
            .into_iter()
            .find_map(|(asked, remedy)| asked.then_some(remedy))
    }

    /// Returns what to do with forbidden characters.
    pub(crate) fn policy(&self) -> Policy {
        match self.policy {
            PolicyName::Replace => Policy::Replace,
            PolicyName::Drop => Policy::Drop,
            PolicyName::Escape => Policy::Escape,
            PolicyName::Caret => Policy::Caret,
            PolicyName::Reference => Policy::CharacterReference,
        }
    }

    /// Whether to change nothing, and only report what would change.
    pub(crate) fn is_dry(&self) -> bool {
        self.check || self.diff
    }
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
