//! The part of a reply that the user gets.

use std::sync::Arc;

use crate::Private;

/// The sign with which a model begins an answer that is to be spoken. Source: docs/behaviour/routing.md#preparation.
const LOUDSPEAKER: char = '\u{1F50A}';

/// Emoji of older fonts have it behind their sign.
const VARIATION_SELECTOR: char = '\u{FE0F}';

/// The text behind the loudspeaker that begins it, and behind the blanks after that; `None` if none does. Other loudspeakers
/// stay.
pub fn behind_loudspeaker(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix(LOUDSPEAKER)?;
    Some(rest.strip_prefix(VARIATION_SELECTOR).unwrap_or(rest).trim_start())
}

/// Everything that one reply gives the user. Routing reads this and decides nothing about its content.
///
/// Source: docs/behaviour/routing.md.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutgoingResponse {
    /// Plain text or Markdown to show.
    pub text: Option<Private<String>>,
    /// `true` to speak it.
    pub voice_requested: bool,
    /// The words to speak; absent or blank means the text.
    pub voice_text: Option<Private<String>>,
    /// Files and pictures, sent after text and voice.
    pub attachments: Vec<Attachment>,
    /// The reply engine has written the dialogue already. Routing never writes it.
    pub skip_assistant_history: bool,
    /// The user wants no answer: that there is none is no fault.
    pub is_dismissed: bool,
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
        let shown = self.text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        self.words_of_tools().or_else(|| self.voice_requested.then_some(shown).flatten())
    }

    /// The words besides the text that a tool wants spoken, if speech was requested and there are any.
    pub fn words_of_tools(&self) -> Option<&str> {
        let words = self.voice_text.as_deref().map(String::as_str).filter(|t| !t.trim().is_empty());
        words.filter(|_| self.voice_requested)
    }

    /// Returns `true` if it has no text, no words to speak and no attachment.
    pub fn is_empty(&self) -> bool {
        let no_text = self.text.as_ref().is_none_or(|t| t.0.trim().is_empty());
        no_text && self.spoken_text().is_none() && self.attachments.is_empty()
    }
}

/// The words that several tools want spoken, in the order of their calls. Words that are there already are not added.
pub fn words_to_speak(earlier: Option<String>, more: Option<String>) -> Option<String> {
    match (earlier, more) {
        (Some(earlier), Some(more)) if earlier.lines().any(|line| line.trim() == more.trim()) => {
            Some(earlier)
        }
        (Some(earlier), Some(more)) => Some(format!("{earlier}\n{more}")),
        (earlier, more) => earlier.or(more),
    }
}

/// The way an attachment is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    /// Shown in place, as a picture.
    Image,
    /// Offered as a file.
    Document,
}

/// A file that goes with a response. The model never sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The way it is presented.
    pub kind: AttachmentKind,
    /// The file name without any folder.
    pub filename: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// The content of the file; copies share it.
    pub bytes: Private<Arc<[u8]>>,
    /// A caption to show with it.
    pub caption: Option<String>,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

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

    #[rstest]
    #[case::sign("\u{1F50A} It rains. ", Some("It rains. "))]
    #[case::sign_as_emoji("\n\u{1F50A}\u{FE0F}It rains.", Some("It rains."))]
    #[case::two_signs("\u{1F50A}\u{1F50A} It rains.", Some("\u{1F50A} It rains."))]
    #[case::sign_alone(" \u{1F50A}\u{A0}", Some(""))]
    #[case::sign_elsewhere("Press \u{1F50A}.", None)]
    #[case::none("It rains.", None)]
    fn one_loudspeaker_at_the_beginning_is_taken_off(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(behind_loudspeaker(text), expected);
    }

    #[rstest]
    #[case::first(None, Some("One."), Some("One."))]
    #[case::second(Some("One."), Some("Two."), Some("One.\nTwo."))]
    #[case::same(Some("One.\nTwo."), Some("Two. "), Some("One.\nTwo."))]
    #[case::none(Some("One."), None, Some("One."))]
    fn words_of_several_tools_are_all_kept_once(
        #[case] earlier: Option<&str>,
        #[case] more: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let words = words_to_speak(earlier.map(str::to_owned), more.map(str::to_owned));

        assert_eq!(words.as_deref(), expected);
    }

    #[test]
    fn speech_without_words_is_an_empty_response() {
        assert!(OutgoingResponse { voice_requested: true, ..Default::default() }.is_empty());
    }
}
