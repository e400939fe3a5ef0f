//! Search targets in UTF-8, UTF-16 and UTF-32.
//!
//! | file | contents |
//! |---|---|
//! | `questions.rs` | the search targets |
//! | `mend.rs` | replaces what is malformed, in place |

mod mend;
mod questions;

pub(crate) use mend::Mend;
pub(crate) use questions::{AboveLatin1, NotUtf16, NotUtf32, Outside};
/// Searches bytes through a function without type parameters. Only crates that search compile it.
macro_rules! search {
    ($kernel:expr, $bytes:expr, $sought:ty) => {{
        #[inline]
        fn search(kernel: &trust8::Kernel, bytes: &[u8]) -> usize {
            kernel.run(trust8_counts::search::Search::<$sought>::JOB, bytes, ())
        }
        search($kernel, $bytes)
    }};
    // In this byte order, which is the last parameter of what is sought.
    ($kernel:expr, $bytes:expr, $swapped:expr, $sought:ident $(<$($parameter:literal),+>)?) => {
        if $swapped {
            search!($kernel, $bytes, $sought<$($($parameter,)+)? true>)
        } else {
            search!($kernel, $bytes, $sought<$($($parameter,)+)? false>)
        }
    };
}
pub(crate) use search;
