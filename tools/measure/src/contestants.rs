//! The contestants: the peers, trust8, and two references that validate nothing.
//!
//! To add a contestant, add a line to [`contestants`].

use std::hint::black_box;

use trust8::Kernel;

use crate::measure::{Entry, entry};

/// The role of a contestant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Another library.
    Peer,
    /// trust8 as its users call it.
    Trust8,
    /// One of trust8's kernels.
    Kernel,
    /// A function that validates nothing. It shows what the measurement or the memory costs.
    Reference,
}

/// A validator that is called once, or for many strings many times.
pub struct Contestant {
    /// The name in tables and plots.
    pub name: String,
    /// The role.
    pub role: Role,
    call: Box<dyn Call>,
}

impl Contestant {
    fn new(name: impl Into<String>, role: Role, validate: impl Fn(&[u8]) -> bool + 'static) -> Self {
        Self { name: name.into(), role, call: Box::new(validate) }
    }

    /// Returns whether the contestant finds the bytes valid.
    pub fn answer(&self, bytes: &[u8]) -> bool {
        self.call.answer(bytes)
    }

    /// Validates all strings `times` times, and returns how often it found one valid.
    pub fn sweep(&self, strings: &[&[u8]], times: usize) -> usize {
        self.call.sweep(strings, times)
    }

    /// Returns its entry for a race, which counts the valid strings. References count them before.
    pub fn on<'a>(&'a self, strings: &'a [&[u8]]) -> Entry<'a> {
        if self.validates() {
            return entry(&*self.name, || self.sweep(strings, 1));
        }
        let valid = strings.iter().filter(|bytes| str::from_utf8(bytes).is_ok()).count();
        entry(&*self.name, move || {
            let _ = black_box(self.sweep(strings, 1));
            valid
        })
    }

    /// Returns whether it is a validator, so that its answers can be checked.
    pub fn validates(&self) -> bool {
        self.role != Role::Reference
    }
}

/// A contestant's function and the loop around it. The loop is a method of the trait, so it is compiled once for each
/// contestant, and inlines what a program would inline.
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
            // Without `black_box` the compiler might validate the strings once and multiply.
            for bytes in black_box(strings) {
                valid += usize::from(self(bytes));
            }
        }
        valid
    }
}

/// Returns all contestants that this CPU can run.
pub fn contestants() -> Vec<Contestant> {
    use Role::{Peer, Reference, Trust8};

    let mut all = vec![
        Contestant::new("std", Peer, |bytes| std::str::from_utf8(bytes).is_ok()),
        Contestant::new("encoding_rs", Peer, |bytes| {
            encoding_rs::Encoding::utf8_valid_up_to(bytes) == bytes.len()
        }),
        Contestant::new("bstr", Peer, |bytes| bstr::ByteSlice::to_str(bytes).is_ok()),
        Contestant::new("simdutf8 compat", Peer, |bytes| simdutf8::compat::from_utf8(bytes).is_ok()),
        Contestant::new("simdutf8 basic", Peer, |bytes| simdutf8::basic::from_utf8(bytes).is_ok()),
    ];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    all.extend(simdutf8_modules());
    all.push(Contestant::new("ps-simdutf8", Peer, |bytes| ps_simdutf8::basic::from_utf8(bytes).is_ok()));
    all.push(Contestant::new("smoothutf8", Peer, smoothutf8::verify));
    all.push(Contestant::new("simdutf C++", Peer, simdutf::validate_utf8));

    all.push(Contestant::new("trust8", Trust8, trust8::is_utf8));
    all.push(Contestant::new("trust8 from_utf8", Trust8, |bytes| trust8::from_utf8(bytes).is_ok()));
    for kernel in Kernel::available() {
        let name = format!("trust8 {}", kernel.name());
        all.push(Contestant::new(name, Role::Kernel, move |bytes| kernel.is_utf8(bytes)));
    }

    all.push(Contestant::new("call alone", Reference, call_alone));
    all.push(Contestant::new("read loop", Reference, crate::read_loop::fastest()));
    all
}

/// Returns the modules of simdutf8 for single instruction sets, which the crate would choose by itself on other CPUs.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn simdutf8_modules() -> Vec<Contestant> {
    use simdutf8::basic::imp::x86::{avx2, sse42};

    let mut modules = Vec::new();
    if std::arch::is_x86_feature_detected!("sse4.2") {
        modules.push(Contestant::new("simdutf8 sse4.2", Role::Peer, |bytes| {
            // SAFETY: the contestant exists only where SSE4.2 was detected.
            unsafe { sse42::validate_utf8(bytes) }.is_ok()
        }));
    }
    if std::arch::is_x86_feature_detected!("avx2") {
        modules.push(Contestant::new("simdutf8 avx2", Role::Peer, |bytes| {
            // SAFETY: the contestant exists only where AVX2 was detected.
            unsafe { avx2::validate_utf8(bytes) }.is_ok()
        }));
    }
    modules
}

/// Looks only at the length. It shows what the measuring loop and a call cost.
#[inline(never)]
fn call_alone(bytes: &[u8]) -> bool {
    black_box(bytes.len()) <= isize::MAX as usize
}
