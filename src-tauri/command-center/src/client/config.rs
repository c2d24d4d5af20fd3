//! The configuration of the client.

/// The shape in which answers to questions are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerShape {
    /// A result, as the published clients send it.
    #[default]
    ToolResult,
    /// A text in a field of its own, as older documents of the Command Center protocol show it.
    Text,
}

/// The configuration of the client.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// The IANA zone of the system.
    pub timezone: String,
    /// The room of this node; `None` is not told. Servers that know their nodes take it from their own list.
    pub room: Option<String>,
    /// For servers that know only one of them.
    pub answer_shape: AnswerShape,
    /// The words that stand for an answer that nobody could give.
    pub nobody_to_ask: String,
}
