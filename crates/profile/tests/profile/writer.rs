//! The writer: what the profile allows comes through, and nothing else.

use std::io::{self, ErrorKind, Write};

use trust8_profile::{Profile, ProfileStreamError, ProfileWriter};

/// What is before a forbidden character comes through, and nothing of it, however the text is cut
/// and whatever the inner writer takes.
#[test]
fn a_profile_refuses_characters_in_a_writer() {
    struct Few(Vec<u8>, usize);
    impl Write for Few {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.0.write(&buf[..buf.len().min(self.1)])
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let cases: [(&[u8], usize, bool); 6] = [
        ("日é\u{1F600}fine".as_bytes(), 13, true),
        ("日é\u{1F600}\u{202E}more".as_bytes(), 9, false),
        ("é\u{9B}".as_bytes(), 2, false),
        (b"ab\x1B[m\xFF", 2, false),
        (b"ab\xFF\x1B", 2, false),
        (b"ab\xE2\x80", 2, false),
    ];
    for (bytes, allowed, is_fine) in cases {
        for (cut, takes) in (0..=bytes.len()).flat_map(|cut| (1..9).map(move |takes| (cut, takes))) {
            let mut writer = ProfileWriter::new(Few(Vec::new(), takes), Profile::TERMINAL);
            let result = writer
                .write_all(&bytes[..cut])
                .and_then(|()| writer.write_all(&bytes[cut..]))
                .and_then(|()| writer.finish());
            assert_eq!(result.is_ok(), is_fine, "{bytes:02X?}, {cut}, {takes}");
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert!(error.downcast::<ProfileStreamError>().is_ok(), "it carries an error of this crate");
                assert!(writer.finish().is_err(), "the error stays");
            }
            assert_eq!(writer.into_inner().0, bytes[..allowed], "{bytes:02X?}, {cut}, {takes}");
        }
    }
}
