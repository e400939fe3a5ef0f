//! Manual pages and completion scripts, generated from the definition of the command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap_complete::Shell;

use crate::args::{Cli, Command, Generate};
use crate::outcome::{Outcome, print_output};

/// Runs the option `--generate`. `command` is the command whose manual page is printed.
pub(crate) fn run(what: Generate, command: Option<&Command>) -> ExitCode {
    let mut cli = Cli::command();
    cli.build();
    let mut out = Vec::new();
    match what {
        Generate::Man => {
            if let Err(error) = man(&cli, command, &mut out) {
                return Outcome::fail(&error.to_string());
            }
        }
        Generate::Completions(Shell::Fish) => {
            let mut script = Vec::new();
            completions(Shell::Fish, &mut cli, &mut script);
            // Before the value of an option, the words are incomplete, and the script would take
            // that for a command.
            let script = String::from_utf8_lossy(&script);
            let script = script
                .replace("-- $cmd 2>/dev/null\n    or return\n", "-- $cmd 2>/dev/null\n    or return 0\n");
            out.extend(script.as_bytes());
        }
        Generate::Completions(shell) => completions(shell, &mut cli, &mut out),
    }
    print_output(&out)
}

fn man(cli: &clap::Command, command: Option<&Command>, out: &mut Vec<u8>) -> io::Result<()> {
    let name = command.map(|command| match command {
        Command::Check(_) => "check",
        Command::Fix(_) => "fix",
        Command::Convert(_) => "convert",
        Command::Inspect(_) => "inspect",
        Command::Encodings => "encodings",
        Command::Kernels => "kernels",
        Command::Bench(_) => "bench",
    });
    let command = name.and_then(|name| cli.find_subcommand(name)).unwrap_or(cli);
    let title = name.map_or_else(|| "trust8".to_owned(), |name| format!("trust8-{name}"));
    let page = clap_mangen::Man::new(command.clone().after_help(None::<&str>).after_long_help(None::<&str>));
    page.title(title).source(concat!("trust8 ", env!("CARGO_PKG_VERSION"))).render(out)?;
    // clap_mangen would put all of this into one section, and fill its lines.
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    for paragraph in after.unwrap_or_default().split("\n\n") {
        let Some((heading, text)) = paragraph.split_once(':') else { continue };
        writeln!(out, ".SH \"{}\"", heading.to_uppercase())?;
        match text.strip_prefix('\n') {
            Some(lines) => writeln!(out, ".nf\n{}\n.fi", roff(lines))?,
            None => writeln!(out, "{}", roff(text))?,
        }
    }
    Ok(())
}

/// Returns `text` for a manual page, without leading spaces.
fn roff(text: &str) -> String {
    let lines: Vec<_> =
        text.lines().map(|line| line.trim_start().replace('\\', "\\e").replace('-', "\\-")).collect();
    lines.iter().map(|line| format!("\\&{line}")).collect::<Vec<_>>().join("\n")
}

fn completions(shell: Shell, cli: &mut clap::Command, out: &mut Vec<u8>) {
    clap_complete::generate(shell, cli, "trust8", out);
}
