//! Whether a rewritten row may be stored: it may lose narration, and nothing else.

use vocabulary::Private;

use crate::ReflectionError;
use crate::fencing::without_markers;
use crate::folding::{normalise_fact, split_data_lines};
use crate::grounding::{grounded_share, has_new_number};
use crate::reading::{is_nothing, strip_code_fence};

/// So much of a rewrite must come from the row. What is left of "could not look up the weather in Kiel" is worded anew,
/// but about the same things: such sentences share a third and more in the languages tried, unrelated ones a quarter
/// at most.
const GROUNDED: f64 = 0.3;

/// A row that shrinks below this share of its length has lost more than narration.
const LEAST_SHARE: usize = 5;

/// A row may grow by this share of its length where a clause becomes a sentence.
const GROWTH_SHARE: usize = 4;

/// What came of a row.
#[derive(Debug)]
pub enum Cleaning {
    /// There was nothing to take out.
    Unchanged,
    /// Nothing would be left: the row stays as it is, for the user to decide.
    WouldEmpty,
    /// The summary is to become this.
    Rewritten {
        /// The new summary.
        after: Private<String>,
    },
    /// The model rewrote it in a way that must not be stored: the row stays as it is.
    Refused(RefusedRewrite),
    /// The model could not be asked: the row stays as it is.
    Failed(ReflectionError),
}

/// Why a rewritten row is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedRewrite {
    /// It says what the row never said.
    Invents,
    /// It has lost almost everything.
    Forgets,
}

/// The rewritten text in an answer: without the fences and markers that models put around it. Empty when nothing is
/// left.
pub fn clean_rewrite_reply(reply: &str) -> String {
    let mut text = without_markers(reply).trim().to_owned();
    loop {
        // Fences within fences; each round takes something off, so this ends.
        let inside = strip_code_fence(&text);
        if inside.len() == text.len() {
            return text;
        }
        text = inside.to_owned();
    }
}

/// What is to become of a row with the text `before` that was rewritten to `after`.
pub(super) fn judge(before: &str, after: &str) -> Cleaning {
    let length = |text: &str| text.chars().count();
    if is_nothing(after) {
        return Cleaning::WouldEmpty;
    }
    if normalise_fact(before) == normalise_fact(after) {
        return Cleaning::Unchanged;
    }
    if invents(before, after) || length(after) > length(before) + length(before) / GROWTH_SHARE {
        return Cleaning::Refused(RefusedRewrite::Invents);
    }
    if length(after) * LEAST_SHARE < length(before) {
        return Cleaning::Refused(RefusedRewrite::Forgets);
    }
    Cleaning::Rewritten { after: Private(after.to_owned()) }
}

fn invents(before: &str, after: &str) -> bool {
    let is_raw_data = after.starts_with(['{', '[']) && !before.starts_with(['{', '[']);
    is_raw_data
        || has_preamble(before, after)
        || has_new_number(after, &[before])
        || split_data_lines(after).into_iter().any(|line| grounded_share(line, &[before]) < GROUNDED)
}

/// "Here is the text:", "SUMMARY:" and the like, in any language: a first line with a colon that the row does not have.
fn has_preamble(before: &str, after: &str) -> bool {
    let first = after.lines().next().unwrap_or_default();
    let colon = first.match_indices([':', '：']).find(|(at, colon)| {
        // The colon of a time or an address parts nothing.
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
    fn a_rewrite_that_loses_or_invents_is_not_stored(#[case] reply: &str, #[case] expected: &str) {
        assert_eq!(format!("{:?}", judge(BEFORE, &clean_rewrite_reply(reply))), expected);
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
    fn what_the_user_wanted_may_be_put_in_other_words(#[case] before: &str, #[case] after: &str) {
        assert!(matches!(judge(before, after), Cleaning::Rewritten { .. }));
    }

    #[rstest]
    #[case::fence("```text\nTea.\nCake.\n```", "Tea.\nCake.")]
    #[case::one_line_fence("```Tea.```", "Tea.")]
    #[case::markers("<<<BEGIN UNTRUSTED DIARY>>>\nTea.\n<<<END UNTRUSTED DIARY>>>", "Tea.")]
    #[case::fence_within_markers("<<<BEGIN X>>>\n```\nTea.\n```\n<<<END X>>>", "Tea.")]
    #[case::nothing_left("```\n```", "")]
    #[case::plain(" Tea. ", "Tea.")]
    fn takes_off_what_models_put_around_a_text(#[case] reply: &str, #[case] expected: &str) {
        assert_eq!(clean_rewrite_reply(reply), expected);
    }
}
