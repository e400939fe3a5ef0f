//! Tests of `trust8::stream`: text in pieces.

#[path = "../support/mod.rs"]
mod support;

mod cuts;
mod validator;
mod websocket;
