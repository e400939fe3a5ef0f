//! Measures time.
//!
//! - The thread stays on one core ([`pin`]).
//! - The contestants take turns in one process, in many rounds, and each round begins with another contestant.
//!   So a change of the clock rate or a noisy neighbour slows all of them.
//! - A sample repeats the work until it takes long enough for an exact time. The result is the
//!   minimum of the samples: a disturbance makes a sample longer, never shorter.
//! - Every sample counts the strings that were found valid, and the count is checked.
//! - Nothing is subtracted. Every number includes the loop and the call around a validator; the
//!   contestant "call alone" shows what they cost.

use std::hint::black_box;
use std::ops::{Deref, DerefMut, Range};
use std::time::{Duration, Instant};
use std::{env, io};

use crate::contestants::Contestant;
use crate::texts::fill;

/// Bytes at a known distance after a multiple of 4096. So cache lines and pages begin at the same bytes in every run.
///
/// For results, too: on some CPUs a store that crosses from one page to the next takes ten times as long, and whether a small
/// buffer does would be chance.
#[derive(Clone, Debug)]
pub struct Placed {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Deref for Placed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Placed {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

impl Placed {
    const PAGE: usize = 4096;

    /// Returns memory for `len` bytes, which are all 0, at a multiple of 4096.
    #[must_use]
    pub fn room(len: usize) -> Self {
        Self::after_page(len, 0)
    }

    /// Returns such memory `offset` bytes after a multiple of 4096.
    fn after_page(len: usize, offset: usize) -> Self {
        let memory = vec![0; len + offset + Self::PAGE];
        let start = memory.as_ptr().align_offset(Self::PAGE) + offset;
        Self { memory, start, len }
    }

    /// Copies `bytes` to an address `offset` bytes after a multiple of 4096.
    #[must_use]
    pub fn new(bytes: &[u8], offset: usize) -> Self {
        let mut placed = Self::after_page(bytes.len(), offset);
        placed.copy_from_slice(bytes);
        placed
    }

    /// Repeats `text` to `len` bytes, at a multiple of 4096.
    #[must_use]
    pub fn filled(text: &str, len: usize) -> Self {
        let mut placed = Self::room(len);
        fill(&mut placed, text);
        placed
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self
    }

    /// Returns the bytes, which may be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

/// Strings that lie one after the other in memory.
#[derive(Clone, Debug)]
pub struct Packed {
    placed: Placed,
    ranges: Vec<Range<usize>>,
}

impl Packed {
    /// Copies `bytes`, and takes the strings at `ranges`. They are visited in this order.
    #[must_use]
    pub fn new(bytes: &[u8], ranges: Vec<Range<usize>>) -> Self {
        Self { placed: Placed::new(bytes, 0), ranges }
    }

    /// Returns the strings.
    #[must_use]
    pub fn strings(&self) -> Vec<&[u8]> {
        self.ranges.iter().map(|range| &self.placed.bytes()[range.clone()]).collect()
    }
}

/// How many samples to take, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of samples of each contestant.
    pub rounds: usize,
    /// The shortest time that a sample may take.
    pub sample: Duration,
    /// The time for each contestant after which no further round begins, if there have been three.
    pub budget: Duration,
}

impl Plan {
    /// The fewest rounds, however long they take. The minimum of fewer rounds means little.
    const FEWEST: usize = 3;
}

/// The result of a contestant on some strings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Nanoseconds for all strings together, in the best sample.
    pub nanos: f64,
    /// Nanoseconds for all strings together, in the median sample. It shows how quiet the machine was.
    pub median: f64,
    /// The number of strings.
    pub calls: usize,
    /// The number of bytes in all strings.
    pub bytes: usize,
}

impl Measured {
    /// Returns the nanoseconds a call.
    #[must_use]
    pub fn ns_per_call(&self) -> f64 {
        self.nanos / self.calls as f64
    }

    /// Returns the speed in 10^9 bytes a second.
    #[must_use]
    pub fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / self.nanos
    }
}

