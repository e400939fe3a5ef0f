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

    /// Adds the cells of a table. Empty cells are left out.
    pub fn table(&mut self, table: &Table) {
        let place = self.place();
        let (keys, columns) = table.heads.split_at(table.keys);
        for row in &table.rows {
            let (labels, cells) = row.split_at(table.keys);
            for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
                let fields = [&place, &keys.join(", "), &labels.join(", "), column, cell];
                let _ = writeln!(self.rows, "{}", fields.map(|field| quoted(field)).join(","));
            }
        }
    }

    /// Adds the tables of another bench, or of another run.
    pub fn append(&mut self, other: &Self) {
        self.notes.push_str(&other.notes);
        self.rows.push_str(&other.rows);
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

    /// Writes the CSV of a full run to docs/data/, and prints that of any other.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn publish(&self, full: bool, bench: &str, facts: &[(&str, &str)]) -> io::Result<()> {
        if full {
            return self.write(Path::new(PUBLISHED), bench, facts);
        }
        print!("{}", self.csv(bench, facts));
        Ok(())
    }
}

/// The folder of published measurements.
pub const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data");

/// Returns a field of a CSV file without backticks, in quotes where it needs them.
fn quoted(field: &str) -> String {
    let field = field.replace('`', "");
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// A table. The first column or columns have names, and the others have numbers.
#[derive(Clone, Debug)]
pub struct Table {
    keys: usize,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these columns. The first column has names.
    pub fn new<S: Into<String>>(heads: impl IntoIterator<Item = S>) -> Self {
        Self::keyed(1, heads)
    }

    /// Creates a table whose first `keys` columns have names.
    pub fn keyed<S: Into<String>>(keys: usize, heads: impl IntoIterator<Item = S>) -> Self {
        Self { keys, heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If the number of cells is not the number of columns.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells: Vec<_> = cells.into_iter().map(Into::into).collect();
        assert_eq!(
            cells.len(),
            self.heads.len(),
            "a row has as many cells as the table has columns: {cells:?}"
        );
        self.rows.push(cells);
    }

    /// Returns whether the table has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table in Markdown. Cells are padded, so that the source can be read as well.
    #[must_use]
    pub fn markdown(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.heads]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<_> = (0..self.heads.len()).map(width).collect();
        let mut text = String::new();
        let mut line = |cells: &[String]| {
            for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let _ = if i == 0 {
                    write!(text, "| {cell:<width$} ")
                } else {
                    write!(text, "| {cell:>width$} ")
                };
            }
            text.push_str("|\n");
        };
        line(&self.heads);
        let rules = widths.iter().enumerate().map(|(i, width)| match i {
            0 => "-".repeat(*width),
            _ => "-".repeat(width - 1) + ":",
        });
        line(&rules.collect::<Vec<_>>());
        for row in &self.rows {
            line(row);
        }
        text
    }
}

/// Formats a number with three significant digits. A number of at least 1000 is rounded to an integer, and one below 1
/// has two decimals.
#[must_use]
pub fn digits(number: f64) -> String {
    match number.abs() {
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
