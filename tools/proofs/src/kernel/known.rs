//! What is known of a text during a step of a loop, and what follows from it.
//!
//! *Sound up to a place* means: the text before it is UTF-8, except for a character that the place cuts off, or a byte that never appears
//! directly before it. Each rule here is a statement that is proved with formulas, or is plain: ASCII after a whole character is text.

use crate::boundary::CONTEXT;

/// What may be cut off at a place up to which a text is sound. A later one allows more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Cut {
    /// No character.
    Nothing,
    /// A character of two bytes.
    TwoByte,
    Anything,
}

/// What the answer to a question says about the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// The check of these bytes, which knows the text before them, has found no fault.
    Checked(usize, usize),
    /// The same, without the text before them: a character that is cut off there is not seen.
    CheckedAlone(usize, usize),
    /// These bytes are ASCII.
    Ascii(usize, usize),
    /// These bytes have no byte from E0 on, no C0 or C1, and continuations exactly after their leads, if it is so before them.
    TwoByte(usize, usize),
    /// The byte before the place appears in UTF-8.
    MayAppear(usize),
    /// No byte is E0 or above.
    BelowE0(usize, usize),
    /// These bytes have neither C0 nor C1.
    NoOverlong(usize, usize),
    /// The place cuts no character off.
    Ended(usize),
    /// The place cuts no character of more than two bytes off. C0 and C1 may come before it.
    EndedLonger(usize),
    /// The rules of two-byte text are enough after the place.
    AllowsTwoByte(usize),
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    base: Option<(usize, Cut)>,
    facts: Vec<Fact>,
}

impl Known {
    /// A text is sound up to `at`.
    pub(crate) fn sound(at: usize, cut: Cut) -> Self {
        Self { base: Some((at, cut)), facts: Vec::new() }
    }

    pub(crate) fn learn(&mut self, facts: &[Fact]) {
        self.facts.extend(facts);
    }

    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    pub(crate) fn is_ascii(&self, at: usize) -> bool {
        self.facts.iter().any(|fact| matches!(*fact, Fact::Ascii(from, to) if (from..to).contains(&at)))
    }

    /// Returns what may be cut off at `at` according to what is known of this place, if the text is sound up to there.
    fn local_cut(&self, at: usize) -> Cut {
        let covers = |from: usize, to: usize| (from..to).contains(&at.wrapping_sub(1));
        let has = |is: &dyn Fn(Fact) -> bool| self.facts.iter().any(|&fact| is(fact));
        let is_free = || has(&|fact| matches!(fact, Fact::NoOverlong(from, to) if covers(from, to)));
        let cut = |&fact: &Fact| match fact {
            Fact::Ascii(from, to) if covers(from, to) => Cut::Nothing,
            Fact::Ended(place) if place == at => Cut::Nothing,
            // What is sound beyond a byte of ASCII cuts nothing off there.
            Fact::Checked(from, to) if from < at && at < to && self.is_ascii(at) => Cut::Nothing,
            Fact::AllowsTwoByte(place) if place == at => Cut::TwoByte,
            // The last three bytes begin no longer character.
            Fact::TwoByte(from, to) if from + CONTEXT <= at && at <= to => Cut::TwoByte,
            Fact::EndedLonger(place) if place == at && is_free() => Cut::TwoByte,
            _ => Cut::Anything,
        };
        self.facts.iter().map(cut).min().unwrap_or(Cut::Anything)
    }

    /// Returns places up to which the text is sound, in order, and what they may cut off.
    fn places(&self) -> Vec<(usize, Cut)> {
        let (base, cut) = self.base.expect("there is a text");
        let mut places = vec![(base, cut.min(self.local_cut(base)))];
        loop {
            let (at, cut) = places[places.len() - 1];
            let covers = |from: usize, to: usize| (from..to).contains(&at);
            let next = self.facts.iter().find_map(|&fact| match fact {
                // A check knows the text before it, and that is sound.
                Fact::Checked(from, to) if covers(from, to) => Some((to, Cut::Anything)),
                Fact::CheckedAlone(from, to) if from == at && to > at && cut == Cut::Nothing => {
                    Some((to, Cut::Anything))
                }
                Fact::Ascii(from, to) if covers(from, to) && cut == Cut::Nothing => Some((to, Cut::Nothing)),
                Fact::TwoByte(from, to) if covers(from, to) => {
                    let known = places.iter().find(|place| place.0 == from);
                    let cut = known.map_or_else(|| self.local_cut(from), |place| place.1);
                    (cut <= Cut::TwoByte).then_some((to, Cut::TwoByte))
                }
                _ => None,
            });
            let Some((to, cut)) = next else { return places };
            places.push((to, cut.min(self.local_cut(to))));
        }
    }

    /// Returns up to where the text is sound.
    pub(crate) fn extent(&self) -> usize {
        self.places().pop().expect("there is one").0
    }

    /// Returns what may be cut off at `at`, up to which the text is sound.
    pub(crate) fn cut(&self, at: usize) -> Cut {
        let places = self.places();
        places.iter().find(|place| place.0 == at).map_or_else(|| self.local_cut(at), |place| place.1)
    }
}
