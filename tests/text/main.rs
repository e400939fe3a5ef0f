//! Tests of functions on valid text: lines and columns, copies, strings, characters.

#[path = "../support/mod.rs"]
mod support;

mod characters;
mod copy;
mod locate;
mod string;
