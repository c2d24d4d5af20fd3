//! What the model is told when it looks for facts.
//!
//! Source of the rules: behaviour reference, section 3.5, "Extract". The words are ours.

use jiff::civil::Date;
use memory::Speaker;
use serde_json::{Value, json};

use crate::examples::Example;
use crate::fencing::{FENCE_RULE, fenced};
use crate::talk::Chunk;

/// More facts than this are in no conversation that fits into one question.
const MOST_FACTS: usize = 24;

/// The task, the same for every conversation.
pub(super) fn task() -> String {
    format!("{DUTIES}\n\n{FENCE_RULE}\n\n{BANS}\n\n{FORM}")
}

const DUTIES: &str = "\
You pick out of a conversation between a user and a voice assistant what is worth knowing for good: what the user tells \
about themselves, about people and things in their life, and how the assistant is to behave. Most remarks reveal nothing: \
a question, an errand, a joke, thanks or a greeting is no fact. What the user corrects counts as corrected: the wrong \
statement before it is no fact.";

const BANS: &str = "\
Never write down, in any language:
- what only the assistant said, whatever it answered, advised, suggested or guessed
- what is over within days: weather, the time, traffic, today's prices and scores
- what anybody can look up: general knowledge, definitions, what a film or a book is about
- the conversation itself: that the user asked, wanted to know or thanked, that the assistant answered or could not
- what a [REDACTED] mark hides";

const FORM: &str = "\
Answer with one JSON object and nothing else; {\"facts\": []} when there is nothing:
{\"facts\": [{\"quote\": \"…\", \"fact\": \"…\", \"branch\": \"USER\"}]}

quote is the user's own words that show the fact, copied letter by letter out of one line that begins with \"User:\", \
never out of the assistant's; as short as it can be.

fact is one sentence that can be understood alone, in the language the user speaks, about \"the user\" in the third \
person. Names instead of pronouns, dates instead of \"today\" or \"next week\". One fact to a sentence; a remark that says \
two things gives two.

branch is one of
- USER: who the user is, what they like, own, do, eat and plan, their health, and the people and animals in their life.
- DIRECTIVES: how the assistant is to behave from now on, because the user ordered it.
- WORLD: lasting facts about other people, places, firms and things that matter to this user.";

/// A chunk as the model is shown it. Of what the assistant said its questions alone, for the answers to make sense: the rest
/// is nobody's fact, and small models take it for one.
pub(super) fn shown(chunk: &Chunk) -> Chunk {
    match chunk.speaker {
        Speaker::User => chunk.clone(),
        Speaker::Assistant => Chunk::assistant(questions(&chunk.text)),
    }
}

fn questions(text: &str) -> String {
    let sentences = text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？', '؟']);
    let asked = sentences.map(str::trim).filter(|sentence| sentence.ends_with(['?', '？', '؟']));
    let asked: Vec<&str> = asked.collect();
    if asked.is_empty() { "…".to_owned() } else { asked.join(" ") }
}

/// What the facts are to be found in.
pub(super) fn material(today: Date, lines: &[String]) -> String {
    let (_, language) = Example::for_lines(lines);
    let language = language.map_or(String::new(), |name| format!(" Write the facts in {name}."));
    format!(
        "Today is {}.\n\n{}\n\nWhat did the user tell that is worth knowing for good?{language}",
        today.strftime("%A, %Y-%m-%d"),
        fenced("DIALOGUE", &lines.join("\n"))
    )
}

/// Two conversations with their answers, in the language of these lines: one that reveals nothing, one that does.
pub(super) fn examples(lines: &[String]) -> Vec<(String, String)> {
    let (example, _) = Example::for_lines(lines);
    let as_shown = |line: &str| match line.strip_prefix("Assistant: ") {
        Some(said) => format!("Assistant: {}", questions(said)),
        None => line.to_owned(),
    };
    let as_material = |dialogue: &str| {
        let said: Vec<String> = dialogue.lines().map(as_shown).collect();
        material(EXAMPLE_DAY, &said)
    };
    vec![
        (as_material(example.dialogue), example.facts_answer()),
        (as_material(example.errand), json!({ "facts": [] }).to_string()),
    ]
}

/// A day without a meaning.
const EXAMPLE_DAY: Date = Date::constant(2023, 2, 1);

/// The form of an answer about these lines. The quote stands first: a model that has just copied it strays less in the
/// fact. A list that can grow no further ends well, where a small model would repeat itself until its answer is cut.
pub(super) fn format(lines: &[String]) -> Value {
    let remarks = lines.iter().filter(|line| line.starts_with("User: ")).count();
    let most = (2 * remarks + 2).min(MOST_FACTS);
    let fact = json!({
        "type": "object",
        "properties": {
            "quote": { "type": "string" },
            "fact": { "type": "string" },
            "branch": { "type": "string", "enum": ["USER", "DIRECTIVES", "WORLD"] },
        },
        "required": ["quote", "fact", "branch"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": { "facts": { "type": "array", "items": fact, "maxItems": most } },
        "required": ["facts"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_assistant_only_questions_are_shown() {
        let chunks = [
            Chunk::user("I drink tea. And you?"),
            Chunk::assistant("Tea is grown in Assam. Which one do you like? I know many."),
            Chunk::assistant("Noted."),
        ];

        let expected = [chunks[0].clone(), Chunk::assistant("Which one do you like?"), Chunk::assistant("…")];
        assert_eq!(chunks.each_ref().map(shown), expected);
    }

    #[test]
    fn the_prompt_for_facts_reads_so() {
        let lines = ["User: I moved to Leeds.".to_owned()];
        let examples: Vec<String> = examples(&lines)
            .into_iter()
            .map(|(material, answer)| format!("{material}\n=====\n{answer}"))
            .collect();

        insta::assert_snapshot!(format!(
            "{}\n=====\n{}\n=====\n{}",
            task(),
            examples.join("\n=====\n"),
            material(Date::constant(2025, 9, 15), &lines)
        ));
    }
}
