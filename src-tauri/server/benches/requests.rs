//! The time that the door adds to a reply, over a real socket: a request that passes the gate and does nothing, and an
//! utterance that the rules answer without a model, as the user, as a program, and through the door.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on should say where")]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use assistant::{Assistant, AssistantBuilder, Instance, ReplyRequest};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use settings::{Folders, Scope};
use testkit::{InMemorySecrets, ScriptedModel};
use tokio::runtime::Runtime;
use vocabulary::Caller;

const SUM: &str = "what is 17 times 23";

async fn open(folder: &std::path::Path) -> (Assistant, SocketAddr, String) {
    let folders = Folders::under(folder);
    let settings = json!({ "programs": { "requests_per_minute": 6000, "unstarted": true } });
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let parts = AssistantBuilder::new(folders.clone())
        .without_audio()
        .for_one_question()
        .with_model(std::sync::Arc::new(ScriptedModel::new([])))
        .with_secrets(std::sync::Arc::new(InMemorySecrets::default()));
    let assistant = Assistant::start(parts, Instance::claim(&folders.data).unwrap()).await.unwrap();
    let key = assistant.add_program("bench", &[Scope::Ask, Scope::Tools]).unwrap().0;
    let (sender, address) = tokio::sync::oneshot::channel();
    let served = assistant.clone();
    tokio::spawn(async move {
        server::serve_at(served, Some(0), |address| sender.send(address).unwrap()).await.unwrap();
    });
    (assistant, address.await.unwrap(), key)
}

fn requests(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (assistant, address, key) = runtime.block_on(open(folder.path()));
    let client = reqwest::Client::new();
    let asked_before = AtomicUsize::new(0);
    let url = |path: &str| format!("http://{address}{path}");

    criterion.bench_function("engine alone, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            let conversation = assistant.temporary_conversation();
            let mut reply = assistant.open_reply(ReplyRequest::new(SUM, conversation)).await.unwrap();
            while reply.next().await.is_some() {}
        });
    });
    criterion.bench_function("engine for a program, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            let caller =
                Caller { program: Some("bench".to_owned()), may_use_memory: false, ..Caller::default() };
            let conversation = assistant.conversation_with("bench");
            let request = ReplyRequest { caller, ..ReplyRequest::new(SUM, conversation) };
            let mut reply = assistant.open_reply(request).await.unwrap();
            while reply.next().await.is_some() {}
        });
    });
    criterion.bench_function("door alone", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            let asked = client.get(url("/health")).send().await.unwrap();
            asked.bytes().await.unwrap()
        });
    });
    criterion.bench_function("door and engine, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            // As the engine alone: a conversation of its own, so that no history grows.
            let id = asked_before.fetch_add(1, Ordering::Relaxed).to_string();
            let body = json!({ "voice_command": SUM, "conversation_id": id });
            let asked = client.post(url("/api/v0/voice/command")).header("X-API-Key", &key).json(&body);
            let answer: Value = asked.send().await.unwrap().json().await.unwrap();
            assert_eq!(answer["stop_reason"], "complete", "{answer}");
        });
    });
}

// Few samples: a program may ask 6,000 times in a minute.
criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(1));
    targets = requests
}
criterion_main!(benches);
