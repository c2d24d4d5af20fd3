//! Drops what a model repeats of its prompt and of the messages between itself and its tools: it is not part of the
//! answer.
//!
//! Source: both reply-flow documents, "sanitize (drop tool markers)".

/// What stands before a tool result in the dialogue with a model. After it the model makes up the result too, so nothing
/// that follows counts.
const RESULTS: [&str; 2] = ["[Tool result:", "[Tool error:"];

/// What a line about a tool begins with, and the lines that stand before the newest message. Only that line does not count.
const LINES: [&str; 9] = [
    "TOOL:",
    "TOOL CALL:",
    "TOOL RESULT:",
    // The rules for tools, which tiny models recite.
    "You have tools. Use one when",
    "[Context: ",
    "[Answer in ",
    "[Your answer is ",
    "[From your memory of ",
    "[Your memory holds ",
];

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

    /// What was held back, now that nothing follows.
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
        let starts_with = |markers: &[&str]| markers.iter().any(|marker| begun.starts_with(marker));
        let may_become = |markers: &[&str]| markers.iter().any(|marker| marker.starts_with(begun));
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
        let mut markers = ToolMarkers::default();

        let mut out: String =
            answer.chars().map(|char| markers.push(char.encode_utf8(&mut [0; 4]))).collect();
        out.push_str(&markers.finish());

        assert_eq!(out, expected);
    }
}
