//! Readers and writers: whatever the inner reader or writer does, nothing is lost, nothing invalid comes through, and an
//! error says where it is.

#![cfg(feature = "std")]

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Read, Write};

use super::support::random::cases;
use proptest::prelude::*;
use trust8::io::{Utf8Reader, Utf8Writer, read_to_string};
use trust8::stream::StreamError;

/// What an inner reader or writer does when it is called.
#[derive(Clone, Debug)]
enum Step {
    /// Takes or gives at most this number of bytes.
    Some(usize),
    Fails(ErrorKind),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..7_usize).prop_map(Step::Some),
        2 => (7..9000_usize).prop_map(Step::Some),
        1 => prop::sample::select(vec![ErrorKind::Interrupted, ErrorKind::WouldBlock, ErrorKind::TimedOut])
            .prop_map(Step::Fails),
    ]
}

/// Does what its steps say, and behaves well after the last one.
struct Moody<T> {
    inner: T,
    steps: VecDeque<Step>,
}

impl<T> Moody<T> {
    fn new(inner: T, steps: &[Step]) -> Self {
        Self { inner, steps: steps.iter().cloned().collect() }
    }

    fn limit(&mut self) -> io::Result<usize> {
        match self.steps.pop_front() {
            Some(Step::Some(n)) => Ok(n),
            Some(Step::Fails(kind)) => Err(kind.into()),
            None => Ok(usize::MAX),
        }
    }
}

impl<R: Read> Read for Moody<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.limit()?.min(buf.len());
        self.inner.read(&mut buf[..n])
    }
}

impl<W: Write> Write for Moody<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.limit()?.min(buf.len());
        self.inner.write(&buf[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns the stream error inside, or `None` if it is another error.
fn stream_error(error: io::Error) -> Option<StreamError> {
    let kind = error.kind();
    let inner = error.downcast::<StreamError>().ok()?;
    assert_eq!(kind, ErrorKind::InvalidData);
    Some(inner)
}

#[track_caller]
fn assert_core_agrees(bytes: &[u8], error: StreamError) {
    let core = std::str::from_utf8(bytes).unwrap_err();
    assert_eq!((error.valid_up_to(), error.error_len()), (core.valid_up_to() as u64, core.error_len()));
    assert_eq!(error.kind(), trust8::from_utf8(bytes).unwrap_err().kind());
}

fn valid_prefix(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.as_bytes(),
        Err(error) => &bytes[..error.valid_up_to()],
    }
}

/// Calls `read` until the end or an error of the stream. Errors of the inner reader do not stop it.
fn drain(mut read: impl FnMut(&mut Vec<u8>) -> io::Result<usize>) -> (Vec<u8>, Option<StreamError>) {
    let mut out = Vec::new();
    loop {
        match read(&mut out) {
            Ok(0) => return (out, None),
            Ok(_) => {}
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {}
                _ => return (out, Some(stream_error(error).expect("no other error was made"))),
            },
        }
    }
}

#[track_caller]
fn check_drained(bytes: &[u8], (out, error): (Vec<u8>, Option<StreamError>)) {
    assert_eq!(out, valid_prefix(bytes));
    match error {
        None => assert!(std::str::from_utf8(bytes).is_ok()),
        Some(error) => assert_core_agrees(bytes, error),
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        6 => "[a-z\n \u{E9}\u{65E5}\u{1F600}]{0,30}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..3),
        1 => Just("\u{65E5}\u{1F600} long text\r\n".repeat(700).into_bytes()),
    ];
    let all = prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat());
    (all, 0..3).prop_map(|(bytes, repair)| {
        if repair > 0 { String::from_utf8_lossy(&bytes).into_owned().into_bytes() } else { bytes }
    })
}

