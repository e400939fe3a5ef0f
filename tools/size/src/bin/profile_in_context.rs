//! Validates its input with a profile that judges invisible characters by their context.

use std::io::Read;

use trust8_profile::Profile;

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the input is readable");
    match Profile::SOURCE_CODE.from_utf8(&bytes) {
        Ok(text) => println!("{}", text.len()),
        Err(error) => println!("{}", error.valid_up_to()),
    }
}
