//! Measures time.
//!
//! - The thread stays on one core.
//! - The contestants take turns in one process, in many rounds, and each round begins with another contestant.
//!   So a change of the clock rate or a noisy neighbour slows all of them.
//! - A sample repeats the work until it takes long enough for an exact time. The result is the
//!   minimum of the samples: a disturbance makes a sample longer, never shorter.
//! - Every sample checks the contestant's answers.
//! - Nothing is subtracted. Every number includes the loop and the call around a validator; the
//!   contestant "call alone" shows what they cost.

use std::cell::Cell;
use std::hint::black_box;
use std::ops::{Deref, DerefMut, Range};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, io};

use crate::report::Data;
use crate::texts::{CORPUS, fill, generated};

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
    pub fn new(bytes: &[u8], offset: usize) -> Self {
        let mut placed = Self::after_page(bytes.len(), offset);
        placed.copy_from_slice(bytes);
        placed
    }

    /// Repeats `text` to `len` bytes, at a multiple of 4096.
    pub fn filled(text: &str, len: usize) -> Self {
        let mut placed = Self::room(len);
        fill(&mut placed, text);
        placed
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
    pub fn new(bytes: &[u8], ranges: Vec<Range<usize>>) -> Self {
        Self { placed: Placed::new(bytes, 0), ranges }
    }

    /// Returns the strings.
    pub fn strings(&self) -> Vec<&[u8]> {
        self.ranges.iter().map(|range| &self.placed[range.clone()]).collect()
    }
}

/// A contestant of a race: its name, and its work, which returns the number of the answer.
pub type Entry<'a> = (String, Box<dyn FnMut() -> usize + 'a>);

/// Returns a contestant of a race.
pub fn entry<'a>(name: impl Into<String>, work: impl FnMut() -> usize + 'a) -> Entry<'a> {
    (name.into(), Box::new(work))
}

/// The nanoseconds of each contestant's fastest round.
#[derive(Clone, PartialEq, Debug)]
pub struct Times(pub Vec<(String, f64)>);

impl Times {
    /// Returns a contestant's time, or NaN if it did not take part.
    pub fn of(&self, name: &str) -> f64 {
        self.0.iter().find(|time| time.0 == name).map_or(f64::NAN, |time| time.1)
    }

    /// Returns the time of the fastest contestant for whose name `wanted` is true, or NaN.
    pub fn fastest(&self, wanted: impl Fn(&str) -> bool) -> f64 {
        self.0.iter().filter(|time| wanted(&time.0)).map(|time| time.1).fold(f64::NAN, f64::min)
    }

    /// Returns how many times as fast `name` is as `other`.
    pub fn ratio(&self, name: &str, other: &str) -> f64 {
        self.of(other) / self.of(name)
    }

    /// Returns each contestant's 10^9 bytes a second.
    pub fn gb_per_s(&self, bytes: usize) -> Vec<(String, f64)> {
        self.0.iter().map(|(name, nanos)| (name.clone(), bytes as f64 / nanos)).collect()
    }

    /// Returns each contestant's nanoseconds a call.
    pub fn a_call(&self, calls: usize) -> Vec<(String, f64)> {
        self.0.iter().map(|(name, nanos)| (name.clone(), nanos / calls as f64)).collect()
    }
}

/// How much a run measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    /// `cargo test`: everything runs, on small inputs.
    Smoke,
    /// `--quick`: the ratios are good to a few percent.
    Quick,
    /// The run whose data are published.
    Full,
}

/// A bench: what its command line asks for, and what it has measured.
#[derive(Debug)]
pub struct Bench {
    name: &'static str,
    effort: Effort,
    chosen: Vec<String>,
    between: String,
    /// The sum of log(median / minimum) over all results, and the number of results.
    noise: Cell<(f64, u32)>,
    /// The command that runs it.
    pub command: String,
    /// The results.
    pub data: Data,
}

/// A section: it measures some contestants, and adds the results to the data.
pub type Section = fn(&mut Bench) -> io::Result<()>;

/// The variable by which simdutf is told which kernel to use, trust8's kernels, and simdutf's for the same instruction set.
const SIMDUTF: &str = "SIMDUTF_FORCE_IMPLEMENTATION";
const KERNELS: [(&str, &str); 2] = [("avx512", "icelake"), ("avx2", "haswell")];

