//! Checks whether a rewritten row may be stored: only narration of failures may be removed.

use vocabulary::Private;

use crate::ReflectionError;
use crate::answers::{is_nothing, strip_code_fence};
use crate::fencing::without_markers;
use crate::grounding::{grounded_share, has_new_number};
use crate::normalising::{normalise_fact, split_data_lines};

/// Least grounded share of a line in the row. A rewritten "could not look up the weather in Kiel" has other words on the same
/// subject: such sentences share a third and more in the tested languages, unrelated ones a quarter at most.
const MIN_GROUNDED_SHARE: f64 = 0.3;

/// A row that is shorter than its length divided by this has lost more than narration.
const MIN_LENGTH_DIVISOR: usize = 5;

/// A row may grow by its length divided by this, because a clause may become a sentence.
const GROWTH_DIVISOR: usize = 4;

/// The outcome of a row.
#[derive(Debug)]
pub enum CleaningOutcome {
    /// Nothing had to be removed.
    Unchanged,
    /// Nothing would be left. The row stays as it is, so that the user can decide.
    WouldEmpty,
    /// The summary is to be replaced.
    Rewritten {
        /// The new summary.
        after: Private<String>,
    },
    /// The rewritten row was rejected. The row stays as it is.
    Refused(RewriteRejection),
    /// The model could not be asked. The row stays as it is.
    Failed(ReflectionError),
}

/// Why a rewritten row is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteRejection {
    /// It contains text that does not come from the row.
    Invents,
    /// It has lost almost all text.
    Forgets,
}

/// The rewritten text in an answer, without code fences and markers around it. Empty when nothing is left.
pub fn clean_rewrite_reply(reply: &str) -> String {
    let mut text = without_markers(reply).trim().to_owned();
    loop {
        // Fences may be nested. Each round removes something, so the loop ends.
        let inside = strip_code_fence(&text);
        if inside.len() == text.len() {
            return text;
        }
        text = inside.to_owned();
    }
}

/// The outcome of a row whose text `before` was rewritten to `after`.
pub(super) fn validate_rewrite(before: &str, after: &str) -> CleaningOutcome {
    let length = |text: &str| text.chars().count();
    if is_nothing(after) {
        return CleaningOutcome::WouldEmpty;
    }
    if normalise_fact(before) == normalise_fact(after) {
        return CleaningOutcome::Unchanged;
    }
    if invents(before, after) || length(after) > length(before) + length(before) / GROWTH_DIVISOR {
        return CleaningOutcome::Refused(RewriteRejection::Invents);
    }
    if length(after) * MIN_LENGTH_DIVISOR < length(before) {
        return CleaningOutcome::Refused(RewriteRejection::Forgets);
    }
    CleaningOutcome::Rewritten { after: Private(after.to_owned()) }
}

fn invents(before: &str, after: &str) -> bool {
    let is_raw_data = after.starts_with(['{', '[']) && !before.starts_with(['{', '[']);
    is_raw_data
        || has_preamble(before, after)
        || has_new_number(after, &[before])
        || split_data_lines(after)
            .into_iter()
            .any(|line| grounded_share(line, &[before]) < MIN_GROUNDED_SHARE)
}

/// Returns `true` if the first line has a colon that the row does not have, as in "Here is the text:" or "SUMMARY:",
/// in any language.
fn has_preamble(before: &str, after: &str) -> bool {
    let first = after.lines().next().unwrap_or_default();
    let colon = first.match_indices([':', '：']).find(|(at, colon)| {
        // A colon within a time or an address does not end a preamble.
        first[at + colon.len()..].chars().next().is_none_or(char::is_whitespace)
    });
    colon.is_some_and(|(at, colon)| !before.contains(&first[..at + colon.len()]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const BEFORE: &str =
        "The user asked for trains to York, but the assistant could not look them up. The user likes tea.";

    #[rstest]
    #[case::nonsense("banana", "Refused(Invents)")]
    #[case::empty("", "WouldEmpty")]
    #[case::json("{\"summary\": \"The user likes tea.", "Refused(Invents)")]
    #[case::almost_all_gone("The user asked.", "Refused(Forgets)")]
    #[case::a_preamble(
        "Certainly! Below stands my cleaned version:\nThe user likes tea.",
        "Refused(Invents)"
    )]
    #[case::a_short_preamble(
        "The text:\nThe user asked for trains to York. The user likes tea.",
        "Refused(Invents)"
    )]
    #[case::a_label("SUMMARY: The user asked for trains to York. The user likes tea.", "Refused(Invents)")]
    #[case::a_new_number("The user asked for 2 trains to York. The user likes tea.", "Refused(Invents)")]
    #[case::huge(&"The user likes tea. ".repeat(200), "Refused(Invents)")]
    #[case::blanks_only(&BEFORE.replace(". ", ".\n"), "Unchanged")]
    fn rewrite_that_loses_or_invents_text_is_rejected(#[case] reply: &str, #[case] expected: &str) {
        assert_eq!(format!("{:?}", validate_rewrite(BEFORE, &clean_rewrite_reply(reply))), expected);
    }

    #[rstest]
    #[case::french("L'assistant n'a pas pu dire s'il pleuvra.", "L'utilisateur voulait savoir s'il pleuvra.")]
    #[case::german(
        "Der Assistent konnte das Wetter in Kiel nicht abrufen.",
        "Der Nutzer fragte nach dem Wetter in Kiel."
    )]
    #[case::russian("Ассистент не смог узнать погоду в Твери.", "Пользователь спросил о погоде в Твери.")]
    #[case::japanese(
        "アシスタントは曲名がわからないと述べた。ユーザーは犬を飼っている。",
        "ユーザーは曲名を知りたがった。ユーザーは犬を飼っている。"
    )]
    fn request_of_the_user_may_be_worded_differently(#[case] before: &str, #[case] after: &str) {
        assert!(matches!(validate_rewrite(before, after), CleaningOutcome::Rewritten { .. }));
    }

    #[rstest]
    #[case::fence("```text\nTea.\nCake.\n```", "Tea.\nCake.")]
    #[case::one_line_fence("```Tea.```", "Tea.")]
    #[case::markers("<<<BEGIN UNTRUSTED DIARY>>>\nTea.\n<<<END UNTRUSTED DIARY>>>", "Tea.")]
    #[case::fence_within_markers("<<<BEGIN X>>>\n```\nTea.\n```\n<<<END X>>>", "Tea.")]
    #[case::nothing_left("```\n```", "")]
    #[case::plain(" Tea. ", "Tea.")]
    fn fences_and_markers_around_the_text_are_removed(#[case] reply: &str, #[case] expected: &str) {
        assert_eq!(clean_rewrite_reply(reply), expected);
    }
}
