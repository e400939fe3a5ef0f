//! `trust8 bench`: every kernel on this computer, on text in the cache, and the standard library beside them.
//!
//! All contestants of a text take turns, round after round, and of each the fastest round counts: a disturbance
//! hits one round of all, not all rounds of one. Every answer is compared with the standard library's.

mod chart;
mod texts;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trust8::Kernel;

use crate::args::{BenchArgs, Common};
use crate::colors::Colors;
use crate::kernels::cpu;
use crate::outcome::{Outcome, write_out};

/// What is generated: it fits into the second-level cache of everything current.
const LENGTH: usize = 64 << 10;

/// What was measured.
pub(super) struct Results {
    /// The contestants.
    pub(super) names: Vec<&'static str>,
    /// Of each text its name, and the contestants' speeds in GB/s.
    pub(super) rows: Vec<(String, Vec<f64>)>,
    /// What it was measured on, for the caption.
    pub(super) cpu: String,
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, common: &Common) -> ExitCode {
    let kernels: Vec<_> = match common.kernel {
        Some(kernel) => vec![kernel],
        None => Kernel::available().iter().collect(),
    };
    let texts = match &args.file {
        None => texts::generated(LENGTH),
        Some(path) => match fs::read(path) {
            Ok(bytes) if bytes.is_empty() => {
                return Outcome::trouble(&format!("{}: is empty", path.display()));
            }
            Ok(bytes) => of_file(bytes),
            Err(error) => return Outcome::trouble(&format!("{}: {error}", path.display())),
        },
    };
    let time = Duration::from_millis(args.time);
    let mut results = Results { names: Vec::new(), rows: Vec::new(), cpu: cpu() };
    results.names.extend(kernels.iter().map(|kernel| kernel.name()));
    results.names.push("std");
    for (name, bytes) in texts {
        match measure(&kernels, &bytes, time) {
            Ok(speeds) => results.rows.push((name, speeds)),
            Err(error) => return Outcome::trouble(&error),
        }
    }
    if let Some(path) = &args.svg
        && let Err(error) = fs::write(path, chart::svg(&results))
    {
        return Outcome::trouble(&format!("{}: {error}", path.display()));
    }
    write_out(results.table(&Colors::new(common.color)).as_bytes())
}

/// All of a file, and what of it fits into a cache.
fn of_file(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let beginning = (bytes.len() > LENGTH).then(|| {
        // Up to where a character begins, if it is text.
        let end = (LENGTH - 3..=LENGTH).rev().find(|&end| !matches!(bytes[end], 0x80..=0xBF));
        ("its beginning".to_owned(), bytes[..end.unwrap_or(LENGTH)].to_vec())
    });
    beginning.into_iter().chain([("the file".to_owned(), bytes)]).collect()
}

/// The speeds of these kernels, and of the standard library.
fn measure(kernels: &[&'static Kernel], bytes: &[u8], time: Duration) -> Result<Vec<f64>, String> {
    let expected = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    // What is behind an error is not read.
    let length = expected.map_or_else(|valid| valid, str::len);
    // Enough to read a clock after: about 100 µs at the speed of the fastest.
    let repeat = (4_000_000 / bytes.len()).max(1);
    let mut best = vec![Duration::MAX; kernels.len() + 1];
    let begin = Instant::now();
    loop {
        for (i, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            for _ in 0..repeat {
                let bytes = black_box(bytes);
                let answer = match kernels.get(i) {
                    Some(kernel) => kernel.from_utf8(bytes).map_err(|error| error.valid_up_to()),
                    None => std::str::from_utf8(bytes).map_err(|error| error.valid_up_to()),
                };
                if answer.map(str::len) != expected.map(str::len) {
                    let name = kernels.get(i).map_or("std", |kernel| kernel.name());
                    return Err(format!("the kernel {name} is wrong: {answer:?} in place of {expected:?}"));
                }
            }
            *best = start.elapsed().min(*best);
        }
        if begin.elapsed() >= time {
            break;
        }
    }
    Ok(best.into_iter().map(|time| (repeat * length) as f64 / time.as_secs_f64() / 1e9).collect())
}

impl Results {
    fn table(&self, colors: &Colors) -> String {
        let Colors { good, dim, .. } = *colors;
        let mut table = format!("GB/s on {}\n{dim}{:<16}{dim:#}", self.cpu, "");
        for name in &self.names {
            table += &format!("{dim}{name:>10}{dim:#}");
        }
        table.push('\n');
        for (name, speeds) in &self.rows {
            table += &format!("{name:<16}");
            let fastest = speeds.iter().copied().fold(0.0, f64::max);
            for &speed in speeds {
                let digits = if speed < 10.0 { 2 } else { 1 };
                let cell = format!("{speed:>10.digits$}");
                if speed == fastest {
                    table += &format!("{good}{cell}{good:#}");
                } else {
                    table += &cell;
                }
            }
            table.push('\n');
        }
        table
    }
}
