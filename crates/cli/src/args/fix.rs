//! The options of `trust8 fix`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use trust8_profile::{Profile, ProfilePolicy};

use super::check::profiles;
use super::{Selection, backup, choice, encoding, flag, output, set, value};
use crate::charset::{Charset, from_fix, from_single_byte};

#[derive(Debug)]
pub(crate) struct FixArgs {
    pub(crate) selection: Selection,
    /// What to do with invalid sequences, if the command line says so.
    pub(crate) remedy: Option<Remedy>,
    pub(crate) from: Option<Charset>,
    pub(crate) invalid_as: Option<Charset>,
    pub(crate) unmojibake: bool,
    pub(crate) profile: Option<&'static Profile>,
    /// What to do with forbidden characters.
    pub(crate) policy: ProfilePolicy,
    pub(crate) strip_bom: bool,
    pub(crate) declaration: bool,
    pub(crate) force: bool,
    pub(crate) output: Option<PathBuf>,
    pub(crate) in_place: bool,
    pub(crate) backup: Option<String>,
    pub(crate) undo: bool,
    pub(crate) check: bool,
    pub(crate) diff: bool,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Remedy {
    Replace,
    Drop,
    Escape,
}

/// Returns the options after those of `Selection`.
#[rustfmt::skip]
pub(super) fn options() -> [Arg; 20] {
    [
        flag("replace", "Replace each invalid sequence by U+FFFD, as browsers do").group("remedy"),
        flag("drop", "Drop invalid sequences").aliases(["skip", "ignore"]).group("remedy"),
        flag("escape", "Write the bytes of invalid sequences as \\xNN").group("remedy"),
        value("from", "ENCODING", "Convert from this encoding (`trust8 encodings` lists them); or `auto`, to guess\n\n\
            With --from, a sequence that is not valid in the encoding is an error, unless --replace, --drop or \
            --escape says what to do with it. Files that are UTF-8 already stay as they are. `auto` keeps all valid \
            text of a file that is mostly UTF-8, and decodes only the rest, as --invalid-as does.")
            .value_parser(encoding(from_fix)).hide_possible_values(true),
        value("invalid-as", "ENCODING", "Keep valid UTF-8, and decode only the invalid bytes, from this single-byte \
            encoding")
            .value_parser(encoding(from_single_byte)).hide_possible_values(true).conflicts_with("from"),
        flag("unmojibake", "Repair text in UTF-8 that was decoded as windows-1252 (`GrÃ¶ÃŸe` becomes `Größe`)\n\n\
            A line changes only if all its non-ASCII characters can be undone exactly.")
            .conflicts_with_all(["from", "invalid-as"]),
        value("profile", "NAME", "Repair characters that this profile forbids as well: xml, assignables, i-json, \
            postgres, terminal, source, prompt, file-name or scalars").value_parser(profiles()).hide_possible_values(true),
        value("policy", "POLICY", "What to do with the characters that the profile forbids").requires("profile")
            .default_value("replace").value_parser(choice(&[
                ("replace", ProfilePolicy::Replace, "U+FFFD"),
                ("drop skip ignore", ProfilePolicy::Drop, "Drop them"),
                ("escape", ProfilePolicy::Escape, "\\u{202E}"),
                ("caret", ProfilePolicy::Caret, "^[ for controls, as in terminals"),
                ("reference", ProfilePolicy::CharacterReference, "&#x202E;, or U+FFFD where XML has no reference"),
            ])),
        flag("strip-bom", "Remove the byte order mark of UTF-8"),
        flag("declaration", "Correct what a file says it is encoded in, if it says something else than UTF-8\n\n\
            That is the declaration of XML, `charset` in a `meta` of HTML, `@charset` of CSS, `coding` in the first \
            two lines (Python, Emacs), `fileencoding` in a modeline of Vim, and the header Content-Type of mail and \
            of gettext's catalogs. Files in UTF-8 are corrected as well, but not those in ASCII."),
        flag("force", "Convert files even if they are UTF-8 already\n\n\
            Text in UTF-16 or ISO-2022-JP can look like UTF-8 (like ASCII with control characters).").requires("from"),
        output(),
        flag("in-place", "Replace each file by its repaired text\n\n\
            Each file is replaced in one step: the new file is written beside it, synced, and renamed. It has the \
            owner, the permissions, the access control list and the extended attributes of the old one. Symbolic \
            links are followed. If there are other hard links to the file, they keep the old text. If another \
            program changes the file in the meantime, it is left alone.")
            .short('i').group("rewrites"),
        backup("With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)\n\n\
            If that name is taken, the file is not repaired. In folders, backups are skipped.")
            .requires("rewrites"),
        flag("undo", "Restore the backups, except over files that may have changed since the repair").group("rewrites")
            .conflicts_with_all(["from", "invalid-as", "unmojibake", "strip-bom", "declaration", "output", "check", "diff", "json"]),
        flag("check", "Change nothing; exit with 1 if a file would change").short('n').visible_alias("dry-run")
            .conflicts_with("output"),
        flag("diff", "Show what would change, as a unified diff; implies --check").conflicts_with_all(["output", "json"]),
        flag("json", "Report each file as a JSON object, one per line (on standard output with --in-place, --output \
            or --check, else on standard error)"),
        flag("verbose", "Report each file that was repaired, and how; and at the end, how many (the default with \
            --in-place)").short('v'),
        flag("quiet", "Print only errors, and which files were left alone").short('q').conflicts_with("verbose"),
    ]
}

impl FixArgs {
    pub(super) fn read(matches: &mut ArgMatches) -> Self {
        let remedies = [("replace", Remedy::Replace), ("drop", Remedy::Drop), ("escape", Remedy::Escape)];
        Self {
            selection: Selection::read(matches),
            remedy: remedies.into_iter().find_map(|(name, remedy)| matches.get_flag(name).then_some(remedy)),
            from: matches.remove_one("from"),
            invalid_as: matches.remove_one("invalid-as"),
            unmojibake: matches.get_flag("unmojibake"),
            profile: matches.remove_one("profile"),
            policy: set(matches, "policy"),
            strip_bom: matches.get_flag("strip-bom"),
            declaration: matches.get_flag("declaration"),
            force: matches.get_flag("force"),
            output: matches.remove_one("output"),
            in_place: matches.get_flag("in-place"),
            backup: matches.remove_one("backup"),
            undo: matches.get_flag("undo"),
            check: matches.get_flag("check"),
            diff: matches.get_flag("diff"),
            json: matches.get_flag("json"),
            verbose: matches.get_flag("verbose"),
            quiet: matches.get_flag("quiet"),
        }
    }

    /// Whether no option says what to do with invalid sequences.
    pub(crate) fn is_plain(&self) -> bool {
        self.from.is_none() && self.invalid_as.is_none() && self.remedy.is_none()
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
