//! Stores what a report says about the compilation and cannot find out at run time.

use std::env::var;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    // "rustc 1.89.0 (29483883e 2025-08-04)" loses the parenthesis.
    let version = version.as_deref().and_then(|text| text.split(" (").next()).unwrap_or("rustc").trim();
    println!("cargo::rustc-env=COMPILED_BY={version}");
    println!("cargo::rustc-env=COMPILED_FOR={}", var("TARGET").unwrap_or_default());
    println!(
        "cargo::rustc-env=COMPILED_FLAGS={}",
        var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ")
    );
}
