//! `trust8 fix --undo`: restores the backups of repaired files.

use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use crate::args::{BACKUP_SUFFIX, FixArgs};
use crate::outcome::{Outcome, print_error};
use crate::replace;
use crate::source::Source;
use crate::walk::{Entry, Walk};

/// Restores all files of `walk` that have a backup, and reports each.
pub(super) fn run(args: &FixArgs, walk: Walk<'_>) -> ExitCode {
    let suffix = args.backup.as_deref().unwrap_or(BACKUP_SUFFIX);
    let mut restored = 0_u64;
    let mut failed = 0_u64;
    for found in walk {
        let (path, result) = match &found {
            Ok(Entry { source: Source::Path(path), named, folder }) => {
                (&**path, restore(path, folder.as_deref(), *named, suffix))
            }
            Ok(_) => continue,
            Err(unreachable) => (&*unreachable.path, Err(unreachable.why.clone())),
        };
        let path = path.display();
        match result {
            Ok(false) => {}
            Ok(true) => {
                restored += 1;
                if !args.quiet {
                    print_error(&format!("{path}: restored from {path}{suffix}"));
                }
            }
            Err(why) => {
                failed += 1;
                print_error(&format!("{path}: {why}"));
            }
        }
    }
    if !args.quiet {
        print_error(&format!("{restored} restored, {failed} failed"));
    }
    if failed > 0 { Outcome::SomeUnread } else { Outcome::AllValid }.into()
}

/// Restores the file at `path`, which was found in `folder`. Returns whether it has a backup. A file that is `named` must have
/// one.
fn restore(path: &Path, folder: Option<&File>, named: bool, suffix: &str) -> Result<bool, String> {
    match replace::restore(path, folder, suffix) {
        Ok(false) if named => Err(format!("there is no backup {}{suffix}", path.display())),
        Ok(restored) => Ok(restored),
        Err(error) if replace::is_busy(&error) => Err(format!("left alone: {error}")),
        Err(error) => Err(error.to_string()),
    }
}
