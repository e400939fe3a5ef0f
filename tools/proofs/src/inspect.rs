//! The loop of trust8-counts that validates and counts, for texts of all lengths, by induction over its steps. `steps.rs` says how.
//!
//! A kernel, the automaton and a count answer for the bytes that they are given; that they are right is proved elsewhere. The invariant: all text
//! before the loop's place is valid, and counted once.

use std::cell::RefCell;
use std::ops::AddAssign;

use crate::steps::{choose, explore, missed, stop};

#[derive(Default)]
struct Run {
    address: usize,
    len: usize,
    began: Option<usize>,
    /// Up to here, the text is valid, and counted.
    valid: usize,
    counted: usize,
    error: Option<usize>,
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
}

impl Run {
    /// Returns where some bytes begin and end.
    fn place(&self, bytes: &[u8]) -> (usize, usize) {
        let at = bytes.as_ptr().addr() - self.address;
        (at, at + bytes.len())
    }
}

/// One of the counts is the number of bytes that were counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct Counts {
    continuations: usize,
    from_e0: usize,
    from_f0: usize,
    newlines: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.continuations += more.continuations;
    }
}

/// A job of a kernel.
trait Counting {
    type Output: Default;
    fn count(bytes: usize) -> Self::Output;
}

struct Count;
impl Counting for Count {
    type Output = Counts;
    fn count(bytes: usize) -> Counts {
        Counts { continuations: bytes, ..Counts::default() }
    }
}

struct CountChars;
impl Counting for CountChars {
    type Output = usize;
    fn count(bytes: usize) -> usize {
        bytes
    }
}
use CountChars as Utf16Len;

struct Kernel;

impl Kernel {
    fn best() -> &'static Self {
        &Self
    }

    fn run<J: Counting>(&self, _: J, text: &[u8], (): ()) -> J::Output {
        RUN.with_borrow_mut(|run| {
            let (start, end) = run.place(text);
            assert!(start == run.counted && end <= run.valid, "other bytes are counted");
            run.counted = end;
        });
        J::count(text.len())
    }

    /// Accepts a chunk, or suspects a place in it.
    fn check(&self, chunk: &[u8]) -> Result<(), Rejected> {
        RUN.with_borrow_mut(|run| {
            let (start, end) = run.place(chunk);
            assert_eq!(start, run.valid, "something is left out");
            match choose(4) {
                0 => {
                    run.valid = end;
                    Ok(())
                }
                part => Err(Rejected(chunk.len() / 2 * (part - 1))),
            }
        })
    }
}

struct Rejected(usize);

impl Rejected {
    fn suspect(&self) -> usize {
        self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Utf8Error(usize);

impl Utf8Error {
    fn valid_up_to(&self) -> usize {
        self.0
    }

    fn after(self, before: usize) -> Self {
        Self(before + self.0)
    }
}

/// Finds the first error of all of the rest, at any place, or that there is none.
fn judge(rest: &[u8], suspect: usize) -> Result<(), Utf8Error> {
    RUN.with_borrow_mut(|run| {
        let (start, end) = run.place(rest);
        assert!(start == run.valid && end == run.len && suspect <= rest.len(), "it is not the rest");
        let places = [0, 1, rest.len() / 2, rest.len() - rest.len().min(1)];
        match choose(places.len() + 1) {
            0 => {
                run.valid = end;
                Ok(())
            }
            i => {
                let at = places[i - 1].min(rest.len());
                (run.valid, run.error) = (start + at, Some(start + at));
                Err(Utf8Error(at))
            }
        }
    })
}

/// Returns a place at most three bytes before `at`, or the end.
fn floor(bytes: &[u8], at: usize) -> usize {
    if at < bytes.len() { at - choose(4) } else { bytes.len() }
}

struct Found;

impl Found {
    fn sequences(&self) -> usize {
        0
    }
}

fn count_lossy(_: &Kernel, _: &[u8], _: impl Fn(&[u8]) -> usize, _: fn(&Found) -> usize) -> usize {
    unreachable!("nothing is shown of lossy counts")
}

/// The loop begins a step.
fn step<'a>(bytes: &'a [u8], left: &mut &'a [u8], counts: &mut Counts) {
    RUN.with_borrow_mut(|run| {
        if let Some(began) = run.began {
            let at = bytes.len() - left.len();
            assert!(at > began, "no step forward");
            assert_eq!([run.valid, run.counted, counts.continuations], [at; 3], "something is left out");
            stop();
        }
        *left = &bytes[run.valid..];
        (run.began, run.counted, counts.continuations) = (Some(run.valid), run.valid, run.valid);
    });
}

// `inspect.rs`, and copies with one mistake each. build.rs makes them, and a list of them.
include!(concat!(env!("OUT_DIR"), "/inspect.rs"));

/// Returns the place of the error, the number of bytes, and the counts.
type Inspect = fn(&[u8]) -> (Option<Utf8Error>, usize, Counts);

/// Steps from some places, with rests of up to two chunks.
fn all_texts(inspect: Inspect) -> bool {
    for at in [0, 8190, 5 * 8192] {
        for rest in (0..5).chain(8186..8200).chain([16_384, 20_000]) {
            let text = vec![b'a'; at + rest];
            explore(|| {
                RUN.set(Run { address: text.as_ptr().addr(), len: text.len(), valid: at, ..Run::default() });
                let (error, bytes, counts) = inspect(&text);
                RUN.with_borrow(|run| {
                    assert_eq!(error.map(|error| error.0), run.error, "the error is another one");
                    assert_eq!(bytes, run.error.unwrap_or(text.len()), "the end is another one");
                    assert_eq!(
                        [run.valid, run.counted, counts.continuations],
                        [bytes; 3],
                        "something is left out"
                    );
                });
            });
        }
    }
    true
}

pub(crate) fn steps() -> bool {
    all_texts(INSPECT[0].1)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    (missed(INSPECT, all_texts), INSPECT.len() - 1)
}
