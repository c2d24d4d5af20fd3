//! Asks the questions, with the code of the product.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{CancellationToken, ChatModel};
use memory::{Memory, MessageContent, NewEntry, NewMessage};
use reflection::{
    CONVERSATION_SOURCE, Chunk, DIARY_LIMIT, DiaryOutcome, DiaryRequest, LearningOutcome, PassContext,
    Reflection, meals, summarise,
};
use vocabulary::ConversationId;

use crate::cases::{Cases, Conversation, Meal, Participant, Turn, Wanted, micros};
use crate::judging::{Judged, Outcome};
use crate::recording::Recorder;
use crate::{ANSWER_LIMIT, CONTEXT_TOKENS, Pass};

/// Runs a pass over all cases. `print` gets each result.
///
/// One pass after the other, so that a server can use its prefix cache.
pub async fn run(
    pass: Pass,
    cases: &Cases,
    model: &Arc<dyn ChatModel>,
    print: impl Fn(&Judged),
) -> Vec<Judged> {
    let mut all = Vec::new();
    match pass {
        Pass::Diary => {
            for conversation in &cases.conversations {
                all.push(diary(conversation, model).await.judged(&conversation.diary));
                all.iter().last().map(&print);
            }
        }
        Pass::Facts => {
            for conversation in &cases.conversations {
                all.push(facts(conversation, model).await.judged(&conversation.facts));
                all.iter().last().map(&print);
            }
        }
        Pass::Meals => {
            for meal in &cases.meals {
                all.push(read_meal(meal, model).await);
                all.iter().last().map(&print);
            }
        }
    }
    all
}

async fn diary(conversation: &Conversation, model: &Arc<dyn ChatModel>) -> Outcome {
    let recorder = Recorder::from_model(model);
    let begun = Instant::now();
    let mut summaries = Vec::new();
    let days = conversation.days();
    for (day, turns) in &days {
        let chunks: Vec<Chunk> = turns.iter().map(|turn| chunk(turn)).collect();
        let request = DiaryRequest {
            today: *day,
            so_far: None,
            chunks: &chunks,
            context_tokens: CONTEXT_TOKENS,
            limit: ANSWER_LIMIT.max(DIARY_LIMIT),
        };
        let outcome = summarise(&recorder, request, &CancellationToken::new(), &mut |_| {}).await;
        if let Ok(DiaryOutcome::Whole(entry)) = outcome {
            summaries.push(entry.summary.0);
        }
    }
    Outcome {
        id: conversation.id.clone(),
        half: conversation.half,
        language: conversation.language.clone(),
        is_usable: summaries.len() == days.len(),
        took: begun.elapsed(),
        stored: summaries,
        unsupported: 0,
        answers: recorder.answers(),
    }
}

fn chunk(turn: &Turn) -> Chunk {
    match turn.speaker {
        Participant::User => Chunk::user(&turn.text),
        Participant::Assistant => Chunk::assistant(&turn.text),
    }
}

async fn facts(conversation: &Conversation, model: &Arc<dyn ChatModel>) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
    let recorder = Arc::new(Recorder::from_model(model));
    let reflection = Reflection::new(memory.clone(), Arc::clone(&recorder) as Arc<dyn ChatModel>);
    let begun = Instant::now();
    let mut is_usable = true;
    let mut unsupported = 0;
    for (day, turns) in conversation.days() {
        remember(&memory, &turns).await;
        write_into_diary(&memory, day).await;
        let last = turns.last().map_or(0, |turn| micros(turn.at));
        let LearningOutcome { error, unsupported: unsaid, .. } =
            reflection.learn(&context(last), &CancellationToken::new()).await;
        is_usable &= error.is_none();
        unsupported += unsaid;
    }
    let took = begun.elapsed();
    let answers = recorder.answers();
    Outcome {
        id: conversation.id.clone(),
        half: conversation.half,
        language: conversation.language.clone(),
        // Only an answer with a list can contain facts.
        is_usable: is_usable && recorder.extractions().iter().all(|answer| contains_a_list(answer)),
        took,
        stored: current_facts(&memory).await,
        unsupported,
        answers,
    }
}

async fn remember(memory: &Memory, turns: &[&Turn]) {
    let said = turns.iter().map(|turn| NewMessage {
        conversation: ConversationId("main".into()),
        channel: "voice".into(),
        content: MessageContent::new(speaker(turn.speaker), &turn.text, micros(turn.at)),
        is_in_diary: false,
    });
    memory.add_messages(said.collect()).await.unwrap();
}

/// Only messages in the diary are searched for facts: writes an entry with the pending messages.
async fn write_into_diary(memory: &Memory, day: jiff::civil::Date) {
    let messages = memory.pending_messages(1000).await.unwrap();
    let entry = NewEntry {
        day,
        source: CONVERSATION_SOURCE.into(),
        summary: "Something was said.".into(),
        topics: vec!["talk".into()],
    };
    let now = messages.last().map_or(0, |message| message.content.at_micros);
    memory.continue_entry(entry, None, messages, now).await.unwrap();
}

/// All current facts, in any node.
async fn current_facts(memory: &Memory) -> Vec<String> {
    let mut facts = Vec::new();
    for (_, node) in memory.tree(0).await.unwrap() {
        facts.extend(memory.facts(node.id).await.unwrap().into_iter().map(|fact| fact.text));
    }
    facts
}

fn context(now_micros: i64) -> PassContext {
    PassContext {
        now: Timestamp::from_microsecond(now_micros).unwrap(),
        zone: TimeZone::UTC,
        context_tokens: CONTEXT_TOKENS,
        limit: ANSWER_LIMIT.max(DIARY_LIMIT),
    }
}

fn speaker(speaker: Participant) -> memory::Participant {
    match speaker {
        Participant::User => memory::Participant::User,
        Participant::Assistant => memory::Participant::Assistant,
    }
}

fn contains_a_list(answer: &str) -> bool {
    answer.match_indices('[').any(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<serde_json::Value>();
        values.next().is_some_and(|value| value.is_ok())
    })
}

async fn read_meal(meal: &Meal, model: &Arc<dyn ChatModel>) -> Judged {
    let recorder = Recorder::from_model(model);
    let begun = Instant::now();
    let read = meals::read_meal(&recorder, &meal.text, &CancellationToken::new()).await;
    let took = begun.elapsed();
    let is_usable = matches!(&read, Ok(read) if read.is_some() || meal.is_none);
    let mut wanted = Wanted { keep: meal.keep.clone(), ..Wanted::default() };
    let read = read.ok().flatten();
    let energy = read.as_ref().and_then(|read| read.calories_kcal);
    let stored: Vec<String> = read.into_iter().map(|read| read.description).collect();
    if meal.is_none {
        wanted.avoid.extend(stored.clone());
    }
    if let Some([least, most]) = meal.kcal {
        let is_plausible = energy.is_some_and(|energy| (least..=most).contains(&energy));
        let estimate = format!("{least} to {most} kcal, not {}", energy.unwrap_or_default());
        // A plausible estimate counts as kept, like the description. A missing or implausible one counts as missing.
        let kept = stored.first().filter(|_| is_plausible).cloned();
        wanted.keep.push(vec![kept.unwrap_or(estimate)]);
    }
    let outcome = Outcome {
        id: meal.id.clone(),
        half: meal.half,
        language: meal.language.clone(),
        is_usable,
        took,
        stored,
        unsupported: 0,
        answers: recorder.answers(),
    };
    outcome.judged(&wanted)
}
