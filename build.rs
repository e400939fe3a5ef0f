//! Decides which kernels are compiled, from the target and its features, and whether they are
//! optimised. The build scripts of the packages get the result (`links` in Cargo.toml).
//!
//! The rows of `src/simd/sets.rs` are the instruction sets, each with its cfg. These follow:
//!
//! | cfg                | meaning                                                                           |
//! |--------------------|-----------------------------------------------------------------------------------|
//! | `trust8_simd`      | a kernel with vectors is compiled                                                 |
//! | `trust8_detects`   | the CPU's kernels are detected at run time                                        |
//! | `trust8_optimised` | the compiler optimises, so inlined functions share their stack slots              |
//!
//! Without `trust8_detects`, every CPU of the target can run all kernels.
//!
//! `RUSTFLAGS="--cfg trust8_without_avx512"` leaves the AVX-512 kernel out, as a compiler before
//! Rust 1.89 does.

use std::env::var;

include!("src/simd/sets.rs");

/// A row of `sets.rs`. All rows with the same cfg are compiled, or none.
struct Set {
    cfg: &'static str,
    features: &'static [&'static str],
    architectures: &'static [&'static str],
    vectors: &'static str,
    since: u32,
}

macro_rules! sets {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:expr,
        ($architectures:tt with $vectors:literal, since $since:literal), $about:literal;)+) => {
        const SETS: &[Set] = &[$(Set {
            cfg: stringify!($cfg),
            features: &$features,
            architectures: &$architectures,
            vectors: $vectors,
            since: $since,
        }),+];
    };
}
instruction_sets!(sets);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/simd/sets.rs");
    let mut declared =
        vec!["trust8_optimised".to_owned(), "trust8_simd".to_owned(), "trust8_detects".to_owned()];
    let (mut set, mut compiled) = (Vec::new(), Vec::new());
    if var("OPT_LEVEL").as_deref() != Ok("0") {
        set.push("trust8_optimised");
    }
    for row in SETS {
        declared.push(row.cfg.to_owned());
        if row.since > 0 {
            declared.push(row.cfg.replace("trust8_", "trust8_without_"));
        }
        if SETS.iter().filter(|other| other.cfg == row.cfg).all(can_be_compiled) {
            set.push(row.cfg);
            compiled.push(row);
        }
    }
    if !compiled.is_empty() {
        set.push("trust8_simd");
    }
    if !compiled.iter().all(|row| is_guaranteed(row)) {
        set.push("trust8_detects");
    }

    declared.iter().for_each(|name| println!("cargo::rustc-check-cfg=cfg({name})"));
    set.iter().for_each(|name| println!("cargo::rustc-cfg={name}"));
    // For the build scripts of the packages.
    println!("cargo::metadata=DECLARED={}", declared.join(","));
    println!("cargo::metadata=SET={}", set.join(","));
}

fn target(key: &str) -> String {
    var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default()
}

fn has(feature: &str) -> bool {
    target("FEATURE").split(',').any(|one| one == feature)
}

/// Returns whether every CPU of the target has the instruction set.
fn is_guaranteed(set: &Set) -> bool {
    set.features.iter().all(|feature| has(feature))
}

fn can_be_compiled(set: &Set) -> bool {
    // An operating system's kernel, or an i586, must not use vector registers. A module of
    // WebAssembly cannot ask its engine for the instructions. It is compiled with them or without
    // them. All kernels are little-endian.
    set.architectures.contains(&target("ARCH").as_str())
        && has(set.vectors)
        && target("ENDIAN") == "little"
        // Inside an SGX enclave, code may not ask the CPU for its features.
        && target("ENV") != "sgx"
        // Miri interprets neither CPUID nor the intrinsics of the other kernels. It gets those for
        // x86 in a build that guarantees their instructions, and the scalar kernel alone in any
        // other.
        && (var("CARGO_CFG_MIRI").is_err() || set.cfg == "trust8_x86" && is_guaranteed(set))
        && (set.since == 0 || minor_version() >= set.since && !is_left_out(set.cfg))
}

fn is_left_out(cfg: &str) -> bool {
    var(format!("CARGO_CFG_{}", cfg.replace("trust8_", "trust8_without_").to_uppercase())).is_ok()
}

/// Returns 89 if the compiler's version is 1.89.x, and 0 if the compiler does not say.
fn minor_version() -> u32 {
    // "rustc 1.89.0 (29483883e 2025-08-04)"
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = std::process::Command::new(rustc).arg("--version").output().map(|output| output.stdout);
    let said = String::from_utf8(said.unwrap_or_default()).unwrap_or_default();
    let minor = said.strip_prefix("rustc 1.").and_then(|rest| rest.split('.').next());
    minor.and_then(|minor| minor.parse().ok()).unwrap_or(0)
}
