//! What trust8 wants to reach, with what was measured beside it.

use crate::report::{Page, Table, digits};

/// Whether more or less is better.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wanted {
    AtLeast(f64),
    AtMost(f64),
}

/// Targets with their results, in the order in which the sections measured them.
#[derive(Debug, Default)]
pub struct Targets(Vec<Target>);

#[derive(Debug)]
struct Target {
    what: String,
    wanted: Wanted,
    unit: &'static str,
    measured: f64,
    place: String,
}

impl Targets {
    /// Adds a ratio that should be at least so much, with where it was the lowest. Without a result (a CPU
    /// that does not run this kernel, a corpus without such texts) there is nothing to add.
    pub fn at_least(&mut self, what: &str, wanted: f64, measured: Option<(String, f64)>) {
        self.add(what, Wanted::AtLeast(wanted), "", measured);
    }

    /// Adds a value that should be at most so much, with where it was the highest.
    pub fn at_most(&mut self, what: &str, wanted: f64, unit: &'static str, measured: Option<(String, f64)>) {
        self.add(what, Wanted::AtMost(wanted), unit, measured);
    }

    fn add(&mut self, what: &str, wanted: Wanted, unit: &'static str, measured: Option<(String, f64)>) {
        if let Some((place, measured)) = measured {
            self.0.push(Target { what: what.to_owned(), wanted, unit, measured, place });
        }
    }

    /// The table.
    pub fn report(&self, page: &mut Page) {
        if self.0.is_empty() {
            return;
        }
        page.heading(2, "Targets");
        page.block(
            "The numbers are ratios of speed in one run: 2.0 is twice as fast. Where a target covers several \
             texts or lengths, the number is that of the worst one, which the last column names, or their \
             geometric mean. The targets for `trust8` were set for CPUs with AVX-512, GFNI and VBMI2.",
        );
        let mut table = Table::new(["target", "wanted", "measured", "met", "where"]);
        for Target { what, wanted, unit, measured, place } in &self.0 {
            let (wanted, met) = match *wanted {
                Wanted::AtLeast(least) => (format!("≥ {}", digits(least)), *measured >= least),
                Wanted::AtMost(most) => (format!("≤ {}{unit}", digits(most)), *measured <= most),
            };
            let met = if met { "yes" } else { "**no**" };
            // A third digit behind the point, or 0.978 would look as if it reached 0.98.
            let measured = match *measured {
                below if below < 1.0 => format!("{below:.3}{unit}"),
                other => format!("{}{unit}", digits(other)),
            };
            table.row([what.clone(), wanted, measured, met.to_owned(), place.clone()]);
        }
        page.table(&table);
    }
}

/// The lowest of some ratios, and where that was.
#[derive(Clone, Debug, Default)]
pub struct Lowest(pub Option<(String, f64)>);

impl Lowest {
    /// Takes this one, if it is lower.
    pub fn meet(&mut self, place: &str, ratio: f64) {
        if self.0.as_ref().is_none_or(|(_, lowest)| ratio < *lowest) {
            self.0 = Some((place.to_owned(), ratio));
        }
    }
}
