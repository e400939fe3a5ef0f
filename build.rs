//! The one place that decides, from target and features, which kernels are compiled.
//!
//! It says so in a few named cfgs, and no other file repeats the reasoning:
//!
//! | cfg             | meaning                                                                 |
//! |-----------------|-------------------------------------------------------------------------|
//! | `kernel_x86`    | the SSE4.2, AVX2 and AVX-512 kernels are compiled; the CPU decides      |
//! | `kernel_neon`   | the NEON kernel is compiled, and every CPU of the target has it         |
//! | `static_avx512` | every CPU of the target runs the AVX-512 kernel: nothing is left to ask |
//!
//! An instruction set is added by one file in `src/simd/`, one line here and one in `src/kernel.rs`.

use std::env::var;

const NAMES: [&str; 3] = ["kernel_x86", "kernel_neon", "static_avx512"];

/// What `src/simd/avx512.rs` and `src/sliced/` are compiled with.
const AVX512: [&str; 8] =
    ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "gfni", "bmi1", "bmi2"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in NAMES {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    let say = |name| println!("cargo::rustc-cfg={name}");

    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let features = target("FEATURE");
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    match target("ARCH").as_str() {
        // Without SSE2 (an operating system's kernel, an i586) vector registers are not to be
        // touched; inside an SGX enclave the CPU may not be asked what it has.
        "x86" | "x86_64" if has("sse2") && target("ENV") != "sgx" => {
            say("kernel_x86");
            if AVX512.iter().all(|feature| has(feature)) {
                say("static_avx512");
            }
        }
        "aarch64" if has("neon") && target("ENDIAN") == "little" => say("kernel_neon"),
        _ => {}
    }
}
