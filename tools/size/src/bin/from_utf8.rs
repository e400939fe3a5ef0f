//! Validates its input with trust8, and does nothing else.

use std::io::Read;

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the input is readable");
    match trust8::from_utf8(&bytes) {
        Ok(text) => println!("{}", text.len()),
        Err(error) => println!("{}", error.valid_up_to()),
    }
}