impl Bench {
    /// Reads the command line and pins this thread to a core.
    pub fn start(name: &'static str) -> io::Result<Self> {
        pin()?;
        let has = |wanted: &str| env::args().any(|argument| argument == wanted);
        // `cargo bench` passes `--bench`, and `cargo test` does not.
        let effort = match (has("--bench"), has("--quick")) {
            (false, _) => Effort::Smoke,
            (true, true) => Effort::Quick,
            (true, false) => Effort::Full,
        };
        let chosen = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
        let between = generated("random", 256 << 10).text;
        let command = format!("cargo bench -p trust8-measure --bench {name}");
        Ok(Self { name, effort, chosen, between, noise: Cell::default(), command, data: Data::default() })
    }

    /// Returns whether the command line names this, a part of its name, or nothing.
    pub fn wants(&self, section: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|chosen| section.contains(&**chosen))
    }

    /// Returns the value for this run's effort.
    pub fn by<T>(&self, smoke: T, quick: T, full: T) -> T {
        match self.effort {
            Effort::Smoke => smoke,
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }

    /// Races the contestants. Each must return `answer`.
    pub fn race(&self, answer: usize, entries: Vec<Entry<'_>>) -> Times {
        self.race_from(self.by(0, 10_000, 20_000), &|| {}, answer, entries)
    }

    /// Does the same on text whose branches the CPU does not know: before each sample, std reads text in which nothing can be
    /// predicted, and a sample does the work once.
    pub fn race_on_new_text(&self, answer: usize, entries: Vec<Entry<'_>>) -> Times {
        let forget = || assert!(std::str::from_utf8(black_box(self.between.as_bytes())).is_ok());
        self.race_from(0, &forget, answer, entries)
    }

    /// Does the same with something else before each sample, which is not timed.
    pub fn race_after(&self, before_each: &dyn Fn(), answer: usize, entries: Vec<Entry<'_>>) -> Times {
        self.race_from(0, before_each, answer, entries)
    }

    fn race_from(
        &self,
        shortest: u128,
        before_each: &dyn Fn(),
        answer: usize,
        mut entries: Vec<Entry<'_>>,
    ) -> Times {
        let sample = |(name, work): &mut Entry<'_>, times: usize| {
            before_each();
            let start = Instant::now();
            let wrong = (0..times).map(|_| work()).find(|&number| number != answer);
            let elapsed = start.elapsed();
            assert_eq!(wrong, None, "the answer of {name}, which should be {answer}");
            elapsed
        };
        // The better of two tries says how often a sample repeats the work. The first try also warms up.
        let times = entries.iter_mut().map(|entry| {
            let once = sample(entry, 1).min(sample(entry, 1)).as_nanos().max(1);
            shortest.div_ceil(once).max(1) as usize
        });
        let times: Vec<usize> = times.collect();
        let (fewest, budget) = self.by((1, 0), (3, 3), (9, 40));
        let budget = Duration::from_millis(budget) * entries.len() as u32;
        let mut samples = vec![Vec::new(); entries.len()];
        let (start, mut round) = (Instant::now(), 0);
        while round < fewest || start.elapsed() < budget {
            for turn in 0..entries.len() {
                let i = (turn + round) % entries.len();
                let elapsed = sample(&mut entries[i], times[i]);
                samples[i].push(elapsed.as_nanos() as f64 / times[i] as f64);
            }
            round += 1;
        }
        let best = entries.into_iter().zip(samples).map(|((name, _), mut samples)| {
            samples.sort_unstable_by(f64::total_cmp);
            let (sum, count) = self.noise.get();
            self.noise.set((sum + (samples[samples.len() / 2] / samples[0]).ln(), count + 1));
            (name, samples[0])
        });
        Times(best.collect())
    }

    /// Runs `measure` for each kernel in a process in which simdutf uses its kernel for the same instruction set. simdutf chooses its
    /// kernel when a process begins.
    pub fn for_kernels_of_simdutf(
        &mut self,
        names: &[&str],
        measure: impl Fn(&mut Self, &'static trust8::Kernel) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.effort == Effort::Smoke {
            return trust8::Kernel::available().iter().try_for_each(|kernel| measure(self, kernel));
        }
        if let Ok(forced) = env::var(SIMDUTF)
            && let Some((name, _)) = KERNELS.iter().find(|kernel| kernel.1 == forced)
        {
            self.data = Data::default();
            measure(self, trust8::Kernel::by_name(name).expect("a kernel of this CPU"))?;
            print!("{}", self.data.rows);
            std::process::exit(0);
        }
        for (name, theirs) in KERNELS.iter().filter(|kernel| names.contains(&kernel.0)) {
            if trust8::Kernel::by_name(name).is_none() {
                continue;
            }
            let mut command = Command::new(env::current_exe()?);
            let output = command.args(env::args().skip(1)).env(SIMDUTF, theirs).output()?;
            if !output.status.success() {
                return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
            }
            self.data.rows.push_str(&String::from_utf8_lossy(&output.stdout));
        }
        Ok(())
    }

    /// Runs the sections that the command line names, or all of them, and does what [`finish`](Self::finish) does.
    pub fn run(mut self, sections: &[(&str, Section)]) -> io::Result<()> {
        for (name, section) in sections {
            if self.wants(name) {
                section(&mut self)?;
            }
        }
        self.finish()
    }

    /// Writes the data of a full run to docs/data/, and prints those of any other.
    pub fn finish(self) -> io::Result<()> {
        let (sum, count) = self.noise.get();
        let noise = ((sum / f64::from(count.max(1))).exp() - 1.0) * 100.0;
        let noise = format!("the median round took {noise:.1} % longer than the best, on average");
        let files = env::var_os(CORPUS).is_some();
        let simdutf = env::var(SIMDUTF).unwrap_or_else(|_| "its own choice".to_owned());
        let facts = [
            ("simdutf's kernel", &*simdutf),
            ("texts", if files { "files" } else { "generated" }),
            ("noise", &noise),
        ];
        match self.effort {
            Effort::Smoke => Ok(()),
            Effort::Full if self.chosen.is_empty() && !files => {
                self.data.write(self.name, &self.command, &facts)
            }
            _ => {
                print!("{}", self.data.csv(&self.command, &facts));
                Ok(())
            }
        }
    }
}

