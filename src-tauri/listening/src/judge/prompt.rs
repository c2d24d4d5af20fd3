//! The question to the intent judge.

use std::time::Instant;

use serde_json::{Value, json};

use super::aliases::with_name_for_aliases;
use crate::transcript::Segment;
use crate::wake::WakeWord;

/// The part of our last words that the judge sees, in characters. Source: docs/behaviour/listening.md#intent-judge.
const SPOKEN_CHARS: usize = 200;

/// The question to the intent judge, complete.
#[derive(Clone, PartialEq)]
pub struct JudgePrompt {
    /// The rules.
    pub system: String,
    /// The transcript and the mode.
    pub user: String,
}

impl std::fmt::Debug for JudgePrompt {
    /// Hides the words: they must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JudgePrompt").field("chars", &self.user.chars().count()).finish_non_exhaustive()
    }
}

/// The facts for the judge.
pub(crate) struct JudgeInput<'j> {
    pub wake_word: &'j WakeWord,
    /// Oldest first; the last one is judged.
    pub segments: Vec<&'j Segment>,
    pub in_hot_window: bool,
    /// Our last words, and when they ended.
    pub spoken: Option<(&'j str, Option<Instant>)>,
    pub now: Instant,
}

impl JudgePrompt {
    /// Writes the question. Segments that were answered are left out, except the last one.
    pub(crate) fn new(input: &JudgeInput<'_>) -> Self {
        let (name, aliases) = (input.wake_word.display_name(), input.wake_word.names());
        let ago = |at: Instant| format!("{} s ago", input.now.saturating_duration_since(at).as_secs());
        let mut user = String::from("TRANSCRIPT\n");
        let last = input.segments.len().saturating_sub(1);
        for (index, segment) in input.segments.iter().enumerate() {
            if segment.is_processed && index != last {
                continue;
            }
            let own_voice = if segment.may_contain_echo { " (own voice)" } else { "" };
            let current = if index == last { " (now)" } else { "" };
            let text = with_name_for_aliases(&segment.text, &name, aliases);
            user.push_str(&format!("{}{own_voice}{current}: \"{text}\"\n", ago(segment.started_at)));
        }
        user.push_str("\nMODE: ");
        user.push_str(if input.in_hot_window { "follow-up" } else { "waiting for the name" });
        user.push_str("\nLAST WORDS OF THE ASSISTANT: ");
        match input.spoken {
            Some((text, ended_at)) => {
                user.push_str(&format!("\"{}\"", cut(text)));
                let ended = ended_at.map_or_else(|| "still speaking".to_owned(), ago);
                user.push_str(&format!(" ({ended})"));
            }
            None => user.push_str("none"),
        }
        Self { system: include_str!("../../prompts/intent_judge.md").replace("{name}", &name), user }
    }

    /// The JSON schema of the answer.
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "directed": { "type": "boolean" },
                "query": { "type": "string" },
                "stop": { "type": "boolean" },
                "confidence": { "type": "string", "enum": ["high", "medium", "low"] },
                "reasoning": { "type": "string" },
            },
            "required": ["directed", "query", "stop", "confidence", "reasoning"],
            "additionalProperties": false,
        })
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(SPOKEN_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn segment(text: &str, at: Instant, may_contain_echo: bool, is_processed: bool) -> Segment {
        Segment { text: text.into(), started_at: at, ended_at: at, may_contain_echo, is_processed }
    }

    #[test]
    fn judge_reads_the_talk_without_answered_lines_and_aliases() {
        let zero = Instant::now();
        let at = |secs| zero + Duration::from_secs(secs);
        let segments = [
            segment("when was the tower built", at(0), false, false),
            segment("jarvis stop", at(5), false, true),
            segment("it will rain", at(8), true, false),
            segment("jervis answer that", at(20), false, false),
        ];
        let wake_word = WakeWord::new("jarvis", &["jervis".into()], 0.78);
        let input = JudgeInput {
            wake_word: &wake_word,
            segments: segments.iter().collect(),
            in_hot_window: false,
            spoken: Some(("It will rain.", Some(at(10)))),
            now: at(21),
        };

        let prompt = JudgePrompt::new(&input);

        assert_eq!(
            prompt.user,
            "TRANSCRIPT\n21 s ago: \"when was the tower built\"\n13 s ago (own voice): \"it will rain\"\n\
             1 s ago (now): \"Jarvis answer that\"\n\nMODE: waiting for the name\n\
             LAST WORDS OF THE ASSISTANT: \"It will rain.\" (11 s ago)"
        );
        assert!(prompt.system.contains("voice assistant Jarvis") && !prompt.system.contains("{name}"));
    }
}
