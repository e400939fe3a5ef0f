//! The colours of the output. There are none if standard output is no terminal, or if the user
//! wants none.

use std::io::stdout;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};

/// Returns whether standard output gets colours if the command line does not say it.
pub(crate) fn choice() -> ColorChoice {
    let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    // In CI, the crate takes every terminal for one with colours.
    if is_dumb() && !is_forced {
        return ColorChoice::Never;
    }
    // Asks whether this is a terminal, and looks at NO_COLOR and similar variables.
    AutoStream::choice(&stdout())
}

/// Whether the terminal says that it obeys no escape sequences.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The default is none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Colors {
    pub(crate) name: Style,
    pub(crate) location: Style,
    pub(crate) message: Style,
    pub(crate) bad: Style,
    pub(crate) dim: Style,
    pub(crate) good: Style,
    pub(crate) hint: Style,
}

impl Colors {
    /// Returns the colours for standard output.
    pub(crate) fn new(when: ColorChoice) -> Self {
        let choice = if when == ColorChoice::Auto { choice() } else { when };
        if choice == ColorChoice::Never { Self::default() } else { Self::ALL }
    }

    const ALL: Self = Self {
        name: AnsiColor::Magenta.on_default(),
        location: AnsiColor::Green.on_default(),
        message: Style::new().effects(Effects::BOLD),
        bad: AnsiColor::Red.on_default().effects(Effects::BOLD),
        dim: Style::new().effects(Effects::DIMMED),
        good: AnsiColor::Green.on_default().effects(Effects::BOLD),
        hint: AnsiColor::Cyan.on_default(),
    };
}
