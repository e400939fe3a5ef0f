//! The standard streams, and whether they were open when the program was started.
//!
//! Rust opens /dev/null instead of a standard stream that is closed. What is written there would be
//! lost, and the program would report success. So the state is recorded before Rust's runtime
//! starts.

use std::fs::File;
use std::io::{self, Write};

/// Returns standard input without the buffer of the standard library.
pub(crate) fn standard_input() -> io::Result<File> {
    if is_closed(0) {
        return Err(io::Error::other("standard input is closed"));
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
    }
}

/// Standard output without the buffer of the standard library.
///
/// If standard output is closed, every write fails.
pub(crate) struct StandardOutput {
    #[cfg(unix)]
    file: io::Result<File>,
}

impl StandardOutput {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            file: standard_output(),
        }
    }

    /// Returns the metadata of what standard output leads to.
    pub(crate) fn metadata(&self) -> Option<std::fs::Metadata> {
        #[cfg(unix)]
        return self.file.as_ref().ok()?.metadata().ok();
        #[cfg(not(unix))]
        None
    }
}

#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    if is_closed(1) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(unix)]
impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Ok(file) => file.write(bytes),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use before_main::is_closed;

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn is_closed(_: i32) -> bool {
    false
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[expect(unsafe_code, reason = "only C's initialisers run before Rust's runtime opens /dev/null")]
mod before_main {
    use std::sync::atomic::{AtomicU8, Ordering};

    /// One bit for each standard stream that was closed.
    static CLOSED: AtomicU8 = AtomicU8::new(0);

    /// Whether the standard stream `fd` was closed when the program was started.
    pub(super) fn is_closed(fd: i32) -> bool {
        // This also keeps the linker from leaving out the initialiser.
        std::hint::black_box(&INITIALISER);
        CLOSED.load(Ordering::Relaxed) >> fd & 1 == 1
    }

    extern "C" fn record() {
        for fd in 0..3 {
            // SAFETY: the command F_GETFD has no argument in memory, and fails if `fd` is not open.
            if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
                CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
            }
        }
    }

    // SAFETY: the section has pointers to functions, which may ignore the arguments that C's runtime passes, and
    // `record` needs nothing of Rust's.
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[used]
    static INITIALISER: extern "C" fn() = record;
}
