//! The extension module `trust8._trust8`. The folder `package/` has the Python code around it.
//!
//! | file | contents |
//! |---|---|
//! | `input.rs` | the bytes of an argument: immutable ones, and memory that may change |
//! | `text/` | strings, made directly in their memory or through the stable interface |
//! | `decode.rs` | `decode` with all error handlers |
//! | `calls.rs` | `is_utf8`, `decode` and `encode` as called by the interpreter, because each
//! nanosecond counts there |
//! | `encode.rs`, `lines.rs` | `encode` and `decode_lines` |
//! | `errors.rs` | `validate`, `errors`, and the exceptions |
//! | `counts.rs`, `repair.rs`, `stream.rs`, `part.rs`, `dialects.rs` | each a part of the library's interface |
//! | `profile.rs` | forbidden characters |
//! | `arrow/` | columns, through the C data interface of Arrow |
//! | `messages.rs` | the command's messages, and its `fix_mojibake` |
//! | `command.rs` | `python -m trust8` |
//!
//! Six files have unsafe code. `text/direct.rs` makes strings, and is the only one that writes to
//! the memory of an object. `calls.rs` and `decode.rs` call the interpreter's C interface.
//! `input.rs` copies memory that may change. `arrow/capsules.rs` takes over the contents of a
//! capsule, and `arrow/owned.rs` copies them.

/// Gives a file its `add_to`, which adds these functions and classes to the module.
macro_rules! exports {
    ($($function:ident),*; $($class:ident),*) => {
        pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($function, module)?)?;)*
            $(module.add_class::<$class>()?;)*
            Ok(())
        }
    };
}

mod arrow;
mod calls;
#[cfg(feature = "command")]
mod command;
mod counts;
mod decode;
mod dialects;
mod encode;
mod errors;
#[path = "../../../crates/cli/src/hex.rs"]
mod hex;
mod input;
mod lines;
mod messages;
#[path = "../../../crates/cli/src/mistake.rs"]
#[expect(dead_code, reason = "the command also wants to know other things")]
mod mistake;
#[path = "../../../crates/cli/src/fix/mojibake.rs"]
#[expect(dead_code, reason = "the command undoes mojibake in a stream")]
mod mojibake;
mod part;
mod profile;
mod repair;
mod stream;
mod text;

use pyo3::prelude::*;
use pyo3::types::PyList;

/// The parts of trust8 that are written in Rust.
#[pymodule(gil_used = true)]
fn _trust8(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // What these export is public, except names that begin with `_`.
    for add_to in [
        add_to,
        calls::add_to,
        counts::add_to,
        decode::add_to,
        dialects::add_to,
        errors::add_to,
        lines::add_to,
        messages::add_to,
        part::add_to,
        profile::add_to,
        repair::add_to,
        stream::add_to,
    ] {
        add_to(module)?;
    }
    let public = PyList::empty(module.py());
    for name in module.index()? {
        if !name.extract::<&str>()?.starts_with('_') {
            public.append(name)?;
        }
    }
    arrow::add_to(module)?;
    #[cfg(feature = "command")]
    command::add_to(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("STABLE_ABI", cfg!(feature = "abi3"))?;
    // The package makes what is in this list public.
    module.setattr("__all__", public)
}

exports!(kernels, use_kernel, panic;);

/// Return the names of the kernels that this CPU can run, best first. All functions use the first.
///
/// >>> import trust8
/// >>> "scalar" in trust8.kernels()
/// True
#[pyfunction]
fn kernels() -> Vec<&'static str> {
    trust8::Kernel::available().iter().map(trust8::Kernel::name).collect()
}

/// Makes all functions use the kernel with this name from now on, for tests and measurements.
/// Returns whether they do.
#[pyfunction]
#[pyo3(name = "_use_kernel", signature = (name, /))]
fn use_kernel(name: &str) -> bool {
    trust8::Kernel::by_name(name).is_some_and(trust8::Kernel::make_default)
}

/// Panics, for a test.
#[pyfunction]
#[pyo3(name = "_panic")]
fn panic() {
    calls::provoked();
}
