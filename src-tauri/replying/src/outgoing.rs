//! All that the user gets from a run, put together from what the model and its tools gave.
//!
//! Source: docs/behaviour/routing.md#preparation.

use vocabulary::{OutgoingResponse, Private, behind_loudspeaker};

/// The inputs of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutgoingInput {
    /// The text of the model, as it wrote it.
    pub text: Option<String>,
    /// The words for a failure of the model.
    pub error: Option<String>,
    /// A tool asked for the answer to be spoken.
    pub voice_requested: bool,
    /// The words that a tool wants spoken.
    pub voice_text: Option<String>,
    /// The newest words of the user came by voice.
    pub is_asked_aloud: bool,
    /// The settings have answers to such words spoken.
    pub answers_aloud: bool,
    /// The user wants no answer, or the run goes on as another one: nothing of it is for the user.
    pub is_handed_over: bool,
    /// The response so far, with the files that tools gave.
    pub existing: Option<OutgoingResponse>,
}

/// The response of a run; `None` if it has nothing for the user.
///
/// A response that has text stays as it is, one with files alone gets the text. A failure goes before what the model said.
pub fn prepare_outgoing(input: OutgoingInput) -> Option<OutgoingResponse> {
    let has_text = |response: &OutgoingResponse| response.text.as_ref().is_some_and(|text| !is_blank(text));
    if input.is_handed_over || input.existing.as_ref().is_some_and(has_text) {
        return input.existing;
    }
    let attachments = input.existing.clone().map(|existing| existing.attachments).unwrap_or_default();
    let worded = match input.error.clone() {
        Some(error) => OutgoingResponse { text: Some(Private(error)), ..OutgoingResponse::default() },
        None => worded(input),
    };
    if worded.text.is_none() && !worded.voice_requested && attachments.is_empty() {
        return None;
    }
    Some(OutgoingResponse { attachments, skip_assistant_history: true, ..worded })
}

