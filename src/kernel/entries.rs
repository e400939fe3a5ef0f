//! The entry points of all instruction sets: the one place where a function is compiled for each of them.
//!
//! [`Engine`] lists what an algorithm can do. `kernels!` lists the instruction sets of the target, best first, with
//! the token that proves each. From both follow:
//!
//! - for each instruction set a module of *doors*: functions that are compiled for it, make its token, and call the
//!   engine. They contain no algorithm.
//! - for each door that is not `validate` a table, indexed by [`Isa`], and a safe function that takes a [`Kernel`]. A
//!   table is named by that function alone, so a program that never calls it does not contain the doors either.
//!
//! To add an instruction set, write its file in `simd/` and add its line to `kernels!` below.

use super::counts::Counts;
use super::otherwise::{OnNotContinued, OnRejected, Rejected};
use super::search::{self, Sought};
use super::sieve::{Sieve, Sift, Suspects};
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Found};
use super::verdict::Verdict;
#[cfg(feature = "transcode")]
use super::{Conversion, Measure, swap_units};
use super::{Engine, Kernel, SHORT_PIECE, Surveys, Validates, automaton::Automaton, is_between_ascii};
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;

/// A kernel's function for whole texts.
///
/// # Safety
///
/// - The CPU must have the instruction set that the function was compiled for.
pub(crate) type Validate = unsafe fn(&[u8]) -> Verdict;

#[cold]
#[inline(never)]
fn rejected<F: OnRejected>(bytes: &[u8], verdict: Verdict, otherwise: F) -> bool {
    otherwise(Rejected::new(bytes, verdict))
}

#[cold]
#[inline(never)]
fn not_continued<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
    otherwise(before, piece)
}

/// Returns whether a text is long, for an engine whose type has no name here.
#[inline(always)]
const fn is_long<E: Engine>(_: E, bytes: &[u8]) -> bool {
    bytes.len() >= E::LONG
}

