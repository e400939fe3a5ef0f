//! Prints the kernels that this machine must have, best first, with commas between them. `.ci/run` compiles this.

#[path = "../tests/support/required.rs"]
mod required;

fn main() {
    println!("{}", required::required().join(","));
}
