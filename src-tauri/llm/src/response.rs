//! Processing of streamed responses, shared by all providers.

mod event_assembler; // start here
mod thinking_splitter;
mod text_tool_calls;
mod line_splitter;
mod server_sent_events;
mod event_stream;

pub(crate) use event_assembler::EventAssembler;
pub(crate) use event_stream::{ResponseParser, cancelled_stream, event_stream};
pub(crate) use line_splitter::LineSplitter;
pub(crate) use server_sent_events::ServerSentEvents;
