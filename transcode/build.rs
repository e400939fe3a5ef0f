//! Decides which kernels are compiled, from the target and its features, and whether they are
//! optimised. No other file repeats the reasoning.
//!
//! The decisions are a few cfgs:
//!
//! | cfg                | meaning                                                                           |
//! |--------------------|-----------------------------------------------------------------------------------|
//! | `trust8_x86`       | the SSE4.2 and AVX2 kernels are compiled                                          |
//! | `trust8_avx512`    | the AVX-512 kernel is compiled as well: the compiler has the intrinsics           |
//! | `trust8_neon`      | the NEON kernel is compiled, and every CPU of the target has NEON                 |
//! | `trust8_wasm`      | the kernel for WebAssembly's SIMD is compiled; the engine checks that it has it   |
//! | `trust8_simd`      | any of these is compiled                                                          |
//! | `trust8_detects`   | the CPU's kernels are detected at run time                                        |
//! | `trust8_optimised` | the compiler optimises, so inlined functions share their stack slots              |
//!
//! With `trust8_x86` and without `trust8_detects`, every CPU of the target can run all kernels.
//!
//! `RUSTFLAGS="--cfg trust8_without_avx512"` leaves the AVX-512 kernel out, as a compiler before
//! Rust 1.89 does.

use std::env::var;

include!("src/simd/sets.rs");

const NAMES: [&str; 7] = [
    "trust8_x86",
    "trust8_avx512",
    "trust8_neon",
    "trust8_wasm",
    "trust8_simd",
    "trust8_detects",
    "trust8_optimised",
];

/// Makes a function that returns the features which the kernels under a cfg are compiled for.
macro_rules! features {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:literal;)+) => {
        fn features_of(cfg: &str) -> Vec<&'static str> {
            let rows = [$((stringify!($cfg), $features)),+];
            let of_cfg = rows.iter().filter(|row| row.0 == cfg);
            // All x86 CPUs of the kernels have SSE4.2; compilers know it as part of AVX2.
            of_cfg.flat_map(|row| row.1.split(',')).filter(|feature| *feature != "sse4.2").collect()
        }
    };
}
instruction_sets!(features);

/// The first version 1.x of Rust that has the AVX-512 intrinsics.
const AVX512_SINCE: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/simd/sets.rs");
    println!("cargo::rustc-check-cfg=cfg(trust8_without_avx512)");
    for name in NAMES {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    let set = |name| println!("cargo::rustc-cfg={name}");

    if var("OPT_LEVEL").as_deref() != Ok("0") {
        set("trust8_optimised");
    }

    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let features = target("FEATURE");
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    // Miri interprets neither CPUID nor the intrinsics of AVX-512. It gets the other kernels for
    // x86 in a build that guarantees their instructions, and the scalar kernel alone in any other.
    let is_miri = var("CARGO_CFG_MIRI").is_ok();
    let guarantees = |needed: &[&str]| needed.iter().all(|feature| has(feature));
    match target("ARCH").as_str() {
        _ if is_miri && !guarantees(&features_of("trust8_x86")) => {}
        // A target without SSE2 (an operating system's kernel, an i586) must not use vector
        // registers. Inside an SGX enclave, code may not ask the CPU for its features.
        "x86" | "x86_64" if has("sse2") && target("ENV") != "sgx" => {
            set("trust8_simd");
            set("trust8_x86");
            let mut needed = features_of("trust8_x86");
            let is_left_out = is_miri || var("CARGO_CFG_TRUST8_WITHOUT_AVX512").is_ok();
            if minor_version() >= AVX512_SINCE && !is_left_out {
                set("trust8_avx512");
                needed.extend(features_of("trust8_avx512"));
            }
            if !guarantees(&needed) {
                set("trust8_detects");
            }
        }
        "aarch64" if has("neon") && target("ENDIAN") == "little" => {
            set("trust8_simd");
            set("trust8_neon");
        }
        // A module cannot ask its engine for the instructions. It is compiled with them or without
        // them.
        "wasm32" if has("simd128") => {
            set("trust8_simd");
            set("trust8_wasm");
        }
        _ => {}
    }
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
