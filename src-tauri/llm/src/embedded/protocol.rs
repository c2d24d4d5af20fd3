//! What we and the worker program say to each other: one JSON object a line, over its standard input and output.
//!
//! There is no order to unload: ending the program gives all memory back, the allocator's included.
//!
//! The worker answers the requests in the order they came, one at a time; only [`WorkerRequest::Cancel`] overtakes. It ends
//! when its standard input closes, so it never outlives us.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vocabulary::Private;

use crate::{Message, ToolSpec, Usage};

/// Numbers the requests to one worker; never used twice.
pub type RequestId = u64;

/// What the worker is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum WorkerRequest {
    /// Load a model, in place of the one loaded. Answered by [`WorkerEvent::Loaded`].
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
    /// Answer a dialogue. Answered by [`WorkerEvent::Text`]s and a [`WorkerEvent::Finished`].
    Chat {
        /// Its number.
        id: RequestId,
        /// The dialogue.
        messages: Vec<Message>,
        /// The tools on offer.
        tools: Vec<ToolSpec>,
        /// The longest answer, in tokens.
        max_tokens: u32,
        /// Randomness; 0.0 always takes the likeliest token.
        temperature: f32,
        /// A JSON schema the answer must obey.
        format: Option<Value>,
        /// Let the model think first.
        thinking: bool,
    },
    /// Read a dialogue into the prefix cache. Answered by a [`WorkerEvent::Finished`].
    Warm {
        /// Its number.
        id: RequestId,
        /// The beginning of a dialogue.
        messages: Vec<Message>,
        /// The tools on offer.
        tools: Vec<ToolSpec>,
    },
    /// Stop working on a request, begun or not. It is answered by a [`WorkerEvent::Finished`] that says so.
    Cancel {
        /// The request to stop.
        id: RequestId,
    },
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WorkerEvent {
    /// The model is loaded.
    Loaded {
        /// The request.
        id: RequestId,
        /// Tokens of context it really has.
        context_tokens: u32,
        /// Threads it really computes with.
        threads: u32,
    },
    /// Tokens of the prompt were read. Says that the worker lives while a long prompt keeps it silent.
    Reading {
        /// The request.
        id: RequestId,
    },
    /// More of the answer, never half a letter.
    Text {
        /// The request.
        id: RequestId,
        /// The text to append.
        text: Private<String>,
    },
    /// The answer is complete, or was cancelled.
    Finished {
        /// The request.
        id: RequestId,
        /// What it cost.
        usage: Usage,
    },
    /// The request cannot be carried out. The worker goes on.
    Failed {
        /// The request.
        id: RequestId,
        /// Why.
        failure: WorkerFailure,
    },
}

impl WorkerEvent {
    /// The request it answers.
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

/// Why the worker could not carry out a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum WorkerFailure {
    /// The model file is missing, broken, or of an unknown kind.
    ModelUnreadable {
        /// What was wrong.
        reason: String,
    },
    /// No model is loaded.
    NotLoaded,
    /// The dialogue does not fit into the context.
    TooLong {
        /// Tokens of the dialogue.
        tokens: u32,
        /// Tokens of the context.
        context: u32,
    },
    /// The request cannot be carried out with this model.
    Unsupported {
        /// What cannot.
        reason: String,
    },
    /// The engine failed.
    Engine {
        /// What it said.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_one_readable_line() {
        let order = WorkerRequest::Chat {
            id: 7,
            messages: vec![Message::user("one\ntwo")],
            tools: vec![],
            max_tokens: 16,
            temperature: 0.0,
            format: None,
            thinking: false,
        };

        let line = serde_json::to_string(&order).unwrap();

        assert_eq!(
            line,
            "{\"do\":\"chat\",\"id\":7,\"messages\":[{\"role\":\"user\",\"content\":\"one\\ntwo\"}],\"tools\":[],\
             \"max_tokens\":16,\"temperature\":0.0,\"format\":null,\"thinking\":false}"
        );
        assert_eq!(serde_json::from_str::<WorkerRequest>(&line).unwrap(), order);
    }
}
