//! The colours, all in one place; none where there is no terminal, or nobody wants any.

use std::io::stdout;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};

use crate::args::When;

#[derive(Clone, Copy)]
pub(crate) struct Colors {
    pub(crate) name: Style,
    pub(crate) place: Style,
    pub(crate) message: Style,
    pub(crate) culprit: Style,
    pub(crate) dim: Style,
    pub(crate) good: Style,
    pub(crate) hint: Style,
}

impl Colors {
    /// For standard output.
    pub(crate) fn new(when: When) -> Self {
        let choice = match when.choice() {
            // Looks at the terminal, and at NO_COLOR and its like.
            ColorChoice::Auto => AutoStream::choice(&stdout()),
            chosen => chosen,
        };
        if choice == ColorChoice::Never { Self::NONE } else { Self::ALL }
    }

    const NONE: Self = {
        let plain = Style::new();
        Self {
            name: plain,
            place: plain,
            message: plain,
            culprit: plain,
            dim: plain,
            good: plain,
            hint: plain,
        }
    };

    const ALL: Self = Self {
        name: AnsiColor::Magenta.on_default(),
        place: AnsiColor::Green.on_default(),
        message: Style::new().effects(Effects::BOLD),
        culprit: AnsiColor::Red.on_default().effects(Effects::BOLD),
        dim: Style::new().effects(Effects::DIMMED),
        good: AnsiColor::Green.on_default().effects(Effects::BOLD),
        hint: AnsiColor::Cyan.on_default(),
    };
}
