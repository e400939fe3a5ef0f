//! Collects what a bench measures, and writes it as CSV.
//!
//! `tools/performance.py` makes the tables and charts of docs/ from these files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

use crate::machine::Machine;

/// The tables of a bench. Its CSV has a line for each number, and comments that say what was measured where.
#[derive(Clone, Default, Debug)]
pub struct Data {
    notes: String,
    section: String,
    subsection: String,
    rows: String,
}

impl Data {
    /// Begins a section (level 2) or a part of one (level 3).
    pub fn heading(&mut self, level: usize, text: &str) {
        self.subsection.clear();
        if level == 2 { &mut self.section } else { &mut self.subsection }.clear();
        if level == 2 { &mut self.section } else { &mut self.subsection }.push_str(text);
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

    /// Returns the lines of the tables, for another process to [`add`](Self::add_rows).
    #[must_use]
    pub fn rows(&self) -> &str {
        &self.rows
    }

    /// Adds the lines that [`rows`](Self::rows) returned in another process.
    pub fn add_rows(&mut self, rows: &str) {
        self.rows.push_str(rows);
    }

    /// Returns the CSV. `facts` are about this bench; the machine and the command are added to them.
    #[must_use]
    pub fn csv(&self, bench: &str, facts: &[(&str, &str)]) -> String {
        let machine = Machine::ask();
        let mut text = format!("# command: cargo bench -p trust8-measure --bench {bench}");
        let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
        if !arguments.is_empty() {
            let _ = write!(text, " -- {}", arguments.join(" "));
        }
        let kernels: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
        let compilers = format!("{} for {}; {} for simdutf C++", machine.rustc, machine.target, machine.cxx);
        let common = [
            ("date", &*machine.date),
            ("CPU", &machine.cpu),
            ("transparent huge pages", machine.huge_pages.as_deref().unwrap_or("unknown")),
            ("peers", &machine.peers),
            ("kernels", &kernels.join(", ")),
            ("compilers", &compilers),
        ];
        text.push('\n');
        for (name, value) in common.iter().chain(facts) {
            let _ = writeln!(text, "# {name}: {value}");
        }
        text + &self.notes + "section,table,row,column,value\n" + &self.rows
    }

    /// Writes the CSV to a folder, which is created if it does not exist. The CPU is part of the file's name.
    ///
    /// # Errors
    ///
    /// If the folder or the file cannot be written.
    pub fn write(&self, folder: &Path, bench: &str, facts: &[(&str, &str)]) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{bench}-{}.csv", Machine::ask().slug()));
        eprintln!("{}", path.display());
        fs::write(path, self.csv(bench, facts))
    }
}

/// The folder of published measurements.
pub const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data");

/// Returns a field of a CSV file without backticks, in quotes where it needs them.
fn quoted(field: &str) -> String {
    let field = field.replace('`', "");
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// Formats a number with three significant digits. A number of at least 100 is rounded to an integer, and one from 0.1 to 1 has two
/// decimals.
#[must_use]
pub fn digits(number: f64) -> String {
    match number.abs() {
        below if below < 0.1 => format!("{number:.4}"),
        below if below < 9.995 => format!("{number:.2}"),
        below if below < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// Formats a length, such as 64 KiB.
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes {
        0 => "0".to_owned(),
        _ if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes}"),
    }
}
