//! The targets of trust8's speed, and what was measured.

use crate::report::{Data, Table, digits};

/// The bound that a target sets.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wanted {
    AtLeast(f64),
    AtMost(f64),
}

/// The targets with their results, in the order of the measurements.
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
    /// Adds a target for a ratio that should be at least `wanted`. `measured` is the lowest ratio and its place. It
    /// is `None`, and nothing is added, if the CPU does not run the kernel or the corpus has no such text.
    pub fn at_least(&mut self, what: &str, wanted: f64, measured: Option<(String, f64)>) {
        self.add(what, Wanted::AtLeast(wanted), "", measured);
    }

    /// Adds a target for a value that should be at most `wanted`. `measured` is the highest value and its place, if
    /// there is any.
    pub fn at_most(&mut self, what: &str, wanted: f64, unit: &'static str, measured: Option<(String, f64)>) {
        self.add(what, Wanted::AtMost(wanted), unit, measured);
    }

    fn add(&mut self, what: &str, wanted: Wanted, unit: &'static str, measured: Option<(String, f64)>) {
        if let Some((place, measured)) = measured {
            self.0.push(Target { what: what.to_owned(), wanted, unit, measured, place });
        }
    }

    /// Adds the section about the targets.
    pub fn report(&self, data: &mut Data) {
        if self.0.is_empty() {
            return;
        }
        data.heading(2, "Targets");
        data.note(
            "a target that says `against` is a ratio of speeds in the same run; the number is the worst of the texts or lengths, which \
             `where` names, or their geometric mean",
        );
        let mut table = Table::new(["target", "wanted", "measured", "met", "where"]);
        for Target { what, wanted, unit, measured, place } in &self.0 {
            let (wanted, met) = match *wanted {
                Wanted::AtLeast(least) => (format!("≥ {}", digits(least)), *measured >= least),
                Wanted::AtMost(most) => (format!("≤ {}{unit}", digits(most)), *measured <= most),
            };
            let met = if met { "yes" } else { "no" };
            // Below 1, three decimals are given: two would round 0.978 to 0.98, which may be the target.
            let measured = match *measured {
                below if below < 1.0 => format!("{below:.3}{unit}"),
                other => format!("{}{unit}", digits(other)),
            };
            table.row([what.clone(), wanted, measured, met.to_owned(), place.clone()]);
        }
        data.table(&table);
    }
}

/// The lowest of some ratios, with its place.
#[derive(Clone, Debug, Default)]
pub struct Lowest(pub Option<(String, f64)>);

impl Lowest {
    /// Keeps this ratio if it is lower than all before.
    pub fn add(&mut self, place: &str, ratio: f64) {
        if self.0.as_ref().is_none_or(|(_, lowest)| ratio < *lowest) {
            self.0 = Some((place.to_owned(), ratio));
        }
    }
}
