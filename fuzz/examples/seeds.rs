//! Writes the seeds into a folder: every construction of `input` with every script, valid and with malformed sequences. The
//! same seeds serve all targets. Their names say what is inside, and their content is always the same.
//!
//! ```text
//! cargo run --manifest-path fuzz/Cargo.toml --example seeds -- FOLDER [TEXTS]
//! ```
//!
//! `TEXTS` is a folder of real texts. Parts of each become seeds too, as they are and with a wrong byte.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use trust8_fuzz::input::Header;
use trust8_fuzz::malformed::MALFORMED;

const RAW: u8 = 0;
const SHORT: u8 = 1;
const EMBEDDED: u8 = 2;
const MOSAIC: u8 = 3;
/// The text after the material ends inside a character.
const CUT: u8 = 0x80;
/// The material stands at the end of a block.
const AT_END_OF_BLOCK: u8 = 0x80;

const SCRIPTS: [&str; 8] = ["ascii", "two", "three", "four", "mixed", "mostly-ascii", "mostly-two", "edges"];

struct Folder(PathBuf);

impl Folder {
    fn seed(&self, name: &str, header: Header, material: &[u8]) -> io::Result<()> {
        self.stream(name, header, material, &[])
    }

    /// A seed with the sizes of the pieces in which it comes.
    fn stream(&self, name: &str, header: Header, material: &[u8], sizes: &[u8]) -> io::Result<()> {
        let mut data = [&header.to_bytes()[..], material, sizes].concat();
        if !sizes.is_empty() {
            // The capacity of readers, or what to test of the command.
            data.push(sizes.len() as u8 | (data.len() as u8 % 4) << 4);
        }
        fs::write(self.0.join(name), data)
    }
}

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).expect("usage: seeds FOLDER [TEXTS]");
    fs::create_dir_all(&folder)?;
    let folder = Folder(folder.into());

    if let Some(texts) = env::args_os().nth(2) {
        real_texts(&folder, Path::new(&texts))?;
    }

    // The RFC's own examples, as they are and repeated.
    let examples = [
        ("not-identical", "A≢Α."),
        ("hangul", "한국어"),
        ("kanji", "日本語"),
        ("signature", "\u{FEFF}\u{233B4}"),
    ];
    for (name, text) in examples {
        folder.seed(&format!("raw-{name}"), Header::default(), text.as_bytes())?;
        let header = Header { construction: MOSAIC, length: 20_000, place: 30_000, ..Header::default() };
        folder.seed(&format!("mosaic-{name}"), header, &[text.as_bytes(), b"abcd"].concat())?;
    }

    // Of each kind of error at least one.
    for (number, malformed) in (0_u16..).zip(MALFORMED.iter().step_by(4)) {
        broken(&folder, number, malformed.bytes)?;
    }

    for (number, name) in (0_u8..).zip(SCRIPTS) {
        let length = 1000 * u16::from(number);
        let embedded =
            Header { construction: EMBEDDED, alignment: number, script: number * 9, length, place: 0 };
        folder.seed(&format!("embedded-valid-{name}"), embedded, b"")?;
        let cut = Header { construction: EMBEDDED | CUT, length: length + 1, ..embedded };
        folder.seed(&format!("embedded-end-cut-{name}"), cut, b"")?;
        let short = Header { construction: SHORT, alignment: 9 * number, length: 3 * 64, ..embedded };
        folder.seed(&format!("short-valid-{name}"), short, b"")?;
        let cut = Header { construction: SHORT | CUT, length: 3 * 65 + 1, ..short };
        folder.seed(&format!("short-end-cut-{name}"), cut, b"")?;
    }
    Ok(())
}

/// Parts of each text of a folder, from places all over it. Three of four have a wrong byte, another one each time.
fn real_texts(folder: &Folder, texts: &Path) -> io::Result<()> {
    const WRONG: [u8; 6] = [0xFF, 0xC0, 0x80, 0xE2, 0xF4, b'?'];
    for entry in fs::read_dir(texts)? {
        let entry = entry?;
        let text = fs::read(entry.path())?;
        for (number, len) in [40, 150, 600, 2400, 90, 300, 1300, 4000].into_iter().enumerate() {
            let at = text.len() / 8 * number;
            let mut part = text[at..text.len().min(at + len)].to_vec();
            let place = part.len() * number / 9;
            if let Some(byte) = part.get_mut(place).filter(|_| number % 4 > 0) {
                *byte = WRONG[(number + at) % WRONG.len()];
            }
            let name = format!("text-{}-{number}", entry.file_name().display());
            folder.seed(&name, Header::default(), &part)?;
        }
    }
    Ok(())
}

/// All constructions with one malformed sequence.
fn broken(folder: &Folder, number: u16, octets: &[u8]) -> io::Result<()> {
    let script = (number % 8) as u8;
    let alignment = |step: u16| (step * number % 64) as u8;
    let octets_hex: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    // The same script before and after the material.
    let of = |construction, step, length, place| Header {
        construction,
        alignment: alignment(step),
        script: script * 9,
        length,
        place,
    };
    // `length % 3 < 2` means up to 70 bytes, 2 means 120 to 140; see `build`.
    let short = of(SHORT, 5, 3 * (63 + number % 4), 65_535);
    let embedded = of(EMBEDDED, 7, 4000 * number, 5000 * number);
    let mosaic = Header { alignment: 0, script: 0, ..of(MOSAIC, 0, 900 * number, 5000 * number) };
    // The texts before and after are of different kinds, and the end of a block cuts the sequence.
    let (overhang, after) = ((number % 3 + 1) as u8, (script + 1 + (number / 8) as u8) % 8);
    let border = Header {
        alignment: alignment(11) | overhang << 6,
        script: script | after << 3 | AT_END_OF_BLOCK,
        ..of(EMBEDDED, 0, 500 * number, 4000 * number + 3000)
    };
    let mut wound = octets.to_vec();
    wound.resize(4, b'.');
    let wound = ["aé日😀".as_bytes(), &wound].concat();
    let text = ["aé日😀".as_bytes(), octets, b"!"].concat();
    let stream = Header { length: 2000 * number, place: 9000, ..embedded };
    let cases: [(&str, Header, &[u8], &[u8]); 9] = [
        ("raw", Header { construction: RAW, alignment: alignment(1), ..Header::default() }, octets, &[]),
        ("short", short, octets, &[]),
        ("medium", of(SHORT, 3, 3 * (6 + number) + 2, 5000 * number), octets, &[]),
        ("embedded", embedded, octets, &[]),
        ("mosaic", mosaic, &wound, &[]),
        ("border", border, octets, &[]),
        // Cut into single bytes, and into pieces that cut most characters.
        ("bytes", Header::default(), &text, &[1]),
        (
            "pieces",
            Header { alignment: 0, length: 3 * 65, place: 40_000, ..short },
            octets,
            &[5, 0, 3, 17, 2, 1, 64],
        ),
        ("stream", Header { alignment: 0, ..stream }, octets, &[0x81, 7, 0x90, 33]),
    ];
    for (name, header, material, sizes) in cases {
        folder.stream(&format!("{name}-{octets_hex}"), header, material, sizes)?;
    }
    Ok(())
}
