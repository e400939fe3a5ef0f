//! Both ways of each branch that depends on the text.
//!
//! A branch needs `true` or `false`, and has a formula. If the formula can be either, the code is run twice: first as if it
//! were true, and then again from the start, as if it were false. Each run has a condition, the formula of the texts that take
//! all its branches this way. The conditions of all runs exclude each other, and cover all texts.

use std::cell::RefCell;

use crate::formula::{FALSE, Formula, TRUE};

struct Path {
    /// The branches that this run has to take.
    script: Vec<bool>,
    /// The branches that it has taken. Only those count that could have been taken the other way.
    taken: Vec<bool>,
    condition: Formula,
    /// The scripts of the runs that are left.
    others: Vec<Vec<bool>>,
}

thread_local! {
    static PATH: RefCell<Option<Path>> = const { RefCell::new(None) };
}

/// Returns whether the run takes a branch that all texts take for which `formula` is true.
pub(crate) fn decide(formula: Formula) -> bool {
    if let Some(value) = formula.value() {
        return value;
    }
    PATH.with_borrow_mut(|path| {
        let path = path.as_mut().expect("a branch that depends on the text is inside `explore`");
        let (if_true, if_false) = (path.condition.and(formula), path.condition.and(formula.not()));
        if if_true == FALSE || if_false == FALSE {
            return if_false == FALSE;
        }
        let branch = path.script.get(path.taken.len()).copied().unwrap_or_else(|| {
            path.others.push(path.taken.iter().copied().chain([false]).collect());
            true
        });
        path.taken.push(branch);
        path.condition = if branch { if_true } else { if_false };
        branch
    })
}

/// Runs `work` on all paths that a text can take for which `condition` is true. Returns the condition and the result of each run.
pub(crate) fn explore<R>(condition: Formula, work: impl Fn() -> R) -> Vec<(Formula, R)> {
    let (mut others, mut results) = (vec![Vec::new()], Vec::new());
    while let Some(script) = others.pop() {
        PATH.set(Some(Path { script, taken: Vec::new(), condition, others: std::mem::take(&mut others) }));
        let result = work();
        let path = PATH.take().expect("`work` does not explore");
        others = path.others;
        results.push((path.condition, result));
    }
    results
}

/// Returns the formula of the texts for which `work` returns true.
pub(crate) fn accepted(work: impl Fn() -> bool) -> Formula {
    explore(TRUE, work)
        .into_iter()
        .filter(|&(_, is_accepted)| is_accepted)
        .fold(FALSE, |all, (path, _)| all.or(path))
}
