//! Run-time detection: chooses a kernel for the CPU, and stores the choice.
//!
//! - If every CPU of the target has the best kernel's instruction set, the choice is made at
//!   compile time, and the call is direct.
//! - Otherwise the first call detects the CPU, and stores a function pointer in one relaxed atomic.
//!   From then on, a call is one load and one indirect jump.
//!
//! A program may choose another kernel: see [`Kernel::make_default`].
//!
//! A target that guarantees AVX2 but not AVX-512 (x86-64-v3) still detects: the better kernel is
//! worth more than the fraction of a nanosecond that this costs.

use super::Kernel;
use super::job::{KERNELS, ValidateFn};

cfg_if::cfg_if! {
    if #[cfg(trust8_detects)] {
        pub(crate) use choice::{best, chosen, if_chosen, make_default};
        use x86::first;
    } else {
        #[inline(always)]
        pub(crate) fn chosen() -> ValidateFn {
            KERNELS[0].validate
        }

        /// The first one: build.rs compiles only kernels that the target guarantees.
        #[inline(always)]
        pub(crate) fn best() -> &'static Kernel {
            &KERNELS[0]
        }

        /// Returns the only choice.
        #[inline(always)]
        pub(crate) fn if_chosen() -> Option<&'static Kernel> {
            Some(best())
        }

        /// Nothing is stored here: the kernel is fixed.
        pub(crate) fn make_default(kernel: &'static Kernel) -> bool {
            kernel.isa == KERNELS[0].isa
        }

        fn first() -> usize {
            0
        }
    }
}

/// Returns the kernels from the best one on: a kernel's requirements include those of all kernels
/// after it.
pub(crate) fn available() -> &'static [Kernel] {
    &KERNELS[first()..]
}

/// The choice that the first call makes.
#[cfg(trust8_detects)]
mod choice {
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

    use super::super::verdict::Verdict;
    use super::{KERNELS, Kernel, ValidateFn, x86};

    /// The default kernel's function for whole texts; until the first call, [`choose`].
    ///
    /// Threads that race through the first call store the same value, and not over the one that a
    /// program has set. A function is not data that a store must publish, so `Relaxed` is enough.
    static CHOSEN: AtomicPtr<()> = AtomicPtr::new(choose as fn(&[u8], ()) -> Verdict as *mut ());

    /// Returns the default kernel's function for whole texts, which the CPU can run.
    #[inline(always)]
    pub(crate) fn chosen() -> ValidateFn {
        let chosen = CHOSEN.load(Relaxed);
        // SAFETY: only functions of type `ValidateFn` (and `choose`, which differs in being safe) are
        // ever stored, and on the targets that detect, a function pointer has the size and form of
        // a data pointer.
        unsafe { core::mem::transmute::<*mut (), ValidateFn>(chosen) }
    }

    #[cold]
    fn choose(bytes: &[u8], (): ()) -> Verdict {
        let best = best();
        let undecided = choose as fn(&[u8], ()) -> Verdict as *mut ();
        // It fails if another thread has chosen in the meantime.
        let _ = CHOSEN.compare_exchange(undecided, best.validate as *mut (), Relaxed, Relaxed);
        best.verdict(bytes)
    }

    /// The default kernel; null until the first call.
    static BEST: AtomicPtr<Kernel> = AtomicPtr::new(ptr::null_mut());

    /// Returns the default kernel, for everything except plain validation: this costs one more
    /// load.
    #[inline(always)]
    pub(crate) fn best() -> &'static Kernel {
        #[cold]
        fn choose() -> &'static Kernel {
            let best = &KERNELS[x86::first()];
            match BEST.compare_exchange(ptr::null_mut(), ptr::from_ref(best).cast_mut(), Relaxed, Relaxed) {
                Ok(_) => best,
                // Another thread has chosen in the meantime.
                Err(_) => self::best(),
            }
        }

        match if_chosen() {
            Some(best) => best,
            None => choose(),
        }
    }

    /// Returns the default kernel if the CPU was already detected.
    #[inline(always)]
    pub(crate) fn if_chosen() -> Option<&'static Kernel> {
        // SAFETY: null, or a reference to one of `KERNELS`, which nobody writes to. They are
        // constant, so `Relaxed` shows all of them.
        unsafe { BEST.load(Relaxed).as_ref() }
    }

    /// Makes `kernel` the default. Always succeeds.
    pub(crate) fn make_default(kernel: &'static Kernel) -> bool {
        // In this order: `choose` reads `BEST` before it decides about `CHOSEN`.
        BEST.store(ptr::from_ref(kernel).cast_mut(), Relaxed);
        CHOSEN.store(kernel.validate as *mut (), Relaxed);
        true
    }

    #[cfg(test)]
    #[test]
    fn the_first_call_chooses_the_best_kernel() {
        assert!(crate::is_utf8(b"abc"));
        assert_eq!(CHOSEN.load(Relaxed), super::available()[0].validate as *mut ());
    }
}

