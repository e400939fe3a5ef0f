// The instruction sets with a kernel, best first. `transcode/` and `profile/` have copies, which
// lint compares. `build.rs` includes this file and decides from the features which rows are
// compiled; `simd/mod.rs` makes the tokens, `kernel/job.rs` the kernels.

/// Calls the macro `$use` with a row for each instruction set: the name of its module, its token,
/// the name of its kernel, the cfg under which it is compiled, and the features that it is compiled
/// for.
macro_rules! instruction_sets {
    ($use:ident) => {
        $use! {
            avx512: Avx512, "avx512", trust8_avx512, "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt";
            avx2: Avx2, "avx2", trust8_x86, "avx2,bmi1,bmi2,lzcnt,popcnt";
            sse42: Sse42, "sse4.2", trust8_x86, "sse4.2,popcnt";
            neon: Neon, "neon", trust8_neon, "neon";
            simd128: Simd128, "simd128", trust8_wasm, "simd128";
        }
    };
}