/// Measures all contestants on the same strings. Returns a result for each.
///
/// # Panics
///
/// If a validator does not find as many strings valid as std.
#[must_use]
pub fn race(contestants: &[&Contestant], strings: &[&[u8]], plan: Plan) -> Vec<Measured> {
    race_after(|| {}, contestants, strings, plan)
}

/// Does what [`race`] does, on strings whose branches the CPU does not know: before each sample, std reads `between`, which should be
/// long and hard to predict, and a sample visits each string once.
///
/// # Panics
///
/// If a validator does not find as many strings valid as std.
#[must_use]
pub fn race_on_new_text(
    contestants: &[&Contestant],
    strings: &[&[u8]],
    plan: Plan,
    between: &str,
) -> Vec<Measured> {
    let forget = || assert!(std::str::from_utf8(black_box(between.as_bytes())).is_ok());
    race_after(forget, contestants, strings, Plan { sample: Duration::ZERO, ..plan })
}

fn race_after(
    before_each: impl Fn(),
    contestants: &[&Contestant],
    strings: &[&[u8]],
    plan: Plan,
) -> Vec<Measured> {
    let valid = strings.iter().filter(|bytes| std::str::from_utf8(bytes).is_ok()).count();
    let sample = |contestant: &Contestant, times: usize| {
        before_each();
        let start = Instant::now();
        let found = contestant.sweep(strings, times);
        let elapsed = start.elapsed();
        assert!(
            found == valid * times || !contestant.validates(),
            "{} found {found} of {} strings valid; std found {}",
            contestant.name,
            strings.len() * times,
            valid * times,
        );
        elapsed
    };

    // The better of two tries says how often a sample repeats the work. The first try also warms up.
    let times = contestants.iter().map(|contestant| {
        let once = sample(contestant, 1).min(sample(contestant, 1)).as_nanos().max(1);
        (plan.sample.as_nanos().div_ceil(once) as usize).max(1)
    });
    let times: Vec<_> = times.collect();

    let mut samples = vec![Vec::with_capacity(plan.rounds); contestants.len()];
    let start = Instant::now();
    for round in 0..plan.rounds {
        if round >= Plan::FEWEST && start.elapsed() > plan.budget * contestants.len() as u32 {
            break;
        }
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            let elapsed = sample(contestants[i], times[i]);
            samples[i].push(elapsed.as_nanos() as f64 / times[i] as f64);
        }
    }

    let bytes = strings.iter().map(|string| string.len()).sum();
    let summarise = |mut nanos: Vec<f64>| {
        nanos.sort_unstable_by(f64::total_cmp);
        Measured { nanos: nanos[0], median: nanos[nanos.len() / 2], calls: strings.len(), bytes }
    };
    samples.into_iter().map(summarise).collect()
}

/// The environment variable that holds the number of the core to measure on, or `none`.
pub const CORE: &str = "TRUST8_CORE";

/// Keeps this thread on one core: the core that [`CORE`] names, or else the last core that it may use. Returns the
/// number of the core, or `None` if the thread is not pinned.
///
/// # Errors
///
/// If [`CORE`] is not a number, or the system refuses.
pub fn pin() -> io::Result<Option<usize>> {
    let wanted = match env::var(CORE) {
        Ok(core) if core == "none" => return Ok(None),
        Ok(core) => Some(
            core.parse()
                .map_err(|_| io::Error::other(format!("{CORE}={core}: not a number and not `none`")))?,
        ),
        Err(_) => None,
    };
    affinity::pin(wanted)
}

#[cfg(target_os = "linux")]
mod affinity {
    use std::io;
    use std::mem::size_of;

    use libc::{CPU_ISSET, CPU_SET, CPU_SETSIZE, cpu_set_t};

    pub(super) fn pin(wanted: Option<usize>) -> io::Result<Option<usize>> {
        let core = match wanted {
            Some(core) if core < CPU_SETSIZE as usize => core,
            Some(core) => return Err(io::Error::other(format!("there is no core {core}"))),
            None => last_allowed()?,
        };
        let mut set = empty();
        // SAFETY: `core` is below CPU_SETSIZE, so its bit is in the set.
        unsafe { CPU_SET(core, &mut set) };
        // SAFETY: 0 means this thread, and the pointer and the size are those of `set`.
        match unsafe { libc::sched_setaffinity(0, size_of::<cpu_set_t>(), &raw const set) } {
            0 => Ok(Some(core)),
            _ => Err(io::Error::other(format!("core {core}: {}", io::Error::last_os_error()))),
        }
    }

