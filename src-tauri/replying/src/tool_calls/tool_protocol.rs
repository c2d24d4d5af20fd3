//! The ways in which a model calls tools.

/// The way in which tools are offered to the model, and in which it calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolProtocol {
    /// Through the provider's own interface.
    Native,
    /// Described in the system message; calls are read from the answer.
    Text,
    /// As text, but the provider forces the model to choose between the tools and none, in a form that can be read.
    Constrained,
    /// Described in the system message; every answer is JSON, a call or a text, and the tool that the request seems to mean is
    /// hinted.
    JsonHints,
}
