//! Tells the tests whether the compiler optimises.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(trust8_optimised)");
    if std::env::var("OPT_LEVEL").as_deref() != Ok("0") {
        println!("cargo::rustc-cfg=trust8_optimised");
    }
}
