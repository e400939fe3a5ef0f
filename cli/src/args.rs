//! The command line.

use std::path::PathBuf;

use clap::Parser;
use trust8::Kernel;

use crate::source::Source;

/// Finds what is not UTF-8 in files, and says exactly where and why.
///
/// For each file that is not UTF-8 as RFC 3629 defines it, one line tells of the first error: path,
/// line, column, kind, the bytes in hexadecimal, the byte's offset, and what was expected instead.
/// Lines and columns count from 1, columns in characters; the offset counts from 0.
#[derive(Parser, Debug)]
#[command(
    name = "trust8",
    version,
    after_help = "Exit status: 0 when all files are valid, 1 when some are not, 2 when some could not be \
                  read (all others are checked nevertheless)."
)]
pub(crate) struct Args {
    /// Files to check; `-` or none: standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The implementation to use, in place of the best one that this CPU can run
    #[arg(long, value_name = "NAME", value_parser = kernel)]
    pub(crate) kernel: Option<&'static Kernel>,
}

impl Args {
    /// What to check, in the order given.
    pub(crate) fn sources(&self) -> Vec<Source<'_>> {
        if self.paths.is_empty() {
            return vec![Source::StandardInput];
        }
        self.paths.iter().map(|path| Source::named(path)).collect()
    }
}

/// The kernel of that name, or a message with the names that would do.
fn kernel(name: &str) -> Result<&'static Kernel, String> {
    Kernel::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Kernel::available().iter().map(Kernel::name).collect();
        format!("this CPU has {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// clap checks what it is told only when asked to.
    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
