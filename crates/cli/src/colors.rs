//! The colours of the output. There are none if standard output is no terminal, or if the user
//! wants none.

use std::io::stdout;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};

#[derive(Clone, Copy)]
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
        let choice = match when {
            // Asks whether this is a terminal, and looks at NO_COLOR and similar variables.
            ColorChoice::Auto => AutoStream::choice(&stdout()),
            chosen => chosen,
        };
        if choice == ColorChoice::Never { Self::NONE } else { Self::ALL }
    }

    const NONE: Self = {
        let plain = Style::new();
        Self {
            name: plain,
            location: plain,
            message: plain,
            bad: plain,
            dim: plain,
            good: plain,
            hint: plain,
        }
    };

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
