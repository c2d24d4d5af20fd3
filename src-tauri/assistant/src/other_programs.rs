//! Other programs that use Jarvis, or that Jarvis uses as a model.

pub(crate) mod programs; // their keys
pub(crate) mod node_role; // a Command Center answers in place of the model here
pub(crate) mod bridge_session; // the Ollama bridge, beside the assistant
