//! `trust8 encodings`: the encodings that the command knows, and their names.

use std::fmt::Write;
use std::process::ExitCode;

use trust8_transcode as transcode;

use crate::args::CommonArgs;
use crate::charset::{Charset, SPELLINGS};
use crate::colors::Colors;
use crate::outcome::print_output;

/// Runs the command.
pub(crate) fn run(common: &CommonArgs) -> ExitCode {
    print_output(table(&Colors::new(common.color)).as_bytes())
}

fn table(colors: &Colors) -> String {
    let Colors { good, dim, .. } = *colors;
    let mut table = String::new();
    for charset in Charset::all() {
        let name = charset.label();
        let mut notes = vec![what(charset).to_owned()];
        let spellings = SPELLINGS.iter().filter(|(_, stands_for)| *stands_for == name);
        let spellings: Vec<_> = spellings.map(|(spelling, _)| *spelling).collect();
        if !spellings.is_empty() {
            notes.push(format!("also {}", spellings.join(", ")));
        }
        notes.retain(|note| !note.is_empty());
        // Writing to a string never fails.
        let _ = writeln!(table, "{}", format!("{good}{name:<15}{good:#} {}", notes.join("; ")).trim_end());
    }
    let _ = writeln!(
        table,
        "\n{dim}All labels of the WHATWG Encoding Standard are known too, such as sjis or x-cp1251. Upper and lower case,\n\
         hyphens and underscores make no difference. --invalid-as takes the encodings in which each byte is a character.{dim:#}"
    );
    table
}

/// Returns a note for the list.
fn what(charset: Charset) -> &'static str {
    match charset {
        Charset::Auto => "guess, from the byte order mark and the text",
        Charset::Utf16 => "the byte order mark says which; without one, and as the output, little-endian",
        Charset::Encoding(encoding) if encoding == encoding_rs::WINDOWS_1252 => {
            "Western European; latin1, iso-8859-1 and (as a source) ascii mean this, as in browsers"
        }
        Charset::Encoding(encoding) if encoding == encoding_rs::SHIFT_JIS => {
            "Japanese, with Microsoft's additions"
        }
        Charset::Encoding(encoding) if encoding.is_single_byte() || charset.has_ascii() => "",
        Charset::Exact(transcode::Encoding::Latin1) => {
            "ISO 8859-1, in which every byte is the character of the same number"
        }
        Charset::Dialect(trust8_dialect::Dialect::Cesu8) => "UTF-8 with surrogate pairs, of Oracle and MySQL",
        Charset::Dialect(trust8_dialect::Dialect::ModifiedUtf8) => "Modified UTF-8 of Java",
        Charset::Dialect(trust8_dialect::Dialect::Wtf8) => "UTF-8 with lone surrogates, of names on Windows",
        Charset::Dialect(trust8_dialect::Dialect::Rfc2279) => {
            "UTF-8 of 1998, with up to six bytes for a character"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_in_the_list() {
        let table = table(&Colors::new(anstream::ColorChoice::Never));
        for charset in Charset::all() {
            assert!(
                table.lines().any(|line| line.split(' ').next() == Some(&charset.label())),
                "{charset:?}"
            );
        }
    }
}
