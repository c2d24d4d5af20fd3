//! Whole answers in the language of the user, if its messages have them.

use languages::messages::{MessageId, Messages};
use languages::{MeasureNames, folded_words};

pub(super) use languages::messages::id;

use crate::{ToolContext, ToolResult};

/// The messages in which a tool words its answer itself, given the id of its usual answer. `None` if the user's language
/// lacks that message: then a model words the answer.
pub(super) fn wording(context: &ToolContext, message: MessageId) -> Option<&'static Messages> {
    Messages::with(context.language.as_ref(), message)
}

/// The result with a sentence for the user, so that it needs no model; without one, if the user's language lacks the message.
pub(super) fn told(
    result: ToolResult,
    context: &ToolContext,
    message: MessageId,
    sentence: impl FnOnce(&'static Messages) -> String,
) -> ToolResult {
    match wording(context, message) {
        Some(wording) => result.answering(sentence(wording)),
        None => result,
    }
}

/// A list by its name, as the sentences about lists have it: "your shopping list".
pub(super) fn list_phrase(wording: &'static Messages, list: &str) -> String {
    let requests = languages::of(wording.language()).and_then(|data| data.requests.as_ref());
    let words = folded_words(list);
    let names_a_list = requests.is_some_and(|requests| {
        requests.list_words.split('|').filter(|word| !word.is_empty()).any(|word| {
            words.first().is_some_and(|first| first == word)
                || words.last().is_some_and(|last| last.ends_with(word))
        })
    });
    if names_a_list { wording.todo_list_named(list) } else { wording.todo_list(list) }
}

/// An amount of a unit, such as "2 cups".
pub(super) fn quantity(wording: &'static Messages, digits: &str, unit: &str) -> String {
    let (singular, plural) = forms(wording, unit);
    let name = if matches!(digits, "1" | "-1") { singular } else { plural };
    format!("{} {name}", wording.number(digits))
}

/// The name of a unit, of several of them.
pub(super) fn unit_name<'a>(wording: &'static Messages, unit: &'a str) -> &'a str {
    forms(wording, unit).1
}

fn forms<'a>(wording: &'static Messages, unit: &'a str) -> (&'a str, &'a str) {
    let names = MeasureNames::of_code(wording.language().code());
    names.and_then(|names| names.forms(unit)).unwrap_or((unit, unit))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::Language;

    use super::*;

    #[rstest]
    #[case::english("en", "shopping", "“x” is on your shopping list.")]
    #[case::english_whole_name("en", "Shopping list", "“x” is on your Shopping list.")]
    #[case::english_usual("en", "to-do", "“x” is on your to-do list.")]
    #[case::word_that_ends_alike("en", "enlisted", "“x” is on your enlisted list.")]
    #[case::german("de", "Einkaufsliste", "„x“ steht auf deiner Einkaufsliste.")]
    #[case::german_other_name("de", "Garten", "„x“ steht auf der Liste „Garten“.")]
    #[case::spanish("es", "compra", "«x» está en tu lista de compra.")]
    #[case::spanish_whole_name("es", "lista de la compra", "«x» está en tu lista de la compra.")]
    #[case::french("fr", "courses", "« x » est sur votre liste « courses ».")]
    #[case::italian("it", "spesa", "«x» è nella tua lista «spesa».")]
    #[case::portuguese("pt", "compras", "“x” está na sua lista de compras.")]
    #[case::dutch("nl", "boodschappenlijst", "‘x’ staat op je boodschappenlijst.")]
    #[case::swedish("sv", "inköpslistan", "”x” står på listan ”inköpslistan”.")]
    #[case::turkish("tr", "Alışveriş", "“x” Alışveriş listende.")]
    fn list_is_named_as_people_say_it(#[case] code: &str, #[case] list: &str, #[case] expected: &str) {
        let wording = Messages::for_language(Language::new(code).as_ref());

        assert_eq!(wording.todo_added(&list_phrase(wording, list), "x"), expected);
    }
}
