//! The files of the library whose formulas are proved, with what little they use of its other files.

pub(crate) mod bitplanes;
pub(crate) mod lookup;

#[path = "../../../src/kernel/survey.rs"]
#[expect(dead_code, reason = "nothing is proved of the search for all faults")]
pub(crate) mod survey;
#[path = "../../../src/kernel/verdict.rs"]
pub(crate) mod verdict;

pub(crate) mod automaton {
    //! What the vector kernels use of the automaton.

    pub(crate) fn is_tiny_text(_: &[u8]) -> bool {
        unreachable!("a text of fewer than four bytes is read without vectors")
    }
}
