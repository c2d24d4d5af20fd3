//! What the user gets from a reply.

use serde::{Deserialize, Serialize};

use crate::Private;

/// Everything that one reply gives the user. Routing reads this and decides nothing about its content.
///
/// Source: the transport contract, "Variant B".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutgoingResponse {
    /// Plain text or Markdown to show.
    pub text: Option<Private<String>>,
    /// Whether to speak it.
    pub voice_requested: bool,
    /// The words to speak; absent or blank means the text.
    pub voice_text: Option<Private<String>>,
    /// Files and pictures, sent after text and voice.
    pub attachments: Vec<Attachment>,
    /// The reply engine has written the dialogue already. Routing never writes it.
    pub skip_assistant_history: bool,
}

impl OutgoingResponse {
    /// A response with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(Private(text.into())), skip_assistant_history: true, ..Self::default() }
    }

    /// The same response, with speech requested.
    pub fn spoken(mut self) -> Self {
        self.voice_requested = true;
        self
    }

    /// The words to speak, if speech was requested and there are any.
    pub fn spoken_text(&self) -> Option<&str> {
        let explicit = self.voice_text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        let shown = self.text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        self.voice_requested.then(|| explicit.or(shown)).flatten()
    }

    /// Whether it has no text, no words to speak and no attachment.
    pub fn is_empty(&self) -> bool {
        let no_text = self.text.as_ref().is_none_or(|t| t.0.trim().is_empty());
        no_text && self.spoken_text().is_none() && self.attachments.is_empty()
    }
}

/// How an attachment is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttachmentKind {
    /// Shown in place, as a picture.
    Image,
    /// Offered as a file.
    Document,
}

/// A file that goes with a response. The model never sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// How it is presented.
    pub kind: AttachmentKind,
    /// The file name without any folder.
    pub filename: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// The content of the file.
    pub bytes: Private<Vec<u8>>,
    /// A caption to show with it.
    pub caption: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoken_words_are_the_explicit_ones_else_the_text() {
        let silent = OutgoingResponse::text("Rain.");
        let spoken = OutgoingResponse::text("Rain.").spoken();
        let explicit =
            OutgoingResponse { voice_text: Some(Private("Rain, sadly.".into())), ..spoken.clone() };

        assert_eq!(silent.spoken_text(), None);
        assert_eq!(spoken.spoken_text(), Some("Rain."));
        assert_eq!(explicit.spoken_text(), Some("Rain, sadly."));
    }

    #[test]
    fn speech_without_words_is_an_empty_response() {
        assert!(OutgoingResponse { voice_requested: true, ..Default::default() }.is_empty());
    }
}
