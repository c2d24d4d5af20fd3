//! The embedded language model: time to its first token, cold and warm.

use std::time::Instant;

use futures::StreamExt;
use llm::{ChatEvent, ChatModel, ChatRequest, EmbeddedConfig, EmbeddedModel, Message, ModelSize};
use replying::{ReplyingConfig, SystemTemplates};
use settings::Settings;
use tokio_util::sync::CancellationToken;

use crate::turns::models;
use crate::{Figures, process};

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

pub async fn measure(figures: &mut Figures) {
    let model = models().join("language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    let Some(worker) = process::beside_us("llm-worker").filter(|_| model.is_file()) else {
        println!("(the embedded model is left out: llm-worker or its model is missing)");
        return;
    };
    let embedded = EmbeddedModel::new(EmbeddedConfig::new(worker, model));
    let config = ReplyingConfig::try_from(&Settings::default()).unwrap();
    let rules = replying::system_message(&config.name, SystemTemplates::for_size(ModelSize::Small), None);
    let mut messages = vec![Message::system(rules)];
    let cold = first_token_ms(&embedded, &messages, "What colour is the sky?").await;
    figures.note("embedded model, first token cold, loading included ms", cold);
    messages.push(Message::user("What colour is the sky?"));
    messages.push(Message::assistant("Blue, as a rule."));
    let mut warm = Vec::new();
    for question in FOLLOW_UPS {
        // After each reply the assistant lets the model read the dialogue as it is stored.
        embedded.warm_up(&messages).await.unwrap();
        warm.push(first_token_ms(&embedded, &messages, question).await);
        messages.push(Message::user(question));
        messages.push(Message::assistant("Much darker, and rather beautiful when there are no clouds."));
    }
    figures.note_spread("embedded model, first token warm", &warm);
}

async fn first_token_ms(model: &EmbeddedModel, before: &[Message], question: &str) -> f64 {
    let mut messages = before.to_vec();
    let line = "[Context: Current local time: Monday, September 15, 2025 at 17:53 UTC. Location: Leeds]";
    messages.push(Message::user(format!("{line}\n{question}")));
    let asked = Instant::now();
    let request = ChatRequest::new(messages).with_max_tokens(16);
    let mut answer = model.chat(request, CancellationToken::new()).await.unwrap();
    let mut first = None;
    while let Some(event) = answer.next().await {
        if matches!(event.unwrap(), ChatEvent::Text(_)) {
            first.get_or_insert_with(|| asked.elapsed());
        }
    }
    first.unwrap().as_secs_f64() * 1e3
}
