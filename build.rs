//! Decides which kernels are compiled, from the target and its features, and whether they are optimised. No other file
//! repeats the reasoning.
//!
//! The decisions are a few cfgs:
//!
//! | cfg             | meaning                                                                              |
//! |-----------------|--------------------------------------------------------------------------------------|
//! | `kernel_x86`    | the SSE4.2, AVX2 and AVX-512 kernels are compiled                                    |
//! | `kernel_neon`   | the NEON kernel is compiled, and every CPU of the target has NEON                    |
//! | `kernel_wasm`   | the kernel for WebAssembly's SIMD is compiled, and the engine checks that it has it  |
//! | `kernel_simd`   | any of these is compiled                                                             |
//! | `asks_the_cpu`  | the CPU is asked at run time which kernels it can run                                |
//! | `optimised`     | the compiler optimises, so what is inlined shares its place on the stack             |
//!
//! With `kernel_x86` and without `asks_the_cpu`, every CPU of the target can run all kernels.

use std::env::var;

const NAMES: [&str; 6] =
    ["kernel_x86", "kernel_neon", "kernel_wasm", "kernel_simd", "asks_the_cpu", "optimised"];

/// The features that the x86 kernels are compiled for, all of them together.
const X86_FEATURES: [&str; 11] = [
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
    let set = |name| println!("cargo::rustc-cfg={name}");

    if var("OPT_LEVEL").as_deref() != Ok("0") {
        set("optimised");
    }

    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let features = target("FEATURE");
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    // Miri interprets neither CPUID nor most intrinsics, so it gets the scalar kernel alone.
    let is_miri = var("CARGO_CFG_MIRI").is_ok();
    match target("ARCH").as_str() {
        _ if is_miri => {}
        // A target without SSE2 (an operating system's kernel, an i586) must not use vector registers. Inside an SGX
        // enclave, code may not ask the CPU for its features.
        "x86" | "x86_64" if has("sse2") && target("ENV") != "sgx" => {
            set("kernel_simd");
            set("kernel_x86");
            if !X86_FEATURES.iter().all(|feature| has(feature)) {
                set("asks_the_cpu");
            }
        }
        "aarch64" if has("neon") && target("ENDIAN") == "little" => {
            set("kernel_simd");
            set("kernel_neon");
        }
        // A module cannot ask its engine for the instructions. It is compiled with them or without them.
        "wasm32" if has("simd128") => {
            set("kernel_simd");
            set("kernel_wasm");
        }
        _ => {}
    }
}
