//! The lossy reader has the text of the whole input, and readers that follow a growing input go on.

use std::io::{self, BufRead, ErrorKind, Read};

use super::policies::repaired;
use super::support::malformed::MALFORMED;
use super::support::random::{self, cases, mutation, passage};
use super::support::text::UNITS;
use proptest::prelude::*;
use trust8::Policy;
use trust8::io::{LossyReader, TextLines, Utf8Reader};
use trust8::stream::Decoder;

const POLICIES: [Policy; 5] =
    [Policy::Replace, Policy::Java, Policy::Drop, Policy::Escape, Policy::Windows1252];

/// Gives out its parts. Before each of them but the first, it is interrupted, or at its end.
pub(crate) struct Parts<'a> {
    parts: Vec<&'a [u8]>,
    /// What comes between two parts, if not the end.
    between: Option<ErrorKind>,
    is_between: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(parts: impl IntoIterator<Item = &'a [u8]>, between: Option<ErrorKind>) -> Self {
        let mut parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.reverse();
        Self { parts, between, is_between: false }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

impl Read for Parts<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_between) {
            return self.between.map_or(Ok(0), |kind| Err(kind.into()));
        }
        let Some(part) = self.parts.last_mut() else { return Ok(0) };
        let n = part.read(buf)?;
        if part.is_empty() {
            self.parts.pop();
            self.is_between = true;
        }
        Ok(n)
    }
}

fn reader<R>(policy: Policy, inner: R) -> LossyReader<R> {
    LossyReader::with_decoder(Decoder::with_policy(policy).unwrap(), inner)
}

/// Reads the parts in each way, with every policy.
fn check<'a>(bytes: &[u8], parts: impl Iterator<Item = &'a [u8]> + Clone) {
    for policy in POLICIES {
        let expected = repaired(policy, bytes);
        let interrupted = || reader(policy, Parts::new(parts.clone(), Some(ErrorKind::Interrupted)));

        let mut text = String::new();
        let mut read = interrupted();
        assert_eq!(read.read_to_string(&mut text).unwrap(), text.len());
        assert_eq!(text, expected, "{policy}");
        assert_eq!(read.decoder().replaced(), trust8::errors(bytes).count() as u64);

        let lines: Vec<_> = interrupted().lines().map(Result::unwrap).collect();
        assert_eq!(lines, expected.lines().collect::<Vec<_>>(), "{policy}");

        // Seven bytes at a time.
        let (mut read, mut copy, mut buf) = (interrupted(), Vec::new(), [0; 7]);
        loop {
            match read.read(&mut buf) {
                Ok(0) => break,
                Ok(n) => copy.extend_from_slice(&buf[..n]),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Interrupted),
            }
        }
        assert_eq!(copy, expected.as_bytes(), "{policy}");

        // The input grows where a part ends.
        let mut read = reader(policy, Parts::new(parts.clone(), None)).follow(true);
        let mut text = String::new();
        while !read.get_ref().is_empty() || read.read_to_string(&mut text).unwrap() > 0 {
            read.read_line(&mut text).unwrap();
        }
        let pending = read.decoder().pending();
        assert_eq!(text, repaired(policy, &bytes[..bytes.len() - pending.len()]), "{policy}");
    }
}

#[test]
fn every_cut_of_every_text() {
    for unit in UNITS {
        for malformed in [&b""[..]].into_iter().chain(MALFORMED.iter().step_by(3).map(|each| each.bytes)) {
            let bytes = [unit.as_bytes(), malformed, b"\n", unit.as_bytes()].concat();
            for at in (0..=bytes.len()).step_by(1 + bytes.len() / 40) {
                check(&bytes, [&bytes[..at], &bytes[at..]].into_iter());
            }
            check(&bytes, bytes.chunks(1));
        }
    }
}

proptest! {
    #![proptest_config(cases(100, 4))]

    #[test]
    fn any_text_in_any_parts(
        passages in prop::collection::vec(passage(0_usize..30_000), 1..3),
        mutations in prop::collection::vec(mutation(), 0..6),
        part in 1_usize..20_000,
    ) {
        let mut bytes = random::lines(&passages);
        mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
        check(&bytes, bytes.chunks(part));
    }
}

