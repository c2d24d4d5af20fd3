//! Finds what was said, written into the diary and learned, by words and by meaning.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dates::DateSpan;
use jiff::civil::Date;
use llm::{EmbedRole, Embedder};
use memory::{Memory, Recall, RecordKind, SearchHit, newest_first};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::days::{micros, past_days};
use super::declaration::{broken, declaration, opened, run, words};
use crate::fence::fenced;
use crate::recall::{dated_line, is_relevant, time_named};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The time that the search waits for the vector of its query; without it, words alone decide.
const EMBED_LIMIT: Duration = Duration::from_millis(500);

/// Search hits that are looked at, and those that are told: more of them hide what matters.
const EXAMINED: usize = 24;
const MAX_HITS: usize = 8;

/// The longest text of one hit, in characters: a diary entry of a day.
const MAX_CHARS: usize = 600;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What to look for, in a few words of the user's language. Leave it out for everything of a time.
    #[serde(alias = "search_query")]
    query: Option<String>,
    /// The first day to search, as YYYY-MM-DD or in the user's words: "last Tuesday", "in May".
    from: Option<String>,
    /// The last day to search. Leave it out if the user names one day or one span, which then stands in `from`.
    to: Option<String>,
}

/// The tool `searchMemory`.
pub(super) struct SearchMemory {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
    embedder: Option<Arc<dyn Embedder>>,
}

impl SearchMemory {
    pub fn new(memory: watch::Receiver<Option<Memory>>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        let declaration = declaration::<Arguments>(
            "searchMemory",
            Effect::ReadOnly,
            "What the user told you before, what you talked about, and what you know about the user.",
            "remember recall diary earlier conversation said told talked yesterday last week forgot know about me",
            &[
                ("where did I say I parked the car?", json!({"query": "parked the car"})),
                ("what did we talk about last Tuesday?", json!({"from": "last Tuesday"})),
                ("what do you know about my sister?", json!({"query": "sister"})),
            ],
        );
        Self { declaration, memory, embedder }
    }

    async fn search(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let query = words(arguments.query).unwrap_or_default();
        let today = context.now.to_zoned(context.zone.clone()).date();
        let span = asked_span(words(arguments.from), words(arguments.to), today)?;
        if query.is_empty() && span.is_none() {
            return Err(ToolResult::failed("Say in the query what to look for, or in `from` on which day."));
        }
        let recall = Recall {
            vector: self.vector(&memory, &query, context).await,
            preferred: time_named(&query, context.now, &context.zone),
            span: span.as_ref().map(|span| micros(span, &context.zone)),
            kinds: vec![RecordKind::Message, RecordKind::Diary, RecordKind::Fact],
            limit: EXAMINED,
            words: query.clone(),
        };
        let mut found = memory.recall(recall).await.map_err(broken)?;
        let asked = memory::terms(&context.query.0);
        let fits = |hit: &SearchHit| {
            let is_the_question =
                hit.item.id.kind == RecordKind::Message && memory::terms(&hit.item.text) == asked;
            !is_the_question && (query.is_empty() || is_relevant(&query, context.language.as_ref(), hit))
        };
        found.retain(fits);
        found.truncate(MAX_HITS);
        if found.is_empty() {
            return Ok(ToolResult::done(
                "Memory holds nothing about this. Say plainly that you do not know it; do not guess.",
            ));
        }
        // Where entries disagree, the model reads the newer one first.
        newest_first(&mut found);
        let lines: Vec<String> =
            found.iter().map(|hit| dated_line(&hit.item, &context.zone, MAX_CHARS)).collect();
        let text = format!(
            "From your memory, newest first; where two entries disagree the newer one holds. If none of them holds the \
             answer, say that you do not know.\n{}",
            fenced("MEMORY", &lines.join("\n"))
        );
        Ok(ToolResult::done(text).touching(found.iter().map(|hit| hit.item.id)))
    }

    /// The vector of the query, if the memory's vectors are of the same model.
    async fn vector(&self, memory: &Memory, query: &str, context: &ToolContext) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref().filter(|_| !query.is_empty())?;
        let texts = [query.to_owned()];
        let embedding = embedder.embed(&texts, EmbedRole::Query, context.stop.clone());
        let vector = tokio::time::timeout(EMBED_LIMIT, embedding).await.ok()?.ok()?.pop()?;
        let of_memory = memory.embedding_model().await.ok()??;
        (of_memory == embedder.id().0).then_some(vector)
    }
}

/// The days to search. A day or span in `from` alone is that span, not all since then.
fn asked_span(from: Option<String>, to: Option<String>, today: Date) -> Result<Option<DateSpan>, ToolResult> {
    let (first, last) = match (&from, &to) {
        (None, None) => return Ok(None),
        (Some(day), None) => return past_days(day, today).map(Some),
        (from, Some(to)) => {
            let first = from
                .as_deref()
                .map_or(Ok(Date::MIN), |from| past_days(from, today).map(|span| span.first))?;
            (first, past_days(to, today)?.last)
        }
    };
    if first > last {
        return Err(ToolResult::failed(format!(
            "{first} comes after {last}. Ask again with the days in order."
        )));
    }
    Ok(Some(DateSpan { first, last, words: 0..0 }))
}

#[async_trait]
impl Tool for SearchMemory {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.search(arguments, context)).await
    }
}
