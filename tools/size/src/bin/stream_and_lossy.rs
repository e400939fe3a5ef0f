//! Validates its input at once and as a stream, and replaces what is invalid.

use std::io::Read;

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the input is readable");
    match trust8::from_utf8(&bytes) {
        Ok(text) => println!("{}", text.len()),
        Err(error) => println!("{}", error.valid_up_to()),
    }
    let mut validator = trust8::Validator::new();
    println!("{} {}", validator.push(&bytes).is_ok(), validator.finish().is_ok());
    println!("{}", trust8::from_utf8_lossy(&bytes).len());
}
