//! Validates its input with one profile, and does nothing else.

use std::io::Read;

use trust8_profile::Profile;

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the input is readable");
    match Profile::XML_1_0.from_utf8(&bytes) {
        Ok(text) => println!("{}", text.len()),
        Err(error) => println!("{}", error.valid_up_to()),
    }
}