/// Text and voice of a run that did not fail.
fn worded(input: OutgoingInput) -> OutgoingResponse {
    let OutgoingInput { text, voice_requested, voice_text, is_asked_aloud, answers_aloud, .. } = input;
    let has_words = voice_text.as_ref().is_some_and(|words| !is_blank(words));
    let mut is_voice = voice_requested || has_words;
    let (text, voice_text) = match text.as_deref().and_then(behind_loudspeaker).map(str::trim_end) {
        Some("") => (None, voice_text),
        Some(rest) => {
            is_voice = true;
            (Some(rest.to_owned()), voice_text.filter(|_| has_words).or_else(|| Some(rest.to_owned())))
        }
        None => (text.filter(|text| !is_blank(text)), voice_text),
    };
    is_voice |= text.is_some() && answers_aloud && is_asked_aloud;
    OutgoingResponse {
        text: text.map(Private),
        voice_requested: is_voice,
        voice_text: voice_text.map(Private),
        ..OutgoingResponse::default()
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{Attachment, AttachmentKind};

    use super::*;

    fn says(text: &str) -> OutgoingInput {
        OutgoingInput { text: Some(text.to_owned()), ..OutgoingInput::default() }
    }

    fn with_files(text: Option<&str>) -> Option<OutgoingResponse> {
        let attachment = Attachment {
            kind: AttachmentKind::Image,
            filename: "map.png".into(),
            mime_type: "image/png".into(),
            bytes: Private(vec![1].into()),
            caption: None,
        };
        let text = text.map(|text| Private(text.to_owned()));
        Some(OutgoingResponse { text, attachments: vec![attachment], ..OutgoingResponse::default() })
    }

    fn voice_text(words: &str) -> Option<String> {
        Some(words.to_owned())
    }

    /// Text, voice, words to speak and number of files.
    type Shape<'a> = Option<(Option<&'a str>, bool, Option<&'a str>, usize)>;

    #[rstest]
    #[case::text(says("It rains."), Some((Some("It rains."), false, None, 0)))]
    #[case::text_stays_untrimmed(says(" It rains. "), Some((Some(" It rains. "), false, None, 0)))]
    #[case::nothing(OutgoingInput::default(), None)]
    #[case::blank_text(says(" \u{A0}\n"), None)]
    #[case::failure_goes_before_text(
        OutgoingInput { error: Some("It failed.".into()), voice_requested: true, ..says("It rains.") },
        Some((Some("It failed."), false, None, 0))
    )]
    #[case::tool_asks_for_voice(
        OutgoingInput { voice_requested: true, ..says("It rains.") },
        Some((Some("It rains."), true, None, 0))
    )]
    #[case::words_of_a_tool_are_voice(
        OutgoingInput { voice_text: voice_text("Rain."), ..says("It rains.") },
        Some((Some("It rains."), true, Some("Rain."), 0))
    )]
    #[case::voice_only(
        OutgoingInput { voice_requested: true, voice_text: voice_text("Rain."), ..says("") },
        Some((None, true, Some("Rain."), 0))
    )]
    #[case::loudspeaker(says("\n\u{1F50A} It rains. "), Some((Some("It rains."), true, Some("It rains."), 0)))]
    #[case::loudspeaker_with_words_of_a_tool(
        OutgoingInput { voice_text: voice_text("Rain."), ..says("\u{1F50A}It rains.") },
        Some((Some("It rains."), true, Some("Rain."), 0))
    )]
    #[case::loudspeaker_with_blank_words_of_a_tool(
        OutgoingInput { voice_text: voice_text(" "), ..says("\u{1F50A}It rains.") },
        Some((Some("It rains."), true, Some("It rains."), 0))
    )]
    #[case::loudspeaker_alone(says("\u{1F50A} "), None)]
    #[case::loudspeaker_alone_with_words_of_a_tool(
        OutgoingInput { voice_text: voice_text("Rain."), ..says("\u{1F50A}") },
        Some((None, true, Some("Rain."), 0))
    )]
    #[case::asked_aloud(
        OutgoingInput { is_asked_aloud: true, answers_aloud: true, ..says("It rains.") },
        Some((Some("It rains."), true, None, 0))
    )]
    #[case::asked_aloud_against_the_settings(
        OutgoingInput { is_asked_aloud: true, ..says("It rains.") },
        Some((Some("It rains."), false, None, 0))
    )]
    #[case::asked_aloud_without_an_answer(
        OutgoingInput { is_asked_aloud: true, answers_aloud: true, ..OutgoingInput::default() },
        None
    )]
    #[case::files_get_the_text(
        OutgoingInput { existing: with_files(None), voice_requested: true, ..says("A map.") },
        Some((Some("A map."), true, None, 1))
    )]
    #[case::files_alone(
        OutgoingInput { existing: with_files(None), ..OutgoingInput::default() },
        Some((None, false, None, 1))
    )]
    #[case::files_with_a_failure(
        OutgoingInput { existing: with_files(None), error: Some("It failed.".into()), ..OutgoingInput::default() },
        Some((Some("It failed."), false, None, 1))
    )]
    #[case::finished_response(
        OutgoingInput { existing: with_files(Some("A map.")), ..says("Another.") },
        Some((Some("A map."), false, None, 1))
    )]
    #[case::handed_over(OutgoingInput { is_handed_over: true, ..says("It rains.") }, None)]
    #[case::files_are_handed_over(
        OutgoingInput { is_handed_over: true, existing: with_files(None), ..says("It rains.") },
        Some((None, false, None, 1))
    )]
    fn response_has_what_model_and_tools_gave(#[case] input: OutgoingInput, #[case] expected: Shape<'_>) {
        let prepared = prepare_outgoing(input);

        let shape = prepared.as_ref().map(|response| {
            let text = |text: &Option<Private<String>>| text.as_ref().map(|text| text.0.clone());
            let files = response.attachments.len();
            (text(&response.text), response.voice_requested, text(&response.voice_text), files)
        });
        let expected = expected.map(|(text, voice, words, files)| {
            (text.map(str::to_owned), voice, words.map(str::to_owned), files)
        });
        assert_eq!(shape, expected);
    }
}