proptest! {
    #![proptest_config(cases(600, 12))]

    #[test]
    fn reading_bytes_loses_nothing(
        bytes in bytes(),
        steps in prop::collection::vec(step(), 0..40),
        capacity in prop::sample::select(vec![0, 4, 5, 16, 100, 16384]),
        sizes in prop::collection::vec(prop::sample::select(vec![1, 2, 3, 4, 5, 17, 100, 40000]), 1..5),
    ) {
        let mut reader = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps));
        let mut sizes = sizes.iter().cycle();
        let drained = drain(|out| {
            let mut buf = vec![0xFF; *sizes.next().unwrap()];
            let n = reader.read(&mut buf)?;
            out.extend_from_slice(&buf[..n]);
            Ok(n)
        });
        prop_assert_eq!(reader.valid_up_to(), valid_prefix(&bytes).len() as u64);
        check_drained(&bytes, drained);
    }

    #[test]
    fn reading_strings_loses_nothing(
        bytes in bytes(),
        steps in prop::collection::vec(step(), 0..40),
        capacity in prop::sample::select(vec![0, 4, 5, 16, 100, 16384]),
        take in prop::sample::select(vec![1, 2, 7, usize::MAX]),
    ) {
        let mut reader = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps));
        check_drained(&bytes, drain(|out| {
            let text = reader.fill_str()?;
            let n: usize = text.chars().take(take).map(char::len_utf8).sum();
            out.extend_from_slice(&text.as_bytes()[..n]);
            reader.consume(n);
            Ok(n)
        }));

        let mut reader = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps));
        check_drained(&bytes, drain(|out| {
            let buf = reader.fill_buf()?;
            let n = buf.len().min(take);
            out.extend_from_slice(&buf[..n]);
            reader.consume(n);
            Ok(n)
        }));

        // Bytes and strings in turn.
        let mut reader = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps));
        let mut turn = 0;
        check_drained(&bytes, drain(|out| {
            turn += 1;
            if turn % 2 == 0 {
                let text = reader.fill_str()?;
                let n = text.chars().next().map_or(0, char::len_utf8);
                out.extend_from_slice(&text.as_bytes()[..n]);
                reader.consume(n);
                return Ok(n);
            }
            let mut buf = vec![0; 30_000];
            let n = reader.read(&mut buf)?;
            out.extend_from_slice(&buf[..n]);
            Ok(n)
        }));
    }

    #[test]
    fn lines_are_those_of_std(
        bytes in bytes(),
        steps in prop::collection::vec(step(), 0..40),
        capacity in prop::sample::select(vec![4, 5, 16, 100, 16384]),
    ) {
        let mut reader = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps));
        let drained = drain(|out| {
            let mut line = String::new();
            let result = reader.read_line(&mut line);
            // What was appended before an error is part of the output as well.
            out.extend_from_slice(line.as_bytes());
            if let Ok(n) = result {
                assert_eq!(n, line.len());
            }
            result
        });
        check_drained(&bytes, drained);

        let steps: Vec<_> = steps.into_iter().filter(|step| matches!(step, Step::Some(_))).collect();
        let ours = Utf8Reader::with_capacity(capacity, Moody::new(&bytes[..], &steps)).lines();
        let mut std = io::BufReader::new(&bytes[..]).lines();
        for line in ours {
            match (line, std.next().expect("there are as many lines")) {
                (Ok(ours), Ok(std)) => prop_assert_eq!(ours, std),
                (ours, std) => {
                    prop_assert!(ours.is_err() && std.is_err());
                    break;
                }
            }
        }
    }

    #[test]
    fn read_to_string_is_that_of_std(
        before in "[a\u{E9}\u{65E5}]{0,5}",
        bytes in bytes(),
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let steps: Vec<_> = steps
            .into_iter()
            .filter(|step| !matches!(step, Step::Fails(kind) if *kind != ErrorKind::Interrupted))
            .collect();
        let (mut std, mut ours, mut method) = (before.clone(), before.clone(), before.clone());
        let expected = Moody::new(&bytes[..], &steps).read_to_string(&mut std);
        let results = [
            read_to_string(Moody::new(&bytes[..], &steps), &mut ours),
            Utf8Reader::new(Moody::new(&bytes[..], &steps)).read_to_string(&mut method),
        ];
        prop_assert_eq!(&ours, &std);
        prop_assert_eq!(&method, &std);
        for result in results {
            match (result, &expected) {
                (Ok(n), Ok(expected)) => prop_assert_eq!(n, *expected),
                (Err(error), Err(_)) => {
                    prop_assert_eq!(&ours, &before);
                    assert_core_agrees(&bytes, stream_error(error).unwrap());
                }
                (result, _) => prop_assert!(false, "{result:?} instead of {expected:?}"),
            }
        }
    }

    #[test]
    fn a_signature_at_the_start_goes_if_asked(
        bytes in bytes(),
        signatures in 0..3_usize,
        cut in 0..3_usize,
        steps in prop::collection::vec(step(), 0..40),
        capacity in prop::sample::select(vec![0, 4, 5, 16, 100, 16384]),
        sizes in prop::collection::vec(prop::sample::select(vec![1, 2, 3, 4, 5, 17, 100, 40000]), 1..5),
    ) {
        let mut input = "\u{FEFF}".repeat(signatures).into_bytes();
        // A part of one may follow, at the end or before something else.
        input.extend_from_slice(&"\u{FEFF}".as_bytes()[..cut]);
        input.extend_from_slice(&bytes);
        let valid = valid_prefix(&input);
        let text = valid.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(valid);
        for (strip, expected) in [(true, text), (false, valid)] {
            let new = || Utf8Reader::with_capacity(capacity, Moody::new(&input[..], &steps)).strip_bom(strip);
            let mut reader = new();
            let mut sizes = sizes.iter().cycle();
            let (out, error) = drain(|out| {
                let mut buf = vec![0xFF; *sizes.next().unwrap()];
                let n = reader.read(&mut buf)?;
                out.extend_from_slice(&buf[..n]);
                Ok(n)
            });
            prop_assert_eq!(&out, expected);
            prop_assert_eq!(reader.stripped_bom(), strip && text.len() < valid.len());
            // Offsets count the signature, even if it was stripped.
            prop_assert_eq!(reader.valid_up_to(), valid.len() as u64);
            match error {
                None => prop_assert!(std::str::from_utf8(&input).is_ok()),
                Some(error) => assert_core_agrees(&input, error),
            }

            let mut reader = new();
            let (out, _) = drain(|out| {
                let text = reader.fill_str()?;
                let n = text.chars().next().map_or(0, char::len_utf8);
                out.extend_from_slice(&text.as_bytes()[..n]);
                reader.consume(n);
                Ok(n)
            });
            prop_assert_eq!(&out, expected);
        }
    }

    #[test]
    fn writing_loses_nothing(
        bytes in bytes(),
        steps in prop::collection::vec(step(), 0..60),
        sizes in prop::collection::vec(prop::sample::select(vec![0, 1, 2, 3, 5, 17, 100, 40000]), 1..5),
    ) {
        prop_assume!(sizes.iter().any(|&size| size > 0));
        let mut writer = Utf8Writer::new(Moody::new(Vec::new(), &steps));
        let mut sizes = sizes.iter().cycle();
        let (mut rest, mut compared) = (&bytes[..], 0);
        let error = loop {
            let accepted = bytes.len() - rest.len();
            // All that was accepted is written, or still owed (at most a character), or pending.
            let written = writer.get_ref().inner.len();
            prop_assert!(written <= accepted && accepted <= written + 4 + 3);
            prop_assert_eq!(writer.valid_up_to() + writer.pending().len() as u64, accepted as u64);
            prop_assert_eq!(&writer.get_ref().inner[compared..], &bytes[compared..written]);
            compared = written;
            if rest.is_empty() {
                match writer.finish() {
                    Ok(()) => break None,
                    Err(error) if error.kind() == ErrorKind::InvalidData => break stream_error(error),
                    Err(_) => continue,
                }
            }
            let size = *sizes.next().unwrap();
            match writer.write(&rest[..size.min(rest.len())]) {
                Ok(n) => rest = &rest[n..],
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    // The error stays.
                    let error = stream_error(error);
                    assert_eq!(stream_error(writer.write(b"a").unwrap_err()), error);
                    break error;
                }
                Err(_) => {}
            }
        };
        // What is owed can be written after an error of the stream as well.
        while writer.flush().is_err() {}
        match error {
            None => prop_assert!(std::str::from_utf8(&bytes).is_ok()),
            Some(error) => assert_core_agrees(&bytes, error),
        }
        prop_assert_eq!(writer.into_inner().inner, valid_prefix(&bytes));
    }
}

