//! The Command Center protocol: wire types, the client and the server role. No socket, no screen, no language model.
//!
//! A Command Center is a server that chooses tools; a node runs them. This crate is both: the client sends an utterance and
//! runs what the server asks for, the server role answers nodes with our own engine. What reaches out is a port, so that
//! `assistant` joins it with HTTP, tools and voice, and a door joins the server role with a socket.
//!
//! Source: the description of tool calling in the Command Center protocol, and the programs that speak it.

mod client; // one utterance to its reply: start here
mod response; // what the client does about an answer
mod wire;
mod raw_sound; // the voice of the server
mod bodies; // as both roles write them
mod declared_tool; // tools in them
mod server; // the server role
mod arguments;
mod python_literal;
mod tool_result;
mod command;
mod parameter_value;
mod model_call;
mod ids;
mod utterance; // transcripts that are no request
mod spoken; // numbers and durations
mod timer;
mod clock_time;
mod date_keys;
mod date_context; // all of them, resolved

pub use arguments::decode_arguments;
pub use bodies::{
    AcknowledgeRequest, CalledFunction, CommandAnswer, CommandErrors, CommandFailure, CommandRequest,
    ContinueRequest, ConversationAnswer, Detail, EndRequest, Health, MalformedBody, NodeContext, Pong,
    RequestInformation, StartRequest, StreamRefusal, WireAttachment, WireCall, WireQuestion, Words,
};
pub use client::{
    AnswerShape, ClientConfig, ClientReply, CommandCenterClient, Ending, NodeUser, ReplyText, StockPhrase,
    ToolRunner, prepare, validation_answer,
};
pub use clock_time::{ClockTime, clock_time};
pub use command::{Command, Parameter};
pub use date_context::date_context;
pub use date_keys::{ResolvedDates, resolve_date_keys};
pub use declared_tool::{CommandExample, DeclaredFunction, DeclaredTool};
pub use ids::NodeConversationId;
pub use model_call::{ModelCall, with_usual_date_keys};
pub use parameter_value::fits_declared_type;
pub use raw_sound::{RawSoundFormat, RawSoundReader, UnreadableSound};
pub use response::{
    Action, Failure, FailureReason, MAX_RESPONSE_BYTES, ToolCall, ValidationRequest, parse_response,
};
pub use server::{
    ClientTool, CommandCenterServer, Decision, EngineError, EngineModel, EngineTurn, HistoryEntry,
    MAX_REQUEST_BYTES, NodeEngine, NodeRequest, NodeResponse, PairedClient, ServerSettings, client_of_key,
    is_from_here,
};
pub use timer::{SpokenTimer, spoken_timer};
pub use tool_result::{CommandResponse, ToolResult, ToolRun};
pub use utterance::{is_false_wake, is_noise, says_not_for_me};
pub use wire::{API_KEY_HEADER, CommandCenterHttp, Endpoint, WireResponse, api_key};
