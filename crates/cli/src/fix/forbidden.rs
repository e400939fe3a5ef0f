//! Repairs the characters that a profile forbids.

use std::io::{self, Write};

use trust8_profile::{Profile, ProfilePolicy, Repairer};

/// Passes on what is written to it, with each forbidden character repaired.
pub(super) struct Allow<'a> {
    out: &'a mut dyn Write,
    repairer: Option<Repairer<'static>>,
    /// How many characters were forbidden.
    pub(super) forbidden: u64,
}

impl<'a> Allow<'a> {
    pub(super) fn new(
        out: &'a mut dyn Write,
        profile: Option<&'static Profile>,
        policy: ProfilePolicy,
    ) -> Self {
        Self { out, repairer: profile.map(|profile| Repairer::new(profile, policy)), forbidden: 0 }
    }

    /// Writes the end of the text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let mut repaired = String::new();
        if let Some(repairer) = &mut self.repairer {
            self.forbidden += repairer.finish(&mut repaired);
        }
        self.out.write_all(repaired.as_bytes())
    }
}

impl Write for Allow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(repairer) = &mut self.repairer else { return self.out.write(bytes) };
        // Text is written in whole characters. What is invalid between them stays where it is, and ends the context.
        for chunk in trust8::utf8_chunks(bytes) {
            let mut repaired = String::new();
            self.forbidden += repairer.push(chunk.valid(), &mut repaired);
            if !chunk.invalid().is_empty() {
                self.forbidden += repairer.finish(&mut repaired);
            }
            self.out.write_all(repaired.as_bytes())?;
            self.out.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
