// The instruction sets with a kernel, best first. `build.rs` includes this file and decides from it
// which rows are compiled; `simd/mod.rs` makes the tokens, `kernel/job.rs` the kernels.
// The packages with algorithms use the macro too.

/// Calls the macro `$use` with a row for each instruction set:
///
/// - the name of its module, its token, the name of its kernel, and the cfg under which it is
///   compiled, which it may share with other rows;
/// - the features that it is compiled for;
/// - the architectures that have it, the feature without which vectors must not be used there, and
///   the first version 1.x of Rust with its intrinsics (0: every version that compiles the crate);
/// - what the command says about it.
///
/// `with $` hands a dollar sign to `$use`, with which it can define a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! instruction_sets {
    ($use:ident $(with $dollar:tt)?) => {
        $use! {
            $($dollar)?
            avx512: Avx512, "avx512", trust8_avx512, ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "avx512vpopcntdq", "gfni", "bmi1", "bmi2", "lzcnt", "popcnt"],
                (["x86", "x86_64"] with "sse2", since 89), "64 bytes at a time: AVX-512 with VBMI2, since Ice Lake and Zen 4";
            avx2: Avx2, "avx2", trust8_x86, ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"],
                (["x86", "x86_64"] with "sse2", since 0), "32 bytes at a time: AVX2, since Haswell and Zen";
            sse42: Sse42, "sse4.2", trust8_x86, ["sse4.2", "popcnt"],
                (["x86", "x86_64"] with "sse2", since 0), "16 bytes at a time: SSE4.2, since 2008";
            neon: Neon, "neon", trust8_neon, ["neon"],
                (["aarch64"] with "neon", since 0), "16 bytes at a time: NEON, in every 64-bit ARM";
            simd128: Simd128, "simd128", trust8_wasm, ["simd128"],
                (["wasm32"] with "simd128", since 0), "16 bytes at a time: WebAssembly's SIMD";
        }
    };

    // Where an x86 CPU reports a feature: bits of ECX in CPUID's leaf 1, of EBX and ECX in leaf 7,
    // and of ECX in leaf 8000_0001, and the registers that the operating system must save, as bits
    // of XCR0. Only the features of rows are here: a row with another one does not compile.
    //
    // SSE3, SSSE3, SSE4.1, SSE4.2: to compilers, the last includes the others.
    (cpuid "sse4.2") => { [1 << 0 | 1 << 9 | 1 << 19 | 1 << 20, 0, 0, 0, 0] };
    (cpuid "popcnt") => { [1 << 23, 0, 0, 0, 0] };
    // AVX, AVX2; xmm0..15, and the upper halves of ymm0..15
    (cpuid "avx2") => { [1 << 28, 1 << 5, 0, 0, 0b0110] };
    (cpuid "bmi1") => { [0, 1 << 3, 0, 0, 0] };
    (cpuid "bmi2") => { [0, 1 << 8, 0, 0, 0] };
    (cpuid "lzcnt") => { [0, 0, 0, 1 << 5, 0] };
    // FMA and F16C, which compilers consider part of it, and itself; the same registers, k0..7, the
    // upper halves of zmm0..15, and zmm16..31. The other features of AVX-512 include all this.
    (cpuid "avx512f") => { [1 << 12 | 1 << 29, 1 << 16, 0, 0, 0b1110_0110] };
    (cpuid "avx512bw") => { all_of(&[instruction_sets!(cpuid "avx512f"), [0, 1 << 30, 0, 0, 0]]) };
    (cpuid "avx512vl") => { all_of(&[instruction_sets!(cpuid "avx512f"), [0, 1 << 31, 0, 0, 0]]) };
    (cpuid "avx512vbmi") => { all_of(&[instruction_sets!(cpuid "avx512f"), [0, 0, 1 << 1, 0, 0]]) };
    // To require it is also the policy. VBMI2 came with Ice Lake and Zen 4, where 512-bit code
    // hardly lowers the clock. Skylake-X and Cascade Lake, which drop by hundreds of MHz and slow
    // down their neighbours, lack it.
    (cpuid "avx512vbmi2") => { all_of(&[instruction_sets!(cpuid "avx512f"), [0, 0, 1 << 6, 0, 0]]) };
    (cpuid "gfni") => { [0, 0, 1 << 8, 0, 0] };
    (cpuid "avx512vpopcntdq") => { all_of(&[instruction_sets!(cpuid "avx512f"), [0, 0, 1 << 14, 0, 0]]) };
}
