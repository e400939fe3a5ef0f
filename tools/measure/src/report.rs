//! Collects what a bench measures, and writes it as CSV.
//!
//! `tools/performance.py` makes the tables and charts of docs/ from these files.

use std::fmt::Write;
use std::{env, fs, io};

use crate::machine;

/// The tables of a bench. Its CSV has a line for each number, and comments that say what was measured where.
#[derive(Clone, Default, Debug)]
pub struct Data {
    notes: String,
    section: String,
    subsection: String,
    /// The lines of the tables. Another process may append its own.
    pub rows: String,
}

impl Data {
    /// Begins a section (level 2) or a part of one (level 3).
    pub fn heading(&mut self, level: usize, text: &str) {
        self.subsection.clear();
        text.clone_into(if level == 2 { &mut self.section } else { &mut self.subsection });
    }

    fn place(&self) -> String {
        let subsection = if self.subsection.is_empty() { "" } else { " / " };
        format!("{}{subsection}{}", self.section, self.subsection)
    }

    /// Describes the tables of the section: units, inputs, and the meaning of the names.
    pub fn note(&mut self, text: &str) {
        let place = self.place();
        let place = if place.is_empty() { "all" } else { &place };
        let _ = writeln!(self.notes, "# {place}: {text}");
    }

    /// Adds a row of a table: numbers with three significant digits, each with the name of its column. NaN is left out.
    pub fn row<C: AsRef<str>>(&mut self, table: &str, row: &str, cells: impl IntoIterator<Item = (C, f64)>) {
        for (column, value) in cells.into_iter().filter(|cell| !cell.1.is_nan()) {
            self.text(table, row, column.as_ref(), &digits(value));
        }
    }

    /// Adds a cell of a table.
    pub fn text(&mut self, table: &str, row: &str, column: &str, value: &str) {
        let fields = [&self.place(), table, row, column, value].map(quoted);
        let _ = writeln!(self.rows, "{}", fields.join(","));
    }

    /// Returns the CSV. `facts` are about this bench; the machine, the command and its arguments are added to them.
    pub fn csv(&self, command: &str, facts: &[(&str, &str)]) -> String {
        let mut text = format!("# command: {command}");
        let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
        if !arguments.is_empty() {
            let _ = write!(text, " -- {}", arguments.join(" "));
        }
        let kernels: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
        let compilers = format!("{}; {} for simdutf C++", machine::rustc(), machine::cxx());
        let common = [
            ("date", &*machine::date()),
            ("CPU", &machine::cpu()),
            ("transparent huge pages", &machine::huge_pages()),
            ("peers", &machine::peers()),
            ("kernels", &kernels.join(", ")),
            ("compilers", &compilers),
        ];
        text.push('\n');
        for (name, value) in common.iter().chain(facts) {
            let _ = writeln!(text, "# {name}: {value}");
        }
        text + &self.notes + "section,table,row,column,value\n" + &self.rows
    }

    /// Writes the CSV to the folder of published measurements. The CPU is part of the file's name.
    pub fn write(&self, bench: &str, command: &str, facts: &[(&str, &str)]) -> io::Result<()> {
        let path = format!("{PUBLISHED}/{bench}-{}.csv", machine::slug(&machine::cpu()));
        eprintln!("{path}");
        fs::write(path, self.csv(command, facts))
    }
}

/// The folder of published measurements.
const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data");

/// Returns a field of a CSV file without backticks, in quotes where it needs them.
fn quoted(field: &str) -> String {
    let field = field.replace('`', "");
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// Formats a number with three significant digits. A number of at least 100 is rounded to an integer, and one from 0.1 to 1 has two
/// decimals.
pub fn digits(number: f64) -> String {
    match number.abs() {
        below if below < 0.1 => format!("{number:.4}"),
        below if below < 9.995 => format!("{number:.2}"),
        below if below < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// Formats a length, such as 64 KiB.
pub fn size(bytes: usize) -> String {
    match bytes.trailing_zeros() {
        30..64 => format!("{} GiB", bytes >> 30),
        20..30 => format!("{} MiB", bytes >> 20),
        10..20 => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes}"),
    }
}
