//! Sets the cfgs that the library's build script has set, so that both have the same instruction
//! sets.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let names = |key| var(key).expect("the library's build script passes it on");
    for name in names("DEP_TRUST8_0_1_DECLARED").split(',') {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    for name in names("DEP_TRUST8_0_1_SET").split_terminator(',') {
        println!("cargo::rustc-cfg={name}");
    }
}
