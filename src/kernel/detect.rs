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
use super::job::{KERNELS, Validate};

cfg_if::cfg_if! {
    if #[cfg(trust8_detects)] {
        pub(crate) use choice::{best, chosen, if_chosen, make_default};
        use x86::first;
    } else {
        #[inline(always)]
        pub(crate) fn chosen() -> Validate {
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
    use super::{KERNELS, Kernel, Validate, x86};

    /// The default kernel's function for whole texts; until the first call, [`choose`].
    ///
    /// Threads that race through the first call store the same value, and not over the one that a
    /// program has set. A function is not data that a store must publish, so `Relaxed` is enough.
    static CHOSEN: AtomicPtr<()> = AtomicPtr::new(choose as fn(&[u8], ()) -> Verdict as *mut ());

    /// Returns the default kernel's function for whole texts, which the CPU can run.
    #[inline(always)]
    pub(crate) fn chosen() -> Validate {
        let chosen = CHOSEN.load(Relaxed);
        // SAFETY: only functions of type `Validate` (and `choose`, which differs in being safe) are
        // ever stored, and on the targets that detect, a function pointer has the size and form of
        // a data pointer.
        unsafe { core::mem::transmute::<*mut (), Validate>(chosen) }
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
                let first = ask() as usize;
                FIRST.store(first, Relaxed);
                first
            }
            first => first,
        }
    }

    /// Returns the CPU's best instruction set.
    fn ask() -> Isa {
        match Cpu::ask() {
            Cpu { sse42: false, .. } => Isa::scalar,
            Cpu { avx2: false, .. } => Isa::sse42,
            #[cfg(trust8_avx512)]
            Cpu { avx512: true, .. } => Isa::avx512,
            _ => Isa::avx2,
        }
    }

    /// The features that the kernels need, if both the CPU and the operating system have them.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Cpu {
        sse42: bool,
        avx2: bool,
        avx512: bool,
    }

    impl Cpu {
        const NOTHING: Self = Self { sse42: false, avx2: false, avx512: false };

        fn ask() -> Self {
            let all = |word: u32, bits: &[u32]| bits.iter().all(|bit| word >> bit & 1 == 1);
            // Safe since Rust 1.94, unsafe before: as a pointer of this type, it is the same in all
            // versions.
            let intrinsic: unsafe fn(u32, u32) -> arch::CpuidResult = arch::__cpuid_count;
            // SAFETY: outside of SGX, for which build.rs compiles none of this, every CPU with SSE2
            // has CPUID.
            let cpuid = |leaf| unsafe { intrinsic(leaf, 0) };

            if cpuid(0).eax < 7 {
                // No leaf 7, so nothing newer than SSE4.2. Hardly any such CPU is in use.
                return Self::NOTHING;
            }
            let leaf1 = cpuid(1);
            let leaf7 = cpuid(7);
            // A leaf beyond the last one returns unrelated bits.
            let has_extended = cpuid(0x8000_0000).eax > 0x8000_0000;
            let lzcnt = has_extended && all(cpuid(0x8000_0001).ecx, &[5]);

            // The registers that the operating system saves, if OSXSAVE reports that it has set
            // XCR0.
            let saved = if all(leaf1.ecx, &[27]) {
                // SAFETY: OSXSAVE is set, so XGETBV exists, and register 0 always does.
                unsafe { xcr0() }
            } else {
                0
            };
            let saves = |state: u64| saved & state == state;
            const YMM: u64 = 0b110; // xmm0..15, and the upper halves of ymm0..15
            const ZMM: u64 = YMM | 0b1110_0000; // k0..7, the upper halves of zmm0..15, zmm16..31

            // SSE3, SSSE3, SSE4.1, SSE4.2, POPCNT
            let sse42 = all(leaf1.ecx, &[0, 9, 19, 20, 23]);
            // AVX; AVX2, BMI1, BMI2; LZCNT
            let avx2 = saves(YMM) && all(leaf1.ecx, &[28]) && all(leaf7.ebx, &[3, 5, 8]) && lzcnt;
            // FMA and F16C, which compilers consider part of AVX-512 F; AVX-512 F, BW, VL; VBMI,
            // VBMI2, GFNI, VPOPCNTDQ.
            //
            // This is also the policy. VBMI2 came with Ice Lake and Zen 4, where 512-bit code
            // hardly lowers the clock. Skylake-X and Cascade Lake, which drop by hundreds of MHz
            // and slow down their neighbours, lack it.
            let avx512 = saves(ZMM)
                && all(leaf1.ecx, &[12, 29])
                && all(leaf7.ebx, &[16, 30, 31])
                && all(leaf7.ecx, &[1, 6, 8, 14]);
            Self { sse42, avx2, avx512 }
        }
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

    #[cfg(test)]
    mod tests {
        use super::*;

        /// std's detection is an independent reading of the same manuals.
        #[test]
        fn the_cpu_is_asked_as_std_asks_it() {
            macro_rules! std_says {
                ($($feature:tt)*) => { $(std::is_x86_feature_detected!($feature))&&* };
            }
            let std_says = Cpu {
                sse42: std_says!("sse4.2" "popcnt"),
                avx2: std_says!("avx2" "bmi1" "bmi2" "lzcnt"),
                avx512: std_says!("avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2" "gfni" "avx512vpopcntdq"),
            };
            assert_eq!(Cpu::ask(), std_says);
        }
    }
}
