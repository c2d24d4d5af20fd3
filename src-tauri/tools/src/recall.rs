//! Selects and words the results of a memory search for a model.

mod function_words; // words without a meaning of their own

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memory::{MemoryItem, RecordKind, SearchHit};
use vocabulary::Language;

pub use function_words::shares_content_word;

/// The lowest cosine similarity of a search hit in a prompt: less similar ones distract.
///
/// It does not show that the query is answered. Source: `cargo xtask bench memory --questions`: the best hit is as
/// similar for questions without an answer (median 0.45) as for those with one (0.42), so the model has to judge that.
pub const MIN_SIMILARITY: f32 = 0.28;

/// The same for hits that also share a content word with the query.
const MIN_SIMILARITY_WITH_WORDS: f32 = 0.20;

/// Returns `true` if a hit fits the question. Without embeddings, a shared content word decides; `language` is that
/// of the user.
pub fn is_relevant(question: &str, language: Option<&Language>, found: &SearchHit) -> bool {
    match found.similarity {
        Some(similarity) if found.shares_words => similarity >= MIN_SIMILARITY_WITH_WORDS,
        Some(similarity) => similarity >= MIN_SIMILARITY,
        None => found.shares_words && shares_content_word(question, language, &found.item.text),
    }
}

/// The time span that a question names, up to `before`: microseconds since 1970 UTC.
pub fn time_named(question: &str, before: Timestamp, zone: &TimeZone) -> Option<std::ops::Range<i64>> {
    let today = before.to_zoned(zone.clone()).date();
    let found = dates::span_of(question, &dates::Calendar::looking_back(today))?;
    let first = found.first.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond();
    let end = found.last.tomorrow().ok()?.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond();
    Some(first..end.min(before.as_microsecond()))
}

/// The item in one line, with its day and who said or wrote it. Its text has at most `max_chars`.
pub fn dated_line(item: &MemoryItem, zone: &TimeZone, max_chars: usize) -> String {
    let day = Timestamp::from_microsecond(item.at_micros)
        .map(|at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    let text: String = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = memory::join_truncated([text.as_str()], max_chars);
    match item.id.kind {
        RecordKind::Message if item.context.as_str() == "user" => format!("- {day}, the user said: {text}"),
        RecordKind::Message => format!("- {day}, you said: {text}"),
        RecordKind::Diary => format!("- {day}, diary: {text}"),
        RecordKind::Fact => format!("- known since {day}: {text}"),
        RecordKind::Node | RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => {
            format!("- {text}")
        }
    }
}
