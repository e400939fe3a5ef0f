//! What the measurements of columns have in common: the bench of this package, and
//! `crates/datafusion/measure`.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Returns rows of text, between empty and twice the mean length. One in `bad_one_in` has a byte
/// that is not UTF-8.
pub(crate) fn dirty_rows(mean: f64, count: usize, ascii: bool, bad_one_in: Option<usize>) -> Vec<Vec<u8>> {
    const ASCII: &str = "The quick brown fox jumps over the lazy dog, and then some more of it; 1 + 1 = 2. ";
    const OTHER: &str =
        "Съешь же ещё этих мягких булок. 敏捷的棕色狐狸跳过了懒狗。 Größe, naïveté, ça va? 😀 ";
    let source = if ascii { ASCII } else { OTHER }.repeat(2 + 3 * mean as usize / 80);
    let mut random = Random(mean as u64 + 17);
    let rows = (0..count).map(|_| {
        let mut from = random.below(80);
        while !source.is_char_boundary(from) {
            from += 1;
        }
        let mut to = from + random.below((2.0 * mean) as usize + 1);
        while !source.is_char_boundary(to) {
            to -= 1;
        }
        let mut row = source.as_bytes()[from..to.max(from)].to_vec();
        if bad_one_in.is_some_and(|rate| random.below(rate) == 0) {
            let at = random.below(row.len() + 1);
            // A byte of ISO-8859-1, at a random place.
            row.insert(at, 0xE9);
        }
        row
    });
    rows.collect()
}

/// Appends a row of a table as CSV, with a line for each number. The first `keys` cells are the
/// name of the row.
pub(crate) fn row(csv: &mut String, section: &str, keys: usize, heads: &[&str], cells: &[String]) {
    let (names, columns) = heads.split_at(keys);
    let (labels, numbers) = cells.split_at(keys);
    for (column, number) in columns.iter().zip(numbers) {
        let fields = [section, &names.join(", "), &labels.join(", "), column, number];
        let quoted =
            fields.map(|field| if field.contains(',') { format!("\"{field}\"") } else { field.to_owned() });
        writeln!(csv, "{}", quoted.join(",")).expect("a string");
    }
}

/// Returns a file of docs/data/: the facts and notes, and the rows.
pub(crate) fn file(command: &str, notes: &str, rows: &str) -> String {
    let date = output("date", "+%F");
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let script = folders.map(|folder| folder.join("tools/cpu.py")).find(|script| script.is_file());
    let cpu = output("python3", script.unwrap_or_default());
    let rustc = output("rustc", "--version");
    let kernel = trust8::Kernel::best().name();
    format!(
        "# command: {command}\n# date: {date}\n# CPU: {cpu}\n# kernel: {kernel}\n# compiler: {rustc}\n{notes}\
         section,table,row,column,value\n{rows}"
    )
}

/// Returns what a program prints.
fn output(program: &str, argument: impl AsRef<OsStr>) -> String {
    let output = Command::new(program).arg(argument).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}