/// The inner reader ends inside a character, and could go on later. The error has been reported, so it stays.
#[test]
fn an_end_inside_a_character_is_final() {
    for capacity in [4, 1000] {
        let mut reader = Utf8Reader::with_capacity(capacity, VecDeque::from(b"ab\xE2\x82".to_vec()));
        let mut buf = [0; 16];
        let n = reader.read(&mut buf).unwrap();
        assert_eq!(&buf[..n], b"ab");
        for _ in 0..2 {
            let error = stream_error(reader.read(&mut buf).unwrap_err()).unwrap();
            assert_eq!((error.valid_up_to(), error.error_len()), (2, None));
            assert_eq!((reader.valid_up_to(), reader.pending()), (2, &b"\xE2\x82"[..]));
            // This would complete the character.
            reader.get_mut().extend(b"\xACc");
        }
        let results = [
            reader.read(&mut buf).map(|_| ()),
            reader.read(&mut []).map(|_| ()),
            reader.fill_str().map(|_| ()),
            reader.fill_buf().map(|_| ()),
            reader.read_line(&mut String::new()).map(|_| ()),
            reader.read_to_string(&mut String::new()).map(|_| ()),
            reader.read_to_end(&mut Vec::new()).map(|_| ()),
        ];
        for result in results {
            let error = stream_error(result.unwrap_err()).unwrap();
            assert_eq!((error.valid_up_to(), error.error_len()), (2, None));
        }
        assert_eq!((reader.valid_up_to(), reader.pending()), (2, &b"\xE2\x82"[..]));
        assert_eq!(reader.get_ref().len(), 4, "the reader has read on");
    }
}

