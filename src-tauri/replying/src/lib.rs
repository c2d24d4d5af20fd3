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
pub mod profiles; // manners of answering
mod compose; // stage 3: the messages
mod reply_loop; // stage 4: model and tools in turns
mod turn_loop; // what the loop decides, pure
mod model_policy; // what differs between models
mod tool_protocol; // how they call tools
mod answering_model; // the one that answers now
mod routine; // phrases that start commands of the user
mod own_request; // what no other computer can answer
mod rules; // plain requests, without a model
pub mod fast_path; // how they are recognised
mod follow_up; // short requests that go on with the last one
mod kept_calls; // the calls of the last reply
mod missing_argument; // a call that waits for an argument
mod which_one; // a call that fits several things
mod last_exchange; // words that go on with it
mod choice; // a tool or none, in an enforced form
mod leading_tool; // the call of a tool that needs no choice
mod figures; // numbers and codes that name things
mod toolbox; // the tools of a reply
mod tool_purpose; // which topics and actions a tool is for
mod tool_run_result; // what a call returned
mod caller_tools; // those of a calling program
mod approval; // asking the user before a call
mod streamed_reply; // what the user sees and hears
mod loudspeaker; // a model asks to be heard
mod outgoing; // all that the user gets
mod tool_markers; // what a model repeats of its tools
mod conversations; // what a conversation keeps
pub mod roles; // short questions to models
pub mod plan; // the steps of a reply
pub mod digest; // long texts shortened
pub mod recall_gate; // is memory searched?
pub mod compound; // requests of two parts
pub mod text_call; // tool calls written as text
mod written_reply; // words and calls as one object
mod nested_call; // calls inside the arguments of another
mod text_call_filter;
mod tool_name_filter; // answers that are only the name of a tool
mod grounding; // arguments that a model invented
mod text_cut;
mod language; // the language of a reply
mod prompt; // system message, lines with the newest message
mod prompts; // the templates
mod memory_retriever; // enrichment
mod personal_question; // does a question ask for what was told?
mod evidence; // does a text answer it?
pub mod context; // the line with time and place
pub mod tool_talk; // tool messages of earlier replies
mod conversation_cache; // cache of one conversation
mod stopwatch; // how long the stages take
mod sentence_gate; // tokens to sentences, guarded
mod sentences; // where a sentence ends
mod answer_guard; // sentences that are not true
mod answer_patterns; // how they are recognised
mod outside_orders; // orders in text from outside
mod request_kind; // what a request takes, told by rules
mod plain_truth; // answers to such requests without a model
mod introductions; // what users say about themselves
mod to_remember; // requests to remember something
mod own_facts; // what they say about people and things of theirs
mod told_appointments; // what they have at a time
mod dialogue_questions; // what was said before, and who answers
mod spelling; // requests for the letters of a word
pub mod malformed; // malformed-output guard
#[cfg(test)]
mod test_rows;

pub use answering_model::AnsweringModels;
pub use approval::QuestionToUser;
pub use config::{NoLookup, ReplyingConfig, ReplyingConfigError};
pub use conversation_cache::ConversationCache;
pub use engine::{ReplyEngine, ReplyParts, apology};
pub use language::{language_of_reply, language_of_sentence};
pub use model_policy::AnsweringModel;
pub use outgoing::{OutgoingInput, prepare_outgoing};
pub use own_request::is_own_request;
pub use prompt::system_message;
pub use prompts::SystemTemplates;
pub use query_context::withdraw_previous;
pub use reply_stream::stream_of_reply;
pub use roles::{ModelPlaceReader, ModelTask, RoleModels};
pub use routine::{Routine, matching_routine};
pub use sentence_gate::SentenceGate;
pub use sentences::sentences;
pub use streamed_reply::StreamedReply;
pub use toolbox::Toolbox;
pub use turn_loop::LoopLimits;
pub use written_reply::{WrittenReply, read_written_reply};
