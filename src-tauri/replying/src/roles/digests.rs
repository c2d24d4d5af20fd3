//! Long texts shortened by a model to what matters for the request.
//!
//! Source: docs/behaviour/replying.md#digests.

use std::time::Duration;

use llm::Message;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels};
use crate::memory_use::digest::{
    ACTIVITY_DIGEST, DigestAnswer, MEMORY_BATCH, MEMORY_DIGEST, RESULT_BATCH, RESULT_DIGEST, SHORTEST,
    activity_log, batch_snippets, read_digest, split_at_paragraphs, without_artifacts,
};
use crate::prompting::prompts::fill;
use crate::prompting::text_cut::cut;

/// A digest of 600 characters needs fewer.
const MAX_TOKENS: u32 = 260;

/// The most calls for one text. They read as much as a small model takes in one prompt; the rest of the text is left out.
const MAX_BATCHES: usize = 4;

/// The outcome of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Digest {
    /// It is used as it is.
    Raw,
    /// This is used in its place; empty when nothing fits the request.
    Shortened(String),
}

/// The way a digest is asked for.
struct Pass<'a> {
    models: &'a RoleModels,
    role: ModelTask,
    system: &'static str,
    query: &'a str,
    most: usize,
    /// The time limit of all calls together.
    timeout: Duration,
    stop: &'a CancellationToken,
}

impl Pass<'_> {
    /// The digests of those of the first batches of which something fits; `None` if a call failed, was answered with nothing, or
    /// the time is over.
    async fn digest(&self, label: &str, batches: &[String]) -> Option<Vec<String>> {
        let mut digests = Vec::new();
        let deadline = Instant::now() + self.timeout;
        for batch in &batches[..batches.len().min(MAX_BATCHES)] {
            let user = format!("REQUEST\n{}\n\n{label}\n{batch}", self.query);
            let call = RoleCall {
                role: self.role,
                system: fill(self.system, &[]),
                user,
                format: None,
                max_tokens: MAX_TOKENS,
                timeout: deadline.saturating_duration_since(Instant::now()),
                stop: self.stop,
            };
            match read_digest(&call.ask(self.models).await?, self.most) {
                DigestAnswer::Text(digest) => digests.push(digest),
                DigestAnswer::NothingFits => {}
                DigestAnswer::Empty => return None,
            }
        }
        Some(digests)
    }
}

/// Shortens memory to what matters for the request. Short notes are used as they are, and so are those whose digest
/// fails.
pub async fn digest_memory(
    models: &RoleModels,
    query: &str,
    diary: &[String],
    graph: &[String],
    timeout: Duration,
    stop: &CancellationToken,
) -> Digest {
    let length: usize = diary.iter().chain(graph).map(|snippet| snippet.chars().count()).sum();
    if length < SHORTEST {
        return Digest::Raw;
    }
    let together: Vec<String> = diary.iter().chain(graph).cloned().collect();
    let mut batches = batch_snippets(&together, MEMORY_BATCH);
    if batches.len() > 1 {
        batches = batch_snippets(diary, MEMORY_BATCH);
        batches.extend(batch_snippets(graph, MEMORY_BATCH));
    }
    let batches: Vec<String> = batches.into_iter().map(|batch| batch.join("\n\n")).collect();
    let system = include_str!("../../prompts/memory_digest.md");
    let pass =
        Pass { models, role: ModelTask::MemoryDigest, system, query, most: MEMORY_DIGEST, timeout, stop };
    match pass.digest("NOTES", &batches).await {
        Some(digests) => Digest::Shortened(digests.join(" ")),
        None => Digest::Raw,
    }
}

/// Shortens a tool result to what matters for the request. If nothing does, or a call fails, the result is used as it
/// is.
pub async fn digest_result(
    models: &RoleModels,
    query: &str,
    tool: &str,
    result: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> Digest {
    if result.chars().count() < SHORTEST {
        return Digest::Raw;
    }
    let system = include_str!("../../prompts/result_digest.md");
    let pass =
        Pass { models, role: ModelTask::ResultDigest, system, query, most: RESULT_DIGEST, timeout, stop };
    let parts = split_at_paragraphs(result, RESULT_BATCH);
    match pass.digest(&format!("OUTPUT OF {tool}"), &parts).await {
        Some(digests) if !digests.is_empty() => Digest::Shortened(digests.join(" ")),
        _ => Digest::Raw,
    }
}

/// An answer from what a reply has found until its turns were used up. `None` when nothing happened or the call failed.
pub async fn digest_activity(
    models: &RoleModels,
    query: &str,
    messages: &[Message],
    timeout: Duration,
    stop: &CancellationToken,
) -> Option<String> {
    let log = activity_log(messages);
    if log.is_empty() {
        return None;
    }
    let call = RoleCall {
        role: ModelTask::ActivityDigest,
        system: fill(include_str!("../../prompts/activity_digest.md"), &[]),
        user: format!("REQUEST\n{query}\n\nLOG\n{log}"),
        format: None,
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    let answer = without_artifacts(&call.ask(models).await?);
    (!answer.is_empty()).then(|| cut(&answer, ACTIVITY_DIGEST))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use testkit::{ScriptedModel, Turn};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn long_result_takes_a_few_calls_and_one_time_limit() {
        let result = vec!["rain ".repeat(480); 12].join("\n\n");
        let limit = Duration::from_secs(8);
        let (stop, began) = (CancellationToken::new(), Instant::now());
        let ask = async |turns: Vec<Turn>| {
            let model = Arc::new(ScriptedModel::new(turns));
            let models = RoleModels::new(|_| model.clone());
            let digest = digest_result(&models, "will it rain?", "readPage", &result, limit, &stop).await;
            (digest, model.asked().len())
        };

        let quick = ask((0..12).map(|_| Turn::says("Rain.")).collect()).await;
        let slow = ask(vec![Turn::says("Rain."), Turn::hangs_after("")]).await;

        assert_eq!(quick, (Digest::Shortened("Rain. Rain. Rain. Rain.".to_owned()), MAX_BATCHES));
        assert_eq!(slow, (Digest::Raw, 2));
        assert_eq!(began.elapsed(), limit);
    }
}
