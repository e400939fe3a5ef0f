//! Which kernels this machine must have. A test that leaves out a kernel that is missing here would pass by testing less.
//!
//! `TRUST8_REQUIRE_KERNELS=avx512,avx2,sse4.2,scalar` names them, for known machines. Without this variable
//! they follow from the standard library's detection of the CPU's features. So this is a second list of instruction
//! sets, besides `src/simd/sets.rs`: a mistake in that list, or in the crate's detection, shows.

use std::env;

/// Returns the names of the kernels that must be available.
pub fn required() -> Vec<String> {
    match env::var("TRUST8_REQUIRE_KERNELS") {
        Ok(names) => {
            names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }
        Err(_) => detected().into_iter().map(str::to_owned).collect(),
    }
}

/// Returns the kernels whose instructions the standard library finds here, best first.
fn detected() -> Vec<&'static str> {
    let mut names = Vec::new();
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2", not(miri)))]
    {
        macro_rules! has {
            ($($feature:tt)*) => { $(std::is_x86_feature_detected!($feature))&&* };
        }
        if has!("avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2" "avx512vpopcntdq" "gfni") {
            names.push("avx512");
        }
        if has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt") {
            names.push("avx2");
        }
        if has!("sse4.2" "popcnt") {
            names.push("sse4.2");
        }
    }
    if cfg!(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(miri))) {
        names.push("neon");
    }
    if cfg!(all(target_arch = "wasm32", target_feature = "simd128", not(miri))) {
        names.push("simd128");
    }
    names.push("scalar");
    names
}
