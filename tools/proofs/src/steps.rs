//! All answers to a loop's questions, and the steps of loops.
//!
//! A proof by induction has a piece for each loop. The program is run up to the loop. There its state is replaced by another one, and all that is
//! known of the text by what the loop's invariant says of that state. From then on, each question about the text is answered in every way
//! ([`choose`]), whether or not some text has these answers. A path ends where the next loop begins, or the same one again; there its
//! invariant must hold. It also ends with the verdict, which must be right. So nothing depends on how often a loop runs.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The answers of a path, each with the number of answers that were possible.
#[derive(Default)]
struct Path {
    answers: Vec<(usize, usize)>,
    given: usize,
}

thread_local! {
    static PATH: RefCell<Option<Path>> = const { RefCell::new(None) };
}

/// Returns a number below `answers`. [`explore`] tries each. Elsewhere it is 0.
pub(crate) fn choose(answers: usize) -> usize {
    PATH.with_borrow_mut(|path| {
        let Some(path) = path else { return 0 };
        if path.given == path.answers.len() {
            path.answers.push((0, answers));
        }
        let (answer, of) = path.answers[path.given];
        assert_eq!(of, answers, "a path is not the same the second time");
        path.given += 1;
        answer
    })
}

/// The end of a path before the end of the program.
struct Stop;

/// Ends the path.
pub(crate) fn stop() -> ! {
    resume_unwind(Box::new(Stop))
}

/// Runs `work` once for each sequence of answers, and returns how many there are.
pub(crate) fn explore(work: impl Fn()) -> usize {
    let mut paths = 0;
    PATH.set(Some(Path::default()));
    loop {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(&work))
            && !payload.is::<Stop>()
        {
            PATH.set(None);
            resume_unwind(payload);
        }
        paths += 1;
        let is_more = PATH.with_borrow_mut(|path| {
            let path = path.as_mut().expect("`work` does not explore");
            path.answers.truncate(path.given);
            path.given = 0;
            // The last answer that is not the last one possible becomes the next one.
            while path.answers.pop_if(|(answer, of)| *answer + 1 == *of).is_some() {}
            path.answers.last_mut().map(|(answer, _)| *answer += 1).is_some()
        });
        if !is_more {
            PATH.set(None);
            return paths;
        }
    }
}

/// Returns the names of the mistakes with which a statement holds all the same, out of a list whose first entry is the program as it is.
pub(crate) fn missed<P: Copy>(
    programs: &[(&'static str, P)],
    holds: impl Fn(P) -> bool,
) -> Vec<&'static str> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let holds = |program| {
        let result = catch_unwind(AssertUnwindSafe(|| holds(program)));
        PATH.set(None);
        result.unwrap_or(false)
    };
    assert!(holds(programs[0].1), "without a mistake, the statement does not hold");
    let missed = programs[1..].iter().filter(|(_, program)| holds(*program)).map(|&(what, _)| what).collect();
    std::panic::set_hook(hook);
    missed
}
