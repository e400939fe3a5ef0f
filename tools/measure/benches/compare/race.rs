//! Runs the contestants in rounds, and turns the results into tables.

use std::time::Duration;
use std::{fmt, io};

use trust8_measure::contestants::{Contestant, Role, contestants};
use trust8_measure::measure::{Measured, Packed, Placed, Plan, race, race_on_new_text};
use trust8_measure::report::Table;
use trust8_measure::texts::{Text, texts};

/// How much a run measures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Thoroughness {
    /// Everything runs at least once, on small inputs.
    Smoke,
    /// A run takes less than half a minute.
    Quick,
    /// The run whose data are published.
    Full,
}

/// How many rounds a measurement needs against noise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Care {
    /// A number in a table.
    Number,
    /// One of the hundreds of points of a line.
    Point,
    /// A text of megabytes, on which one sample takes long enough.
    Large,
}

/// The contestants, the texts, and what else every section needs.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) thoroughness: Thoroughness,
    pub(crate) contestants: Vec<Contestant>,
    /// The texts, each of [`TEXT`] bytes.
    pub(crate) texts: Vec<Text>,
    /// The sum of log(median / minimum) over all results, and the number of results.
    noise: (f64, usize),
}

/// The length of a text, which fits into the L2 cache and not into the L1 cache.
pub(crate) const TEXT: usize = 64 << 10;

impl Race {
    pub(crate) fn new(thoroughness: Thoroughness) -> io::Result<Self> {
        Ok(Self { thoroughness, contestants: contestants(), texts: texts(TEXT)?, noise: (0.0, 0) })
    }

    /// Returns the value for this run's thoroughness.
    pub(crate) fn by<T>(&self, smoke: T, quick: T, full: T) -> T {
        match self.thoroughness {
            Thoroughness::Smoke => smoke,
            Thoroughness::Quick => quick,
            Thoroughness::Full => full,
        }
    }

    fn plan(&self, care: Care) -> Plan {
        let plan = |rounds, micros, millis| Plan {
            rounds,
            sample: Duration::from_micros(micros),
            budget: Duration::from_millis(millis),
        };
        match care {
            Care::Number => self.by(plan(1, 0, 1), plan(15, 10, 20), plan(400, 20, 400)),
            Care::Point => self.by(plan(1, 0, 1), plan(3, 5, 2), plan(15, 10, 20)),
            Care::Large => self.by(plan(1, 0, 1), plan(3, 20, 20), plan(11, 20, 2000)),
        }
    }

    /// Returns the indices of the contestants for which `wanted` is true.
    pub(crate) fn which(&self, wanted: impl Fn(&Contestant) -> bool) -> Vec<usize> {
        (0..self.contestants.len()).filter(|&i| wanted(&self.contestants[i])).collect()
    }

    /// Returns the indices of the contestants of the long tables: the libraries that users choose from,
    /// `trust8`, which uses the best kernel, and the other kernels.
    pub(crate) fn main(&self) -> Vec<usize> {
        let best = format!("trust8 {}", trust8::Kernel::best().name());
        self.which(|contestant| match contestant.role {
            Role::Peer => {
                ["std", "encoding_rs", "bstr", "simdutf8 basic", "ps-simdutf8", "smoothutf8", "simdutf C++"]
                    .contains(&contestant.name.as_str())
            }
            Role::Trust8 => contestant.name == "trust8",
            Role::Kernel => contestant.name != best,
            Role::Way | Role::Reference => false,
        })
    }

    /// Measures these contestants on these strings.
    pub(crate) fn run(&mut self, who: &[usize], strings: &[&[u8]], care: Care) -> Results {
        let measured = race(&self.contestants_of(who), strings, self.plan(care));
        self.results(who, measured)
    }

    /// Measures these contestants on texts that the CPU has not learned.
    pub(crate) fn run_on_new_text(&mut self, who: &[usize], texts: &[&[u8]], between: &str) -> Results {
        let measured = race_on_new_text(&self.contestants_of(who), texts, self.plan(Care::Number), between);
        self.results(who, measured)
    }

    fn contestants_of(&self, who: &[usize]) -> Vec<&Contestant> {
        who.iter().map(|&i| &self.contestants[i]).collect()
    }

    fn results(&mut self, who: &[usize], measured: Vec<Measured>) -> Results {
        for result in &measured {
            self.noise.0 += (result.median / result.nanos).ln();
            self.noise.1 += 1;
        }
        let contestants = who.iter().map(|&i| &self.contestants[i]);
        let names = contestants.map(|contestant| (contestant.name.clone(), contestant.role));
        Results(names.zip(measured).collect())
    }

    /// Measures these contestants on one text, which begins `offset` bytes after the start of a page.
    pub(crate) fn run_text(&mut self, who: &[usize], text: &[u8], offset: usize, care: Care) -> Results {
        let placed = Placed::new(text, offset);
        self.run(who, &[placed.bytes()], care)
    }

