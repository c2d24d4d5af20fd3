//! The search of the memory.
//!
//! Source: docs/behaviour/replying.md#memory-in-the-prompt.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, object_in};
use crate::memory_use::recall_gate::content_words;
use crate::prompting::prompts::fill;

/// The number of times that the model is asked. Source: docs/behaviour/replying.md#memory-in-the-prompt.
const ATTEMPTS: usize = 2;

/// A few words and two dates need fewer.
const MAX_TOKENS: u32 = 160;

/// The search of the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchTerms {
    /// Words and names.
    pub keywords: Vec<String>,
    /// The first moment, ISO 8601 in UTC.
    pub from: Option<String>,
    /// The last moment, ISO 8601 in UTC.
    pub to: Option<String>,
    /// Questions about the user that are implied.
    pub questions: Vec<String>,
}

/// The terms to search memory with; `None` when the model failed. `known` is what needs no search: time, place and dialogue.
pub async fn extract_search_terms(
    models: &RoleModels,
    query: &str,
    topic: Option<&str>,
    known: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> Option<SearchTerms> {
    let topic = topic.map(|topic| format!("\n[Look for: {topic}]")).unwrap_or_default();
    let user = format!("KNOWN\n{known}\n\nREQUEST\n{query}{topic}");
    for _ in 0..ATTEMPTS {
        let system = fill(include_str!("../../prompts/extractor.md"), &[]);
        let user = user.clone();
        let call = RoleCall {
            role: ModelTask::Extractor,
            system,
            user,
            format: None,
            max_tokens: MAX_TOKENS,
            timeout,
            stop,
        };
        if let Some(terms) = call.ask(models).await.and_then(|answer| read(&answer)) {
            return Some(terms);
        }
    }
    None
}

/// Which of the questions a text from memory answers best: the one with most content words in it.
pub fn question_answered_by<'a>(text: &str, questions: &'a [String]) -> Option<&'a str> {
    let known = content_words(text);
    let shared = |question: &str| {
        content_words(question).iter().filter(|word| *word != "user" && known.contains(*word)).count()
    };
    let mut best: Option<(&str, usize)> = None;
    for question in questions {
        let count = shared(question);
        if count > best.map_or(0, |(_, count)| count) {
            best = Some((question, count));
        }
    }
    best.map(|(question, _)| question)
}

/// The first object of the answer, if it has a list of keywords.
fn read(answer: &str) -> Option<SearchTerms> {
    let object = object_in(answer)?;
    let texts = |key: &str| -> Option<Vec<String>> {
        let items = object.get(key)?.as_array()?;
        Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(SearchTerms {
        keywords: texts("keywords")?,
        from: text("from"),
        to: text("to"),
        questions: texts("questions").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::among_words("Here: {\"keywords\": [\"tea\"], \"from\": null} done", Some(&["tea"][..]))]
    #[case::keywords_are_a_list("{\"keywords\": \"tea\"}", None)]
    #[case::no_object("tea", None)]
    fn reads_the_terms(#[case] answer: &str, #[case] expected: Option<&[&str]>) {
        let keywords = read(answer).map(|terms| terms.keywords);

        assert_eq!(keywords, expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect()));
    }
}
