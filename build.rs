//! The one place that decides, from target and features, which kernels are compiled.
//!
//! It says so in a few named cfgs, and no other file repeats the reasoning:
//!
//! | cfg             | meaning                                                                 |
//! |-----------------|-------------------------------------------------------------------------|
//! | `kernel_x86`    | the SSE4.2, AVX2 and AVX-512 kernels are compiled; the CPU decides      |
//! | `kernel_neon`   | the NEON kernel is compiled, and every CPU of the target has it         |
//! | `kernel_wasm`   | the kernel for WebAssembly's SIMD is compiled, which an engine checks   |
//! | `kernel_simd`   | any of them                                                             |
//! | `asks_the_cpu`  | which kernels can run is found out at run time                          |
//!
//! With `kernel_x86` and without `asks_the_cpu`, every CPU of the target runs all of them.

use std::env::var;

const NAMES: [&str; 5] = ["kernel_x86", "kernel_neon", "kernel_wasm", "kernel_simd", "asks_the_cpu"];

/// What the x86 kernels are compiled with, all together.
const ALL_X86: [&str; 11] = [
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vpopcntdq",
    "gfni",
    "bmi1",
    "bmi2",
    "lzcnt",
    "popcnt",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in NAMES {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    let say = |name| println!("cargo::rustc-cfg={name}");

    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let features = target("FEATURE");
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    // Miri interprets neither CPUID nor most intrinsics; the scalar kernel it can follow.
    let is_miri = var("CARGO_CFG_MIRI").is_ok();
    match target("ARCH").as_str() {
        _ if is_miri => {}
        // Without SSE2 (an operating system's kernel, an i586) vector registers are not to be
        // touched; inside an SGX enclave the CPU may not be asked what it has.
        "x86" | "x86_64" if has("sse2") && target("ENV") != "sgx" => {
            say("kernel_simd");
            say("kernel_x86");
            if !ALL_X86.iter().all(|feature| has(feature)) {
                say("asks_the_cpu");
            }
        }
        "aarch64" if has("neon") && target("ENDIAN") == "little" => {
            say("kernel_simd");
            say("kernel_neon");
        }
        // A module either has these instructions or has not; there is no asking for them from inside.
        "wasm32" if has("simd128") => {
            say("kernel_simd");
            say("kernel_wasm");
        }
        _ => {}
    }
}