/// The doors of one instruction set: functions that are compiled for it and call its engine.
macro_rules! doors {
    ($set:ident, $token:expr $(, $features:meta)?) => {
        pub(super) mod $set {
            use super::*;

            $(#[$features])?
            pub(crate) fn validate(bytes: &[u8]) -> Verdict {
                let engine = $token;
                if is_long(engine, bytes) { long(bytes) } else { engine.validate_short(bytes) }
            }

            // Apart, so that short texts do not pay for the registers that it saves.
            #[inline(never)]
            $(#[$features])?
            pub(crate) fn long(bytes: &[u8]) -> Verdict {
                $token.validate_long(bytes)
            }

            $(#[$features])?
            pub(super) fn continues(before: [u8; 4], piece: &[u8]) -> bool {
                if piece.len() <= SHORT_PIECE {
                    return $token.continues(before, piece);
                }
                is_between_ascii(before, piece) && validate(piece).is_valid()
            }

            $(#[$features])?
            pub(super) fn accepts<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
                let engine = $token;
                if is_long(engine, bytes) {
                    return accepts_more(bytes, otherwise);
                }
                let verdict = engine.validate_short(bytes);
                verdict.is_valid() || rejected(bytes, verdict, otherwise)
            }

            /// A function of its own, so that short texts need not save registers for it.
            #[inline(never)]
            $(#[$features])?
            fn accepts_more<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
                let verdict = long(bytes);
                verdict.is_valid() || rejected(bytes, verdict, otherwise)
            }

            $(#[$features])?
            pub(super) fn continues_or<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
                if piece.len() > SHORT_PIECE {
                    return continues_or_more(before, piece, otherwise);
                }
                $token.continues(before, piece) || not_continued(before, piece, otherwise)
            }

            /// A function of its own, so that short pieces need not save registers for it.
            #[inline(never)]
            $(#[$features])?
            fn continues_or_more<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
                is_between_ascii(before, piece) && validate(piece).is_valid() || not_continued(before, piece, otherwise)
            }

            $(#[$features])?
            pub(super) fn seek(bytes: &[u8], from: usize) -> Found {
                survey::seek($token.surveyor(), bytes, from)
            }

            #[cfg(feature = "alloc")]
            $(#[$features])?
            pub(super) fn replace(bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
                survey::replace($token.surveyor(), bytes, at, done, out)
            }

            $(#[$features])?
            pub(super) fn inspect(bytes: &[u8]) -> (Verdict, Counts) {
                $token.inspect(bytes)
            }

            $(#[$features])?
            pub(super) fn count_chars(text: &[u8]) -> usize {
                $token.count_chars(text)
            }

            $(#[$features])?
            pub(super) fn utf16_len(text: &[u8]) -> usize {
                $token.utf16_len(text)
            }

            $(#[$features])?
            pub(super) fn search<Q: Sought>(text: &[u8]) -> usize {
                if text.len() < search::LONG { search::short::<Q, _>($token, text) } else { search_long::<Q>(text) }
            }

            /// A function of its own, so that short texts need not save registers for it.
            #[inline(never)]
            $(#[$features])?
            fn search_long<Q: Sought>(text: &[u8]) -> usize {
                search::long::<Q, _>($token, text)
            }

            $(#[$features])?
            pub(super) fn sift(text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
                $token.sift(text, from, sieve, |t, at, s| sift_short(t, at, s), |t, at, s| sift_long(t, at, s))
            }

            #[inline(never)]
            $(#[$features])?
            fn sift_short(text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
                Sift::short($token, text, from, sieve, |t, at, to, s| sift_exact(t, at, to, s))
            }

            #[inline(never)]
            $(#[$features])?
            fn sift_long(text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
                Sift::long($token, text, from, sieve, |t, at, s| sift_short(t, at, s), |t, at, to, s| sift_exact(t, at, to, s))
            }

            #[inline(never)]
            $(#[$features])?
            fn sift_exact(text: &[u8], from: usize, to: usize, sieve: &Sieve) -> Suspects {
                Sift::exact($token, text, from, to, sieve)
            }

            #[cfg(feature = "dialect")]
            $(#[$features])?
            pub(super) fn places<Q: Sought>(text: &[u8]) -> u64 {
                search::places::<Q, _>($token, text)
            }

            #[cfg(feature = "transcode")]
            $(#[$features])?
            pub(super) fn convert<C: Conversion>(text: &[u8], out: &mut Output<'_>) -> usize {
                let read = $token.convert_short::<C>(text, out);
                if read == text.len() { read } else { convert_long::<C>(text, out) }
            }

            /// A function of its own, so that short texts need not save registers for it.
            #[cfg(feature = "transcode")]
            #[inline(never)]
            $(#[$features])?
            pub(super) fn convert_long<C: Conversion>(text: &[u8], out: &mut Output<'_>) -> usize {
                let read = $token.convert_long::<C>(text, out);
                if read < text.len() && (1..=NEARLY_FULL).contains(&out.left()) {
                    return read + convert_part::<C::Part>(&text[read..], out);
                }
                read
            }

            /// A function of its own, so that the loops for long texts have no registers for it.
            #[cfg(feature = "transcode")]
            #[inline(never)]
            $(#[$features])?
            fn convert_part<C: Conversion>(text: &[u8], out: &mut Output<'_>) -> usize {
                $token.convert_part::<C>(text, out)
            }

            #[cfg(feature = "transcode")]
            $(#[$features])?
            pub(super) fn measure<M: Measure>(text: &[u8]) -> usize {
                $token.measure::<M>(text)
            }

            #[cfg(feature = "transcode")]
            $(#[$features])?
            pub(super) fn mend(text: &mut [u8]) {
                search::mend($token, text);
            }

            #[cfg(feature = "transcode")]
            $(#[$features])?
            pub(super) fn swap(unit: usize, bytes: &mut [u8]) {
                swap_units(unit, bytes);
            }
        }
    };
}

/// The instruction sets that are compiled in, best first: the name of the doors, the name of the kernel, the token, and what
/// the doors are compiled for.
macro_rules! kernels {
    ($dollar:tt $($set:ident: $name:literal, $token:expr $(, $features:meta)?;)+) => {
        /// An instruction set that is compiled in: the index of the tables.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(non_camel_case_types, reason = "each has the name of its doors")]
        pub(crate) enum Isa {
            $($set,)+
        }

        $(doors!($set, $token $(, $features)?);)+

        /// The kernels that are compiled in, best first. Only `detect` hands out parts of this.
        pub(super) static KERNELS: [Kernel; [$(Isa::$set),+].len()] =
            [$(Kernel { name: $name, isa: Isa::$set, validate: $set::validate }),+];

        /// The doors of one name, by [`Isa`].
        macro_rules! table {
            ($dollar($dollar door:tt)+) => { [$($set::$dollar($dollar door)+,)+] };
        }
    };
}

cfg_if::cfg_if! {
    if #[cfg(kernel_avx512)] {
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::avx512::Avx512;
        use crate::simd::x86::sse42::Sse42;

        kernels! { $
            avx512: "avx512", Avx512::new(), target_feature(
                enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
            );
            avx2: "avx2", Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt");
            sse42: "sse4.2", Sse42::new(), target_feature(enable = "sse4.2,popcnt");
            scalar: "scalar", Automaton;
        }
    } else if #[cfg(kernel_x86)] {
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::sse42::Sse42;

        kernels! { $
            avx2: "avx2", Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt");
            sse42: "sse4.2", Sse42::new(), target_feature(enable = "sse4.2,popcnt");
            scalar: "scalar", Automaton;
        }
    } else if #[cfg(kernel_neon)] {
        use crate::simd::arm::neon::Neon;

        kernels! { $
            neon: "neon", Neon::new(), target_feature(enable = "neon");
            scalar: "scalar", Automaton;
        }
    } else if #[cfg(kernel_wasm)] {
        use crate::simd::wasm::simd128::Simd128;

        kernels! { $
            simd128: "simd128", Simd128;
            scalar: "scalar", Automaton;
        }
    } else {
        kernels! { $
            scalar: "scalar", Automaton;
        }
    }
}

/// The output is nearly full where at most this many bytes are left: as many as a block becomes, at most.
#[cfg(feature = "transcode")]
pub(crate) const NEARLY_FULL: usize = 256;

/// The doors of a conversion. A static of this type is made in this crate once; a function with a type parameter would be
/// compiled again in each program that converts.
#[cfg(feature = "transcode")]
pub(crate) struct Conversions([unsafe fn(&[u8], &mut Output<'_>) -> usize; KERNELS.len()]);

#[cfg(feature = "transcode")]
impl Conversions {
    /// Returns the doors of the conversion `C`.
    pub(crate) const fn of<C: Conversion>() -> Self {
        Self(table!(convert::<C>))
    }

    /// Returns those for texts that are not short. They do not ask whether it is.
    pub(crate) const fn of_long<C: Conversion>() -> Self {
        Self(table!(convert_long::<C>))
    }

    /// Converts the beginning of a text and returns how much of it, in bytes; see [`Conversion`].
    #[inline]
    pub(crate) fn convert(&self, kernel: &Kernel, text: &[u8], out: &mut Output<'_>) -> usize {
        // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction set that
        // the door is compiled for.
        unsafe { self.0[kernel.isa as usize](text, out) }
    }
}

/// The doors of a search. As with [`Conversions`], a static of this type is made in this crate once.
pub(crate) struct Searches([unsafe fn(&[u8]) -> usize; KERNELS.len()]);

impl Searches {
    /// Returns the doors of the search for `Q`.
    pub(crate) const fn of<Q: Sought>() -> Self {
        Self(table!(search::<Q>))
    }

    /// Returns where the first unit is that is sought, in bytes, or the length of the text. It is in whole units.
    #[inline]
    pub(crate) fn run(&self, kernel: &Kernel, text: &[u8]) -> usize {
        // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction set that
        // the door is compiled for.
        unsafe { self.0[kernel.isa as usize](text) }
    }
}

/// The doors that name all places of a block.
#[cfg(feature = "dialect")]
pub(crate) struct Places([unsafe fn(&[u8]) -> u64; KERNELS.len()]);

#[cfg(feature = "dialect")]
impl Places {
    /// Returns the doors for `Q`.
    pub(crate) const fn of<Q: Sought>() -> Self {
        Self(table!(places::<Q>))
    }

    /// Returns a one for each unit that is sought among the first 64 bytes: see [`search::places`].
    #[inline]
    pub(crate) fn run(&self, kernel: &Kernel, text: &[u8]) -> u64 {
        // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction set that
        // the door is compiled for.
        unsafe { self.0[kernel.isa as usize](text) }
    }
}

/// A safe function for each other door: whoever has a [`Kernel`] has one that the CPU can run.
macro_rules! of_kernels {
    ($(
        $(#[$meta:meta])*
        $door:ident $(<$generic:ident: $bound:ident>)?($($argument:ident: $type:ty),+) $(-> $result:ty)?;
    )+) => {$(
        $(#[$meta])*
        #[inline]
        pub(crate) fn $door $(<$generic: $bound>)?(kernel: &Kernel, $($argument: $type),+) $(-> $result)? {
            let doors: &[unsafe fn($($type),+) $(-> $result)?; _] = const { &table!($door $(::<$generic>)?) };
            // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction
            // set that the door is compiled for.
            unsafe { doors[kernel.isa as usize]($($argument),+) }
        }
    )+};
}

of_kernels! {
    /// [`Validates::continues`]; of a long piece, only if it [`is_between_ascii`].
    continues(before: [u8; 4], piece: &[u8]) -> bool;
    /// Returns whether the kernel finds `bytes` valid, or else what `otherwise` says.
    accepts<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool;
    /// Returns whether [`continues`] says yes, or else what `otherwise` says.
    continues_or<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool;
    /// [`Sift::sift`].
    sift(text: &[u8], from: usize, sieve: &Sieve) -> Suspects;
    /// [`survey::seek`].
    seek(bytes: &[u8], from: usize) -> Found;
    /// [`survey::replace`].
    #[cfg(feature = "alloc")]
    replace(bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced;
    /// [`Engine::inspect`].
    inspect(bytes: &[u8]) -> (Verdict, Counts);
    /// [`Engine::count_chars`].
    count_chars(text: &[u8]) -> usize;
    /// [`Engine::utf16_len`].
    utf16_len(text: &[u8]) -> usize;
    /// [`Engine::measure`].
    #[cfg(feature = "transcode")]
    measure<M: Measure>(text: &[u8]) -> usize;
    /// Replaces each unpaired surrogate of UTF-16 by U+FFFD.
    #[cfg(feature = "transcode")]
    mend(text: &mut [u8]);
    /// Reverses the bytes of each unit of `unit` bytes.
    #[cfg(feature = "transcode")]
    swap(unit: usize, bytes: &mut [u8]);
}

/// Returns whether this is a kernel as a whole, and not one of its ways.
#[cfg(feature = "testing")]
pub(super) fn is_kernel(kernel: &Kernel) -> bool {
    KERNELS.iter().any(|whole| core::ptr::eq(whole, kernel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, automaton};

    /// A long chunk takes a way of its own, between ASCII.
    #[test]
    fn long_pieces_between_ascii_go_on() {
        let middle = "\u{E9}\u{65E5}\u{1F600}".repeat(300);
        for kernel in Kernel::available() {
            for len in (0..40).chain(2600..2640) {
                let text = format!("{}{}{}.", "a".repeat(600), &middle[..9 * (len / 9)], "b".repeat(len % 9));
                for before in [*b"abcd", *b"\0\0\0\n", "\u{65E5}a".as_bytes().try_into().unwrap()] {
                    assert!(continues(kernel, before, text.as_bytes()), "{kernel:?}, {before:02X?}, {len}");
                }
                // After a lead, and with a wrong byte anywhere: also at the end, where it is not ASCII.
                assert!(!continues(kernel, [0, 0, 0, 0xC3], text.as_bytes()), "{kernel:?}, {len}");
                for at in [0, 1, 255, 256, 511, 512, 599, text.len() / 2, text.len() - 2, text.len() - 1] {
                    let mut wrong = text.clone().into_bytes();
                    wrong[at] = 0xF5;
                    assert!(!continues(kernel, *b"abcd", &wrong), "{kernel:?}, {len}, {at}");
                }
            }
        }
    }

    /// In a text with one fault, the automaton finds it from any place before. So only this test sees where a kernel sends it.
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
                    // Kernels do not search what is left after the last whole vector.
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

    /// The answer is that of the kernel. `otherwise` is asked exactly if that is no, and gets all of the arguments.
    #[test]
    fn what_is_done_otherwise_is_done_exactly_where_the_answer_is_no() {
        let text = "a\u{E9}\u{65E5}\u{1F600}bcdefg".repeat(500);
        for kernel in Kernel::available() {
            for len in (0..70).chain(500..530).chain([1000, 2047, 2048, 2049, 4096, 7000]) {
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
                        let found = accepts(kernel, &bytes, |rejected: Rejected<'_>| {
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
                        let expected = continues(kernel, before, &bytes);
                        let mut asked = 0;
                        let found = continues_or(kernel, before, &bytes, |same: [u8; 4], piece: &[u8]| {
                            asked += 1;
                            assert!(
                                same == before && core::ptr::eq(piece, bytes.as_slice()),
                                "{kernel:?}, {len}"
                            );
                            false
                        });
                        assert_eq!((found, asked), (expected, usize::from(!expected)), "{kernel:?}, {len}");
                    }
                }
            }
        }
    }

    /// The streaming tests see every wrong yes, but a wrong no costs time only: so here are both.
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
                        continues(kernel, before, piece),
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
                                !continues(kernel, before, &piece),
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
