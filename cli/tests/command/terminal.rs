//! On a terminal: colours, and a progress bar when it takes long. `script`, of util-linux, has a terminal for
//! any program; Debian installs it always.

use std::process::{Command, Stdio};

use crate::folder::Folder;
use assert_cmd::cargo::cargo_bin;

/// All that a shell command writes to a terminal of 100 columns.
fn on_terminal(folder: &Folder, command: &str) -> String {
    let command = format!("stty cols 100 rows 30; {command}");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder.path())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .env("TRUST8", cargo_bin!("trust8"))
        .stdin(Stdio::null())
        .output()
        .expect("script, of util-linux");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn colours_are_there_and_names_can_do_no_harm() {
    let folder = Folder::new();
    folder.file("bad", b"a\xFF");
    folder.file("evil\x1B[2Jname", b"a\xFF");
    let shown = on_terminal(&folder, "$TRUST8 .");
    assert!(shown.contains("\x1B[35m./bad\x1B[0m:"), "{shown:?}");
    assert!(shown.contains("\x1B[31m\\xFF\x1B[0m"), "{shown:?}");
    assert!(shown.contains("./evil\\u{1b}[2Jname") && !shown.contains("\x1B[2J"), "{shown:?}");
    // NO_COLOR, and what is said on the command line, which wins.
    assert!(!on_terminal(&folder, "NO_COLOR=1 $TRUST8 .").contains("\x1B["));
    assert!(!on_terminal(&folder, "$TRUST8 --color never .").contains("\x1B["));
    assert!(on_terminal(&folder, "NO_COLOR=1 $TRUST8 --color always .").contains("\x1B["));
}

/// Slow input: it takes longer than the bar's patience.
const SLOW: &str = "{ for i in 1 2 3 4 5 6 7 8 9 10; do head -c 1000000 /dev/zero; sleep 0.12; done; }";

#[test]
fn a_progress_bar_comes_when_it_takes_long_and_goes() {
    let folder = Folder::new();
    let shown = on_terminal(&folder, &format!("{SLOW} | $TRUST8; echo done"));
    // Bytes, time and rate; at the end the line is cleared.
    assert!(shown.contains("MiB in ") && shown.contains("MiB/s"), "{shown:?}");
    let (bar, end) = shown.rsplit_once("MiB/s").unwrap();
    assert!(
        !bar.contains("done") && end.contains("\x1B[2K") && end.trim_end().ends_with("done"),
        "{shown:?}"
    );
    // Not when nobody wants it, and not for what is done at once.
    assert!(!on_terminal(&folder, &format!("{SLOW} | $TRUST8 --no-progress")).contains("MiB"));
    assert!(!on_terminal(&folder, &format!("{SLOW} | $TRUST8 --quiet")).contains("MiB"));
    folder.file("small", "text");
    assert!(!on_terminal(&folder, "$TRUST8 small").contains('B'));
}

/// Of files it is known how much there is, so there is a bar, and the time left. An interrupt clears it away.
#[test]
fn of_files_the_bar_knows_the_end() {
    let folder = Folder::new();
    folder.file("d/f", "é".repeat(15_000_000));
    // One file over and over: 9 GB, for which the slowest kernel takes many seconds, and which nobody waits for.
    let files = "d/f ".repeat(300);
    let run =
        format!("timeout --foreground -s INT 1.5 $TRUST8 --kernel scalar -j1 {files}; echo \"code $?\"");
    let shown = on_terminal(&folder, &run);
    assert!(shown.contains(" of 8.38 GiB, ") && shown.contains(" left"), "{shown:?}");
    let (_, end) = shown.rsplit_once(" left").unwrap();
    assert!(end.contains("\x1B[2K") && end.trim_end().ends_with("code 124"), "{shown:?}");
    // What has no end is told of without one.
    let shown = on_terminal(&folder, "timeout --foreground -s INT 5 $TRUST8 /dev/zero");
    assert!(shown.contains("GiB in ") && !shown.contains(" left"), "{shown:?}");
}