/// Detects an x86 CPU with CPUID and XGETBV directly, so that a program without `std` also gets
/// SIMD.
#[cfg(trust8_detects)]
mod x86 {
    #[cfg(target_arch = "x86")]
    use core::arch::x86 as arch;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64 as arch;

    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::super::job::Isa;

    /// Returns the index of the best kernel in `KERNELS`. The result is stored, because under a
    /// hypervisor each CPUID leaves the guest.
    pub(super) fn first() -> usize {
        const UNKNOWN: usize = usize::MAX;
        static FIRST: AtomicUsize = AtomicUsize::new(UNKNOWN);
        match FIRST.load(Relaxed) {
            UNKNOWN => {
                let reported = ask();
                let first = NEEDED.iter().rposition(|needed| !has(&reported, needed)).map_or(0, |i| i + 1);
                FIRST.store(first, Relaxed);
                first
            }
            first => first,
        }
    }

    /// What CPUID and XGETBV report, in the order of `simd/sets.rs`.
    type Words = [u32; 5];

    macro_rules! needs {
        ($($set:ident: $token:ident, $name:literal, $cfg:ident, [$($feature:tt),+], $target:tt, $about:literal;)+) => {
            /// What each kernel needs besides what the kernels after it need.
            const NEEDED: [Words; Isa::scalar as usize] =
                [$(#[cfg($cfg)] all_of(&[$(instruction_sets!(cpuid $feature)),+]),)+];

            #[cfg(test)]
            mod tests {
                use super::{NEEDED, first};

                /// std's detection is an independent reading of the same manuals.
                #[test]
                fn the_cpu_is_asked_as_std_asks_it() {
                    let all = |features: &[bool]| features.iter().all(|has| *has);
                    let std_says = [$(#[cfg($cfg)] all(&[$(std::is_x86_feature_detected!($feature)),+]),)+];
                    for i in 0..NEEDED.len() {
                        assert_eq!(first() <= i, all(&std_says[i..]), "{std_says:?}");
                    }
                }
            }
        };
    }
    instruction_sets!(needs);

    /// Returns the bits of all these features.
    const fn all_of(features: &[Words]) -> Words {
        let (mut all, mut i) = ([0; 5], 0);
        while i < 5 * features.len() {
            all[i % 5] |= features[i / 5][i % 5];
            i += 1;
        }
        all
    }

    /// Returns whether all bits of `needed` are in `reported`.
    fn has(reported: &Words, needed: &Words) -> bool {
        reported.iter().zip(needed).all(|(reported, needed)| reported & needed == *needed)
    }

    /// Returns what the CPU and the operating system report.
    fn ask() -> Words {
        // Safe since Rust 1.94, unsafe before: as a pointer of this type, it is the same in all
        // versions.
        let intrinsic: unsafe fn(u32, u32) -> arch::CpuidResult = arch::__cpuid_count;
        // SAFETY: outside of SGX, for which build.rs compiles none of this, every CPU with SSE2
        // has CPUID.
        let cpuid = |leaf| unsafe { intrinsic(leaf, 0) };

        if cpuid(0).eax < 7 {
            // No leaf 7, so nothing newer than SSE4.2. Hardly any such CPU is in use.
            return [0; 5];
        }
        let (leaf1, leaf7) = (cpuid(1), cpuid(7));
        // A leaf beyond the last one returns unrelated bits.
        let extended = if cpuid(0x8000_0000).eax > 0x8000_0000 { cpuid(0x8000_0001).ecx } else { 0 };
        // The operating system has set XCR0 if OSXSAVE reports it.
        let saved = match leaf1.ecx >> 27 & 1 {
            0 => 0,
            // SAFETY: OSXSAVE is set, so XGETBV exists, and register 0 always does.
            _ => unsafe { xcr0() as u32 },
        };
        [leaf1.ecx, leaf7.ebx, leaf7.ecx, extended, saved]
    }

    /// Extended control register 0.
    ///
    /// # Safety
    ///
    /// - The operating system must have enabled XGETBV: CPUID leaf 1, ECX bit 27 (OSXSAVE).
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: the caller saw OSXSAVE; register 0 exists where XGETBV does.
        unsafe { arch::_xgetbv(0) }
    }
}
