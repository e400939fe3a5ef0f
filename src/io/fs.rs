//! Reading files.

#![forbid(unsafe_code)]

use alloc::string::String;
use std::fs::File;
use std::io;
use std::path::Path;

/// Reads a file into a new string.
///
/// Like [`std::fs::read_to_string`], but faster; see
/// [`io::read_to_string`](crate::io::read_to_string()).
///
/// # Errors
///
/// - The errors of opening and reading the file.
/// - [`std::io::ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the
///   file is not UTF-8.
///
/// ```no_run
/// use trust8::stream::StreamError;
///
/// match trust8::fs::read_to_string("notes.txt") {
///     Ok(text) => println!("{text}"),
///     Err(error) => match error.downcast::<StreamError>() {
///         Ok(error) => println!("notes.txt: {error}"),
///         Err(error) => println!("notes.txt cannot be read: {error}"),
///     },
/// }
/// ```
///
/// ```ignore-wasm32
/// # let path = std::env::temp_dir().join(format!("trust8-doc-{}", std::process::id()));
/// std::fs::write(&path, "smörgåsbord")?;
/// assert_eq!(trust8::fs::read_to_string(&path)?, "smörgåsbord");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    fn read(path: &Path) -> io::Result<String> {
        let mut file = File::open(path)?;
        // The size is an estimate. If it is unknown or too small, the string grows during the read.
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let mut string = String::new();
        string.try_reserve_exact(usize::try_from(size).unwrap_or(0))?;
        super::read_to_string::read_to_string(&mut file, &mut string)?;
        Ok(string)
    }
    read(path.as_ref())
}
