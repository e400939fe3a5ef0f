//! How time is taken.
//!
//! - The thread stays on one core ([`pin`]).
//! - All contestants are measured in one process, in turn, in many rounds, each round beginning with
//!   another one; so a change of the clock or a noisy neighbour meets all of them.
//! - A sample repeats the work until it takes long enough for the clock to be exact. The
//!   result is the minimum of the samples: whatever disturbs a sample makes it longer, never shorter.
//! - Every sample's answers are counted and compared with what they must be.
//! - Nothing is subtracted. The loop and the call around a validator are part of every number; the
//!   contestant "call alone" shows what they cost.

use std::ops::Range;
use std::time::{Duration, Instant};
use std::{env, io};

use crate::contestants::Contestant;
use crate::texts::fill;

/// Bytes at a known distance behind a boundary of 4096 bytes, so that neither cache lines nor pages fall
/// differently in the next run.
#[derive(Clone, Debug)]
pub struct Placed {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Placed {
    const PAGE: usize = 4096;

    /// A copy of the bytes, `offset` bytes behind the boundary.
    #[must_use]
    pub fn new(bytes: &[u8], offset: usize) -> Self {
        let mut placed = Self::room(bytes.len(), offset);
        placed.bytes_mut().copy_from_slice(bytes);
        placed
    }

    /// The text over and over, `len` bytes of it, at the boundary.
    #[must_use]
    pub fn filled(text: &str, len: usize) -> Self {
        let mut placed = Self::room(len, 0);
        fill(placed.bytes_mut(), text);
        placed
    }

    fn room(len: usize, offset: usize) -> Self {
        let bytes = vec![0; len + offset + Self::PAGE];
        let start = bytes.as_ptr().align_offset(Self::PAGE) + offset;
        Self { bytes, start, len }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// The bytes, to change them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// Strings that lie one behind the other in memory.
#[derive(Clone, Debug)]
pub struct Packed {
    placed: Placed,
    ranges: Vec<Range<usize>>,
}

impl Packed {
    /// The strings at these places in a copy of `bytes`, in the order in which they are to be visited.
    #[must_use]
    pub fn new(bytes: &[u8], ranges: Vec<Range<usize>>) -> Self {
        Self { placed: Placed::new(bytes, 0), ranges }
    }

    /// The strings.
    #[must_use]
    pub fn strings(&self) -> Vec<&[u8]> {
        self.ranges.iter().map(|range| &self.placed.bytes()[range.clone()]).collect()
    }
}

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many samples of each contestant.
    pub rounds: usize,
    /// How long a sample lasts at the least.
    pub sample: Duration,
    /// After this time for each contestant no further round begins, if there were three.
    pub budget: Duration,
}

impl Plan {
    /// The fewest rounds, however long they take: a minimum of less means little.
    const FEWEST: usize = 3;
}

/// What came out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Nanoseconds for all strings together: the best sample.
    pub nanos: f64,
    /// The same for the sample in the middle, to see how quiet the machine was.
    pub median: f64,
    /// How many strings.
    pub calls: usize,
    /// How many bytes in all of them.
    pub bytes: usize,
}

impl Measured {
    /// Nanoseconds a call.
    #[must_use]
    pub fn ns_per_call(&self) -> f64 {
        self.nanos / self.calls as f64
    }

    /// 10^9 bytes a second.
    #[must_use]
    pub fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / self.nanos
    }
}

/// Measures all contestants on the same strings, one result each.
///
/// # Panics
///
/// If a validator's answer is not std's.
#[must_use]
pub fn race(contestants: &[&Contestant], strings: &[&[u8]], plan: Plan) -> Vec<Measured> {
    let valid = strings.iter().filter(|bytes| std::str::from_utf8(bytes).is_ok()).count();
    let sample = |contestant: &Contestant, times: usize| {
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

    // How often to repeat: from the better of two first tries, the first of which warms up.
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

/// The environment variable that names the core to measure on, by number, or `none`.
pub const CORE: &str = "TRUST8_CORE";

/// Keeps this thread on one core: the one that [`CORE`] names, or else the last of those that it may use.
/// Returns which, if any.
///
/// # Errors
///
/// If [`CORE`] is no number, or the system refuses.
pub fn pin() -> io::Result<Option<usize>> {
    let wanted = match env::var(CORE) {
        Ok(core) if core == "none" => return Ok(None),
        Ok(core) => Some(core.parse().map_err(|_| io::Error::other(format!("{CORE}={core} is no number")))?),
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
        // SAFETY: the core's number is below CPU_SETSIZE, so its bit is in the set.
        unsafe { CPU_SET(core, &mut set) };
        // SAFETY: 0 is this thread; the pointer and the size are those of the set.
        match unsafe { libc::sched_setaffinity(0, size_of::<cpu_set_t>(), &raw const set) } {
            0 => Ok(Some(core)),
            _ => Err(io::Error::other(format!("core {core}: {}", io::Error::last_os_error()))),
        }
    }

    fn last_allowed() -> io::Result<usize> {
        let mut set = empty();
        // SAFETY: 0 is this thread; the pointer and the size are those of the set.
        if unsafe { libc::sched_getaffinity(0, size_of::<cpu_set_t>(), &raw mut set) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let is_set = |core: &usize| {
            // SAFETY: the core's number is below CPU_SETSIZE.
            unsafe { CPU_ISSET(*core, &set) }
        };
        (0..CPU_SETSIZE as usize).rev().find(is_set).ok_or_else(|| io::Error::other("no core to run on"))
    }

    fn empty() -> cpu_set_t {
        // SAFETY: the set is an array of integers, for which zero is a value.
        unsafe { std::mem::zeroed() }
    }
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
mod affinity {
    pub(super) fn pin(_: Option<usize>) -> std::io::Result<Option<usize>> {
        Ok(None)
    }
}

/// Whether this is `cargo bench`, which says so, and not `cargo test`.
#[must_use]
pub fn measuring() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Whether a look will do: fewer rounds, less text, ratios that are good to a few percent.
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
        // Twenty times the work: even a noisy machine sees a factor of two.
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
        // The reading loop, which says no to zeros, posing as a validator.
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
