//! Sets the cfgs under which the files of the library compile that are included here.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in
        ["trust8_x86", "trust8_avx512", "trust8_neon", "trust8_wasm", "trust8_simd", "trust8_optimised"]
    {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    println!("cargo::rustc-cfg=trust8_simd");
}
