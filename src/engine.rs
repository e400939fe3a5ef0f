//! The base of the packages with algorithms of their own, such as `trust8-transcode`, and of the
//! bindings. They depend on one exact version.
//!
//! This module is not part of the public interface: it may change in any release.

#![forbid(unsafe_code)]

use core::str::FromStr;

use crate::kernel::Kernel;
use crate::names::UnknownName;

pub use crate::boundary::{array_at, ends_in_lead, is_inside, start_before, unfinished_len};
pub use crate::error::{Bytes, Hex, Sequence};
#[cfg(feature = "std")]
pub use crate::io::into_io_errors;
#[cfg(feature = "std")]
pub use crate::kernel::counted;
pub use crate::kernel::{Automaton, Continues, Engine, Portable, Rejected, Validate, Verdict, judge};
pub use crate::names::{displayed_by_name, is_same_name, names_of};
#[cfg(feature = "alloc")]
pub use crate::output::append;
pub use crate::output::{Fork, Output};
pub use crate::policy::windows_1252;
pub use crate::repair::chunks::count_lossy;
pub use crate::repair::faults::FaultSearch;
pub use crate::repair::replacer::Replacer;
pub use crate::repair::survey;
#[cfg(feature = "alloc")]
pub use crate::repair::{faults::each_fault, replacer::append_in_place};
#[cfg(feature = "serde")]
pub use crate::serialize::{Message, by_name, serialized_by_name, serialized_fields};
#[cfg(trust8_avx512)]
pub use crate::simd::x86::avx512;
pub use crate::simd::{Job, Token, Vectors, as_uninit, read};
#[cfg(trust8_simd)]
pub use crate::simd::{Plain, Simd};
pub use crate::text::locate::{count_equal, last_line};

/// The progress of a conversion into a buffer. It will get no other fields.
#[must_use = "the text may not be read to its end"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Progress {
    /// The number of units of the text that have been read.
    pub read: usize,
    /// The number of units that have been written to the start of the buffer.
    pub written: usize,
}

/// The kernel itself, for the trait by which each package adds methods to kernels.
pub trait AsKernel {
    /// Returns the kernel.
    fn kernel(&self) -> &Kernel;
}

impl AsKernel for Kernel {
    #[inline(always)]
    fn kernel(&self) -> &Kernel {
        self
    }
}

/// Exports the token of each instruction set.
macro_rules! tokens_and_names {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        $(#[cfg($cfg)] pub use crate::simd::$token;)+

        /// The names of the target's kernels, best first. This CPU may lack some.
        pub const KERNEL_NAMES: &[&str] = &[$(#[cfg($cfg)] $name,)+ "scalar"];

        /// What each of these kernels does and needs, in the same order.
        pub const KERNEL_DESCRIPTIONS: &[&str] = &[$(#[cfg($cfg)] $about,)+ "byte by byte, everywhere"];
    };
}
instruction_sets!(tokens_and_names);

/// Does the same as [`Kernel::by_name`].
///
/// ```
/// use trust8::Kernel;
///
/// let kernel: &Kernel = "Scalar".parse().unwrap();
/// assert_eq!(kernel.name(), "scalar");
/// let error = "abacus".parse::<&Kernel>().unwrap_err();
/// assert_eq!(error.names(), Kernel::available().iter().map(Kernel::name).collect::<Vec<_>>());
/// ```
impl FromStr for &'static Kernel {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        // A CPU that lacks a kernel lacks the better ones too.
        let better = KERNEL_NAMES.len() - Kernel::available().len();
        Kernel::by_name(name).ok_or(UnknownName::of("kernel of this CPU", &KERNEL_NAMES[better..]))
    }
}
