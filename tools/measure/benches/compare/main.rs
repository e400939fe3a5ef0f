//! Compares trust8 with the other validators, and writes their results as CSV.
//!
//! ```text
//! cargo bench -p trust8-measure --bench compare                     everything, written to docs/data/
//! cargo bench -p trust8-measure --bench compare -- texts short      these sections only
//! cargo bench -p trust8-measure --bench compare -- --quick          a quick look, not a measurement
//! ```
//!
//! Only a full run writes to docs/data/. Any other run writes to the target folder, or to the folder that `--out`
//! names. In `cargo test` every section runs with hardly any repetition, to show that it works.

mod race;
mod sections;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, io};

use race::{Race, Thoroughness};
use trust8_measure::machine::Machine;
use trust8_measure::measure::pin;
use trust8_measure::report::{Data, PUBLISHED};
use trust8_measure::targets::Targets;
use trust8_measure::texts::CORPUS;

/// A section: it measures something, and adds the results to the data and to the targets.
type Section = fn(&mut Race, &mut Data, &mut Targets) -> io::Result<()>;

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
        true => PathBuf::from(PUBLISHED),
        // The folder inside the target folder that cargo keeps for the tests and benches of a package.
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare"),
    });
    Ok(Options { chosen, thoroughness, out })
}

fn run(options: &Options) -> io::Result<()> {
    pin()?;
    let mut race = Race::new(options.thoroughness)?;
    let mut targets = Targets::default();
    let mut body = Data::default();
    for (name, section) in &options.chosen {
        let begun = Instant::now();
        section(&mut race, &mut body, &mut targets)?;
        eprintln!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
    }
    let mut data = Data::default();
    data.note(
        "`trust8` is is_utf8, and `trust8 avx2` and the like are its kernels. `simdutf8 basic` and `compat` choose an instruction set; \
         `simdutf8 avx2` and `sse4.2` are its modules for one. `read loop` only reads the bytes, and `call alone` only looks at their \
         length.",
    );
    targets.report(&mut data);
    data.append(&body);

    let machine = Machine::ask();
    let noise =
        format!("the median round took {:.1} % longer than the best, on average", race.noise() * 100.0);
    let simdutf = env::var("SIMDUTF_FORCE_IMPLEMENTATION").unwrap_or_else(|_| "its own choice".to_owned());
    let texts = if env::var_os(CORPUS).is_some() { "files" } else { "generated" };
    let facts = [
        ("peers", &*machine.peers),
        ("simdutf's implementation", &simdutf),
        ("texts", texts),
        ("transparent huge pages", machine.huge_pages.as_deref().unwrap_or("unknown")),
        ("noise", &noise),
    ];
    data.write(&options.out, "compare", &facts)
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
