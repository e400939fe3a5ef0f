//! Gives the shared library its soname, from the number of the binary interface in `src/lib.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lib.rs");
    let source = std::fs::read_to_string("src/lib.rs").expect("the package has this file");
    let abi: u32 = source
        .split_once("pub const TRUST8_ABI: u32 = ")
        .and_then(|(_, rest)| rest.split_once(';'))
        .and_then(|(number, _)| number.parse().ok())
        .expect("src/lib.rs defines TRUST8_ABI");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtrust8.so.{abi}");
    }
}
