//! Several threads, one output, in the order of the files.
//!
//! Each file gets a number when it is taken up, and a `Turn` to write to. What a file has to say is kept until
//! all files before it have said theirs; most have nothing to say, and nobody waits for them. Who has a lot to
//! say waits, so that memory does not grow with it.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write, stderr};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::progress::Progress;

/// What a turn keeps before it waits, and what the buffer of the output holds.
const ENOUGH: usize = 1 << 16;
/// What all turns together keep before they wait.
const MUCH: usize = 64 << 20;

/// The output that they share.
pub(crate) struct Output {
    state: Mutex<State>,
    turned: Condvar,
    progress: Progress,
    /// What stands between two files that have something to say.
    separator: &'static [u8],
}

struct State {
    out: BufWriter<Box<dyn Write + Send>>,
    /// Whose turn it is.
    turn: u64,
    /// What those have said who are done, and whose turn it has not been.
    said: BTreeMap<u64, Vec<Said>>,
    /// How many bytes that are.
    kept: usize,
    /// Whether any file has said anything.
    begun: bool,
    /// Nobody reads it any more, or it is full.
    failed: Option<io::Error>,
}

/// Something to be written.
enum Said {
    Out(Vec<u8>),
    Complaint(String),
}

impl Output {
    pub(crate) fn new(out: Box<dyn Write + Send>, progress: Progress, separator: &'static [u8]) -> Self {
        let state = State {
            out: BufWriter::with_capacity(ENOUGH, out),
            turn: 0,
            said: BTreeMap::new(),
            kept: 0,
            begun: false,
            failed: None,
        };
        Self { state: Mutex::new(state), turned: Condvar::new(), progress, separator }
    }

    /// The turn of file number `number`. Each number from 0 on must have one, and it must be dropped.
    pub(crate) fn turn(&self, number: u64) -> Turn<'_> {
        Turn { output: self, number, said: Vec::new(), bytes: Vec::new(), begun: false }
    }

    /// Whether there is no point in going on.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().failed.is_some()
    }

    /// Writes what comes before or behind all files.
    pub(crate) fn around(&self, bytes: &[u8]) {
        let mut state = self.lock();
        self.write(&mut state, bytes);
    }

    /// Everything has been said.
    pub(crate) fn finish(self) -> io::Result<()> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let result = match state.failed {
            None => state.out.flush(),
            Some(error) => Err(error),
        };
        // What a failed write left in the buffer is not to be written when the buffer goes.
        let _ = state.out.into_parts();
        result
    }

    /// Writes what is in the buffer.
    fn flush(&self, state: &mut State) {
        if state.failed.is_none()
            && let Err(error) = self.progress.aside(|| state.out.flush())
        {
            state.failed = Some(error);
        }
    }

    fn write(&self, state: &mut State, bytes: &[u8]) {
        if state.failed.is_none()
            && let Err(error) = self.progress.aside(|| state.out.write_all(bytes))
        {
            state.failed = Some(error);
        }
    }

    fn say(&self, state: &mut State, said: &Said, begun: &mut bool) {
        match said {
            Said::Out(bytes) => {
                if !std::mem::replace(begun, true) && std::mem::replace(&mut state.begun, true) {
                    self.write(state, self.separator);
                }
                self.write(state, bytes);
            }
            Said::Complaint(complaint) => {
                // In the order of the files, also where both go to one terminal.
                self.flush(state);
                self.progress.aside(|| complain(complaint));
            }
        }
    }

    /// A thread that panics leaves nothing half done here.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the user that something went wrong.
pub(crate) fn complain(what: &str) {
    // With standard error gone as well, the exit code is all that is left to say it with.
    let _ = writeln!(stderr().lock(), "trust8: {what}");
}

/// What one file has to say. Its turn is over when this is dropped.
pub(crate) struct Turn<'a> {
    output: &'a Output,
    number: u64,
    said: Vec<Said>,
    /// Behind all that has been said.
    bytes: Vec<u8>,
    begun: bool,
}

impl Turn<'_> {
    /// Where to write to.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// To standard error, behind all that has been written so far.
    pub(crate) fn complain(&mut self, what: String) {
        self.take_bytes();
        self.said.push(Said::Complaint(what));
    }

    /// To be called now and then by who writes much, and with `now` by who won't be back soon: writes out what
    /// has been said, waiting for its turn if that is a lot.
    pub(crate) fn pass_on(&mut self, now: bool) {
        if self.bytes.len() < ENOUGH && !now {
            return;
        }
        let mut state = self.output.lock();
        if state.turn != self.number {
            if self.bytes.len() < ENOUGH {
                return;
            }
            while state.turn != self.number && state.failed.is_none() {
                state = self.output.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        self.take_bytes();
        for said in self.said.drain(..) {
            self.output.say(&mut state, &said, &mut self.begun);
        }
        if now {
            self.output.flush(&mut state);
        }
    }

    fn take_bytes(&mut self) {
        if !self.bytes.is_empty() {
            self.said.push(Said::Out(std::mem::take(&mut self.bytes)));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.take_bytes();
        let mut state = self.output.lock();
        while state.turn != self.number && state.kept > MUCH && state.failed.is_none() {
            state = self.output.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.turn != self.number {
            state.kept += self.said.iter().map(Said::len).sum::<usize>();
            state.said.insert(self.number, std::mem::take(&mut self.said));
            return;
        }
        for said in &self.said {
            self.output.say(&mut state, said, &mut self.begun);
        }
        state.turn += 1;
        while let Some(said) = {
            let turn = state.turn;
            state.said.remove(&turn)
        } {
            let mut begun = false;
            for said in &said {
                state.kept -= said.len();
                self.output.say(&mut state, said, &mut begun);
            }
            state.turn += 1;
        }
        drop(state);
        self.output.turned.notify_all();
    }
}

impl Said {
    fn len(&self) -> usize {
        match self {
            Self::Out(bytes) => bytes.len(),
            Self::Complaint(text) => text.len(),
        }
    }
}