/// Breaks the contract of `Read` and `Write`: the call with this number, from 0, claims more bytes than there was room for,
/// or more than were given. It reads or writes half of them.
struct Liar<T> {
    inner: T,
    honest_calls: usize,
    /// By how much the claim is too high.
    excess: usize,
    /// The calls after the lie.
    calls_after: usize,
}

impl<T> Liar<T> {
    fn new(inner: T, honest_calls: usize, excess: usize) -> Self {
        Self { inner, honest_calls, excess, calls_after: 0 }
    }

    /// Does `work` for `len` bytes, or, if this is the call that lies, for half of them.
    fn call(
        &mut self,
        len: usize,
        work: impl FnOnce(&mut T, usize) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.honest_calls > 0 {
            self.honest_calls -= 1;
            return work(&mut self.inner, len.min(5));
        }
        self.calls_after += 1;
        work(&mut self.inner, len / 2)?;
        Ok(len.saturating_add(self.excess))
    }
}

impl<R: Read> Read for Liar<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.call(buf.len(), |inner, n| inner.read(&mut buf[..n]))
    }
}

impl<W: Write> Write for Liar<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.call(buf.len(), |inner, n| inner.write(&buf[..n]))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[test]
fn a_reader_that_claims_too_much_is_an_error_that_stays() {
    type Call = fn(&mut Utf8Reader<Liar<&[u8]>>, &mut Vec<u8>) -> io::Result<usize>;
    let calls: [Call; 5] = [
        |reader, out| {
            let mut buf = [0; 3];
            let n = reader.read(&mut buf)?;
            out.extend_from_slice(&buf[..n]);
            Ok(n)
        },
        |reader, out| {
            let mut buf = [0; 100];
            let n = reader.read(&mut buf)?;
            out.extend_from_slice(&buf[..n]);
            Ok(n)
        },
        |reader, out| {
            let n = reader.fill_buf()?.len();
            out.extend_from_slice(reader.fill_buf()?);
            reader.consume(n);
            Ok(n)
        },
        |reader, out| {
            let text = reader.fill_str()?.to_owned();
            out.extend_from_slice(text.as_bytes());
            reader.consume(text.len());
            Ok(text.len())
        },
        |reader, out| {
            let mut line = String::new();
            let result = reader.read_line(&mut line);
            out.extend_from_slice(line.as_bytes());
            result
        },
    ];
    let text = "a\u{E9}\u{20AC}\n\u{1F600}".repeat(20);
    for capacity in [4, 7, 64, 1000] {
        for honest_calls in [0, 1, 2, 3, 8] {
            for excess in [1, 2, 4, 1000, usize::MAX / 2, usize::MAX] {
                for (number, call) in calls.iter().enumerate() {
                    let case = format!("{capacity}, {honest_calls}, {excess}, {number}");
                    let liar = Liar::new(text.as_bytes(), honest_calls, excess);
                    let mut reader = Utf8Reader::with_capacity(capacity, liar);
                    let mut out = Vec::new();
                    let error = loop {
                        match call(&mut reader, &mut out) {
                            Ok(n) => assert!(n > 0, "{case}"),
                            Err(error) => break error,
                        }
                    };
                    assert_eq!(error.kind(), ErrorKind::Other, "{case}");
                    assert!(text.as_bytes().starts_with(&out) && std::str::from_utf8(&out).is_ok(), "{case}");
                    for call in calls {
                        let before = out.len();
                        assert_eq!(call(&mut reader, &mut out).unwrap_err().kind(), ErrorKind::Other);
                        assert_eq!(out.len(), before, "{case}");
                    }
                    assert_eq!(reader.get_ref().calls_after, 1, "{case}");
                }
            }
        }
    }
}

