//! What the model is asked, by the code that the product asks it with.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{CancellationToken, ChatModel};
use memory::{Memory, MessageContent, NewEntry, NewMessage};
use reflection::{
    CONVERSATION, Chunk, DIARY_LIMIT, DiaryOutcome, DiaryRequest, Learning, PassContext, Reflection, meals,
    summarise,
};
use vocabulary::ConversationId;

use crate::cases::{Cases, Conversation, Meal, Participant, Turn, Wanted, micros};
use crate::judging::{Judged, Outcome};
use crate::recording::Recorder;
use crate::{CONTEXT_TOKENS, PATIENCE, Pass};

/// Asks the model everything that this pass asks of the cases. `tell` is told of each once it is done.
///
/// One pass after the other, as a server's prefix cache likes it.
pub async fn run(
    pass: Pass,
    cases: &Cases,
    model: &Arc<dyn ChatModel>,
    tell: impl Fn(&Judged),
) -> Vec<Judged> {
    let mut all = Vec::new();
    match pass {
        Pass::Diary => {
            for conversation in &cases.conversations {
                all.push(diary(conversation, model).await.judged(&conversation.diary));
                all.iter().last().map(&tell);
            }
        }
        Pass::Facts => {
            for conversation in &cases.conversations {
                all.push(facts(conversation, model).await.judged(&conversation.facts));
                all.iter().last().map(&tell);
            }
        }
        Pass::Meals => {
            for meal in &cases.meals {
                all.push(read_meal(meal, model).await);
                all.iter().last().map(&tell);
            }
        }
    }
    all
}

async fn diary(conversation: &Conversation, model: &Arc<dyn ChatModel>) -> Outcome {
    let recorder = Recorder::of(model);
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
            limit: PATIENCE.max(DIARY_LIMIT),
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
        without_witness: 0,
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
    let recorder = Arc::new(Recorder::of(model));
    let reflection = Reflection::new(memory.clone(), Arc::clone(&recorder) as Arc<dyn ChatModel>);
    let begun = Instant::now();
    let mut is_usable = true;
    let mut without_witness = 0;
    for (day, turns) in conversation.days() {
        remember(&memory, &turns).await;
        take_in(&memory, day).await;
        let last = turns.last().map_or(0, |turn| micros(turn.at));
        let Learning { unfinished, without_witness: unsaid, .. } =
            reflection.learn(&occasion(last), &CancellationToken::new()).await;
        is_usable &= unfinished.is_none();
        without_witness += unsaid;
    }
    let took = begun.elapsed();
    let answers = recorder.answers();
    Outcome {
        id: conversation.id.clone(),
        half: conversation.half,
        language: conversation.language.clone(),
        // An answer without a list holds no facts, whatever else it holds.
        is_usable: is_usable && recorder.extractions().iter().all(|answer| holds_a_list(answer)),
        took,
        stored: known(&memory).await,
        without_witness,
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

/// Facts are searched for in what the diary has taken in: an entry stands in for it.
async fn take_in(memory: &Memory, day: jiff::civil::Date) {
    let messages = memory.pending_messages(1000).await.unwrap();
    let entry = NewEntry {
        day,
        source: CONVERSATION.into(),
        summary: "Something was said.".into(),
        topics: vec!["talk".into()],
    };
    let now = messages.last().map_or(0, |message| message.content.at_micros);
    memory.continue_entry(entry, None, messages, now).await.unwrap();
}

/// All facts that hold, in whatever node they are.
async fn known(memory: &Memory) -> Vec<String> {
    let mut facts = Vec::new();
    for (_, node) in memory.tree(0).await.unwrap() {
        facts.extend(memory.facts(node.id).await.unwrap().into_iter().map(|fact| fact.text));
    }
    facts
}

fn occasion(now_micros: i64) -> PassContext {
    PassContext {
        now: Timestamp::from_microsecond(now_micros).unwrap(),
        zone: TimeZone::UTC,
        context_tokens: CONTEXT_TOKENS,
        limit: PATIENCE.max(DIARY_LIMIT),
    }
}

fn speaker(speaker: Participant) -> memory::Participant {
    match speaker {
        Participant::User => memory::Participant::User,
        Participant::Assistant => memory::Participant::Assistant,
    }
}

fn holds_a_list(answer: &str) -> bool {
    answer.match_indices('[').any(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<serde_json::Value>();
        values.next().is_some_and(|value| value.is_ok())
    })
}

async fn read_meal(meal: &Meal, model: &Arc<dyn ChatModel>) -> Judged {
    let recorder = Recorder::of(model);
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
        let is_sensible = energy.is_some_and(|energy| (least..=most).contains(&energy));
        let estimate = format!("{least} to {most} kcal, not {}", energy.unwrap_or_default());
        // A sensible estimate counts as kept, as the description is; one that is missing is missed.
        let kept = stored.first().filter(|_| is_sensible).cloned();
        wanted.keep.push(vec![kept.unwrap_or(estimate)]);
    }
    let outcome = Outcome {
        id: meal.id.clone(),
        half: meal.half,
        language: meal.language.clone(),
        is_usable,
        took,
        stored,
        without_witness: 0,
        answers: recorder.answers(),
    };
    outcome.judged(&wanted)
}
