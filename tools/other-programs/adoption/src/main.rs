//! Measures programs that read text, from the file to the result. How fast a validator is decides a part of that.
//!
//! ```text
//! adoption write FOLDER                 writes the files that the programs read
//! adoption measure FOLDER [KERNEL]      runs each program a few times, and prints its fastest time and its answer
//! ```
//!
//! All programs reach a validator through the crate simdutf8. `../measure.py` builds them with the standard library, with simdutf8
//! and with trust8 under that name, lets the three take turns, and prints a table.

mod data;
mod programs;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use data::Language;
use programs::Program;
use trust8::Kernel;

/// How often each program runs. The first time, memory and caches are cold.
const ROUNDS: usize = 8;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["write", folder] => Language::ALL.iter().for_each(|language| language.write(Path::new(folder))),
        ["measure", folder] => measure(Path::new(folder)),
        ["measure", folder, kernel] if Kernel::by_name(kernel).is_some_and(Kernel::make_default) => {
            measure(Path::new(folder));
        }
        _ => panic!("usage: adoption write FOLDER, or adoption measure FOLDER [KERNEL]"),
    }
}

/// Prints a line for each program and language: their names, the time in microseconds, and the answer, which must not depend on
/// the validator.
fn measure(folder: &Path) {
    for Program { name, file, run } in programs::PROGRAMS {
        for language in Language::ALL {
            let path = folder.join(language.name).join(file);
            let mut fastest = Duration::MAX;
            let mut answer = 0;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                answer = black_box(run(black_box(&path)));
                fastest = fastest.min(start.elapsed());
            }
            println!("{name}\t{}\t{}\t{answer}", language.name, fastest.as_nanos() as f64 / 1000.0);
        }
    }
}
