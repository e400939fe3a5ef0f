//! How text comes from memory: what CPUs fetch by themselves, and what they must be asked for.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// When a CPU fetches text from memory that it reads in order, and has not been asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetching {
    /// Early enough. Requests hold up what is read. AMD's CPUs up to family 19 (Zen 4), and those that I know nothing about.
    InTime = 1,
    /// Too late, unless text at several places is read in turn. Intel's.
    Late,
    /// Too late, and several places help less than requests. AMD's from family 1A (Zen 5) on.
    Latest,
}

impl Fetching {
    /// Returns what this CPU does. To inline this would cost more bytes than the call costs time.
    #[inline(never)]
    pub(crate) fn here() -> Self {
        /// Zero until the CPU has been asked. Under a hypervisor each CPUID leaves the guest.
        static ANSWER: AtomicU8 = AtomicU8::new(0);
        match ANSWER.load(Relaxed) {
            0 => {
                let answer = Self::ask();
                ANSWER.store(answer as u8, Relaxed);
                answer
            }
            1 => Self::InTime,
            2 => Self::Late,
            _ => Self::Latest,
        }
    }

    #[cold]
    fn ask() -> Self {
        // Safe since Rust 1.94, unsafe before: as a pointer of this type it is the same in all.
        let intrinsic: unsafe fn(u32) -> CpuidResult = __cpuid;
        // SAFETY: by build.rs, this is compiled for CPUs with SSE2, outside of SGX. All of them have CPUID and these leaves.
        let (vendor, version) = (unsafe { intrinsic(0) }, unsafe { intrinsic(1) });
        Self::of(vendor.ecx.to_le_bytes(), version.eax)
    }

    /// Returns what a CPU does that answers so: the last four letters of its vendor's name, and its version.
    fn of(vendor: [u8; 4], version: u32) -> Self {
        // An extended family counts on from F, the last family of four bits.
        let (family, extended) = (version >> 8 & 0xF, version >> 20 & 0xFF);
        match &vendor {
            b"ntel" => Self::Late,
            b"cAMD" if family == 0xF && family + extended >= 0x1A => Self::Latest,
            _ => Self::InTime,
        }
    }
}

/// Asks the first-level cache for the line at `bytes[at]`. Where `bytes` has no such place, nothing happens.
#[inline(always)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    let line = bytes.as_ptr().wrapping_add(at);
    // SAFETY: SSE, which SSE2 includes, by build.rs. A prefetch is a hint: it neither faults nor counts as an access.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_known_by_vendor_and_family() {
        let is = |vendor: &[u8; 4], version, fetching| assert!(Fetching::of(*vendor, version) == fetching);
        is(b"ntel", 0x000C_06F2, Fetching::Late); // family 6, model 207
        is(b"cAMD", 0x00A1_0F11, Fetching::InTime); // family 19, model 11
        is(b"cAMD", 0x00B0_0F21, Fetching::Latest); // family 1A, model 2
        is(b"cAMD", 0x0000_0F4A, Fetching::InTime); // family F
        is(b"uine", 0x0090_0F01, Fetching::InTime);
    }
}