/// Nobody knows what such a writer has taken. So it gets nothing more, or half a character might be written twice.
#[test]
fn a_writer_that_claims_too_much_is_an_error_that_stays() {
    let text = "a\u{E9}\u{20AC}\n\u{1F600}".repeat(20);
    for size in [1, 2, 3, 5, 17, 1000] {
        for honest_calls in 0..12 {
            for excess in [1, 2, 3, 4, 1000, usize::MAX / 2, usize::MAX] {
                let case = format!("{size}, {honest_calls}, {excess}");
                let mut writer = Utf8Writer::new(Liar::new(Vec::new(), honest_calls, excess));
                let mut rest = text.as_bytes();
                let error = loop {
                    match writer.write(&rest[..size.min(rest.len())]) {
                        Ok(n) => rest = &rest[n..],
                        Err(error) => break error,
                    }
                };
                assert_eq!(error.kind(), ErrorKind::Other, "{case}");
                let accepted = text.len() - rest.len();
                assert_eq!(writer.valid_up_to() + writer.pending().len() as u64, accepted as u64, "{case}");
                for _ in 0..3 {
                    assert_eq!(writer.write(rest).unwrap_err().kind(), ErrorKind::Other, "{case}");
                    assert_eq!(writer.write(b"\xFF").unwrap_err().kind(), ErrorKind::Other, "{case}");
                    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::Other, "{case}");
                    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::Other, "{case}");
                }
                let inner = writer.into_inner();
                assert_eq!(inner.calls_after, 1, "{case}");
                assert!(text.as_bytes().starts_with(&inner.inner), "{case}");
            }
        }
    }
}

/// std's own functions panic at such a reader.
#[test]
fn read_to_string_refuses_a_reader_that_claims_too_much() {
    for excess in [1, 1000, usize::MAX] {
        for (honest_calls, capacity) in [(0, 0), (0, 100), (3, 0)] {
            let mut string = String::with_capacity(capacity);
            string.push_str("before");
            let text = "text".repeat(100);
            let error =
                read_to_string(Liar::new(text.as_bytes(), honest_calls, excess), &mut string).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Other);
            assert_eq!(string, "before");
        }
    }
}

/// Reads one byte at a time, marks the rest of its memory, and counts the marks that were replaced
/// by zeros.
struct Marking<'a> {
    text: &'a [u8],
    cleared: usize,
}

impl Read for Marking<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read(&mut buf[..1])?;
        let rest = &mut buf[1..];
        self.cleared += rest.iter().filter(|&&byte| byte == 0).count();
        rest.fill(0xAA);
        Ok(n)
    }
}

/// The memory for a chunk was cleared for each byte. A string that the input fits into does not grow.
#[test]
fn read_to_string_clears_memory_once() {
    let text = "x".repeat(9000);
    for capacity in [0, 9000, 13_500] {
        let mut string = String::with_capacity(capacity);
        let before = string.capacity();
        let mut reader = Marking { text: text.as_bytes(), cleared: 0 };
        read_to_string(&mut reader, &mut string).unwrap();
        assert_eq!(string, text);
        assert!(reader.cleared < 3 * text.len(), "{} bytes were cleared", reader.cleared);
        assert!(before < text.len() || string.capacity() == before, "{before} became {}", string.capacity());
    }
}

#[test]
fn an_error_of_the_stream_stays() {
    for capacity in [4, 1000] {
        let mut reader = Utf8Reader::with_capacity(capacity, &b"ab\xED\xA0\x80cd"[..]);
        let mut buf = [0; 100];
        assert_eq!(reader.read(&mut buf).unwrap(), 2);
        for _ in 0..3 {
            assert_eq!(stream_error(reader.read(&mut buf).unwrap_err()).unwrap().valid_up_to(), 2);
            assert_eq!(stream_error(reader.fill_buf().unwrap_err()).unwrap().valid_up_to(), 2);
            assert_eq!(
                stream_error(reader.read_line(&mut String::new()).unwrap_err()).unwrap().valid_up_to(),
                2
            );
        }
    }
}