/// The tail of a log, cut inside a character, once ended the reader for good.
#[test]
fn a_strict_reader_follows_a_growing_input() {
    for unit in UNITS {
        let text = format!("{unit}\n{unit}");
        for at in 0..=text.len() {
            let parts = [&text.as_bytes()[..at], &text.as_bytes()[at..]];
            let mut reader = Utf8Reader::new(Parts::new(parts, None)).follow(true);
            let mut all = String::new();
            while !reader.get_ref().is_empty() || reader.read_line(&mut all).unwrap() > 0 {
                reader.read_line(&mut all).unwrap();
            }
            assert_eq!(all, text);
            // The same by way of a buffer that is large enough to be read into.
            let mut reader = Utf8Reader::with_capacity(4, Parts::new(parts, None)).follow(true);
            let (mut all, mut buf) = (Vec::new(), [0; 1000]);
            while !reader.get_ref().is_empty() || reader.pending().len() + all.len() < text.len() {
                let n = reader.read(&mut buf).unwrap();
                all.extend_from_slice(&buf[..n]);
            }
            assert_eq!(all, text.as_bytes());
        }
    }
    let mut reader = Utf8Reader::new(Parts::new([&b"a\xC3"[..], b"b"], None)).follow(true);
    assert_eq!(reader.fill_str().unwrap(), "a");
    reader.consume(1);
    assert_eq!(reader.fill_str().unwrap(), "");
    assert_eq!(reader.fill_str().unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(reader.fill_str().unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn half_a_character_consumed_is_an_error_and_no_more() {
    let mut reader = LossyReader::new("\u{E9}".as_bytes());
    assert_eq!(reader.fill_str().unwrap(), "\u{E9}");
    reader.consume(1);
    assert_eq!(reader.fill_str().unwrap_err().kind(), ErrorKind::InvalidInput);
    reader.consume(usize::MAX);
    assert_eq!(reader.fill_str().unwrap(), "");
}

#[test]
fn what_reads_nothing_asks_for_nothing_and_an_error_leaves_the_string_as_it_was() {
    struct Late;
    impl Read for Late {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::TimedOut.into())
        }
    }
    let mut reader = LossyReader::new(b"ab".chain(Late));
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    assert_eq!(*reader.get_ref().get_ref().0, b"ab");
    let mut text = "before".to_owned();
    assert_eq!(reader.read_to_string(&mut text).unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(text, "before");
}

/// A reader that claims to have read more than it was asked for.
#[test]
fn a_reader_that_claims_too_much_is_an_error() {
    struct Liar;
    impl Read for Liar {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            Ok(buf.len() + 1)
        }
    }
    assert_eq!(LossyReader::new(Liar).fill_str().unwrap_err().kind(), ErrorKind::Other);
    let mut lines = TextLines::new(LossyReader::new(Liar));
    assert!(lines.next().is_some_and(|line| line.is_err()));
}

/// Each error goes into that of a reader, and comes out of it unchanged.
#[test]
fn errors_are_carried_by_those_of_readers() {
    fn carried<E: std::error::Error + Send + Sync + PartialEq + Clone + 'static>(error: E, kind: ErrorKind)
    where
        io::Error: From<E>,
    {
        let message = error.to_string();
        let carrier = io::Error::from(error.clone());
        assert_eq!((carrier.kind(), carrier.to_string()), (kind, message));
        assert!(carrier.downcast::<E>().unwrap() == error);
    }
    let mut buffer = [std::mem::MaybeUninit::uninit(); 3];
    carried(trust8::from_utf8(b"\xFF").unwrap_err(), ErrorKind::InvalidData);
    carried(trust8::Validator::new().push(b"\xFF").unwrap_err(), ErrorKind::InvalidData);
    carried(trust8::string_from_utf8(vec![0xFF]).unwrap_err(), ErrorKind::InvalidData);
    carried(trust8::copy_utf8_lossy(b"\xFF\xFF", &mut buffer).unwrap_err(), ErrorKind::InvalidInput);
    carried("mend".parse::<Policy>().unwrap_err(), ErrorKind::InvalidInput);
    for (bytes, kind) in [(&b"\xFF"[..], ErrorKind::InvalidData), (b"four", ErrorKind::InvalidInput)] {
        let error = trust8::copy_utf8(bytes, &mut buffer).unwrap_err();
        let carrier = io::Error::from(error);
        assert_eq!((carrier.kind(), carrier.to_string()), (kind, error.to_string()));
    }
    let too_long = trust8::io::LineError::TooLong { offset: 3, max_length: 1 };
    let message = too_long.to_string();
    let carrier = io::Error::from(too_long);
    assert_eq!((carrier.kind(), carrier.to_string()), (ErrorKind::InvalidData, message));
    assert_eq!(
        io::Error::from(trust8::io::LineError::Io(ErrorKind::TimedOut.into())).kind(),
        ErrorKind::TimedOut
    );
}
