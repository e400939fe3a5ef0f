//! Compiles the loops in C, and links these. TRUST8_PREFIX is the folder in which trust8 is installed.

use std::env::var;
use std::process::Command;

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the options are text")
}

fn main() {
    println!("cargo::rerun-if-changed=src/loops.c");
    println!("cargo::rerun-if-env-changed=TRUST8_PREFIX");
    let prefix = var("TRUST8_PREFIX").expect("TRUST8_PREFIX is the folder in which trust8 is installed");
    let out = var("OUT_DIR").expect("cargo sets it");
    let flags = run("pkg-config", &["--cflags", "glib-2.0", "icu-uc"]);
    let object = format!("{out}/loops.o");
    let include = format!("-I{prefix}/include");
    let mut arguments = vec![
        "-O2",
        "-falign-functions=64",
        "-falign-loops=64",
        "-Wall",
        "-Werror",
        &include,
        "-c",
        "src/loops.c",
        "-o",
        &object,
    ];
    arguments.extend(flags.split_whitespace());
    run("cc", &arguments);
    run("ar", &["rcs", &format!("{out}/libloops.a"), &object]);
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-search=native={prefix}/lib");
    println!("cargo::rustc-link-lib=static=loops");
    for library in ["trust8", "glib-2.0", "unistring", "icuuc"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
    println!("cargo::rustc-link-arg=-Wl,-rpath,{prefix}/lib");
}
