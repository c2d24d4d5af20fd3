//! Turns a query into an outgoing response.
//!
//! A [`vocabulary::Query`] comes in, a stream of [`vocabulary::ReplyEvent`]s goes out and ends in exactly one
//! [`vocabulary::OutgoingResponse`]. No sound, no window, no HTTP in here; the model is a port.
//!
//! Source: docs/behaviour/replying.md.

mod engine; // the flow of one reply: start here
mod config;
mod reply_context; // what one reply works with
mod reply_output; // what it comes to
mod reply_stream; // its events
mod query_context; // stage 1: what was asked
mod prepare; // stage 2: tools, steps, memory
mod prompting; // the messages that a model gets
mod reply_loop; // stage 4: model and tools in turns
mod turn_loop; // what the loop decides, pure
mod model_policy; // what differs between models
mod tool_calls; // which tools are offered, how calls are written, what comes back
mod answering_model; // the one that answers now
mod plain_requests; // answered by rules, without a model
mod answer_text; // from the tokens of a model to what is shown and spoken
mod outgoing; // all that the user gets
mod conversations; // what a conversation keeps
pub mod roles; // short questions to models
mod planning; // requests of several steps
mod memory_use; // what the memory adds to a reply
mod language; // the language of a reply
mod conversation_cache; // cache of one conversation
mod stopwatch; // how long the stages take
mod told_facts; // what users say about themselves
#[cfg(test)]
mod test_rows;

pub use answer_text::malformed;
pub use answer_text::sentence_gate::SentenceGate;
pub use answer_text::sentences::sentences;
pub use answer_text::streamed_reply::StreamedReply;
pub use answering_model::AnsweringModels;
pub use config::{NoLookup, ReplyingConfig, ReplyingConfigError};
pub use conversation_cache::ConversationCache;
pub use engine::{ReplyEngine, ReplyParts, apology};
pub use language::{language_of_reply, language_of_sentence};
pub use memory_use::{digest, recall_gate};
pub use model_policy::AnsweringModel;
pub use outgoing::{OutgoingInput, prepare_outgoing};
pub use plain_requests::fast_path;
pub use plain_requests::own_request::is_own_request;
pub use plain_requests::routine::{Routine, matching_routine};
pub use planning::{compound, plan};
pub use prompting::prompt::system_message;
pub use prompting::prompts::SystemTemplates;
pub use prompting::{context, profiles};
pub use query_context::withdraw_previous;
pub use reply_stream::stream_of_reply;
pub use roles::{ModelPlaceReader, ModelTask, RoleModels};
pub use tool_calls::approval::QuestionToUser;
pub use tool_calls::toolbox::Toolbox;
pub use tool_calls::written_reply::{WrittenReply, read_written_reply};
pub use tool_calls::{text_call, tool_talk};
pub use turn_loop::LoopLimits;
