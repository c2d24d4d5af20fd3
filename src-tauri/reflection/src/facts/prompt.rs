//! The prompt for extracting facts.
//!
//! Source of the rules: docs/behaviour/memory.md#learning-facts. The words are ours.

use jiff::civil::Date;
use memory::Participant;
use serde_json::{Value, json};

use crate::chunks::Chunk;
use crate::examples::Example;
use crate::fencing::{FENCE_RULE, fenced};

/// Tokens of an answer: about twenty-five facts with their quotes.
pub(super) const ANSWER_TOKENS: u32 = 1500;

/// A fact with its quote and its branch, at two tokens per word.
const TOKENS_PER_FACT: usize = 60;

/// Facts that fit into an answer: a longer answer would be truncated and rejected.
const MAX_FACTS: usize = ANSWER_TOKENS as usize / TOKENS_PER_FACT;

/// Facts that are allowed even for the shortest dialogue.
const MIN_FACTS: usize = 6;

/// "I'm Max, I'm 41 and I live in Leeds" has three words per fact, most dialogue has twenty.
const WORDS_PER_FACT: usize = 8;

/// The instructions, the same for every conversation.
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

/// A chunk as the model sees it. Of the assistant's text only the questions are shown, because the user's answers refer to
/// them: small models would extract facts from the rest.
pub(super) fn shown(chunk: &Chunk) -> Chunk {
    match chunk.speaker {
        Participant::User => chunk.clone(),
        Participant::Assistant => Chunk::assistant(questions(&chunk.text)),
    }
}

fn questions(text: &str) -> String {
    let sentences = text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？', '؟']);
    let asked = sentences.map(str::trim).filter(|sentence| sentence.ends_with(['?', '？', '؟']));
    let asked: Vec<&str> = asked.collect();
    if asked.is_empty() { "…".to_owned() } else { asked.join(" ") }
}

/// The dialogue to extract facts from.
pub(super) fn material(today: Date, lines: &[String]) -> String {
    let (_, language) = Example::for_lines(lines);
    let language = language.map_or(String::new(), |name| format!(" Write the facts in {name}."));
    format!(
        "Today is {}.\n\n{}\n\nWhat did the user tell that is worth knowing for good?{language}",
        today.strftime("%A, %Y-%m-%d"),
        fenced("DIALOGUE", &lines.join("\n"))
    )
}

/// Two examples, as material and answer, in the language of these lines: one with facts, one without.
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
        (as_material(example.without_facts), json!({ "facts": [] }).to_string()),
    ]
}

/// An arbitrary day.
const EXAMPLE_DAY: Date = Date::constant(2023, 2, 1);

/// The JSON schema of an answer about these lines. The quote comes first: a model that has just copied it makes fewer
/// mistakes in the fact. The limited list ends properly where a small model would repeat itself up to the token limit.
pub(super) fn format(lines: &[String]) -> Value {
    let said = lines.iter().filter_map(|line| line.strip_prefix("User: "));
    let words: usize = said.map(count_words).sum();
    let most = (words / WORDS_PER_FACT).clamp(MIN_FACTS, MAX_FACTS);
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

/// Of scripts without blanks two characters are a word.
fn count_words(text: &str) -> usize {
    let dense = text.chars().filter(|c| *c >= '\u{2e80}').count();
    text.split_whitespace().count() + dense / 2
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn only_questions_of_the_assistant_are_shown() {
        let chunks = [
            Chunk::user("I drink tea. And you?"),
            Chunk::assistant("Tea is grown in Assam. Which one do you like? I know many."),
            Chunk::assistant("Noted."),
        ];

        let expected = [chunks[0].clone(), Chunk::assistant("Which one do you like?"), Chunk::assistant("…")];
        assert_eq!(chunks.each_ref().map(shown), expected);
    }

    #[rstest]
    #[case::a_short_remark("User: I drink tea.", 6)]
    #[case::an_introduction(
        "User: Hello, my name is Max, I am 41 and I live in Leeds with my wife Ada and our two children, who are \
           called Ben and Zoe. I am a carpenter, I am allergic to nuts, I drink nothing but tea, I play chess on \
           Sundays, we own a cat that is called Mia, and please speak more slowly to me, because I do not hear \
           well on the left.",
        8
    )]
    #[case::chinese(&format!("User: {}", "我不吃辣".repeat(40)), 10)]
    #[case::what_the_assistant_said(&format!("Assistant: {}", "word ".repeat(400)), 6)]
    #[case::a_long_talk(&format!("User: {}", "word ".repeat(4000)), MAX_FACTS)]
    fn allowed_number_of_facts_grows_with_the_dialogue(#[case] line: &str, #[case] expected: usize) {
        assert_eq!(format(&[line.to_owned()])["properties"]["facts"]["maxItems"], expected);
    }

    #[test]
    fn prompt_for_facts_matches_its_snapshot() {
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