    fn last_allowed() -> io::Result<usize> {
        let mut set = empty();
        // SAFETY: 0 means this thread, and the pointer and the size are those of `set`.
        if unsafe { libc::sched_getaffinity(0, size_of::<cpu_set_t>(), &raw mut set) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let is_set = |core: &usize| {
            // SAFETY: `core` is below CPU_SETSIZE, so its bit is in the set.
            unsafe { CPU_ISSET(*core, &set) }
        };
        (0..CPU_SETSIZE as usize).rev().find(is_set).ok_or_else(|| io::Error::other("no core to run on"))
    }

    fn empty() -> cpu_set_t {
        // SAFETY: a `cpu_set_t` is an array of integers, for which zero is a valid value.
        unsafe { std::mem::zeroed() }
    }
}

/// On other systems, the system chooses the core.
#[cfg(not(target_os = "linux"))]
mod affinity {
    pub(super) fn pin(_: Option<usize>) -> std::io::Result<Option<usize>> {
        Ok(None)
    }
}

/// Returns whether this is `cargo bench`, which passes `--bench`, and not `cargo test`.
#[must_use]
pub fn measuring() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Returns whether a quick look is enough: it takes fewer rounds on less text, and its ratios are good to a few
/// percent.
#[must_use]
pub fn quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestants::contestants;

    const PLAN: Plan =
        Plan { rounds: 3, sample: Duration::from_micros(5), budget: Duration::from_millis(50) };

    #[test]
    fn bytes_lie_where_they_were_put() {
        for offset in [0, 1, 16, 63, 100] {
            let placed = Placed::new(b"abc", offset);
            assert_eq!(placed.bytes(), b"abc");
            assert_eq!(placed.bytes().as_ptr() as usize % 4096, offset);
        }
        let mut placed = Placed::new(b"abc", 5);
        placed.bytes_mut()[1] = b'x';
        assert_eq!(placed.bytes(), b"axc");
    }

    #[test]
    fn a_longer_text_takes_longer() {
        let contestants = contestants();
        let std: Vec<_> = contestants.iter().filter(|contestant| contestant.name == "std").collect();
        let time = |len| race(&std, &["é".repeat(len).as_bytes()], PLAN)[0];
        let (short, long) = (time(1000), time(20_000));
        assert_eq!((short.calls, short.bytes), (1, 2000));
        // The work is twenty times as much, so even on a noisy machine it takes twice the time.
        assert!(long.nanos > 2.0 * short.nanos, "{short:?} {long:?}");
        assert!(long.nanos <= long.median);
    }

    #[test]
    fn invalid_strings_are_counted() {
        let contestants = contestants();
        let all: Vec<_> = contestants.iter().collect();
        let results = race(&all, &[b"abc", b"\xFF", b"", "é".as_bytes(), b"\xC3"], PLAN);
        assert_eq!(results.len(), all.len());
        assert!(results.iter().all(|result| result.calls == 5 && result.bytes == 7));
    }

    #[test]
    #[should_panic(expected = "found 0 of 1 strings valid; std found 1")]
    fn a_wrong_answer_ends_the_race() {
        // The read loop answers false for zeros. Here it poses as a validator.
        let mut contestants = contestants();
        let liar = contestants.iter_mut().find(|contestant| contestant.name == "read loop").unwrap();
        liar.role = crate::contestants::Role::Peer;
        let _ = race(&[liar], &[&[0]], PLAN);
    }

    #[test]
    fn units() {
        let measured = Measured { nanos: 500.0, median: 510.0, calls: 10, bytes: 1000 };
        assert_eq!(measured.ns_per_call(), 50.0);
        assert_eq!(measured.gb_per_s(), 2.0);
    }
}
