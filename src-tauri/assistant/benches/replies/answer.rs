//! The outcome of one turn, in plain values.

use std::time::Duration;

/// The task of a model that writes what the user reads.
const ANSWER: &str = "answer";

/// The outcome of one turn.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub text: String,
    /// The tools that ran, and whether each did what was asked.
    pub tools: Vec<(String, bool)>,
    /// The chooser of the tools, and the tools that the model could call.
    pub offered: String,
    /// The tasks for which models were asked, in order, such as `answer` or `planner`.
    pub asked_for: Vec<String>,
    pub first_text: Option<Duration>,
    pub took: Duration,
}

impl Answer {
    /// The number of questions to models before the one for the answer.
    pub fn asked_before_answer(&self) -> usize {
        self.asked_for.iter().take_while(|task| *task != ANSWER).count()
    }

    /// Returns `true` if a tool with this name succeeded, be it a built-in one or one of the server of the scenario.
    pub fn has_success_of(&self, name: &str) -> bool {
        self.successes().any(|tool| tool == name)
    }

    /// The tools that succeeded, without the names of their servers.
    pub fn successes(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|(_, success)| *success).map(|(tool, _)| plain_name(tool))
    }
}

/// The name of a tool without that of its server.
fn plain_name(tool: &str) -> &str {
    tool.split_once("__").map_or(tool, |(_, name)| name)
}
