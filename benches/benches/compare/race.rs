//! Who runs, how thoroughly, and what becomes of the results.

use std::time::Duration;
use std::{fmt, io};

use trust8_benches::contestants::{Contestant, Role, contestants};
use trust8_benches::machine::Machine;
use trust8_benches::measure::{Measured, Packed, Placed, Plan, race};
use trust8_benches::report::{Axis, Plot, Series, Shape, Table};
use trust8_benches::texts::{Text, texts};

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Thoroughness {
    /// Each thing at least once, on small inputs.
    Smoke,
    /// Under half a minute.
    Quick,
    /// What gets published.
    Full,
}

/// How much noise averages out, by what is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Care {
    /// A number that stands in a table.
    Number,
    /// One of hundreds of points of a line.
    Point,
    /// Megabytes and more: a sample is long enough by itself.
    Large,
}

/// The contestants and the texts, and what every section needs beside them.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) thoroughness: Thoroughness,
    pub(crate) contestants: Vec<Contestant>,
    /// The texts, 64 KiB each: they fit into the L2 cache of any CPU with vectors.
    pub(crate) texts: Vec<Text>,
    caption: Vec<String>,
    /// The sum over all results of the logarithm of median over minimum, and their number.
    noise: (f64, usize),
}

/// What is in L2 and not in L1.
pub(crate) const TEXT: usize = 64 << 10;

impl Race {
    pub(crate) fn new(thoroughness: Thoroughness, machine: &Machine, command: &str) -> io::Result<Self> {
        Ok(Self {
            thoroughness,
            contestants: contestants(),
            texts: texts(TEXT)?,
            caption: vec![machine.caption(), command.to_owned()],
            noise: (0.0, 0),
        })
    }

    /// One of three values, by thoroughness.
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

    /// The contestants' numbers, of those that are wanted.
    pub(crate) fn which(&self, wanted: impl Fn(&Contestant) -> bool) -> Vec<usize> {
        (0..self.contestants.len()).filter(|&i| wanted(&self.contestants[i])).collect()
    }

    /// The contestants' numbers, of those that a plot has room for: what people would choose from, and
    /// trust8's kernels below the best, which is what `trust8` stands for.
    pub(crate) fn main(&self) -> Vec<usize> {
        let best = format!("trust8 {}", trust8::Kernel::best().name());
        self.which(|contestant| match contestant.role {
            Role::Peer => ["std", "encoding_rs", "bstr", "simdutf8 basic", "simdutf C++"]
                .contains(&contestant.name.as_str()),
            Role::Trust8 => contestant.name == "trust8",
            Role::Kernel => contestant.name != best,
            Role::Path | Role::Reference => false,
        })
    }

    /// Measures these contestants on these strings.
    pub(crate) fn run(&mut self, who: &[usize], strings: &[&[u8]], care: Care) -> Results {
        let contestants: Vec<_> = who.iter().map(|&i| &self.contestants[i]).collect();
        let measured = race(&contestants, strings, self.plan(care));
        for result in &measured {
            self.noise.0 += (result.median / result.nanos).ln();
            self.noise.1 += 1;
        }
        let names = contestants.iter().map(|contestant| (contestant.name.clone(), contestant.role));
        Results(names.zip(measured).collect())
    }

    /// Measures these contestants on one text, which begins `offset` bytes behind a page's start.
    pub(crate) fn run_text(&mut self, who: &[usize], text: &[u8], offset: usize, care: Care) -> Results {
        let placed = Placed::new(text, offset);
        self.run(who, &[placed.bytes()], care)
    }

    /// Measures these contestants on strings of each of these lengths, going through all lengths several
    /// times: what disturbs the machine for some milliseconds would spoil all rounds of one length, but
    /// hardly those of the same length in another pass.
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

    /// By how much the median round was longer than the best, as a geometric mean over everything measured.
    pub(crate) fn noise(&self) -> f64 {
        (self.noise.0 / self.noise.1.max(1) as f64).exp() - 1.0
    }

