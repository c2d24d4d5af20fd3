//! The one object that says what a user gets from a reply.

use serde::{Deserialize, Serialize};

use crate::Private;

/// All that one reply hands to the user. Routing reads this and nothing else; what is in here was decided upstream.
///
/// Source: the transport contract, "Variant B".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutgoingResponse {
    /// Plain text or Markdown to show.
    pub text: Option<Private<String>>,
    /// Try to speak it.
    pub voice_requested: bool,
    /// What to speak; absent or blank means the text.
    pub voice_text: Option<Private<String>>,
    /// Files and pictures, sent after text and voice.
    pub attachments: Vec<Attachment>,
    /// Routing must not write history, whatever this says; it marks that the reply engine already did.
    pub skip_assistant_history: bool,
}

impl OutgoingResponse {
    /// A response of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(Private(text.into())), skip_assistant_history: true, ..Self::default() }
    }

    /// The same response, to be spoken too.
    pub fn spoken(mut self) -> Self {
        self.voice_requested = true;
        self
    }

    /// The words to speak, if speaking was asked for and there are any.
    pub fn spoken_text(&self) -> Option<&str> {
        let explicit = self.voice_text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        let shown = self.text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        self.voice_requested.then(|| explicit.or(shown)).flatten()
    }

    /// Is there nothing in it for anybody?
    pub fn is_empty(&self) -> bool {
        let no_text = self.text.as_ref().is_none_or(|t| t.0.trim().is_empty());
        no_text && self.spoken_text().is_none() && self.attachments.is_empty()
    }
}

/// Is it a picture to show, or a file to hand over?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttachmentKind {
    /// Shown in place.
    Image,
    /// Offered as a file.
    Document,
}

/// A file that goes with a response. Never shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Picture or file.
    pub kind: AttachmentKind,
    /// A base name, without any folder.
    pub filename: String,
    /// Its media type, such as `image/png`.
    pub mime_type: String,
    /// The content.
    pub bytes: Private<Vec<u8>>,
    /// A line to show with it.
    pub caption: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_the_explicit_words_else_the_text_and_only_when_asked() {
        let silent = OutgoingResponse::text("Rain.");
        let spoken = OutgoingResponse::text("Rain.").spoken();
        let explicit =
            OutgoingResponse { voice_text: Some(Private("Rain, sadly.".into())), ..spoken.clone() };

        assert_eq!(silent.spoken_text(), None);
        assert_eq!(spoken.spoken_text(), Some("Rain."));
        assert_eq!(explicit.spoken_text(), Some("Rain, sadly."));
    }

    #[test]
    fn a_wish_to_speak_nothing_is_an_empty_response() {
        assert!(OutgoingResponse { voice_requested: true, ..Default::default() }.is_empty());
    }
}
