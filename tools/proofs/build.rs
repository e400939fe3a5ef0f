//! Sets the cfgs under which the files of the library compile that are included here, and copies the loops of the lookups, with a mistake
//! in each copy.

use std::path::Path;
use std::{env, fs};

include!("../../src/simd/sets.rs");

/// Lists the cfgs of the instruction sets.
macro_rules! cfgs {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        const CFGS: &[&str] = &[$(stringify!($cfg)),+];
    };
}
instruction_sets!(cfgs);

/// What is replaced, and by what.
type Mistake = (&'static str, &'static str);

/// The name of the copies, the file, the call on a text, and the mistakes. Each mistake skips a byte.
const FILES: &[(&str, &str, &str, &[Mistake])] = &[
    (
        "short",
        "lookup/short.rs",
        "check_short(Traced::<32>, text)",
        &[
            ("at += 2 * S::LANES;", "at += 3 * S::LANES;"),
            ("(n - 2 * S::LANES).max(CONTEXT)", "(n - 3 * S::LANES).max(CONTEXT)"),
            ("(n - 2 * S::LANES).max(CONTEXT)", "n - S::LANES"),
            ("s.load_second(bytes)", "s.load(bytes, n - S::LANES)"),
            ("checker.check_end(&mut faults, s.load(bytes, n - S::LANES), LARGEST_AT_END, false);", ""),
        ],
    ),
    (
        "long",
        "lookup/long.rs",
        "CheckLong::run(Traced::<32>, text, ())",
        &[
            ("SKIPPED_BYTES - misaligned", "SKIPPED_BYTES + misaligned"),
            ("HEAD_BYTES - misaligned", "HEAD_BYTES + BLOCK_BYTES - misaligned"),
            ("left = &left[S::LANES..];", "left = &left[2 * S::LANES..];"),
            ("at.min(n - SKIPPED_BYTES)", "at.min(n - SKIPPED_BYTES - 1)"),
            ("at >= n - SKIPPED_BYTES", "at >= n - 2 * SKIPPED_BYTES"),
            ("at += BLOCK_BYTES;", "at += 2 * BLOCK_BYTES;"),
            ("at += BLOCK_BYTES;", "at += BLOCK_BYTES + 1;"),
            ("at += TEST_VECTORS_EVERY_BYTES;", "at += TEST_VECTORS_EVERY_BYTES + BLOCK_BYTES;"),
            ("(0..row).step_by(BLOCK_BYTES)", "(0..row).step_by(2 * BLOCK_BYTES)"),
            ("| u64::from(before >> 7) != 0", "!= 0"),
            ("at += SKIPPED_BYTES;", "at += SKIPPED_BYTES + BLOCK_BYTES;"),
            ("at + blocks * BLOCK_BYTES", "at + blocks * BLOCK_BYTES + BLOCK_BYTES"),
            ("at - CONTEXT..after", "at - CONTEXT..after - BLOCK_BYTES"),
            ("at - CONTEXT..after", "at..after"),
            ("chunk, i * BLOCK_BYTES)", "chunk, i * BLOCK_BYTES / 2)"),
            ("left &= left - 1;", "left &= left - 1; left &= left.wrapping_sub(1);"),
            ("let mut left = list;", "let mut left = list >> 1 << 1;"),
            ("let next = list >> 1 |", "let next = list |"),
            ("at = after;", "at = after + BLOCK_BYTES;"),
            ("bytes.get(..after)", "bytes.get(..after - BLOCK_BYTES)"),
            ("checker.check_end(&mut faults, last, LARGEST_AT_END, false);", ""),
            ("checker.check_end(&mut faults, last, ends, next >> i & 1 != 0);", ""),
            ("at += filter::ROW_BYTES;", "at += filter::ROW_BYTES + BLOCK_BYTES;"),
            ("checker.check_block(&mut faults, block);", ""),
            ("checker.check_block(&mut faults, end);", ""),
        ],
    ),
    (
        "runs",
        "bitplanes/long.rs",
        "Superblocks::run(Avx512, text, ())",
        &[
            ("super::is_unfinished(first)", "false"),
            ("after += SUPERBLOCK_BYTES;", "after += SUPERBLOCK_BYTES + 1;"),
            (
                "at = aligned_down(bytes, at + GROUP_BYTES);",
                "at = aligned_down(bytes, at + GROUP_BYTES) + BLOCK_BYTES;",
            ),
            ("left = &left[GROUP_BYTES..];", "left = &left[(GROUP_BYTES + BLOCK_BYTES).min(left.len())..];"),
            ("usize::from(b) * 8", "usize::from(a) * 8"),
            ("i += 4;", "i += 8;"),
            ("numbers = s.plus(numbers, s.splat(WORDS as u8));", ""),
            ("listed.count += count;", "listed.count = count;"),
            ("let mut at = 2 * BLOCK_BYTES -", "let mut at = 3 * BLOCK_BYTES -"),
            ("bytes.get(start - CONTEXT..)", "bytes.get(start..)"),
            ("(start, words) = (next_start, next);", "(start, words) = (at, next);"),
            ("at += 4 * BLOCK_BYTES;", "at += 5 * BLOCK_BYTES;"),
            ("blocks::CheckBlocks, bytes, at);", "blocks::CheckBlocks, bytes, at + BLOCK_BYTES);"),
        ],
    ),
];

/// Writes the loops of each file as a module with the number 0, a copy for each mistake, and a list of them.
fn write_loops() {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    for (name, path, call, mistakes) in FILES {
        let path = format!("../../src/kernel/{path}");
        println!("cargo::rerun-if-changed={path}");
        let source = fs::read_to_string(&path).expect("the loops are there");
        let outer = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
        let source = source.lines().filter(outer).fold(String::new(), |all, line| all + line + "\n");
        // Another instruction set takes the place of this one, and what looks at the text itself notes it.
        let source = source
            .replace(
                "use crate::simd::{Avx512, Job, Token, Vectors, x86::avx512::Vector};",
                "use super::{Avx512, Vector}; use crate::simd::{Job, Token, Vectors};",
            )
            .replace(" is_unfinished(first)", " super::is_unfinished(first)");
        let (mut modules, mut list) = (String::new(), String::new());
        for (i, (right, wrong)) in [("", "")].iter().chain(*mistakes).enumerate() {
            assert!(source.contains(right), "{path} no longer has {right:?}");
            let copy = if right.is_empty() { source.clone() } else { source.replace(right, wrong) };
            modules += &format!(
                "#[allow(warnings, clippy::all, reason = \"a copy of code that is checked in its place; a mistake leaves some of it unused\")] mod {name}_{i} {{ {copy} }}\n"
            );
            list += &format!("({:?}, |text| {name}_{i}::{call}),\n", format!("{right} -> {wrong}"));
        }
        let list = format!("const {}: &[(&str, Loops)] = &[\n{list}];\n", name.to_uppercase());
        fs::write(Path::new(&out).join(format!("{name}.rs")), modules + &list).expect("a file in OUT_DIR");
    }
}

fn main() {
    write_loops();
    println!("cargo::rerun-if-changed=build.rs");
    for name in CFGS.iter().chain(&["trust8_simd", "trust8_optimised"]) {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    println!("cargo::rustc-cfg=trust8_simd");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        println!("cargo::rustc-cfg=trust8_avx512");
    }
}