#[test]
fn half_a_character_consumed_is_an_error_and_no_more() {
    let mut reader = Utf8Reader::new("a\u{65E5}b".as_bytes());
    assert_eq!(reader.fill_buf().unwrap().len(), 5);
    reader.consume(2);
    assert_eq!(reader.fill_str().unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(reader.fill_buf().unwrap(), b"\x97\xA5b");
    reader.consume(2);
    assert_eq!(reader.fill_str().unwrap(), "b");
    // This is more than there is.
    reader.consume(usize::MAX);
    assert_eq!(reader.fill_str().unwrap(), "");
}

/// Whatever has been consumed: the bytes that were, those of the parts, and those that the inner reader still has are the input.
#[test]
fn the_parts_of_a_reader_lose_nothing() {
    let input = "größer als 日本 😀!".as_bytes();
    for capacity in 4..20 {
        for consumed in 0..capacity {
            let mut reader = Utf8Reader::with_capacity(capacity, input);
            assert_eq!(reader.buffer(), b"");
            assert!(!reader.fill_buf().unwrap().is_empty());
            let text = reader.buffer().to_vec();
            let consumed = consumed.min(text.len());
            reader.consume(consumed);
            assert_eq!(reader.buffer(), &text[consumed..]);
            let (rest, held) = reader.into_parts();
            assert_eq!([&text[..consumed], &held, rest].concat(), input, "{capacity}, {consumed}");
        }
    }
}

#[test]
fn reading_nothing_is_no_end() {
    let mut reader = Utf8Reader::new("abc".as_bytes());
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    assert_eq!(reader.read(&mut [0; 8]).unwrap(), 3);
}

/// Gives some bytes, and then fails, or panics if the flag is set.
struct Failing<'a>(&'a [u8], bool);

impl Read for Failing<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buf)? {
            0 if self.1 => panic!("a reader that panics"),
            0 => Err(ErrorKind::ConnectionReset.into()),
            n => Ok(n),
        }
    }
}

#[test]
fn read_to_string_leaves_the_string_as_it_was_after_any_error() {
    for length in [0, 3, 1000, 300_000] {
        let bytes = vec![b'x'; length];
        let mut string = String::from("b\u{E9}fore");
        let error = read_to_string(Failing(&bytes, false), &mut string).unwrap_err();
        assert_eq!((error.kind(), string.as_str()), (ErrorKind::ConnectionReset, "b\u{E9}fore"));
        let error = Utf8Reader::new(Failing(&bytes, false)).read_to_string(&mut string).unwrap_err();
        assert_eq!((error.kind(), string.as_str()), (ErrorKind::ConnectionReset, "b\u{E9}fore"));
    }
}

#[cfg(panic = "unwind")]
#[cfg(not(target_family = "wasm"))]
#[test]
fn read_to_string_leaves_the_string_as_it_was_after_a_panic() {
    let mut string = String::from("b\u{E9}fore");
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        read_to_string(Failing(b"some text \xFF", true), &mut string)
    }));
    assert!(panicked.is_err());
    assert_eq!(string, "b\u{E9}fore");
}

/// An invalid stream is not read to its end.
#[test]
fn read_to_string_stops_at_an_error() {
    struct Endless(usize);
    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            buf.fill(0xC0);
            self.0 += buf.len();
            Ok(buf.len())
        }
    }
    let mut reader = Endless(0);
    let error = read_to_string(&mut reader, &mut String::new()).unwrap_err();
    assert_eq!(stream_error(error).unwrap().valid_up_to(), 0);
    assert!(reader.0 <= 1 << 20, "{} bytes were read", reader.0);
}

/// A character across the end of a chunk, wherever that is.
#[test]
fn read_to_string_across_chunks() {
    for shift in 0..4 {
        let text = "x".repeat(shift) + &"\u{1F600}".repeat(300_000);
        let mut string = String::new();
        assert_eq!(read_to_string(text.as_bytes(), &mut string).unwrap(), text.len());
        assert_eq!(string, text);
        let mut bytes = text.into_bytes();
        for at in [shift + 3, 262_143, 262_144, 262_145, 524_288, bytes.len() - 1] {
            let good = std::mem::replace(&mut bytes[at], 0xFF);
            let error = read_to_string(&bytes[..], &mut string).unwrap_err();
            assert_core_agrees(&bytes, stream_error(error).unwrap());
            bytes[at] = good;
        }
        bytes.pop();
        let error = read_to_string(&bytes[..], &mut string).unwrap_err();
        assert_core_agrees(&bytes, stream_error(error).unwrap());
    }
}

