//! Requests and answers on their way between a node and a Command Center.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use vocabulary::Private;

/// All paths of the Command Center protocol begin with this.
pub(crate) const PREFIX: &str = "/api/v0";

/// The header with the name and the secret of a node.
pub const API_KEY_HEADER: &str = "X-API-Key";

/// The value of [`API_KEY_HEADER`]; `None` if a part is missing: then no header is sent.
pub fn api_key(node_id: &str, secret: &str) -> Option<Private<String>> {
    let is_complete = !node_id.is_empty() && !secret.is_empty();
    is_complete.then(|| Private(format!("{node_id}:{secret}")))
}

/// A route that the client posts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Registers the tools of a conversation.
    Start,
    /// An utterance.
    Command,
    /// The results of calls, or the answer to a question.
    Continue,
    /// A few words while the user waits.
    Acknowledge,
    /// The conversation is over.
    End,
    /// The sound of a text, in the voice of the server.
    Speak,
}

impl Endpoint {
    /// The path behind the address of the server.
    pub fn path(self) -> String {
        let path = match self {
            Self::Start => "conversation/start",
            Self::Command => "voice/command",
            Self::Continue => "voice/command/continue",
            Self::Acknowledge => "voice/acknowledge",
            Self::End => "conversation/end",
            Self::Speak => "media/tts/speak/stream",
        };
        format!("{PREFIX}/{path}")
    }

    /// The time that the server may take. Source: the Command Center protocol.
    pub fn timeout(self) -> Duration {
        Duration::from_secs(match self {
            Self::Start | Self::Command | Self::Continue | Self::Speak => 30,
            Self::Acknowledge => 5,
            Self::End => 10,
        })
    }
}

/// An answer of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireResponse {
    /// The status of HTTP.
    pub status: u16,
    /// As it came; one byte more than [`MAX_RESPONSE_BYTES`](crate::MAX_RESPONSE_BYTES) is enough.
    pub body: Vec<u8>,
}

/// The way to the server. The adapter knows the address and the credentials, and keeps to [`Endpoint::timeout`].
#[async_trait]
pub trait CommandCenterHttp: Send + Sync {
    /// Posts a JSON body; `None` if there was no answer in time. Follows no redirect.
    async fn post(&self, endpoint: Endpoint, body: &Value) -> Option<WireResponse>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_needs_both_of_its_parts() {
        assert_eq!(api_key("kitchen", "s:1"), Some(Private("kitchen:s:1".to_owned())));
        assert_eq!([api_key("", "s"), api_key("kitchen", "")], [None, None]);
    }
}
