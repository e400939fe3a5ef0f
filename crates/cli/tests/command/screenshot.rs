//! Checks that the picture in README.md shows what the command prints. If the output has changed on
//! purpose, this draws the picture again:
//!
//! ```sh
//! SNAPSHOTS=overwrite cargo test -p trust8-cli --test command picture
//! ```

use std::fmt::Write;

use crate::folder::Folder;
use snapbox::{Data, assert_data_eq, data::DataFormat, file};

#[test]
fn the_picture_in_the_readme_is_what_the_command_prints() {
    let folder = Folder::new();
    folder.file("data/api/upload.log", b"GET /img/logo.svg 200\nGET /\xC0\xAE\xC0\xAE/etc/passwd 404\n");
    folder.file(
        "data/export/comments.sql",
        b"INSERT INTO comments VALUES (1, 'Gr\xC3\xBC\xC3\x9Fe \xED\xA0\xBD\xED\xB8\x80');\n",
    );
    folder.file("data/menu.txt", b"Caf\xE9 cr\xE8me 2,50\nTh\xE9 2,20\n");
    folder.file("data/notes.txt", "日本語 is fine, and so is naïve\n");
    let mut session = String::new();
    for (line, code) in [
        ("trust8 data", 1),
        ("trust8 fix --diff --from auto data/menu.txt", 1),
        ("trust8 fix --in-place --from auto data/export data/menu.txt", 0),
        ("trust8 --format short data", 1),
        ("trust8 inspect data/menu.txt", 0),
    ] {
        let args = line.split(' ').skip(1);
        let assert = folder.trust8().args(args).args(["--color", "always"]).assert().code(code);
        let errors = crate::folder::stderr(&assert);
        let mut output = String::new();
        for chunk in assert.get_output().stdout.utf8_chunks() {
            output += chunk.valid();
            // What `fix --diff` shows on a terminal. In a pipe, the bytes are as they are.
            chunk.invalid().iter().for_each(|byte| output += &format!("\\x{byte:02X}"));
        }
        let _ = write!(session, "\x1B[1m$ {line}\x1B[0m\n{output}{errors}");
        if !line.contains("inspect") {
            session.push('\n');
        }
    }
    let picture = Data::text(session.trim_end().to_owned()).coerce_to(DataFormat::TermSvg);
    assert_data_eq!(picture, file!["../../../../docs/command.svg": TermSvg].raw());
}