/// A file in the temporary directory, or in the working directory where there is none.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> Self {
        let name =
            format!("trust8-{name}-{}", if cfg!(target_family = "wasm") { 0 } else { std::process::id() });
        let directory =
            if cfg!(target_family = "wasm") { std::path::PathBuf::from(".") } else { std::env::temp_dir() };
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn files_are_read_as_std_reads_them() {
    for length in [0, 1, 31, 32, 33, 262_143, 262_144, 262_145, 1_000_000] {
        let text: String = "a\u{E9}\u{65E5}\u{1F600}".chars().cycle().take(length / 3).collect();
        let file = File::new(&format!("text-{length}"), text.as_bytes());
        assert_eq!(trust8::fs::read_to_string(&file.0).unwrap(), std::fs::read_to_string(&file.0).unwrap());

        let bytes = [text.as_bytes(), b"\xF0\x9F"].concat();
        let file = File::new(&format!("unfinished-{length}"), &bytes);
        let error = trust8::fs::read_to_string(&file.0).unwrap_err();
        assert_core_agrees(&bytes, stream_error(error).unwrap());
    }
    let missing = std::env::current_dir().unwrap().join("there is no such file");
    assert_eq!(trust8::fs::read_to_string(missing).unwrap_err().kind(), ErrorKind::NotFound);
}

/// The length that the system gives is a hint: files in `/proc` have none.
#[cfg(target_os = "linux")]
#[test]
fn files_without_a_length() {
    let text = trust8::fs::read_to_string("/proc/self/status").unwrap();
    assert!(text.starts_with("Name:"), "{text}");
}

#[test]
fn a_writer_that_takes_nothing() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Utf8Writer::new(Full);
    assert_eq!(writer.write_all(b"abc").unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(writer.valid_up_to(), 0);
    // A character that was accepted in parts is owed.
    writer.write_all(b"\xC3").unwrap();
    writer.write_all(b"\xA9").unwrap();
    assert_eq!(writer.write(b"x").unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(writer.valid_up_to(), 2);
}

/// A piece was validated for each byte that the inner writer took.
#[test]
fn a_writer_that_takes_one_byte_at_a_time_is_not_offered_long_pieces() {
    struct OneByOne {
        taken: Vec<u8>,
        offered: usize,
    }
    impl Write for OneByOne {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.offered += buf.len();
            self.taken.write(&buf[..buf.len().min(1)])
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let text = "a\u{E9}\u{65E5}\u{1F600}".repeat(1000);
    let mut writer = Utf8Writer::new(OneByOne { taken: Vec::new(), offered: 0 });
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap();
    let OneByOne { taken, offered } = writer.into_inner();
    assert_eq!(taken, text.as_bytes());
    assert!(offered < 20 * text.len() + 20_000, "{offered} bytes were offered");
}

/// After a writer that took little, pieces grow again.
#[test]
fn a_writer_that_takes_more_is_offered_more() {
    struct Hesitant(Vec<usize>);
    impl Write for Hesitant {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.0.push(buf.len());
            Ok(if self.0.len() == 1 { 1 } else { buf.len() })
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Utf8Writer::new(Hesitant(Vec::new()));
    writer.write_all(&[b'x'; 100_000]).unwrap();
    let calls = &writer.get_ref().0;
    assert!(calls.len() < 30 && calls.contains(&(16 << 10)), "{calls:?}");

    // A short text that it took as a whole is not little: the next one was offered in ten pieces.
    for short in ["", "\u{E9}", "ten bytes."] {
        let mut writer = Utf8Writer::new(Hesitant(vec![0]));
        writer.write_all(short.as_bytes()).unwrap();
        let _ = writer.write(b"").unwrap();
        writer.write_all(&[b'x'; 16 << 10]).unwrap();
        assert_eq!(writer.get_ref().0.last(), Some(&(16 << 10)), "{short}");
    }
}
