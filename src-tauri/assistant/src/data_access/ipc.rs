//! The local socket of this user: how other processes speak to the one that owns the data.
//!
//! Both sides send one JSON value a line. The first line each way is a [`Greeting`](protocol::Greeting) with the version
//! of this exchange. Then the caller sends one request, and the owner answers until one response is the last. Another line
//! from the caller, or its hang-up, cancels the request.

mod protocol; // greeting and limits
mod wire; // bounded lines
mod socket; // where it is, and who may open it
mod server; // the owner's side
mod client; // the caller's side

pub use client::{Connection, IpcError};
pub(crate) use server::{Server, serve};
pub(crate) use socket::listen;

#[cfg(test)]
mod tests;
