//! `trust8 bench`: measures every kernel and the standard library on this computer, on text in the
//! cache.
//!
//! For each text all contestants take turns, and the fastest round of each counts. So a disturbance
//! slows down one round of all contestants, and not all rounds of one. Every answer is compared
//! with the standard library's.

mod chart;
pub(crate) mod texts;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trust8::Kernel;
use trust8::boundary::floor;

use crate::args::{BenchArgs, CommonArgs};
use crate::colors::Colors;
use crate::kernels::cpu;
use crate::outcome::{Outcome, print_output};

/// The length of generated texts. They fit into the second-level cache of every current CPU.
const LENGTH_BYTES: usize = 64 << 10;

/// What was measured, and on what.
pub(super) struct Results {
    /// The names of the contestants.
    pub(super) names: Vec<&'static str>,
    /// For each text, its name and the speed of each contestant in GB/s.
    pub(super) rows: Vec<(String, Vec<f64>)>,
    /// The name of the CPU, for the caption.
    pub(super) cpu: String,
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, common: &CommonArgs) -> ExitCode {
    let kernels: Vec<_> = match common.kernel {
        Some(kernel) => vec![kernel],
        None => Kernel::available().iter().collect(),
    };
    let texts = match &args.file {
        None => texts::generated(LENGTH_BYTES),
        Some(path) => match fs::read(path) {
            Ok(bytes) if bytes.is_empty() => {
                return Outcome::fail(&format!("{}: is empty", path.display()));
            }
            Ok(bytes) => texts_of_file(bytes),
            Err(error) => return Outcome::fail(&format!("{}: {error}", path.display())),
        },
    };
    let time = Duration::from_millis(args.time);
    let mut results = Results { names: Vec::new(), rows: Vec::new(), cpu: cpu() };
    results.names.extend(kernels.iter().map(|kernel| kernel.name()));
    results.names.push("std");
    for (name, bytes) in texts {
        match measure(&kernels, &bytes, time) {
            Ok(speeds) => results.rows.push((name, speeds)),
            Err(error) => return Outcome::fail(&error),
        }
    }
    if let Some(path) = &args.svg
        && let Err(error) = fs::write(path, chart::svg(&results))
    {
        return Outcome::fail(&format!("{}: {error}", path.display()));
    }
    print_output(results.table(&Colors::new(common.color)).as_bytes())
}

/// Returns the content of a file with its name in the table. If the file is long, a prefix that
/// fits into the cache comes first.
fn texts_of_file(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let beginning = (bytes.len() > LENGTH_BYTES)
        .then(|| ("first 64 KiB".to_owned(), bytes[..floor(&bytes, LENGTH_BYTES)].to_vec()));
    beginning.into_iter().chain([("whole file".to_owned(), bytes)]).collect()
}

/// Returns the speeds of `kernels` and of the standard library, in GB/s.
fn measure(kernels: &[&'static Kernel], bytes: &[u8], time: Duration) -> Result<Vec<f64>, String> {
    let expected = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    // Nothing after an error is read.
    let length = expected.map_or_else(|valid| valid, str::len);
    // A round has to take much longer than reading the clock. The fastest kernel takes about 100
    // µs.
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
                    return Err(format!("wrong answer of {name}: {answer:?}, and {expected:?} is right"));
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
