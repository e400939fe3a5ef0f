//! Every kernel, and each way that it chooses among, against `core::str` and the RFC's grammar.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8::testing;
use trust8::{Kernel, Utf8Error};
use trust8_fuzz::input;
use trust8_fuzz::reference::{Fault, first_fault};

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;

    let expected = first_fault(bytes);
    let std = core::str::from_utf8(bytes).err();
    assert_eq!(
        expected.map(|fault| (fault.valid_up_to, fault.error_len)),
        std.map(|error| (error.valid_up_to(), error.error_len())),
        "the grammar and core::str"
    );

    compare("from_utf8", bytes, trust8::from_utf8(bytes), expected);
    assert_eq!(trust8::is_utf8(bytes), expected.is_none(), "is_utf8");
    for kernel in Kernel::available() {
        for way in std::iter::once(kernel).chain(testing::paths(kernel)) {
            compare_kernel(kernel, way, bytes, expected);
        }
    }
});

fn compare_kernel(kernel: &Kernel, way: &Kernel, bytes: &[u8], expected: Option<Fault>) {
    let name = [kernel.name(), way.name()].join("/");
    compare(&name, bytes, way.from_utf8(bytes), expected);
    assert_eq!(way.is_utf8(bytes), expected.is_none(), "{name}: is_utf8");
}

fn compare(who: &str, bytes: &[u8], got: Result<&str, Utf8Error>, expected: Option<Fault>) {
    match got {
        Ok(text) => {
            assert_eq!(expected, None, "{who}");
            assert!(std::ptr::eq(text.as_bytes(), bytes), "{who}: other bytes than it was given");
        }
        Err(error) => {
            let (valid_up_to, error_len) = (error.valid_up_to(), error.error_len());
            let got = Fault { valid_up_to, error_len, kind: error.kind() };
            assert_eq!(Some(got), expected, "{who}");
        }
    }
}
