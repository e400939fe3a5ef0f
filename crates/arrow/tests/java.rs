//! The policy `Java` against the JDK itself, which decodes all sequences of up to four bytes by
//! class, and a million random rows.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use arrow_array::LargeBinaryArray;
use arrow_array::cast::AsArray;
use trust8_arrow::repair;
use trust8_columns::Policy;

/// The first and the last byte of each class that UTF-8 has.
const BYTES: [u8; 25] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xE1,
    0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xF8, 0xFF,
];

fn rows() -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    for len in 0..=4_u32 {
        for number in 0..25_usize.pow(len) {
            rows.push((0..len).map(|i| BYTES[number / 25_usize.pow(i) % 25]).collect());
        }
    }
    let mut state = 0x5EED_u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((state >> 33) * n) >> 31) as usize
    };
    for _ in 0..1_000_000 {
        // Mostly text, so that rows are cut and spoiled in every phase; some are of bytes that mean
        // something; few are long.
        let text = "aé日😀ÿŒ€\u{FFFD}";
        let len = if below(50) == 0 { below(300) } else { below(24) };
        let mut row: Vec<u8> = text.bytes().cycle().skip(below(text.len() as u64)).take(len).collect();
        for _ in 0..below(4) {
            if !row.is_empty() {
                let at = below(row.len() as u64);
                row[at] = if below(2) == 0 { BYTES[below(25)] } else { below(256) as u8 };
            }
        }
        rows.push(row);
    }
    rows
}

/// Returns what the JDK makes of each row, one after the other, each after its length.
fn decoded(rows: &[Vec<u8>]) -> std::io::Result<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Decode.java");
    let mut java = Command::new("java").arg(source).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = Vec::new();
    for row in rows {
        input.extend_from_slice(&(row.len() as u32).to_be_bytes());
        input.extend_from_slice(row);
    }
    let mut stdin = java.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = java.wait_with_output()?;
    writer.join().expect("the thread that writes").and_then(|()| match output.status.success() {
        true => Ok(output.stdout),
        false => Err(std::io::Error::other("java failed")),
    })
}

#[test]
#[ignore = "it needs a JDK; `.ci/run arrow` installs one and runs it"]
fn java_decodes_as_the_policy_says() {
    let rows = rows();
    let decoded = decoded(&rows).expect("a JDK");
    let repaired = repair(&LargeBinaryArray::from_iter_values(&rows), Policy::Java).unwrap();
    let repaired = repaired.as_string::<i64>();
    let mut rest = &decoded[..];
    let mut replaced_as_a_whole = 0;
    for (row, bytes) in rows.iter().enumerate() {
        let (len, after) = rest.split_first_chunk::<4>().expect("a row of Java's");
        let (expected, after) = after.split_at(u32::from_be_bytes(*len) as usize);
        assert_eq!(repaired.value(row).as_bytes(), expected, "{bytes:02X?}");
        replaced_as_a_whole += usize::from(expected != String::from_utf8_lossy(bytes).as_bytes());
        rest = after;
    }
    assert!(rest.is_empty());
    // Java and the WHATWG differ in some of them, so this is a separate test.
    assert!(replaced_as_a_whole > 1000, "{replaced_as_a_whole}");
}
