//! The comparison: everything measured, one page of tables, and its plots.
//!
//! ```text
//! cargo bench -p trust8-benches --bench compare                     all of it, into docs/
//! cargo bench -p trust8-benches --bench compare -- texts short      these sections only
//! cargo bench -p trust8-benches --bench compare -- --quick          a look, not a measurement
//! ```
//!
//! Only a full run writes into docs/; any other writes into the target folder, or where `--out` says. Run
//! by `cargo test`, it goes through every section with hardly any repetition, to show that it works.

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

/// The command that repeats this run.
fn command() -> String {
    let mut command = String::new();
    // Without the folder, which means nothing elsewhere.
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

/// A section measures something and adds to the page what it found, and to the targets what they need.
type Section = fn(&mut Race, &mut Page, &mut Targets) -> io::Result<()>;

const SECTIONS: [(&str, Section); 6] = [
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
            // Said by `cargo bench`, and not by `cargo test`.
            "--bench" => bench = true,
            "--out" => out = Some(PathBuf::from(arguments.next().ok_or("--out wants a folder")?)),
            name => match SECTIONS.iter().find(|section| section.0 == name) {
                Some(section) => chosen.push(*section),
                None => {
                    let names = SECTIONS.map(|section| section.0).join(", ");
                    return Err(format!("{name}: not one of {names}, --quick, --out"));
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
        // A folder that cargo keeps for the package's tests and benches inside its target folder.
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
        text.push_str("**A quick run: it shows that everything works, and its numbers mean little.**\n\n");
    }
    text.push_str(
        "The command below writes this page. In one process and on one core, all contestants take turns for many \
         rounds, and the best round of each counts. Every answer is checked while it is timed. `trust8` is \
         `trust8::is_utf8`, and `trust8 avx2` and the like are its kernels. `simdutf8 basic` and `compat` are \
         that crate's two flavours, which choose the instructions themselves; `simdutf8 avx2` and `sse4.2` are \
         its modules. `read loop` only reads, and `call alone` does not even do that. GB/s are 10^9 bytes a \
         second.\n\n",
    );
    let mut item = |name: &str, value: &str| text.push_str(&format!("- {name}: {value}\n"));
    item("Command", &format!("`{}`", command()));
    item("CPU", &machine.cpu);
    let kernels: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
    item("Kernels of trust8 that it runs", &kernels.join(", "));
    item("Compilers", &format!("{} for {}; {} for simdutf C++", machine.rustc, machine.target, machine.cxx));
    item("Peers", &machine.peers);
    if let Ok(forced) = env::var("SIMDUTF_FORCE_IMPLEMENTATION") {
        item("simdutf's implementation", &format!("{forced}, by SIMDUTF_FORCE_IMPLEMENTATION"));
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
            "over all measurements the median round took {:.1} % longer than the best",
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
