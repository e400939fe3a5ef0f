//! What the measurements of columns have in common: the bench of this package, and `datafusion/measure`.

use std::fmt::Write;
use std::fs;
use std::process::Command;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Returns rows of text, between empty and twice the mean length. One in `bad_one_in` has a byte that is not UTF-8.
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

/// Appends a line of a table.
pub(crate) fn line(page: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    writeln!(page, "| {} |", cells.join(" | ")).expect("a string");
}

/// Appends the head of a table.
pub(crate) fn head(page: &mut String, heads: &[&str]) {
    line(page, heads.iter().map(|&head| head.to_owned()));
    line(page, heads.iter().map(|_| "---:".to_owned()));
}

/// Returns the name of the CPU.
pub(crate) fn cpu() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("unknown").to_owned()
}

/// Returns the version of the compiler.
pub(crate) fn rustc() -> String {
    let rustc =
        Command::new("rustc").arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&rustc).trim().to_owned()
}
