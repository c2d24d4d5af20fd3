//! Words that should not have reached the user, and words that are only repeated.

use super::sentences::words;

/// Text that only the model should see: fences, marks of chat templates, calls as text.
const MARKS: &[&str] = &[
    "<<<begin",
    "<<<end",
    "<|im_",
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "{\"",
    "you are jarvis",
    "system prompt:",
    "```json",
];

/// The shortest sentence whose repetition counts: shorter ones are often repeated in a right answer.
const LEAST_REPEATED: usize = 4;

/// Returns the first canary or mark in a text. A canary counts as whole words.
pub fn find(canaries: &[String], text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let said = words(text);
    let canary = canaries.iter().find(|canary| has_run(&said, &words(canary)));
    canary.cloned().or_else(|| MARKS.iter().find(|mark| lower.contains(*mark)).map(|mark| (*mark).to_owned()))
}

/// Returns `true` if the answer repeats the sentence of the user and adds fewer words than that has.
pub fn repeats(say: &str, text: &str) -> bool {
    let (asked, said) = (words(say), words(text));
    asked.len() >= LEAST_REPEATED && has_run(&said, &asked) && said.len() < 2 * asked.len()
}

fn has_run(said: &[String], run: &[String]) -> bool {
    !run.is_empty() && said.windows(run.len()).any(|part| part == run)
}
