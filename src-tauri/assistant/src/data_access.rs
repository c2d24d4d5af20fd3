//! One process owns the data; all others ask it.

pub(crate) mod instance; // one process owns the data
pub(crate) mod file_lock; // files that several processes write
pub(crate) mod requests; // what callers ask of the owner of the data
pub(crate) mod data_service; // executes it
pub(crate) mod ipc; // the local socket
pub(crate) mod data_owner; // a running Jarvis, or this process
pub(crate) mod activation; // raising the window
