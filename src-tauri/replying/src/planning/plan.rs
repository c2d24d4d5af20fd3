//! The plan of a reply: up to five short steps that a planner wrote before the first turn.
//!
//! Three outcomes differ: no steps means that the planner failed, one step that answers means that neither memory nor a
//! tool is needed, and anything else is followed.
//!
//! Source: docs/behaviour/replying.md#plan.

mod step; // one step as a tool call, without a model
mod urls; // addresses in arguments

use crate::prompting::text_cut::cut;

pub use step::{DeclaredTools, concrete_call};
pub use urls::{normalise_url, normalise_url_arguments};

/// The most steps of a plan. Source: docs/behaviour/replying.md#plan.
const MOST_STEPS: usize = 5;

/// The longest step, in characters. Source: the same.
const MOST_CHARS: usize = 200;

/// The directive that asks for memory. It is no tool.
const MEMORY_DIRECTIVE: &str = "searchmemory";

/// The steps of a reply, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    steps: Vec<String>,
}

/// The words to the model after a tool result of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The plan has no tool steps.
    None,
    /// A tool step is left.
    Next {
        /// Tool steps that have a result.
        executed: usize,
        /// All tool steps.
        total: usize,
        /// The next one.
        step: String,
    },
    /// All tool steps have a result: answer now.
    Synthesise,
}

impl Plan {
    /// The steps in the planner's answer.
    pub fn parse(answer: &str) -> Self {
        let lines = answer.lines().map(str::trim).filter(|line| !line.starts_with("```"));
        let steps = lines.map(|line| without_quotes(without_bullet(line))).filter(|step| !step.is_empty());
        Self { steps: steps.take(MOST_STEPS).map(|step| cut(step, MOST_CHARS)).collect() }
    }

    /// A plan of these steps.
    pub fn from_steps(steps: impl IntoIterator<Item = String>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    /// Steps in the order in which they run.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// Returns `true` if the planner failed or was not asked.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns `true` if a step asks for memory.
    pub fn asks_for_memory(&self) -> bool {
        self.steps.iter().any(|step| is_memory_step(step))
    }

    /// Returns the topic to search memory for; `None` if the plan names none.
    pub fn memory_topic(&self) -> Option<String> {
        let topics = self.steps.iter().filter(|step| is_memory_step(step)).map(|step| memory_topic(step));
        topics.into_iter().find(|topic| !topic.is_empty())
    }

    /// All steps but those that ask for memory.
    pub fn without_memory_steps(&self) -> Vec<&str> {
        self.steps.iter().map(String::as_str).filter(|step| !is_memory_step(step)).collect()
    }

    /// The steps that call tools: all but the memory steps and the last, which answers.
    pub fn tool_steps(&self) -> Vec<&str> {
        let mut steps = self.without_memory_steps();
        steps.pop();
        steps
    }

    /// The known tools that its tool steps name, in order, each once.
    pub fn tool_names(&self, is_known: impl Fn(&str) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for step in self.tool_steps() {
            let name = leading_identifier(step);
            if is_known(name) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Returns `true` if it has tool steps, but none of them names a known tool.
    pub fn is_under_specified(&self, is_known: impl Fn(&str) -> bool) -> bool {
        !self.tool_steps().is_empty() && self.tool_names(is_known).is_empty()
    }

    /// Returns `true` if the model is shown the plan: it has more than the step that answers.
    pub fn is_shown(&self) -> bool {
        self.without_memory_steps().len() > 1
    }

    /// Returns the progress after so many tool results.
    pub fn progress(&self, results: usize) -> Progress {
        let steps = self.tool_steps();
        match steps.get(results) {
            _ if steps.is_empty() => Progress::None,
            Some(step) => {
                Progress::Next { executed: results, total: steps.len(), step: step.trim().to_owned() }
            }
            None => Progress::Synthesise,
        }
    }
}

/// Returns `true` if a step asks for memory.
pub fn is_memory_step(step: &str) -> bool {
    step.trim().to_lowercase().starts_with(MEMORY_DIRECTIVE)
}

/// The topic of a memory step; empty when it names none.
pub fn memory_topic(step: &str) -> String {
    const KEY: &str = "topic=";
    // Found in the text itself: another case can have other lengths in bytes.
    let at = step
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| step.get(*at..at + KEY.len()).is_some_and(|text| text.eq_ignore_ascii_case(KEY)));
    let Some(rest) = at.map(|at| &step[at + KEY.len()..]) else { return String::new() };
    for quote in ['\'', '"'] {
        if let Some(quoted) = rest.strip_prefix(quote) {
            return quoted.split(quote).next().unwrap_or_default().trim().to_owned();
        }
    }
    rest.split_whitespace().next().unwrap_or_default().to_owned()
}

/// The name at the beginning of a step.
pub(crate) fn leading_identifier(step: &str) -> &str {
    let step = step.trim_start();
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    &step[..step.find(|char| !is_part(char)).unwrap_or(step.len())]
}

/// The line without one bullet or number in front of it. A sign or a point before a digit belongs to a number: "-5",
/// "1.5".
fn without_bullet(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '•']),
        digits => line[digits..].strip_prefix(['.', ')']),
    };
    rest.filter(|rest| !rest.starts_with(|next: char| next.is_ascii_digit())).map_or(line, str::trim_start)
}

