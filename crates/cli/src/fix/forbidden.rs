//! Repairs the characters that a profile forbids.

use std::io::{self, Write};

use trust8_profile::{Policy, Profile};

/// Passes on what is written to it, with each forbidden character repaired.
pub(super) struct Allow<'a> {
    out: &'a mut dyn Write,
    profile: Option<&'static Profile>,
    policy: Policy,
    at_start: bool,
    /// How many characters were forbidden.
    pub(super) forbidden: u64,
}

impl<'a> Allow<'a> {
    pub(super) fn new(out: &'a mut dyn Write, profile: Option<&'static Profile>, policy: Policy) -> Self {
        Self { out, profile, policy, at_start: true, forbidden: 0 }
    }
}

impl Write for Allow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // All that is written is text, in whole characters.
        let Some(profile) = self.profile else { return self.out.write(bytes) };
        let Ok(mut text) = trust8::from_utf8(bytes) else { return self.out.write(bytes) };
        if self.at_start && !text.is_empty() {
            self.at_start = false;
        } else {
            // A byte order mark inside the text begins this part of it.
            while let Some(rest) = text.strip_prefix('\u{FEFF}') {
                let inside = ["a", "\u{FEFF}"].concat();
                self.forbidden += profile.census(&inside).total();
                self.out.write_all(&profile.repair(&inside, self.policy).as_bytes()[1..])?;
                text = rest;
            }
        }
        self.forbidden += profile.census(text).total();
        self.out.write_all(profile.repair(text, self.policy).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
