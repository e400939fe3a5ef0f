//! Runs a job with a kernel.
//!
//! Each token of `simd/sets.rs` has one function that is compiled for its instruction set, `enter`.
//! It runs any [`Job`], and contains no algorithm. [`Kernel::run`] names only the functions of one
//! job, so a program contains only the jobs that it calls.
//!
//! CONTRIBUTING.md lists what a new instruction set needs.

use super::automaton::Automaton;
use super::verdict::Verdict;
use super::{Kernel, Validate};
use crate::simd::Job;

/// A job, compiled for an instruction set.
///
/// # Safety
///
/// - The CPU must have that instruction set.
pub(super) type EntryPoint<M, O> = unsafe fn(&[u8], M) -> O;

/// A kernel's function for whole texts.
pub(super) type ValidateFn = EntryPoint<(), Verdict>;

/// Declares the bound on the jobs of an instruction set. There is none if the target lacks the set.
macro_rules! runs {
    ($set:ident, $($token:ty)?) => {
        mod $set {
            pub trait Runs<M, O> $(: super::Job<$token, M, O>)? {}

            impl<J $(: super::Job<$token, M, O>)?, M, O> Runs<M, O> for J {}
        }
    };
}

macro_rules! kernels {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        $(
            #[cfg($cfg)]
            use crate::simd::$token;
            #[cfg($cfg)]
            runs!($set, super::$token);
            #[cfg(not($cfg))]
            runs!($set,);
        )+
        runs!(scalar, super::Automaton);

        /// A compiled instruction set: the index of the tables.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(non_camel_case_types, reason = "each has the name of its module")]
        pub(crate) enum Isa {
            $(#[cfg($cfg)] $set,)+
            scalar,
        }

        /// The compiled kernels, best first. Only `detect` hands out parts of this array.
        pub(super) static KERNELS: [Kernel; Isa::scalar as usize + 1] = [
            $(#[cfg($cfg)] Kernel { name: $name, isa: Isa::$set, validate: $token::enter::<Validate, _, _> },)+
            Kernel { name: "scalar", isa: Isa::scalar, validate: Automaton::enter::<Validate, _, _> },
        ];

        /// A job that every engine of the target can run.
        pub trait Portable<M, O>: $($set::Runs<M, O> +)+ scalar::Runs<M, O> {}

        impl<J: $($set::Runs<M, O> +)+ scalar::Runs<M, O>, M, O> Portable<M, O> for J {}

        impl<M, O> EntryPoints<M, O> {
            /// Returns the entry points of a job.
            pub(crate) const fn of<J: Portable<M, O>>() -> Self {
                Self([$(#[cfg($cfg)] ($token::enter::<J, M, O> as EntryPoint<M, O>),)+ Automaton::enter::<J, M, O> as EntryPoint<M, O>])
            }
        }
    };
}
instruction_sets!(kernels);

/// A job, compiled for each instruction set.
///
/// `Kernel::run` makes the entry points of any job. A function that is inlined into other crates
/// keeps them in a static, which is compiled once, in this crate.
pub(crate) struct EntryPoints<M, O>([EntryPoint<M, O>; KERNELS.len()]);

impl<M, O> EntryPoints<M, O> {
    /// Runs the job with a kernel.
    #[inline]
    pub(crate) fn run(&self, kernel: &Kernel, bytes: &[u8], more: M) -> O {
        // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction
        // set that this function is compiled for.
        unsafe { self.0[kernel.isa as usize](bytes, more) }
    }
}

impl Kernel {
    /// Runs a job with this kernel.
    #[doc(hidden)]
    #[inline]
    pub fn run<J: Portable<M, O>, M, O>(&self, _: J, bytes: &[u8], more: M) -> O {
        const { &EntryPoints::of::<J>() }.run(self, bytes, more)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::on_reject::{Accepts, ContinuesOr};
    use crate::kernel::{Continues, Engine, Kernel, Rejected, automaton};
    use crate::simd::Job;

    /// A long piece between ASCII takes its own path.
    #[test]
    fn long_pieces_between_ascii_go_on() {
        let middle = "\u{E9}\u{65E5}\u{1F600}".repeat(300);
        for kernel in Kernel::available() {
            for len in (0..40).chain(2600..2640) {
                let text = format!("{}{}{}.", "a".repeat(600), &middle[..9 * (len / 9)], "b".repeat(len % 9));
                for before in [*b"abcd", *b"\0\0\0\n", "\u{65E5}a".as_bytes().try_into().unwrap()] {
                    assert!(
                        kernel.run(Continues, text.as_bytes(), before),
                        "{kernel:?}, {before:02X?}, {len}"
                    );
                }
                // After a lead, and with a wrong byte anywhere: also at the end, where it is not ASCII.
                assert!(!kernel.run(Continues, text.as_bytes(), [0, 0, 0, 0xC3]), "{kernel:?}, {len}");
                for at in [0, 1, 255, 256, 511, 512, 599, text.len() / 2, text.len() - 2, text.len() - 1] {
                    let mut wrong = text.clone().into_bytes();
                    wrong[at] = 0xF5;
                    assert!(!kernel.run(Continues, &wrong, *b"abcd"), "{kernel:?}, {len}, {at}");
                }
            }
        }
    }

    /// In a text with one fault, the automaton finds it from any earlier position. So only this
    /// test sees the position that a kernel returns.
    #[test]
    fn a_suspicion_leads_to_within_a_character_of_the_fault() {
        let faults: [&[u8]; 9] = [
            b"\x80",
            b"\xC0\x80",
            b"\xC3a",
            b"\xE0\x80\x80",
            b"\xE2\x82a",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x98a",
            b"\xF4\x90\x80\x80",
            b"\xFF",
        ];
        for kernel in Kernel::available().iter().filter(|kernel| kernel.name() != "scalar") {
            for (letter, fault) in
                ["a", "\u{E9}", "\u{65E5}", "\u{1F600}"].iter().flat_map(|l| faults.map(|f| (l, f)))
            {
                for len in (130..160).chain(700..720).chain([1500, 2500, 6000]) {
                    let mut text = letter.repeat(len / letter.len()).into_bytes();
                    let at = text.len();
                    text.extend_from_slice(fault);
                    // Kernels do not search the bytes after the last whole vector.
                    text.extend_from_slice(&[b'b'; 128]);
                    let suspect = kernel.verdict(&text).suspicion().expect("it is not UTF-8");
                    assert!(
                        (at.saturating_sub(1)..at + 3).contains(&suspect),
                        "{kernel:?}, {fault:02X?} at {at}: {suspect}"
                    );
                    assert_eq!(
                        automaton::judge(&text, suspect).map_err(|error| error.valid_up_to()),
                        Err(at)
                    );
                }
            }
        }
    }

    struct SoundUpTo;

    impl<E: Engine> Job<E, usize, usize> for SoundUpTo {
        fn run(engine: E, bytes: &[u8], at: usize) -> usize {
            engine.sound_up_to(bytes, at)
        }
    }

    /// Text with ill-formed sequences becomes a `str` because of this position.
    #[test]
    fn text_is_sound_up_to_a_fault_and_not_beyond() {
        let faults: [&[u8]; 9] =
            [b"\x80", b"\xC0", b"\xC3", b"\xE0", b"\xE2\x82", b"\xED", b"\xF0\x9F\x98", b"\xF4", b"\xFF"];
        for kernel in Kernel::available() {
            for (letter, fault) in
                ["a", "\u{E9}", "\u{65E5}", "\u{1F600}"].iter().flat_map(|l| faults.map(|f| (l, f)))
            {
                for count in 1..140 {
                    let mut text = letter.repeat(count).into_bytes();
                    let start = text.len();
                    text.extend_from_slice(fault);
                    for after in ["", "b", "b\u{E9}", &"\u{65E5}".repeat(50)] {
                        let text = [&text, after.as_bytes()].concat();
                        let near = text.len().saturating_sub(67).min(start.saturating_sub(67));
                        for at in [0, 4, 5, 6, 7, 64, 65, 66, start / 2, start] {
                            if at > start || (1..4).contains(&at) {
                                continue;
                            }
                            let sound = kernel.run(SoundUpTo, &text, at);
                            assert!(
                                (near..=start + fault.len()).contains(&sound),
                                "{kernel:?}, {fault:02X?} after {start} times {letter}, {at}: {sound}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// The answer is the kernel's. `otherwise` is called exactly if it is no, with all arguments.
    #[test]
    fn what_is_done_otherwise_is_done_exactly_where_the_answer_is_no() {
        let text = "a\u{E9}\u{65E5}\u{1F600}bcdefg".repeat(500);
        for kernel in Kernel::available() {
            for len in (0..70).chain(500..530).chain([1000, 1535, 1536, 1537, 4096, 7000]) {
                let valid =
                    text.as_bytes()[..len].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                for wrong_at in [None, Some(0), Some(valid / 2), Some(valid.saturating_sub(1))] {
                    let mut bytes = text.as_bytes()[..valid].to_vec();
                    if let Some(byte) = wrong_at.and_then(|at| bytes.get_mut(at)) {
                        *byte = 0xFF;
                    }
                    let expected = core::str::from_utf8(&bytes);
                    for answer in [false, true] {
                        let mut asked = 0;
                        let found = kernel.run(Accepts, &bytes, |rejected: Rejected<'_>| {
                            asked += 1;
                            let error = rejected.text().expect_err("it is not UTF-8");
                            let expected = expected.expect_err("it is not UTF-8");
                            assert_eq!(
                                error.valid_up_to(),
                                expected.valid_up_to(),
                                "{kernel:?}, {len}, {wrong_at:?}"
                            );
                            answer
                        });
                        assert_eq!(asked, usize::from(expected.is_err()), "{kernel:?}, {len}, {wrong_at:?}");
                        assert_eq!(found, expected.is_ok() || answer, "{kernel:?}, {len}, {wrong_at:?}");
                    }
                    for before in [*b"abcd", *b"ab\xE6\x97"] {
                        if bytes.is_empty() {
                            continue;
                        }
                        let expected = kernel.run(Continues, &bytes, before);
                        let mut asked = 0;
                        let found = kernel.run(
                            ContinuesOr,
                            &bytes,
                            (before, |same: [u8; 4], piece: &[u8]| {
                                asked += 1;
                                assert!(
                                    same == before && core::ptr::eq(piece, bytes.as_slice()),
                                    "{kernel:?}, {len}"
                                );
                                false
                            }),
                        );
                        assert_eq!((found, asked), (expected, usize::from(!expected)), "{kernel:?}, {len}");
                    }
                }
            }
        }
    }

    /// The streaming tests see every wrong yes, but a wrong no only costs time. So this test looks
    /// for both.
    #[test]
    fn pieces_of_text_go_on_wherever_they_are_cut() {
        let text =
            "a\u{E9}\u{65E5}\u{1F600}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}bc".repeat(12);
        let text = text.as_bytes();
        let mut pieces = 0;
        for kernel in Kernel::available() {
            for from in 0..100 {
                let mut before = [0; 4];
                let known = from.min(4);
                before[4 - known..].copy_from_slice(&text[from - known..from]);
                for to in from + 1..text.len() {
                    let piece = &text[from..to];
                    assert!(
                        kernel.run(Continues, piece, before),
                        "{kernel:?}, after {before:02X?}: {piece:02X?}"
                    );
                    pieces += 1;
                }
                // A wrong byte anywhere.
                for to in from + 1..from + 140 {
                    let mut piece = text[from..to].to_vec();
                    for at in [0, piece.len() / 3, piece.len() - 1] {
                        for wrong in [0xC0, 0xC1, 0xF5, 0xFF] {
                            let right = core::mem::replace(&mut piece[at], wrong);
                            assert!(
                                !kernel.run(Continues, &piece, before),
                                "{kernel:?}, {before:02X?}: {piece:02X?}"
                            );
                            piece[at] = right;
                        }
                    }
                }
            }
        }
        assert!(pieces > 1000);
    }
}
