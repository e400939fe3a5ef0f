//! Every kernel, and each way that it chooses among, against `core::str` and the RFC's grammar.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_fuzz::input;
use trust8_fuzz::kernels::{check, fault_of};
use trust8_fuzz::oracle;

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;
    check(bytes);

    let expected = oracle::fault(bytes);
    assert_eq!(trust8::is_utf8(bytes), expected.is_none());
    match trust8::from_utf8(bytes) {
        Ok(text) => {
            assert_eq!(expected, None);
            assert!(std::ptr::eq(text.as_bytes(), bytes), "other bytes than it was given");
        }
        Err(error) => assert_eq!(Some(fault_of(&error)), expected),
    }
});
