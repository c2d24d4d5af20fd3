//! The protocol between Jarvis and the worker program: one JSON object per line over standard input and output.
//!
//! There is no request to unload the model: ending the program frees all memory, including that of the allocator.
//!
//! The worker processes one request at a time, in order; only [`WorkerRequest::Cancel`] takes effect at once. It ends
//! when its standard input is closed, so it never outlives Jarvis.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vocabulary::Private;

use crate::{Message, ToolSpec, Usage};

/// Identifier of a request to one worker; never reused.
pub type RequestId = u64;

/// A request to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum WorkerRequest {
    /// Load a model and replace the loaded one. Answered by [`WorkerEvent::Loaded`].
    Load {
        /// Its number.
        id: RequestId,
        /// The GGUF file.
        path: PathBuf,
        /// Tokens of context; fewer when the model was trained on fewer.
        context_tokens: u32,
        /// Threads to compute with; 0 takes what this machine does best with.
        threads: u32,
    },
    /// Generate a response. Answered by [`WorkerEvent::Text`]s and a [`WorkerEvent::Finished`].
    Chat {
        /// Its number.
        id: RequestId,
        /// The dialogue.
        messages: Vec<Message>,
        /// The tools on offer.
        tools: Vec<ToolSpec>,
        /// Maximum length of the response in tokens.
        max_tokens: u32,
        /// Sampling temperature; 0.0: greedy sampling.
        temperature: f32,
        /// A JSON schema for the response.
        format: Option<Value>,
        /// `true` if the model may think first.
        thinking: bool,
    },
    /// Read the start of a dialogue and store it, so that prompts which begin with it are read from there. A chat that waits
    /// cancels it. Answered by a [`WorkerEvent::Finished`].
    Warm {
        /// Its number.
        id: RequestId,
        /// The start of a dialogue.
        messages: Vec<Message>,
        /// The file for what the model makes of the start: it is read if it holds this very start, else written.
        file: Option<PathBuf>,
    },
    /// Cancel a request, started or not. The request is answered by a [`WorkerEvent::Finished`].
    Cancel {
        /// The request to cancel.
        id: RequestId,
    },
}

/// An event of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WorkerEvent {
    /// The model is loaded.
    Loaded {
        /// The request.
        id: RequestId,
        /// Actual size of the context in tokens.
        context_tokens: u32,
        /// Actual number of threads.
        threads: u32,
    },
    /// A part of the prompt was processed. Prevents the silence timeout during long prompts.
    Reading {
        /// The request.
        id: RequestId,
    },
    /// More text of the response, in complete characters.
    Text {
        /// The request.
        id: RequestId,
        /// The text to append.
        text: Private<String>,
    },
    /// The response is complete or cancelled.
    Finished {
        /// The request.
        id: RequestId,
        /// Token counts.
        usage: Usage,
    },
    /// The request failed. The worker continues.
    Failed {
        /// The request.
        id: RequestId,
        /// The cause.
        failure: WorkerFailure,
    },
}

impl WorkerEvent {
    /// The id of the request.
    pub fn id(&self) -> RequestId {
        match self {
            Self::Loaded { id, .. }
            | Self::Reading { id }
            | Self::Text { id, .. }
            | Self::Finished { id, .. }
            | Self::Failed { id, .. } => *id,
        }
    }
}

/// Why a request to the worker failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum WorkerFailure {
    /// The model file is missing, damaged, or in an unknown format.
    ModelUnreadable {
        /// The fault.
        reason: String,
    },
    /// No model is loaded.
    NotLoaded,
    /// The dialogue is longer than the context.
    TooLong {
        /// Number of tokens of the dialogue.
        tokens: u32,
        /// Size of the context in tokens.
        context: u32,
    },
    /// The model does not support the request.
    Unsupported {
        /// The unsupported feature.
        reason: String,
    },
    /// The engine failed.
    Engine {
        /// The error of the engine.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_written_as_one_line_of_json() {
        let request = WorkerRequest::Chat {
            id: 7,
            messages: vec![Message::user("one\ntwo")],
            tools: vec![],
            max_tokens: 16,
            temperature: 0.0,
            format: None,
            thinking: false,
        };

        let line = serde_json::to_string(&request).unwrap();

        assert_eq!(
            line,
            "{\"do\":\"chat\",\"id\":7,\"messages\":[{\"role\":\"user\",\"content\":\"one\\ntwo\"}],\"tools\":[],\
             \"max_tokens\":16,\"temperature\":0.0,\"format\":null,\"thinking\":false}"
        );
        assert_eq!(serde_json::from_str::<WorkerRequest>(&line).unwrap(), request);
    }
}
