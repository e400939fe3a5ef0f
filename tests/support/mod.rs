//! What the test files share: the kernels, the answers to compare theirs with, and texts.
//!
//! Two environment variables:
//!
//! - `TRUST8_REQUIRE_KERNELS=avx512,avx2,sse4.2,scalar`: every test fails where one of these is
//!   missing, so that a machine without it can't pass by testing less.
//! - `TRUST8_TEST_SCALE=8`: about an eighth of the inputs, for emulators; see `scale.rs`.

#![expect(dead_code, reason = "each test file uses its own part of this")]

use std::env;
use std::sync::OnceLock;

use trust8::testing;
use trust8::{Kernel, Utf8Error};

pub(crate) mod dialects;
pub(crate) mod malformed;
pub(crate) mod oracle;
pub(crate) mod scale;
pub(crate) mod text;

use oracle::Fault;

/// See `scale.rs`. (Not re-exported: a file that needs neither would be warned.)
pub(crate) type Thin = scale::Thin;

/// See `scale.rs`.
pub(crate) fn scale() -> usize {
    scale::scale()
}

/// A kernel, or one of the paths that a kernel chooses among.
pub(crate) struct Way {
    pub(crate) name: String,
    pub(crate) kernel: &'static Kernel,
}

/// Every kernel that this CPU has and every path of it.
///
/// Panics if one that `TRUST8_REQUIRE_KERNELS` names is missing.
pub(crate) fn ways() -> &'static [Way] {
    static WAYS: OnceLock<Vec<Way>> = OnceLock::new();
    WAYS.get_or_init(|| {
        if let Some(missing) = missing_kernel() {
            panic!(
                "TRUST8_REQUIRE_KERNELS asks for the kernel '{missing}', and this machine or build lacks it; \
                 there are {:?}",
                Kernel::available()
            );
        }
        let mut ways = Vec::new();
        for kernel in Kernel::available() {
            ways.push(Way { name: kernel.name().to_owned(), kernel });
            for path in testing::paths(kernel) {
                ways.push(Way { name: format!("{}, {}", kernel.name(), path.name()), kernel: path });
            }
        }
        ways
    })
}

/// The first required kernel that is not available.
fn missing_kernel() -> Option<String> {
    let required = env::var("TRUST8_REQUIRE_KERNELS").unwrap_or_default();
    let mut names = required.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.find(|name| Kernel::by_name(name).is_none()).map(str::to_owned)
}

/// Asserts that every kernel, on every path, says of `input` what the reference and `core::str` say.
pub(crate) fn check(input: &[u8]) {
    let expected = oracle::fault(input);
    assert_eq!(
        core::str::from_utf8(input).err().map(|error| (error.valid_up_to(), error.error_len())),
        expected.map(|fault| (fault.valid_up_to, fault.error_len)),
        "the reference is wrong: {}",
        Excerpt(input, expected),
    );
    check_for(input, expected);
}

/// Asserts that every kernel, on every path, says of `input` what is expected.
pub(crate) fn check_for(input: &[u8], expected: Option<Fault>) {
    for way in ways() {
        way.check(input, expected);
    }
}

impl Way {
    /// Asserts that this kernel says of `input` what is expected.
    #[inline]
    pub(crate) fn check(&self, input: &[u8], expected: Option<Fault>) {
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

/// An error in the reference's terms.
pub(crate) fn fault_of(error: &Utf8Error) -> Fault {
    Fault { valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind() }
}

/// What to show of an input that a test failed on: all, or the surroundings of the fault.
struct Excerpt<'a>(&'a [u8], Option<Fault>);

impl std::fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(input, fault) = self;
        let at = fault.map_or(0, |fault| fault.valid_up_to);
        let shown = if input.len() <= 300 {
            0..input.len()
        } else {
            at.saturating_sub(80)..(at + 80).min(input.len())
        };
        let alignment = input.as_ptr().addr() % 64;
        write!(f, "{} bytes, {alignment} behind a multiple of 64; {shown:?} of them: ", input.len())?;
        write!(f, "{:02X?}", &input[shown])
    }
}
