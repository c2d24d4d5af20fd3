//! The guarantee that a user who asked gets something.
//!
//! Source: docs/behaviour/routing.md#feedback and docs/behaviour/routing.md#preparation.

use vocabulary::OutgoingResponse;

use crate::outcome::Outcome;

/// The end of a run, as the guarantee looks at it.
#[derive(Debug, Clone, Copy)]
pub struct RunEnd<'r> {
    /// The parts that arrived.
    pub outcome: &'r Outcome,
    /// The response, if the run came to one.
    pub response: Option<&'r OutgoingResponse>,
    /// The text that the model gave, if there is no response.
    pub model_text: &'r str,
    /// A step of the run went wrong.
    pub has_failed: bool,
    /// Nobody waits for an answer: the run was stopped, its reader is gone, or it runs by itself.
    pub is_silent: bool,
    /// Missing parts were sent once more already.
    pub is_retried: bool,
}

/// The help for a user who got too little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feedback {
    /// Nothing: the user got something, or waits for nothing.
    Nothing,
    /// The missing parts are sent once more.
    Retry,
    /// This text is sent.
    Text(String),
    /// A model explains what went wrong; without one there is an apology.
    Explain,
    /// An apology is sent.
    Apologise,
}

/// Decides what a user still gets. One part of a reply that arrived is enough, but what is missing is tried once more.
pub fn feedback(end: &RunEnd<'_>) -> Feedback {
    if end.is_silent || end.response.is_some_and(|response| response.is_dismissed) {
        return Feedback::Nothing;
    }
    let is_missing = end.outcome.failures.iter().any(|failure| failure.is_missing());
    if is_missing && !end.is_retried && end.response.is_some() {
        return Feedback::Retry;
    }
    if end.outcome.is_delivered() {
        return Feedback::Nothing;
    }
    let text =
        end.response.and_then(|response| response.text.as_deref()).filter(|text| !text.trim().is_empty());
    match text {
        Some(_) if end.is_retried => Feedback::Nothing,
        Some(text) => Feedback::Text(text.clone()),
        None if !end.model_text.trim().is_empty() => Feedback::Text(end.model_text.to_owned()),
        None if end.has_failed => Feedback::Explain,
        None => Feedback::Apologise,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use vocabulary::ReplyPart;

    use crate::channel::ChannelError;
    use crate::outcome::PartFailure;

    fn failed(part: ReplyPart, error: ChannelError) -> Outcome {
        Outcome { failures: vec![PartFailure { part, index: 0, error }], ..Outcome::default() }
    }

    fn refused(part: ReplyPart) -> Outcome {
        failed(part, ChannelError::Refused { reason: "scripted".into() })
    }

    fn end<'r>(outcome: &'r Outcome, response: Option<&'r OutgoingResponse>) -> RunEnd<'r> {
        let (model_text, has_failed, is_silent, is_retried) = ("", false, false, false);
        RunEnd { outcome, response, model_text, has_failed, is_silent, is_retried }
    }

    #[rstest]
    #[case::text_arrived(Outcome { sent_text: true, ..Outcome::default() }, Some("It rains."), Feedback::Nothing)]
    #[case::voice_arrived(Outcome { sent_voice: true, ..Outcome::default() }, None, Feedback::Nothing)]
    #[case::file_arrived(Outcome { sent_attachments: 1, ..Outcome::default() }, None, Feedback::Nothing)]
    #[case::text_is_missing(Outcome { sent_voice: true, ..refused(ReplyPart::Text) }, Some("It rains."), Feedback::Retry)]
    #[case::note_is_missing(Outcome { sent_text: true, ..refused(ReplyPart::Notice) }, Some("It rains."), Feedback::Nothing)]
    #[case::quota_is_used_up(
        Outcome { sent_text: true, ..failed(ReplyPart::Voice, ChannelError::QuotaExceeded) }, Some("It rains."), Feedback::Nothing
    )]
    #[case::nothing_was_tried(Outcome::default(), Some("It rains."), Feedback::Text("It rains.".into()))]
    #[case::nothing_to_say(Outcome::default(), Some(" "), Feedback::Apologise)]
    fn one_part_is_enough_and_missing_ones_are_sent_again(
        #[case] outcome: Outcome,
        #[case] text: Option<&str>,
        #[case] expected: Feedback,
    ) {
        let response = text.map(OutgoingResponse::text).unwrap_or_default();

        assert_eq!(feedback(&end(&outcome, Some(&response))), expected);
    }

    #[test]
    fn failure_without_a_response_is_explained_unless_the_model_said_something() {
        let outcome = Outcome::default();
        let failed = RunEnd { has_failed: true, ..end(&outcome, None) };

        assert_eq!(feedback(&failed), Feedback::Explain);
        assert_eq!(feedback(&RunEnd { model_text: "It", ..failed }), Feedback::Text("It".into()));
        assert_eq!(feedback(&RunEnd { is_silent: true, ..failed }), Feedback::Nothing);
    }

    #[test]
    fn nothing_is_sent_a_third_time() {
        let (outcome, response) = (refused(ReplyPart::Text), OutgoingResponse::text("It rains."));

        let retried = RunEnd { is_retried: true, ..end(&outcome, Some(&response)) };

        assert_eq!(feedback(&retried), Feedback::Nothing);
    }

    #[test]
    fn file_that_never_arrives_is_apologised_for() {
        let (outcome, response) = (refused(ReplyPart::File), OutgoingResponse::default());

        let retried = RunEnd { is_retried: true, ..end(&outcome, Some(&response)) };

        assert_eq!(feedback(&retried), Feedback::Apologise);
    }

    #[test]
    fn user_who_wants_no_answer_gets_none() {
        let (outcome, response) =
            (Outcome::default(), OutgoingResponse { is_dismissed: true, ..Default::default() });

        assert_eq!(feedback(&end(&outcome, Some(&response))), Feedback::Nothing);
    }
}
