//! Drops what a model repeats of its prompt and of the messages between itself and its tools: it is not part of the
//! answer.
//!
//! Source: docs/behaviour/replying.md#calls-written-as-text.

use std::sync::LazyLock;

use llm::ModelSize;

use crate::prompting::prompts::{
    CONTEXT_LINE, FORM_HEARD, FORM_IN_LANGUAGE, FORM_READ, MEMORY_FOUND, MEMORY_IN_SHORT, MEMORY_UNKNOWN,
    PLACE_LINE, SystemTemplates, TIME_LINE, TOOL_ERROR, TOOL_RESULT, opening,
};

/// The marks before a tool result in the dialogue with a model. After it the model makes up the result too, so nothing
/// that follows counts.
static RESULTS: LazyLock<Vec<String>> = LazyLock::new(|| openings(&[TOOL_RESULT, TOOL_ERROR]));

/// The beginnings of lines about a tool, and the lines that stand before the newest message. Only that line does not
/// count.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let forms = [FORM_HEARD, FORM_READ].map(|form| format!("[{form}"));
    // Tiny models recite the rules for tools too.
    let rules = SystemTemplates::for_size(ModelSize::Small).tool_rules;
    let notes = [
        "TOOL:",
        "TOOL CALL:",
        "TOOL RESULT:",
        rules,
        CONTEXT_LINE,
        TIME_LINE,
        PLACE_LINE,
        FORM_IN_LANGUAGE,
        &forms[0],
        &forms[1],
        MEMORY_FOUND,
        MEMORY_IN_SHORT,
        MEMORY_UNKNOWN,
    ];
    openings(&notes)
});

fn openings(templates: &[&str]) -> Vec<String> {
    templates.iter().map(|template| opening(template)).collect()
}

/// The filter of one answer, which comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct ToolMarkers {
    state: State,
    /// The beginning of a line that may become a marker.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a line.
    #[default]
    Undecided,
    /// In a line of the answer.
    Passing,
    /// In a line about a tool.
    DroppingLine,
    /// After a tool result.
    DroppingAll,
}

impl ToolMarkers {
    /// Takes more text. Returns what is certainly part of the answer.
    pub fn push(&mut self, text: &str) -> String {
        let mut passed = String::new();
        for char in text.chars() {
            self.take(char, &mut passed);
        }
        passed
    }

    /// Returns the text that was held back, now that nothing follows.
    pub fn finish(&mut self) -> String {
        std::mem::take(self).held
    }

    fn take(&mut self, char: char, passed: &mut String) {
        match self.state {
            State::DroppingAll => {}
            State::DroppingLine if char == '\n' => self.state = State::Undecided,
            State::DroppingLine => {}
            State::Passing => {
                passed.push(char);
                if char == '\n' {
                    self.state = State::Undecided;
                }
            }
            State::Undecided => {
                self.held.push(char);
                self.decide(passed);
            }
        }
    }

    fn decide(&mut self, passed: &mut String) {
        let begun = self.held.trim_start();
        let starts_with = |markers: &[String]| markers.iter().any(|marker| begun.starts_with(marker));
        let may_become = |markers: &[String]| markers.iter().any(|marker| marker.starts_with(begun));
        self.state = if starts_with(&RESULTS) {
            State::DroppingAll
        } else if starts_with(&LINES) {
            State::DroppingLine
        } else if may_become(&RESULTS) || may_become(&LINES) {
            return;
        } else {
            State::Passing
        };
        match self.state {
            State::Passing => passed.push_str(&std::mem::take(&mut self.held)),
            _ => self.held.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn filtered(answer: &str) -> String {
        let mut markers = ToolMarkers::default();
        let passed: String = answer.chars().map(|char| markers.push(char.encode_utf8(&mut [0; 4]))).collect();
        passed + &markers.finish()
    }

    #[rstest]
    #[case::time_and_place(CONTEXT_LINE, "Noon.")]
    #[case::time(TIME_LINE, "Noon.")]
    #[case::place(PLACE_LINE, "Noon.")]
    #[case::language(FORM_IN_LANGUAGE, "Noon.")]
    #[case::unknown(MEMORY_UNKNOWN, "Noon.")]
    #[case::rules(SystemTemplates::for_size(ModelSize::Small).tool_rules, "Noon.")]
    #[case::error(TOOL_ERROR, "")]
    #[case::result(TOOL_RESULT, "")]
    fn recited_prompt_is_dropped_however_it_is_worded(#[case] template: &str, #[case] expected: &str) {
        let recited = template.replace("{{", "").replace("}}", "");

        assert_eq!(filtered(&format!("{recited}Noon.")), expected);
    }

    #[rstest]
    #[case::changed_context("[Context: Local time: 12:00]\nNoon.", "Noon.")]
    #[case::link(
        "[From your calendar](https://example.org) it is noon.",
        "[From your calendar](https://example.org) it is noon."
    )]
    fn line_in_brackets_is_dropped_only_if_it_is_a_note(#[case] answer: &str, #[case] expected: &str) {
        assert_eq!(filtered(answer), expected);
    }

    #[rstest]
    #[case::heard(FORM_HEARD)]
    #[case::read(FORM_READ)]
    fn recited_form_of_the_answer_is_dropped(#[case] form: &str) {
        assert_eq!(filtered(&format!("[{}]\nNoon.", form.trim())), "Noon.");
    }

    #[rstest]
    #[case::prose("It rains.\nTake a coat.", "It rains.\nTake a coat.")]
    #[case::made_up_result("It is noon.\n[Tool result: getTime]\n12:00\nDone.", "It is noon.\n")]
    #[case::made_up_error("[Tool error: getTime] no clock", "")]
    #[case::line_about_a_tool("TOOL: getTime\nIt is noon.", "It is noon.")]
    #[case::indented("  TOOL RESULT: 12:00\nNoon.", "Noon.")]
    #[case::lines_of_the_prompt(
        "[Context: Current local time: noon]\n[Answer in English. Your answer is shown.]\nIt is noon.",
        "It is noon."
    )]
    #[case::rules_for_tools("You have tools. Use one when the request needs data.\nNoon.", "Noon.")]
    #[case::talk_of_tools("You have tools. Use them.", "You have tools. Use them.")]
    #[case::other_brackets("[1] is a footnote.", "[1] is a footnote.")]
    #[case::marker_in_a_line("I saw [Tool result: x] there.", "I saw [Tool result: x] there.")]
    #[case::word_that_begins_alike("TOOLS: hammer and saw", "TOOLS: hammer and saw")]
    #[case::cut_off_beginning("Noon.\n[Tool", "Noon.\n[Tool")]
    fn tool_lines_are_dropped(#[case] answer: &str, #[case] expected: &str) {
        assert_eq!(filtered(answer), expected);
    }
}