    /// A plot of lines with the caption that all plots have.
    pub(crate) fn lines(&self, title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Plot {
        Plot { title: title.into(), caption: self.caption.clone(), shape: Shape::Lines { x, y }, series }
    }

    /// A plot of rows with the caption that all plots have.
    pub(crate) fn rows(
        &self,
        title: impl Into<String>,
        x: Axis,
        names: Vec<String>,
        series: Vec<Series>,
    ) -> Plot {
        Plot { title: title.into(), caption: self.caption.clone(), shape: Shape::Rows { x, names }, series }
    }
}

/// What each contestant did on the same strings.
#[derive(Clone, Debug)]
pub(crate) struct Results(pub(crate) Vec<((String, Role), Measured)>);

impl Results {
    /// Takes the better of two results of the same contestants on the same strings.
    fn improve(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            if theirs.1.nanos < ours.1.nanos {
                ours.1 = theirs.1;
            }
        }
    }

    /// A contestant's result, if it took part.
    pub(crate) fn of(&self, name: &str) -> Option<&Measured> {
        self.0.iter().find(|result| result.0.0 == name).map(|result| &result.1)
    }

    /// The name and the result of the fastest peer.
    pub(crate) fn best_peer(&self) -> (&str, &Measured) {
        let peers = self.0.iter().filter(|result| result.0.1 == Role::Peer);
        let best =
            peers.min_by(|a, b| a.1.nanos.total_cmp(&b.1.nanos)).expect("peers take part in every race");
        (&best.0.0, &best.1)
    }

    /// How many times as fast as `other` the contestant `name` is.
    pub(crate) fn ratio(&self, name: &str, other: &str) -> Option<f64> {
        Some(self.of(other)?.nanos / self.of(name)?.nanos)
    }

    /// How many times as fast as the best peer the contestant `name` is.
    pub(crate) fn lead(&self, name: &str) -> Option<f64> {
        Some(self.best_peer().1.nanos / self.of(name)?.nanos)
    }
}

/// Results of several races of the same contestants, each with a name: rows of a table, columns the
/// contestants; or turned, where there are more contestants than races.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid(pub(crate) Vec<(String, Results)>);

impl Grid {
    fn contestants(&self) -> Vec<String> {
        self.0
            .first()
            .map_or(Vec::new(), |(_, results)| results.0.iter().map(|result| result.0.0.clone()).collect())
    }

    /// A row for each contestant, a column for each race.
    pub(crate) fn table(&self, corner: &str, show: impl Fn(&Measured) -> String) -> Table {
        let mut table = Table::new([corner].into_iter().chain(self.0.iter().map(|race| race.0.as_str())));
        for (i, name) in self.contestants().into_iter().enumerate() {
            table.row([name].into_iter().chain(self.0.iter().map(|(_, results)| show(&results.0[i].1))));
        }
        table
    }

    /// A row for each race, a column for each contestant.
    pub(crate) fn turned(&self, corner: &str, show: impl Fn(&Measured) -> String) -> Table {
        let contestants = self.contestants();
        let mut table = Table::new([corner].into_iter().chain(contestants.iter().map(String::as_str)));
        for (name, results) in &self.0 {
            table.row([name.clone()].into_iter().chain(results.0.iter().map(|result| show(&result.1))));
        }
        table
    }

    /// A series for each contestant: a point for each race, at the place that belongs to it.
    pub(crate) fn series(&self, point: impl Fn(usize, &Measured) -> (f64, f64)) -> Vec<Series> {
        let series = |(i, name): (usize, String)| {
            let points = self.0.iter().enumerate().map(|(race, (_, results))| point(race, &results.0[i].1));
            Series { name, points: points.collect() }
        };
        self.contestants().into_iter().enumerate().map(series).collect()
    }
}

/// The geometric mean.
pub(crate) fn mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = ratios.into_iter().fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Something with a ratio, for "the lowest of them, and where".
pub(crate) fn lowest<T: fmt::Display>(ratios: impl IntoIterator<Item = (T, f64)>) -> Option<(String, f64)> {
    let lowest = ratios.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((lowest.0.to_string(), lowest.1))
}
