//! Tests of `trust8::stream`: text in pieces.

#[path = "../support/policies.rs"]
mod policies;
#[path = "../support/mod.rs"]
mod support;

mod cuts;
mod lossy;
mod validator;
mod websocket;