/// The environment variable that holds the number of the core to measure on, or `none`.
const CORE: &str = "TRUST8_CORE";

/// Keeps this thread on one core: the core that [`CORE`] names, or else the last core that it may use.
#[cfg(target_os = "linux")]
fn pin() -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let core = match env::var(CORE) {
        Ok(core) if core == "none" => return Ok(()),
        Ok(core) => core.parse().ok().filter(|&core| core < CpuSet::MAX_CPU),
        Err(_) => {
            let allowed = sched_getaffinity(None)?;
            (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core))
        }
    };
    let mut set = CpuSet::new();
    set.set(core.ok_or_else(|| io::Error::other(format!("{CORE} is no number of a core and not `none`")))?);
    Ok(sched_setaffinity(None, &set)?)
}

/// On other systems, the system chooses the core.
#[cfg(not(target_os = "linux"))]
fn pin() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestants::contestants;

    fn bench() -> Bench {
        Bench { effort: Effort::Quick, ..Bench::start("a test").expect("a core") }
    }

    #[test]
    fn bytes_lie_where_they_were_put() {
        for offset in [0, 1, 16, 63, 100] {
            let mut placed = Placed::new(b"abc", offset);
            assert_eq!(*placed, *b"abc");
            assert_eq!(placed.as_ptr() as usize % 4096, offset);
            placed[1] = b'x';
            assert_eq!(*placed, *b"axc");
        }
    }

    #[test]
    fn a_longer_text_takes_longer() {
        let time = |len: usize| {
            let text = "é".repeat(len);
            let std =
                entry("std", move || std::str::from_utf8(black_box(text.as_bytes())).map_or(0, str::len));
            bench().race(2 * len, vec![std]).of("std")
        };
        // The work is twenty times as much, so even on a noisy machine it takes twice the time.
        assert!(time(20_000) > 2.0 * time(1000));
    }

    #[test]
    fn invalid_strings_are_counted() {
        let (contestants, strings) = (contestants(), [&b"abc"[..], b"\xFF", b"", "é".as_bytes(), b"\xC3"]);
        let times = bench().race(3, contestants.iter().map(|one| one.on(&strings)).collect());
        assert_eq!(times.0.len(), contestants.len());
    }

    #[test]
    #[should_panic(expected = "the answer of liar, which should be 1")]
    fn a_wrong_answer_ends_the_race() {
        let _ = bench().race(1, vec![entry("honest", || 1), entry("liar", || 0)]);
    }

    #[test]
    fn units() {
        let times = Times(vec![("a".to_owned(), 500.0), ("b".to_owned(), 250.0)]);
        assert_eq!(times.a_call(10)[0].1, 50.0);
        assert_eq!(times.gb_per_s(1000)[0].1, 2.0);
        assert_eq!((times.ratio("b", "a"), times.fastest(|name| name != "b")), (2.0, 500.0));
        assert!(times.of("c").is_nan());
    }
}
