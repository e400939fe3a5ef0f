//! Compares trust8 with the other validators, and writes a page of tables and plots.
//!
//! ```text
//! cargo bench -p trust8-benches --bench compare                     everything, written to docs/
//! cargo bench -p trust8-benches --bench compare -- texts short      these sections only
//! cargo bench -p trust8-benches --bench compare -- --quick          a quick look, not a measurement
//! ```
//!
//! Only a full run writes to docs/. Any other run writes to the target folder, or to the folder that `--out`
//! names. In `cargo test` every section runs with hardly any repetition, to show that it works.

mod race;
mod sections;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, io};

use race::{Race, Thoroughness};
use trust8_benches::machine::Machine;
use trust8_benches::measure::pin;
use trust8_benches::report::Page;
use trust8_benches::targets::Targets;
use trust8_benches::texts::CORPUS;

/// Returns the command that repeats this run.
fn command() -> String {
    let mut command = String::new();
    // The folder's path is left out: it means nothing on another machine.
    if env::var_os(CORPUS).is_some() {
        command += &format!("{CORPUS}=… ");
    }
    command += "cargo bench -p trust8-benches --bench compare";
    let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if !arguments.is_empty() {
        command += &format!(" -- {}", arguments.join(" "));
    }
    command
}

/// A section: it measures something, and adds the results to the page and to the targets.
type Section = fn(&mut Race, &mut Page, &mut Targets) -> io::Result<()>;

const SECTIONS: [(&str, Section); 7] = [
    ("ordinary", sections::ordinary),
    ("texts", sections::texts),
    ("kernels", sections::kernels),
    ("short", sections::short),
    ("lengths", sections::lengths),
    ("errors", sections::errors),
    ("memory", sections::memory),
];

struct Options {
    chosen: Vec<(&'static str, Section)>,
    thoroughness: Thoroughness,
    out: PathBuf,
}

fn options() -> Result<Options, String> {
    let mut chosen = Vec::new();
    let (mut quick, mut bench, mut out) = (false, false, None);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            // `cargo bench` passes this argument, and `cargo test` does not.
            "--bench" => bench = true,
            "--out" => out = Some(PathBuf::from(arguments.next().ok_or("--out needs a folder")?)),
            name => match SECTIONS.iter().find(|section| section.0 == name) {
                Some(section) => chosen.push(*section),
                None => {
                    let names = SECTIONS.map(|section| section.0).join(", ");
                    return Err(format!("unknown argument {name}: use {names}, --quick or --out"));
                }
            },
        }
    }
    let thoroughness = match (bench, quick) {
        (false, _) => Thoroughness::Smoke,
        (true, true) => Thoroughness::Quick,
        (true, false) => Thoroughness::Full,
    };
    let full = chosen.is_empty() && thoroughness == Thoroughness::Full;
    if chosen.is_empty() {
        chosen.extend(SECTIONS);
    }
    let out = out.unwrap_or_else(|| match full {
        true => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")),
        // The folder inside the target folder that cargo keeps for the tests and benches of a package.
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare"),
    });
    Ok(Options { chosen, thoroughness, out })
}

fn run(options: &Options) -> io::Result<()> {
    let core = pin()?;
    let machine = Machine::ask();
    let mut race = Race::new(options.thoroughness, &machine, &command())?;
    let mut targets = Targets::default();
    let mut body = Page::default();
    let start = Instant::now();
    for (name, section) in &options.chosen {
        let begun = Instant::now();
        section(&mut race, &mut body, &mut targets)?;
        eprintln!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
    }

    let mut page = Page::default();
    page.heading(1, "trust8 measured");
    page.block(&introduction(options, &machine, core, &race));
    targets.report(&mut page);
    page.append(body);
    page.write(&options.out, "benchmarks.md")?;
    eprintln!(
        "{:.0} s; {}",
        start.elapsed().as_secs_f64(),
        options.out.canonicalize()?.join("benchmarks.md").display()
    );
    Ok(())
}

fn introduction(options: &Options, machine: &Machine, core: Option<usize>, race: &Race) -> String {
    let mut text = String::new();
    if options.thoroughness != Thoroughness::Full {
        text.push_str(
            "**This was a quick run. It shows that everything works, and its numbers mean little.**\n\n",
        );
    }
    text.push_str(
        "This page is written by the command below. The contestants take turns in one process, in many rounds, on \
         one core. Each number is the best of the rounds, and every answer was checked while it was timed. \
         `trust8` is `trust8::is_utf8`, and `trust8 avx2` and the like are its kernels. `simdutf8 basic` and \
         `simdutf8 compat` are that crate's two modules for users, which choose an instruction set by themselves; \
         `simdutf8 avx2` and `simdutf8 sse4.2` are its modules for one instruction set. `read loop` only reads the \
         bytes, and `call alone` looks only at their length. GB/s are 10^9 bytes a second.\n\n",
    );
    let mut item = |name: &str, value: &str| text.push_str(&format!("- {name}: {value}\n"));
    item("Command", &format!("`{}`", command()));
    item("CPU", &machine.cpu);
    let kernels: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
    item("Kernels of trust8 on this CPU", &kernels.join(", "));
    item("Compilers", &format!("{} for {}; {} for simdutf C++", machine.rustc, machine.target, machine.cxx));
    item("Peers", &machine.peers);
    if let Ok(forced) = env::var("SIMDUTF_FORCE_IMPLEMENTATION") {
        item("simdutf's implementation", &format!("{forced}, set by SIMDUTF_FORCE_IMPLEMENTATION"));
    }
    if env::var_os(CORPUS).is_some() {
        item("Texts", &format!("files from the folder that {CORPUS} names"));
    }
    if let Some(setting) = &machine.huge_pages {
        item("Transparent huge pages", setting);
    }
    if core.is_none() {
        item("Core", "not pinned");
    }
    item(
        "Noise",
        &format!(
            "the median round took {:.1} % longer than the best, on average over all measurements",
            race.noise() * 100.0
        ),
    );
    text
}

fn main() -> ExitCode {
    let done = options().and_then(|options| run(&options).map_err(|error| error.to_string()));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error}");
            ExitCode::FAILURE
        }
    }
}
