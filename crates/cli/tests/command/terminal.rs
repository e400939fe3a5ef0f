//! Tests the output on a terminal: colours, and a progress bar when the work takes long.
//!
//! `script` from util-linux runs a program on a terminal. Debian always installs it.

use std::process::{Command, Stdio};

use crate::folder::Folder;
use assert_cmd::cargo::cargo_bin;

/// Returns everything that a shell command writes to a terminal of 100 columns.
fn on_terminal(folder: &Folder, command: &str) -> String {
    on_terminal_of(folder, 100, command)
}

/// Does the same with another number of columns.
fn on_terminal_of(folder: &Folder, columns: usize, command: &str) -> String {
    let command = format!("stty cols {columns} rows 30; {command}");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder.path())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .env("TRUST8", cargo_bin!("trust8"))
        .stdin(Stdio::null())
        .output()
        .expect("script from util-linux");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn output_has_colours_and_names_are_harmless() {
    let folder = Folder::new();
    folder.file("bad", b"a\xFF");
    folder.file("evil\x1B[2Jname", b"a\xFF");
    let shown = on_terminal(&folder, "$TRUST8 .");
    assert!(shown.contains("\x1B[35m./bad\x1B[0m:"), "{shown:?}");
    assert!(shown.contains("\x1B[31m\\xFF\x1B[0m"), "{shown:?}");
    assert!(shown.contains("./evil\\u{1b}[2Jname") && !shown.contains("\x1B[2J"), "{shown:?}");
    // NO_COLOR turns colours off, and the command line wins over it. On a busy machine a bar might
    // appear, which is no colour.
    let has_colours = |options| on_terminal(&folder, options).contains("\x1B[");
    assert!(!has_colours("NO_COLOR=1 $TRUST8 --no-progress ."));
    assert!(!has_colours("$TRUST8 --no-progress --color never ."));
    assert!(has_colours("NO_COLOR=1 $TRUST8 --no-progress --color always ."));
    // A terminal that obeys no sequences got them in CI.
    assert!(has_colours("CI=1 $TRUST8 --no-progress ."));
    assert!(!has_colours("CI=1 TERM=dumb $TRUST8 --no-progress ."));
    assert!(!has_colours("CI=1 TERM=dumb $TRUST8 --help"));
}

/// Input that takes longer than the half second after which the bar appears.
const SLOW: &str = "{ for i in 1 2 3 4 5 6 7 8 9 10; do head -c 1000000 /dev/zero; sleep 0.12; done; }";

#[test]
fn a_progress_bar_appears_if_the_work_takes_long_and_disappears_at_the_end() {
    let folder = Folder::new();
    let shown = on_terminal(&folder, &format!("{SLOW} | $TRUST8; echo done"));
    // The bar has bytes, time and rate, and the line is cleared at the end.
    assert!(shown.contains("MiB in ") && shown.contains("MiB/s"), "{shown:?}");
    let (bar, end) = shown.rsplit_once("MiB/s").unwrap();
    assert!(
        !bar.contains("done") && end.contains("\x1B[2K") && end.trim_end().ends_with("done"),
        "{shown:?}"
    );
    // There is no bar if the user wants none, and none if the work is done at once.
    assert!(!on_terminal(&folder, &format!("{SLOW} | $TRUST8 --no-progress")).contains("MiB"));
    assert!(!on_terminal(&folder, &format!("{SLOW} | $TRUST8 --quiet")).contains("MiB"));
    folder.file("small", "text");
    assert!(!on_terminal(&folder, "$TRUST8 small").contains('B'));
}

/// A line that was longer than the terminal is wide took two lines of the screen, and one of them
/// stayed.
#[test]
fn in_a_narrow_terminal_the_progress_takes_one_line() {
    let folder = Folder::new();
    for columns in [20, 40] {
        let shown = on_terminal_of(&folder, columns, &format!("{SLOW} | $TRUST8; echo done"));
        assert!(shown.contains("checking"), "{shown:?}");
        for line in shown.split(['\r', '\n']) {
            assert!(anstream::adapter::strip_str(line).to_string().chars().count() <= columns, "{line:?}");
        }
        assert!(!shown.contains("\x1B[1A"), "{shown:?}");
    }
}

/// The length of files is known, so the bar shows the total and the time left. An interrupt clears
/// it.
#[test]
fn for_files_the_bar_shows_the_total() {
    let folder = Folder::new();
    folder.file("d/f", "é".repeat(15_000_000));
    // The same file 3000 times makes 90 GB. Even a fast CPU's slowest kernel takes many seconds for
    // that, but is interrupted before.
    let files = "d/f ".repeat(3000);
    let run =
        format!("timeout --foreground -s INT 1.5 $TRUST8 --kernel scalar -j1 {files}; echo \"code $?\"");
    let shown = on_terminal(&folder, &run);
    assert!(shown.contains(" of 83.82 GiB, ") && shown.contains(" left"), "{shown:?}");
    let (_, end) = shown.rsplit_once(" left").unwrap();
    assert!(end.contains("\x1B[2K") && end.trim_end().ends_with("code 124"), "{shown:?}");
    // For endless input there is no total. A busy machine may need longer than 2 seconds to read a
    // GiB.
    let shown = [2, 10, 80]
        .iter()
        .map(|seconds| {
            on_terminal(&folder, &format!("timeout --foreground -s INT {seconds} $TRUST8 /dev/zero"))
        })
        .find(|shown| shown.contains("GiB in "))
        .expect("the bar shows a GiB");
    assert!(!shown.contains(" left"), "{shown:?}");
}

/// Lines that were wider than the terminal were broken, and the marks below them were not below the
/// bytes.
#[test]
fn in_a_narrow_terminal_the_context_is_cut() {
    let folder = Folder::new();
    folder.file("f", [&b"a".repeat(100)[..], b"\xFF", &b"b".repeat(100)].concat());
    for (columns, text) in [(40, 9), (80, 28), (30, 4)] {
        let shown = on_terminal_of(&folder, columns, "$TRUST8 --color never --no-progress f");
        let lines: Vec<_> =
            shown.lines().filter(|line| line.starts_with("    ") && !line.contains("note")).collect();
        let expected = format!("    text  {}\\xFF{}", "a".repeat(text), "b".repeat(text));
        assert!(
            lines.iter().all(|line| line.chars().count() <= columns) && lines.contains(&&*expected),
            "{shown}"
        );
    }
}
