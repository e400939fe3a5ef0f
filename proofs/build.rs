//! Sets the cfgs under which the files of the library compile that are included here.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"alloc\", \"dialect\", \"transcode\"))");
    for name in ["kernel_x86", "kernel_avx512", "kernel_neon", "kernel_wasm", "kernel_simd", "optimised"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    println!("cargo::rustc-cfg=kernel_simd");
}
