//! Which of a question's options a person means by "yes", "no" or the option's own words. Pure.

use vocabulary::Question;

/// The option that `text` chooses, as it was offered; the whole text where the question offers none; `None` when the
/// text is about something else.
pub(super) fn read(text: &str, question: &Question) -> Option<String> {
    let text = text.trim();
    if question.options.is_empty() {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let said = plain(text);
    let is_chosen = |option: &&String| {
        let option = plain(option);
        option == said || are_both(&option, &said, is_yes) || are_both(&option, &said, is_no)
    };
    question.options.iter().find(is_chosen).cloned()
}

/// The option that declines.
pub(super) fn refusal(question: &Question) -> Option<String> {
    question.options.iter().find(|option| is_no(&plain(option))).cloned()
}

fn are_both(option: &str, said: &str, has_meaning: impl Fn(&str) -> bool) -> bool {
    has_meaning(option) && has_meaning(said)
}

/// Returns `true` if the text means yes in any language: one is enough, because the question may be in another.
fn is_yes(text: &str) -> bool {
    languages::all().iter().any(|data| data.is_yes(text))
}

fn is_no(text: &str) -> bool {
    languages::all().iter().any(|data| data.is_no(text))
}

/// Lower case, without the punctuation around it and the polite words behind it.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|char: char| !char.is_alphanumeric());
    let parts: Vec<&str> = bare.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    parts.join(" ")
}

/// Returns `true` if these words agree to something that a question offers. A voice that cannot be told must not.
pub(crate) fn consents(text: &str, question: &Question) -> bool {
    !question.options.is_empty() && agrees(text, question)
}

/// Returns `true` if these words answer the question, and do not decline.
pub(super) fn agrees(text: &str, question: &Question) -> bool {
    read(text, question).is_some_and(|chosen| refusal(question).as_ref() != Some(&chosen))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::QuestionId;

    use super::*;

    fn question(options: &[&str]) -> Question {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Question { id: QuestionId(1), text: "Shall I?".into(), options, by_hand: false }
    }

    #[rstest]
    #[case::the_option_itself("Yes.", &["yes", "no"], Some("yes"))]
    #[case::another_word_for_it("Go ahead!", &["Yes", "No"], Some("Yes"))]
    #[case::another_language("Nein, danke.", &["yes", "no"], Some("no"))]
    #[case::japanese("はい", &["yes", "no"], Some("yes"))]
    #[case::phrase_of_several_words("d'accord", &["yes", "no"], Some("yes"))]
    #[case::polite("please do", &["yes", "no"], Some("yes"))]
    #[case::taken_back("never mind", &["yes", "no"], Some("no"))]
    #[case::an_option_of_several_words("the blue one", &["The red one", "The blue one"], Some("The blue one"))]
    #[case::something_else("What time is it?", &["yes", "no"], None)]
    #[case::yes_is_no_colour("yes", &["red", "blue"], None)]
    #[case::free_text(" Leeds ", &[], Some("Leeds"))]
    #[case::silence_answers_nothing("  ", &[], None)]
    fn reads_an_answer(#[case] text: &str, #[case] options: &[&str], #[case] expected: Option<&str>) {
        assert_eq!(read(text, &question(options)).as_deref(), expected);
    }
}
