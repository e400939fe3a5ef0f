//! Patterns of the command line that match no file: most are mistyped.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::args::Selection;

/// The patterns that have matched nothing so far.
pub(super) struct Unmatched {
    globs: Vec<(String, Override)>,
    types: Vec<(String, Types)>,
}

impl Unmatched {
    pub(super) fn new(selection: &Selection) -> Self {
        let globs = selection.glob.iter().map(|glob| (glob, false));
        let globs = globs.chain(selection.iglob.iter().map(|glob| (glob, true)));
        Self {
            globs: globs
                .filter(|(glob, _)| !glob.starts_with('!'))
                .filter_map(|(glob, ignores_case)| {
                    let mut builder = OverrideBuilder::new(".");
                    builder.case_insensitive(ignores_case).ok()?.add(glob).ok()?;
                    let option = if ignores_case { "--iglob" } else { "--glob" };
                    Some((format!("{option} '{glob}'"), builder.build().ok()?))
                })
                .collect(),
            types: selection
                .types
                .iter()
                .filter_map(|name| {
                    let types = TypesBuilder::new().add_defaults().select(name).build().ok()?;
                    Some((format!("--type {name}"), types))
                })
                .collect(),
        }
    }

    /// Call this for each file that was found in a folder.
    pub(super) fn found(&mut self, path: &Path) {
        let path = path.strip_prefix(".").unwrap_or(path);
        self.globs.retain(|(_, glob)| !glob.matched(path, false).is_whitelist());
        self.types.retain(|(_, types)| !types.matched(path, false).is_whitelist());
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let globs = self.globs.iter().map(|(option, _)| option);
        let options = globs.chain(self.types.iter().map(|(option, _)| option));
        options.map(|option| format!("{option} matches no file")).collect()
    }
}
