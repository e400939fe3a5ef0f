//! Everything that is measured, by name: the peers, trust8, and two loops that validate nothing.
//!
//! To add a contestant, add a line to [`contestants`].

use std::fmt;
use std::hint::black_box;

use trust8::Kernel;
use trust8::testing;

/// What a contestant is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Another library.
    Peer,
    /// trust8 as its users call it.
    Trust8,
    /// One of trust8's kernels.
    Kernel,
    /// One of the ways among which a kernel chooses by length and content.
    Path,
    /// Validates nothing; says what the measurement or the memory costs.
    Reference,
}

/// A validator that can be called once, or over and over.
pub struct Contestant {
    /// For tables and plots.
    pub name: String,
    /// What it is.
    pub role: Role,
    call: Box<dyn Call>,
}

impl Contestant {
    fn new(name: impl Into<String>, role: Role, validate: impl Fn(&[u8]) -> bool + 'static) -> Self {
        Self { name: name.into(), role, call: Box::new(validate) }
    }

    /// Whether it takes the bytes for UTF-8.
    #[must_use]
    pub fn answer(&self, bytes: &[u8]) -> bool {
        self.call.answer(bytes)
    }

    /// Validates each of the strings, all of them `times` times, and returns how many it found valid.
    #[must_use]
    pub fn sweep(&self, strings: &[&[u8]], times: usize) -> usize {
        self.call.sweep(strings, times)
    }

    /// Whether it is a validator, so that its answers mean something.
    #[must_use]
    pub fn validates(&self) -> bool {
        self.role != Role::Reference
    }
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant")
            .field("name", &self.name)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

/// The loop is a method of the trait, so that it is compiled once for each contestant and calls it as a
/// program would: what a library marks as inlined is inlined.
trait Call {
    fn answer(&self, bytes: &[u8]) -> bool;
    fn sweep(&self, strings: &[&[u8]], times: usize) -> usize;
}

impl<F: Fn(&[u8]) -> bool> Call for F {
    fn answer(&self, bytes: &[u8]) -> bool {
        self(bytes)
    }

    #[inline(never)]
    fn sweep(&self, strings: &[&[u8]], times: usize) -> usize {
        let mut valid = 0;
        for _ in 0..times {
            // Opaque, or the compiler might validate the strings once and multiply.
            for bytes in black_box(strings) {
                valid += usize::from(self(bytes));
            }
        }
        valid
    }
}

/// All contestants that this CPU can run.
#[must_use]
pub fn contestants() -> Vec<Contestant> {
    use Role::{Path, Peer, Reference, Trust8};

    let mut all = vec![
        Contestant::new("std", Peer, |bytes| std::str::from_utf8(bytes).is_ok()),
        Contestant::new("encoding_rs", Peer, |bytes| {
            encoding_rs::Encoding::utf8_valid_up_to(bytes) == bytes.len()
        }),
        Contestant::new("bstr", Peer, |bytes| bstr::ByteSlice::to_str(bytes).is_ok()),
        Contestant::new("simdutf8 compat", Peer, |bytes| simdutf8::compat::from_utf8(bytes).is_ok()),
        Contestant::new("simdutf8 basic", Peer, |bytes| simdutf8::basic::from_utf8(bytes).is_ok()),
    ];
    all.extend(simdutf8_modules());
    all.push(Contestant::new("simdutf C++", Peer, simdutf::validate_utf8));

    all.push(Contestant::new("trust8", Trust8, trust8::is_utf8));
    all.push(Contestant::new("trust8 from_utf8", Trust8, |bytes| trust8::from_utf8(bytes).is_ok()));
    for kernel in Kernel::available() {
        let name = format!("trust8 {}", kernel.name());
        for path in testing::paths(kernel) {
            all.push(Contestant::new(format!("{name}, {}", path.name()), Path, move |bytes| {
                path.is_utf8(bytes)
            }));
        }
        all.push(Contestant::new(name, Role::Kernel, move |bytes| kernel.is_utf8(bytes)));
    }

    all.push(Contestant::new("call alone", Reference, nothing));
    all.push(Contestant::new("read loop", Reference, crate::memory::reader()));
    all
}

/// The modules of simdutf8 that its dispatch would choose on another CPU.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn simdutf8_modules() -> Vec<Contestant> {
    use simdutf8::basic::imp::x86::{avx2, sse42};

    let mut modules = Vec::new();
    if std::arch::is_x86_feature_detected!("sse4.2") {
        modules.push(Contestant::new("simdutf8 sse4.2", Role::Peer, |bytes| {
            // SAFETY: the CPU has SSE4.2, or this would not be reachable.
            unsafe { sse42::validate_utf8(bytes) }.is_ok()
        }));
    }
    if std::arch::is_x86_feature_detected!("avx2") {
        modules.push(Contestant::new("simdutf8 avx2", Role::Peer, |bytes| {
            // SAFETY: the CPU has AVX2, or this would not be reachable.
            unsafe { avx2::validate_utf8(bytes) }.is_ok()
        }));
    }
    modules
}

/// Elsewhere there is one module, and the dispatch chooses it.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn simdutf8_modules() -> Vec<Contestant> {
    Vec::new()
}

/// A call that looks at nothing but the length: what the measuring loop and a call cost.
#[inline(never)]
fn nothing(bytes: &[u8]) -> bool {
    black_box(bytes.len()) <= isize::MAX as usize
}
