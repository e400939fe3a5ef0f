//! Compiles the loops in C, and links these. TRUST8_PREFIX is the folder in which trust8 is installed.

fn main() {
    println!("cargo::rerun-if-changed=src/loops.c");
    println!("cargo::rerun-if-env-changed=TRUST8_PREFIX");
    let prefix =
        std::env::var("TRUST8_PREFIX").expect("TRUST8_PREFIX is the folder in which trust8 is installed");
    let mut loops = cc::Build::new();
    loops.file("src/loops.c").include(format!("{prefix}/include")).opt_level(2).warnings_into_errors(true);
    loops.flags(["-falign-functions=64", "-falign-loops=64"]);
    for library in ["glib-2.0", "icu-uc"] {
        loops.includes(
            pkg_config::probe_library(library).expect("Debian's package is installed").include_paths,
        );
    }
    loops.compile("loops");
    println!("cargo::rustc-link-search=native={prefix}/lib");
    for library in ["trust8", "unistring"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
    println!("cargo::rustc-link-arg=-Wl,-rpath,{prefix}/lib");
}
