//! The prompt for the diary.
//!
//! Source of the rules: docs/behaviour/memory.md#diary and docs/behaviour/memory.md#clean-diary. The words are ours.

use jiff::civil::Date;

use crate::examples::Example;
use crate::fencing::{FENCE_RULE, fenced};

/// The instructions, the same for every entry.
pub(super) fn task() -> String {
    format!("{DUTIES}\n\n{FENCE_RULE}\n\n{RULES}\n\n{FORM}")
}

const DUTIES: &str = "\
You keep the diary of a personal assistant's user. You are given what the user and the assistant said to each other and, \
where there is one, the entry that the diary already has for today. Write the entry for today anew: everything in the old \
entry stays, and what was said since joins it.

Write short plain sentences about the user, in the third person, in the language the user speaks. Take in everything \
that the user tells, wants, plans, corrects or asks for. Keep names, places, numbers, dates, work, illnesses, medicines \
and food as they were said. Leave out greetings, and never guess at what a [REDACTED] mark hides. Add nothing that was \
not said. The whole entry stays under 400 words: as the day grows longer, put the older parts more tersely, but leave \
none of them out.";

const RULES: &str = "\
Later conversations take every sentence of the diary for the truth. Three rules therefore hold, in every language:

1. Nothing about what the assistant could not do. No sentence says that the assistant did not know, could not find \
out, was unsure, apologised or offered something. If the answer came in the end, write only the answer. If it never \
came, write only what the user wanted.
   Bad: The assistant could not look up the trains to York and offered to try again.
   Good: The user wanted to know when the trains to York leave.
   Bad: El asistente pidió disculpas por no poder ver el calendario.
   Good: El usuario preguntó por sus citas del jueves.

2. Who said it. What the assistant claimed about other people, firms, works or places remains its claim: name it as \
such. A correction stands right beside the claim it corrects. What the user said about themselves, and what a weather, \
search or calendar service reported, is written as it is.
   Bad: The Heron Bridge was built in 1903.
   Good: The assistant said that the Heron Bridge was built in 1903; the user corrected this to 1913.
   Bad: Le roman a été écrit par une Bretonne.
   Good: Selon l'assistant, le roman a été écrit par une Bretonne.

3. One topic, one sentence. Things that have nothing to do with each other never share a sentence, a clause or an \
afterthought behind a comma: they would be read as one thing.
   Bad: The user asked about opera tickets, being allergic to nuts.
   Good: The user asked about opera tickets. The user is allergic to nuts.
   Bad: 用户问了签证的事，喜欢打羽毛球。
   Good: 用户问了签证的事。用户喜欢打羽毛球。";

/// The topics come first: a small model then leaves fewer of them out of the summary.
const FORM: &str = "\
Answer with these two parts and nothing else. The labels stay in English and in capitals:
TOPICS: three to five topics in one line, separated by commas
SUMMARY: the whole entry, in as many lines as it takes";

/// The material for the entry.
pub(super) fn material(today: Date, so_far: &str, lines: &[String]) -> String {
    let (_, language) = Example::for_lines(lines);
    let mut parts = vec![format!("Today is {}.", today.strftime("%A, %Y-%m-%d"))];
    if !so_far.trim().is_empty() {
        parts.push(format!("The entry for today so far:\n{}", fenced("DIARY", so_far)));
    }
    parts.push(format!("What was said since:\n{}", fenced("DIALOGUE", &lines.join("\n"))));
    parts.push(reminder(language));
    parts.join("\n\n")
}

/// An example, as material and answer, in the language of these lines.
pub(super) fn example(lines: &[String]) -> (String, String) {
    let (example, _) = Example::for_lines(lines);
    let said: Vec<String> = example.dialogue.lines().map(str::to_owned).collect();
    let entry = format!("TOPICS: {}\nSUMMARY: {}", example.topics, example.summary);
    (material(EXAMPLE_DAY, "", &said), entry)
}

/// An arbitrary day.
const EXAMPLE_DAY: Date = Date::constant(2023, 2, 1);

/// Repeated after the dialogue, because a small model forgets the form, the language and part of the content.
fn reminder(language: Option<&str>) -> String {
    let language = language.map_or(String::new(), |name| format!(" in {name}"));
    format!(
        "Write the diary entry for today now{language}, about the user, in the third person. First the line \"TOPICS:\", \
         then \"SUMMARY:\". Go through the user's remarks one by one: each thing that the user says about themselves or \
         others, and each that they want, has a sentence of its own, in reported speech."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_for_the_diary_matches_its_snapshot() {
        let today = Date::constant(2025, 9, 15);
        let lines = ["User: I moved to Leeds.".to_owned(), "Assistant: Noted.".to_owned()];

        let (example, entry) = example(&lines);
        insta::assert_snapshot!(format!(
            "{}\n=====\n{example}\n=====\n{entry}\n=====\n{}",
            task(),
            material(today, "The user likes tea.", &lines)
        ));
    }
}