    /// Measures these contestants on strings of each of these lengths, in several passes over all lengths. A
    /// disturbance of some milliseconds would spoil every round of one length in one pass, but hardly those of
    /// the same length in another pass.
    pub(crate) fn run_lengths(
        &mut self,
        who: &[usize],
        lengths: &[usize],
        strings: impl Fn(usize) -> Packed,
    ) -> Grid {
        let mut grid = Grid::default();
        for pass in 0..self.by(1, 2, 4) {
            for (i, &len) in lengths.iter().enumerate() {
                let results = self.run(who, &strings(len).strings(), Care::Point);
                match pass {
                    0 => grid.0.push((format!("{len}"), results)),
                    _ => grid.0[i].1.improve(&results),
                }
            }
        }
        grid
    }

    /// Returns by what share the median round was longer than the best, as a geometric mean over all results.
    pub(crate) fn noise(&self) -> f64 {
        (self.noise.0 / self.noise.1.max(1) as f64).exp() - 1.0
    }
}

/// The results of each contestant on the same strings.
#[derive(Clone, Debug)]
pub(crate) struct Results(pub(crate) Vec<((String, Role), Measured)>);

impl Results {
    /// Replaces each result by the one in `other` if that is better. Both are of the same contestants on the same
    /// strings.
    fn improve(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            if theirs.1.nanos < ours.1.nanos {
                ours.1 = theirs.1;
            }
        }
    }

    /// Returns a contestant's result, if it took part.
    pub(crate) fn of(&self, name: &str) -> Option<&Measured> {
        self.0.iter().find(|result| result.0.0 == name).map(|result| &result.1)
    }

    /// Returns the name and the result of the fastest peer.
    pub(crate) fn best_peer(&self) -> (&str, &Measured) {
        let peers = self.0.iter().filter(|result| result.0.1 == Role::Peer);
        let best =
            peers.min_by(|a, b| a.1.nanos.total_cmp(&b.1.nanos)).expect("peers take part in every race");
        (&best.0.0, &best.1)
    }

    /// Returns the speed of the contestant `name` divided by the speed of `other`.
    pub(crate) fn ratio(&self, name: &str, other: &str) -> Option<f64> {
        Some(self.of(other)?.nanos / self.of(name)?.nanos)
    }

    /// Returns the speed of the contestant `name` divided by the speed of the best peer.
    pub(crate) fn lead(&self, name: &str) -> Option<f64> {
        Some(self.best_peer().1.nanos / self.of(name)?.nanos)
    }
}

/// The results of several races between the same contestants, each race with its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid(pub(crate) Vec<(String, Results)>);

impl Grid {
    fn contestants(&self) -> Vec<String> {
        self.0
            .first()
            .map_or(Vec::new(), |(_, results)| results.0.iter().map(|result| result.0.0.clone()).collect())
    }

    /// Returns a table with a row for each contestant and a column for each race.
    pub(crate) fn row_for_each_contestant(&self, corner: &str, show: impl Fn(&Measured) -> String) -> Table {
        let mut table = Table::new([corner].into_iter().chain(self.0.iter().map(|race| race.0.as_str())));
        for (i, name) in self.contestants().into_iter().enumerate() {
            table.row([name].into_iter().chain(self.0.iter().map(|(_, results)| show(&results.0[i].1))));
        }
        table
    }

    /// Returns a table with a row for each race and a column for each contestant.
    pub(crate) fn row_for_each_race(&self, corner: &str, show: impl Fn(&Measured) -> String) -> Table {
        let contestants = self.contestants();
        let mut table = Table::new([corner].into_iter().chain(contestants.iter().map(String::as_str)));
        for (name, results) in &self.0 {
            table.row([name.clone()].into_iter().chain(results.0.iter().map(|result| show(&result.1))));
        }
        table
    }

    /// Returns the points of each contestant, one for each race.
    pub(crate) fn series(
        &self,
        point: impl Fn(usize, &Measured) -> (f64, f64),
    ) -> Vec<(String, Vec<(f64, f64)>)> {
        let series = |(i, name): (usize, String)| {
            let races = self.0.iter().enumerate();
            (name, races.map(|(race, (_, results))| point(race, &results.0[i].1)).collect())
        };
        self.contestants().into_iter().enumerate().map(series).collect()
    }
}

/// Returns the geometric mean.
pub(crate) fn mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = ratios.into_iter().fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Returns the lowest of some ratios, with its place.
pub(crate) fn lowest<T: fmt::Display>(ratios: impl IntoIterator<Item = (T, f64)>) -> Option<(String, f64)> {
    let lowest = ratios.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((lowest.0.to_string(), lowest.1))
}
