//! Writes the output of several threads in the order of the files.
//!
//! Each file gets a number and a `Turn`. What is written to a turn is kept until the turns of all
//! files before it have ended. Most files have nothing to report, so nobody waits for them. A turn
//! that has a lot to report waits, so memory does not grow with the output.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::outcome::print_error;
use crate::progress::Progress;

/// How many bytes a turn keeps before it waits, and how many the output buffers.
const TURN_LIMIT_BYTES: usize = 1 << 16;
/// How many bytes all ended turns together keep before the next one waits.
const TOTAL_LIMIT_BYTES: usize = 64 << 20;

/// The output that all turns share.
pub(crate) struct OrderedOutput {
    state: Mutex<State>,
    /// Notified when `State::current` changes.
    advanced: Condvar,
    progress: Progress,
    /// Written between two files that report something.
    separator: &'static [u8],
}

struct State {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The number of the file whose messages are written now.
    current: u64,
    /// The messages of files that have ended before their turn came, by number.
    kept: BTreeMap<u64, Vec<Message>>,
    /// The length of `kept` in bytes.
    kept_bytes: usize,
    /// Whether any file has written to `out`.
    begun: bool,
    /// The error of a write that failed. Nothing is written after it.
    error: Option<io::Error>,
}

enum Message {
    /// For the output.
    Output(Vec<u8>),
    /// For standard error.
    Error(String),
}

impl OrderedOutput {
    pub(crate) fn new(out: Box<dyn Write + Send>, progress: Progress, separator: &'static [u8]) -> Self {
        let state = State {
            out: BufWriter::with_capacity(TURN_LIMIT_BYTES, out),
            current: 0,
            kept: BTreeMap::new(),
            kept_bytes: 0,
            begun: false,
            error: None,
        };
        Self { state: Mutex::new(state), advanced: Condvar::new(), progress, separator }
    }

    /// Returns the turn of the file `number`. Every number from 0 on must get a turn, and every
    /// turn must be dropped.
    pub(crate) fn turn(&self, number: u64) -> Turn<'_> {
        Turn { output: self, number, messages: Vec::new(), bytes: Vec::new(), begun: false }
    }

    /// Whether a write has failed, so that there is no point in going on.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().error.is_some()
    }

    /// Writes `bytes`, which belong to no file. Call this before the first turn or after the last
    /// one.
    pub(crate) fn write_outside_turns(&self, bytes: &[u8]) {
        let mut state = self.lock();
        self.write(&mut state, |out| out.write_all(bytes));
    }

    /// Writes what is buffered, and returns the first error of all writes. Call this after the last
    /// turn.
    pub(crate) fn finish(self) -> io::Result<()> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let result = match state.error {
            None => state.out.flush(),
            Some(error) => Err(error),
        };
        // After a failed write there are still bytes in the buffer. Dropping it would try to write
        // them again.
        let _ = state.out.into_parts();
        result
    }

    /// Lets `write` write to the output, unless an earlier write has failed.
    fn write(&self, state: &mut State, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if state.error.is_none()
            && let Err(error) = self.progress.suspend(|| write(&mut state.out))
        {
            state.error = Some(error);
        }
    }

    /// Writes a message of the current file. `begun` is whether that file has written to the output
    /// before.
    fn write_message(&self, state: &mut State, message: &Message, begun: &mut bool) {
        match message {
            Message::Output(bytes) => {
                if !std::mem::replace(begun, true) && std::mem::replace(&mut state.begun, true) {
                    self.write(state, |out| out.write_all(self.separator));
                }
                self.write(state, |out| out.write_all(bytes));
            }
            Message::Error(error) => {
                // If both go to the same terminal, they must appear in the order of the files.
                self.write(state, |out| out.flush());
                self.progress.suspend(|| print_error(error));
            }
        }
    }

    /// A thread that panics here leaves the state usable, so a poisoned lock does not matter.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes what one file reports. Dropping it ends the turn of the file.
pub(crate) struct Turn<'a> {
    output: &'a OrderedOutput,
    number: u64,
    messages: Vec<Message>,
    /// Output that comes after `messages`.
    bytes: Vec<u8>,
    begun: bool,
}

impl Turn<'_> {
    /// Returns the buffer to write output to.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Prints `error` on standard error, after all output that was written before it.
    pub(crate) fn print_error(&mut self, error: String) {
        self.take_bytes();
        self.messages.push(Message::Error(error));
    }

    /// Writes the output so far if there is a lot of it, waiting for the turn of the file if need
    /// be.
    ///
    /// Call this regularly while a file has much to report. With `at_once`, writes even a little
    /// output, if it is the turn of the file already.
    pub(crate) fn write_through(&mut self, at_once: bool) {
        if self.bytes.len() < TURN_LIMIT_BYTES && !at_once {
            return;
        }
        let mut state = self.output.lock();
        if state.current != self.number {
            if self.bytes.len() < TURN_LIMIT_BYTES {
                return;
            }
            while state.current != self.number && state.error.is_none() {
                state = self.output.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        self.take_bytes();
        for message in self.messages.drain(..) {
            self.output.write_message(&mut state, &message, &mut self.begun);
        }
        if at_once {
            self.output.write(&mut state, |out| out.flush());
        }
    }

    fn take_bytes(&mut self) {
        if !self.bytes.is_empty() {
            self.messages.push(Message::Output(std::mem::take(&mut self.bytes)));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.take_bytes();
        let mut state = self.output.lock();
        while state.current != self.number && state.kept_bytes > TOTAL_LIMIT_BYTES && state.error.is_none() {
            state = self.output.advanced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.current != self.number {
            state.kept_bytes += self.messages.iter().map(Message::len).sum::<usize>();
            state.kept.insert(self.number, std::mem::take(&mut self.messages));
            return;
        }
        for message in &self.messages {
            self.output.write_message(&mut state, message, &mut self.begun);
        }
        state.current += 1;
        while let Some(messages) = {
            let current = state.current;
            state.kept.remove(&current)
        } {
            let mut begun = false;
            for message in &messages {
                state.kept_bytes -= message.len();
                self.output.write_message(&mut state, message, &mut begun);
            }
            state.current += 1;
        }
        drop(state);
        self.output.advanced.notify_all();
    }
}

impl Message {
    fn len(&self) -> usize {
        match self {
            Self::Output(bytes) => bytes.len(),
            Self::Error(text) => text.len(),
        }
    }
}
