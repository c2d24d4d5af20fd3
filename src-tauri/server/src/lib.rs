//! The doors for other programs.
//!
//! Over HTTP, voice nodes and bots speak the protocol of Command Centers, other programs the OpenAI interface or the Model
//! Context Protocol. Each has a key of its own, and may do what the user allows it. Home Assistant and satellites use the
//! Wyoming protocol, which has no keys. Nothing is open until the settings say so.
//!
//! A request comes in, a reply of the [`assistant::Assistant`] goes out; no decision about a reply is made here.

mod listener; // opened and closed by the settings: start here
mod door; // what all requests share
mod connections; // sockets, with limits of time
mod stall_guard; // slow readers
mod routes; // paths to handlers
mod openapi; // their description
mod programs; // who may ask for what
mod gate; // what every request has to pass
mod limiter; // requests in a minute
mod body_time; // slow bodies
mod failure; // errors on the wire
mod ids;
mod files; // of answers, until their program fetches them
mod attachments; // hands them out
mod caller; // programs as the callers of replies
mod answer; // answers without a conversation
mod nodes; // voice nodes: the Command Center protocol
mod node_replies; // their conversations, as replies of the assistant
mod sound; // samples as bytes
mod speech; // recordings to words, words to sound
mod pending_items; // what waits for the next request of a program
mod open_calls; // calls that a client has to run
mod openai; // the OpenAI interface
mod mcp; // the Model Context Protocol
mod wyoming; // the Wyoming protocol, at a port of its own
mod satellites; // microphones and loudspeakers in other rooms, over the same protocol

pub use listener::{DoorError, serve, serve_at};
pub use mcp::{McpError, serve_mcp};
pub use routes::openapi_json;
