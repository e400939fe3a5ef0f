//! Compares every kernel's verdict with the standard library's on texts that reach each loop, with a fault at each of many places.
//!
//! It exits with 1 at the first difference.

use std::process::ExitCode;

/// What texts are made of: ASCII, dense text of two, three and four bytes, and characters now and then.
fn texts() -> Vec<String> {
    let a = |n: usize| "a".repeat(n);
    vec![
        a(300),
        "é".repeat(150),
        "日".repeat(100),
        "😀".repeat(75),
        format!("{}é", a(99)),
        format!("{}日", a(299)),
        format!("{}日本語", a(700)),
        format!("{}日", "é".repeat(149)),
        format!("{}{}", a(640), "日".repeat(64)),
    ]
}

fn main() -> ExitCode {
    // Lengths below, at and above those at which another loop begins, and of more than a chunk of each.
    let lengths = [0, 3, 15, 31, 40, 63, 64, 90, 127, 128, 200, 255, 256, 300, 777, 1023, 1200, 2047, 2200, 5000, 9500];
    for kernel in trust8::Kernel::available() {
        for text in texts() {
            let text = text.repeat(9500 / text.len() + 2);
            for len in lengths {
                // From an odd address on.
                let mut bytes = vec![b'.'];
                bytes.extend(&text.as_bytes()[..len]);
                if !agrees(kernel, &bytes[1..], None) {
                    return ExitCode::FAILURE;
                }
                let step = (len / 150).max(1);
                // The first chunk of blocks ends 64 * 64 bytes after 128 or 256, or up to 63 bytes earlier.
                let of_chunks = (4150..4230).chain(4280..4360).filter(|_| len > 4400);
                let ends = (len.saturating_sub(70)..len).chain(of_chunks);
                for at in (0..len).rev().step_by(step).chain(ends) {
                    for wrong in [0xFF, 0xC0, 0xC3, 0xE2, 0x80] {
                        let right = std::mem::replace(&mut bytes[1 + at], wrong);
                        if !agrees(kernel, &bytes[1..], Some(at)) {
                            return ExitCode::FAILURE;
                        }
                        bytes[1 + at] = right;
                    }
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn agrees(kernel: &trust8::Kernel, bytes: &[u8], wrong: Option<usize>) -> bool {
    let found = kernel.from_utf8(bytes).map_err(|error| error.valid_up_to());
    let expected = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    if found != expected {
        println!("{}, {} bytes, {wrong:?}: {:?}", kernel.name(), bytes.len(), found.map(str::len));
    }
    found == expected
}
