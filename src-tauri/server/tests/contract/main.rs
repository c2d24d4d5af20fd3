//! The door over real sockets, with a real assistant whose model, voice and recogniser are scripted.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod served; // the door of a test
mod files;
mod gate;
mod interface;
mod load;
mod mcp;
mod node_loop;
mod nodes;
mod odd_requests;
mod openai;
mod satellites;
mod slow;
mod speech;
mod wyoming;