/// The line without one pair of quotes or backticks around it.
fn without_quotes(line: &str) -> &str {
    let pair = ['"', '\'', '`']
        .into_iter()
        .find(|quote| line.len() > 1 && line.starts_with(*quote) && line.ends_with(*quote));
    pair.map_or(line, |_| line[1..line.len() - 1].trim())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn plan(steps: &[&str]) -> Plan {
        Plan::from_steps(steps.iter().map(|step| (*step).to_owned()))
    }

    fn is_known(name: &str) -> bool {
        ["getWeather", "webSearch"].contains(&name)
    }

    #[rstest]
    #[case::bullets("- one\n* two\n• three", &["one", "two", "three"])]
    #[case::numbers("1. one\n2) two", &["one", "two"])]
    #[case::marks_without_a_space("-one\n*two\n•three\n1.four\n2)five", &["one", "two", "three", "four", "five"])]
    #[case::a_sign_that_is_no_bullet("-5 degrees is cold", &["-5 degrees is cold"])]
    #[case::fence("```\none\n```", &["one"])]
    #[case::quotes("`one`\n\"two\"\n'three'", &["one", "two", "three"])]
    #[case::a_number_that_is_no_bullet("1.5 litres are enough", &["1.5 litres are enough"])]
    #[case::five_at_most("a\nb\nc\nd\ne\nf", &["a", "b", "c", "d", "e"])]
    #[case::nothing(" \n\n", &[])]
    fn reads_steps(#[case] answer: &str, #[case] expected: &[&str]) {
        assert_eq!(Plan::parse(answer), plan(expected));
    }

    #[test]
    fn long_step_is_cut() {
        let step = &Plan::parse(&"x".repeat(300)).steps()[0].clone();

        assert_eq!(step.chars().count(), MOST_CHARS);
        assert!(step.ends_with('…'));
    }

    #[rstest]
    #[case::single_quotes("searchMemory topic='the dog'", "the dog")]
    #[case::double_quotes("SearchMemory TOPIC=\"the dog\"", "the dog")]
    #[case::bare_word("searchMemory topic=dog and more", "dog")]
    #[case::none("searchMemory", "")]
    fn topic_of_a_memory_step(#[case] step: &str, #[case] expected: &str) {
        assert!(is_memory_step(step));
        assert_eq!(memory_topic(step), expected);
    }

    #[test]
    fn tool_steps_are_neither_memory_nor_the_answer() {
        let plan = plan(&["searchMemory topic='home'", "getWeather location='Leeds'", "Reply to the user."]);

        assert!(plan.asks_for_memory() && plan.is_shown());
        assert_eq!(plan.tool_steps(), ["getWeather location='Leeds'"]);
        assert_eq!(plan.tool_names(is_known), ["getWeather"]);
    }

    #[rstest]
    #[case::answer_only(&["Reply to the user."], false)]
    #[case::known_tool(&["getWeather", "Reply."], false)]
    #[case::no_tool_named(&["look it up", "Reply."], true)]
    fn plan_whose_tool_steps_name_no_tool_is_under_specified(#[case] steps: &[&str], #[case] expected: bool) {
        assert_eq!(plan(steps).is_under_specified(is_known), expected);
    }

    #[test]
    fn progress_names_the_next_step_until_all_have_results() {
        let plan = plan(&["webSearch a", "getWeather b ", "Reply."]);

        assert_eq!(
            plan.progress(1),
            Progress::Next { executed: 1, total: 2, step: "getWeather b".to_owned() }
        );
        assert_eq!(plan.progress(2), Progress::Synthesise);
        assert_eq!(Plan::from_steps(["Reply.".to_owned()]).progress(0), Progress::None);
    }
}
