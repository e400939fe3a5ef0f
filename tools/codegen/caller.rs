//! Functions that call the library. `tools/codegen/check.py` compiles them and reads the assembly.

#![crate_type = "lib"]

use trust8::Utf8Error;

#[unsafe(no_mangle)]
pub fn entry_is_utf8(bytes: &[u8]) -> bool {
    trust8::is_utf8(bytes)
}

#[unsafe(no_mangle)]
pub fn entry_from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    trust8::from_utf8(bytes)
}

#[unsafe(no_mangle)]
pub fn entry_from_utf8_mut(bytes: &mut [u8]) -> Result<&mut str, Utf8Error> {
    trust8::from_utf8_mut(bytes)
}

/// Most callers only need the text, not the error.
#[unsafe(no_mangle)]
pub fn entry_ok(bytes: &[u8]) -> Option<&str> {
    trust8::from_utf8(bytes).ok()
}

#[unsafe(no_mangle)]
pub fn entry_basic(bytes: &[u8]) -> Result<&str, trust8::basic::Utf8Error> {
    trust8::basic::from_utf8(bytes)
}
