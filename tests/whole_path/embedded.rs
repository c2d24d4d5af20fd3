//! The embedded language model in a whole assistant: time from a typed question to its first token and to the first words
//! shown, and the tokens that it reads in between.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assistant::{Assistant, AssistantBuilder, Instance};
use async_trait::async_trait;
use futures::StreamExt;
use llm::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, EmbeddedConfig, EmbeddedModel, LlmError, Message,
    ModelIdentity,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, Origin, ReplyEvent};

use crate::turns::models;
use crate::{Figures, process};

const FIRST: &str = "What colour is the sky?";

const FOLLOW_UPS: [&str; 10] = [
    "And at night?",
    "And at dawn?",
    "And on Mars?",
    "And over the sea?",
    "And in a storm?",
    "Why is that?",
    "Who found that out?",
    "What does it look like from space?",
    "Does it change with the seasons?",
    "And on the moon?",
];

/// An answer of the model and the reading after it take seconds.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The dialogue to answer with, and the one to choose a tool with.
const READ_AFTER_A_REPLY: usize = 2;

/// The embedded model, with notes of what it did.
struct Noted {
    model: EmbeddedModel,
    calls: Arc<Mutex<Vec<Call>>>,
    /// The number of times that it read something in advance.
    warmed: watch::Sender<usize>,
}

/// One call of the model.
#[derive(Default)]
struct Call {
    first_token: Option<Instant>,
    /// Tokens of the prompt that were not in the prefix cache.
    read: u32,
}

#[async_trait]
impl ChatModel for Noted {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let stream = self.model.chat(request, stop).await?;
        let calls = Arc::clone(&self.calls);
        calls.lock().unwrap().push(Call::default());
        Ok(Box::pin(stream.inspect(move |event| {
            let mut calls = calls.lock().unwrap();
            let Some(call) = calls.last_mut() else { return };
            match event {
                Ok(ChatEvent::Text(_)) => _ = call.first_token.get_or_insert_with(Instant::now),
                Ok(ChatEvent::Finished(usage)) => {
                    call.read = usage.prompt_tokens - usage.cached_prompt_tokens.unwrap_or_default();
                }
                _ => {}
            }
        })))
    }

    fn identity(&self) -> ModelIdentity {
        self.model.identity()
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        let warmed = self.model.warm_up(messages).await;
        self.warmed.send_modify(|count| *count += 1);
        warmed
    }

    async fn keep_beginning(&self, beginning: &Message) -> Result<(), LlmError> {
        self.model.keep_beginning(beginning).await
    }

    fn has_kept(&self, beginning: &Message) -> bool {
        self.model.has_kept(beginning)
    }
}

/// The costs of one question.
struct Answered {
    first_token_ms: f64,
    first_words_ms: f64,
    read: u32,
    calls: usize,
}

pub async fn measure(figures: &mut Figures) {
    let model = models().join("language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    let Some(worker) = process::beside_us("llm-worker").filter(|_| model.is_file()) else {
        println!("(the embedded model is left out: llm-worker or its model is missing)");
        return;
    };
    let noted = Arc::new(Noted {
        model: EmbeddedModel::new(EmbeddedConfig::new(worker, model)),
        calls: Arc::default(),
        warmed: watch::Sender::new(0),
    });
    let folder = tempfile::tempdir().unwrap();
    let folders = settings::Folders::under(folder.path());
    let builder = AssistantBuilder::new(folders.clone()).with_model(noted.clone()).without_audio();
    let assistant = Assistant::start(builder, Instance::claim(&folders.data).unwrap()).await.unwrap();

    let cold = ask(&assistant, &noted, FIRST).await;
    figures.note("embedded model, first token cold, loading included ms", cold.first_token_ms);
    let mut warm = Vec::new();
    for question in FOLLOW_UPS {
        let answered = ask(&assistant, &noted, question).await;
        println!(
            "  {question:<40} {} calls, {} tokens read, first token after {:.0} ms, first words after {:.0} ms",
            answered.calls, answered.read, answered.first_token_ms, answered.first_words_ms
        );
        warm.push(answered);
    }
    assistant.shut_down().await;
    let of = |value: fn(&Answered) -> f64| warm.iter().map(value).collect::<Vec<f64>>();
    figures.note_spread("embedded model, first token warm", &of(|answered| answered.first_token_ms));
    figures.note_spread("embedded model, first words shown warm", &of(|answered| answered.first_words_ms));
    figures.note(
        "embedded model, tokens read for a warm question",
        crate::percentile(&of(|answered| f64::from(answered.read)), 0.5),
    );
}

/// Asks, and waits until the model has read what the next question begins with.
async fn ask(assistant: &Assistant, noted: &Noted, question: &str) -> Answered {
    noted.calls.lock().unwrap().clear();
    let mut warmed = noted.warmed.subscribe();
    let mut events = assistant.subscribe();
    let asked = Instant::now();
    assistant.ask(question, Origin::Typed).await.unwrap();
    let answer = async {
        let mut first_words = None;
        loop {
            let AssistantEvent::Reply { event, .. } = events.recv().await.unwrap() else { continue };
            match event {
                ReplyEvent::Delta { .. } => _ = first_words.get_or_insert_with(|| asked.elapsed()),
                ReplyEvent::Done(_) => return first_words,
                _ => {}
            }
        }
    };
    let first_words = tokio::time::timeout(LONGEST_WAIT, answer).await.expect("the question is answered");
    // Only what is read after the reply counts.
    let enough = *warmed.borrow_and_update() + READ_AFTER_A_REPLY;
    let read = tokio::time::timeout(LONGEST_WAIT, warmed.wait_for(|count| *count >= enough)).await;
    drop(read.expect("the model reads in advance").unwrap());
    let calls = noted.calls.lock().unwrap();
    let first = calls.iter().find_map(|call| call.first_token).expect("a model answers");
    Answered {
        first_token_ms: (first - asked).as_secs_f64() * 1e3,
        first_words_ms: first_words.unwrap_or_default().as_secs_f64() * 1e3,
        read: calls.iter().map(|call| call.read).sum(),
        calls: calls.len(),
    }
}
