//! The kernels to test, and each way that a kernel chooses by the length and the content of a text.

use std::fmt;
use std::sync::OnceLock;

use trust8::{Kernel, Utf8Error};

use super::oracle::{self, Fault};
use super::required::required;

/// A kernel as it is, or one of the ways that it chooses among.
pub struct Way {
    /// The kernel's name, with the name of the way if there is one.
    pub name: String,
    pub kernel: &'static Kernel,
    /// Whether this is the kernel as it is.
    pub is_kernel: bool,
}

/// Returns every kernel that this CPU has.
///
/// # Panics
///
/// Panics if a kernel is missing that this machine must have.
pub fn kernels() -> &'static [Kernel] {
    static CHECKED: OnceLock<()> = OnceLock::new();
    CHECKED.get_or_init(|| {
        for name in required() {
            assert!(
                Kernel::by_name(&name).is_some(),
                "the kernel '{name}' must be here, and this machine or build lacks it; there are {:?}",
                Kernel::available()
            );
        }
    });
    Kernel::available()
}

/// Returns every kernel that this CPU has, and every way of it.
///
/// # Panics
///
/// Panics if a kernel is missing that this machine must have.
pub fn ways() -> &'static [Way] {
    static WAYS: OnceLock<Vec<Way>> = OnceLock::new();
    WAYS.get_or_init(|| {
        let mut ways = Vec::new();
        for kernel in kernels() {
            ways.push(Way { name: kernel.name().to_owned(), kernel, is_kernel: true });
            for way in kernel.ways() {
                let name = format!("{}, {}", kernel.name(), way.name());
                ways.push(Way { name, kernel: way, is_kernel: false });
            }
        }
        ways
    })
}

/// Asserts that every kernel, in every way, agrees with the oracle and `core::str` about `input`.
pub fn check(input: &[u8]) {
    let expected = oracle::fault(input);
    assert_eq!(
        core::str::from_utf8(input).err().map(|error| (error.valid_up_to(), error.error_len())),
        expected.map(|fault| (fault.valid_up_to, fault.error_len)),
        "the oracle is wrong: {}",
        Excerpt(input, expected),
    );
    check_for(input, expected);
}

/// Asserts that every kernel, in every way, returns the expected result for `input`.
pub fn check_for(input: &[u8], expected: Option<Fault>) {
    for way in ways() {
        way.check(input, expected);
    }
}

impl Way {
    /// Asserts that this way returns the expected result for `input`.
    #[inline]
    pub fn check(&self, input: &[u8], expected: Option<Fault>) {
        let result = self.kernel.from_utf8(input);
        let verdict = self.kernel.is_utf8(input);
        let right = match (&result, expected) {
            (Ok(text), None) => verdict && core::ptr::eq(text.as_bytes(), input),
            (Err(error), Some(fault)) => !verdict && fault_of(error) == fault,
            _ => false,
        };
        if !right {
            self.fail(input, expected, result.map_err(|error| fault_of(&error)), verdict);
        }
    }

    #[cold]
    fn fail(&self, input: &[u8], expected: Option<Fault>, result: Result<&str, Fault>, verdict: bool) -> ! {
        let answer = match result {
            Ok(text) if core::ptr::eq(text.as_bytes(), input) => "that it is text".to_owned(),
            Ok(text) => format!("{} bytes of other text", text.len()),
            Err(fault) => format!("{fault:?}"),
        };
        panic!(
            "kernel '{}'\n  should say {expected:?}\n  from_utf8 says {answer}\n  is_utf8 says {verdict}\n  of {}",
            self.name,
            Excerpt(input, expected),
        );
    }
}

/// Returns an error in the oracle's terms.
pub fn fault_of(error: &Utf8Error) -> Fault {
    Fault { valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind() }
}

/// The part of a failed test's input that the message shows: all of it, or the bytes around the fault.
struct Excerpt<'a>(&'a [u8], Option<Fault>);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(input, fault) = self;
        let at = fault.map_or(0, |fault| fault.valid_up_to);
        let shown = if input.len() <= 300 {
            0..input.len()
        } else {
            at.saturating_sub(80)..(at + 80).min(input.len())
        };
        let alignment = input.as_ptr().addr() % 64;
        write!(f, "{} bytes, {alignment} after a multiple of 64; {shown:?} of them: ", input.len())?;
        write!(f, "{:02X?}", &input[shown])
    }
}
