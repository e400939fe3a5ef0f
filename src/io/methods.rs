//! The code that the blocking and the asynchronous reader share: the loops around their reads, and
//! their methods.

#![forbid(unsafe_code)]

use std::io;

use super::intake::Intake;

impl Intake {
    /// Receives bytes until there is text, the input ends, or `read` fails. `read` fills its
    /// argument and returns the number of bytes.
    pub(super) fn fill<E: From<io::Error>>(
        &mut self,
        mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        while self.is_empty() {
            self.status()?;
            let n = read(self.space())?;
            if n == 0 {
                self.finish()?;
                break;
            }
            self.received(n)?;
        }
        Ok(())
    }

    /// Like `fill`, with a buffer of the caller, which has at least four bytes. Returns how many
    /// bytes at its start are text: 0 at the end of the input.
    pub(super) fn fill_other<E: From<io::Error>>(
        &mut self,
        buffer: &mut [u8],
        mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        loop {
            self.status()?;
            match self.bypass(buffer, &mut read)? {
                // Only part of a character, or an error. The next iteration reads more or returns
                // the error.
                Some(0) => {}
                Some(n) => return Ok(n),
                None => return Ok(self.finish().map(|()| 0)?),
            }
        }
    }
}

/// Implements the methods for the module's `Utf8Reader`, which has the fields `inner` and `intake`.
macro_rules! reader_methods {
    () => {
        impl<R> Utf8Reader<R> {
            /// Returns whether a signature has been removed.
            ///
            /// ```
            /// let mut reader = trust8::io::Utf8Reader::new(&b"no signature"[..]).strip_bom(true);
            /// reader.fill_str()?;
            /// assert!(!reader.stripped_bom());
            /// # Ok::<(), std::io::Error>(())
            /// ```
            #[must_use]
            pub const fn stripped_bom(&self) -> bool {
                self.intake.stripped_bom()
            }

            /// Returns a reference to the inner reader.
            ///
            /// ```
            /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
            /// assert_eq!(reader.get_ref().len(), 3);
            /// ```
            pub const fn get_ref(&self) -> &R {
                &self.inner
            }

            /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are neither validated nor counted.
            ///
            /// ```
            /// let mut reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
            /// *reader.get_mut() = b"xyz";
            /// assert_eq!(reader.fill_str()?, "xyz");
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub const fn get_mut(&mut self) -> &mut R {
                &mut self.inner
            }

            /// Returns the inner reader. The bytes in the [`buffer`](Self::buffer) and the [`pending`](Self::pending) ones are lost; see
            /// [`into_parts`](Self::into_parts).
            ///
            /// ```
            /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
            /// assert_eq!(reader.into_inner(), b"abc");
            /// ```
            pub fn into_inner(self) -> R {
                self.inner
            }

            /// Returns the inner reader, and the bytes that were read from it but not consumed:
            /// those in the [`buffer`](Self::buffer), and the [`pending`](Self::pending) ones.
            /// After an error, the bytes from the error on are lost.
            ///
            /// ```
            /// use std::io::BufRead;
            /// use trust8::io::Utf8Reader;
            ///
            /// let mut reader = Utf8Reader::with_capacity(8, &b"head:\xE2\x82\xACbody"[..]);
            /// assert_eq!(reader.fill_str()?, "head:€");
            /// reader.consume("head:".len());
            /// assert_eq!(reader.into_parts(), (&b"body"[..], "€".as_bytes().to_vec()));
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn into_parts(self) -> (R, alloc::vec::Vec<u8>) {
                let rest = [self.buffer(), self.pending()].concat();
                (self.inner, rest)
            }

            /// Returns the unconsumed text in the buffer as bytes, without reading.
            ///
            /// ```
            /// use std::io::BufRead;
            ///
            /// let mut reader = trust8::io::Utf8Reader::new("größer".as_bytes());
            /// assert_eq!(reader.buffer(), b"");
            /// reader.fill_str()?;
            /// reader.consume("grö".len());
            /// assert_eq!(reader.buffer(), "ßer".as_bytes());
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn buffer(&self) -> &[u8] {
                self.intake.bytes()
            }

            /// Returns how many of the bytes that were read from the inner reader are known to be
            /// whole characters. This includes the bytes in the buffer.
            ///
            /// ```
            /// use std::io::Read;
            ///
            /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xE2\x82"[..]);
            /// assert!(reader.read_to_string(&mut String::new()).is_err());
            /// assert_eq!((reader.valid_up_to(), reader.pending()), (3, &b"\xE2\x82"[..]));
            /// ```
            pub const fn valid_up_to(&self) -> u64 {
                self.intake.validator().valid_up_to()
            }

            /// Returns the last bytes that were read, if they begin an incomplete character: 0 to 3
            /// bytes, which are held back.
            ///
            /// ```
            /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xC3"[..]);
            /// assert_eq!(reader.fill_str()?, "abc");
            /// assert_eq!(reader.pending(), b"\xC3");
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn pending(&self) -> &[u8] {
                self.intake.validator().pending()
            }
        }

        impl<R: core::fmt::Debug> core::fmt::Debug for Utf8Reader<R> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.intake.debug(f.debug_struct("Utf8Reader").field("inner", &self.inner))
            }
        }
    };
}
