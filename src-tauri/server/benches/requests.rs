//! The time that the door adds to a reply, over a real socket: a request that passes the gate and does nothing, and an
//! utterance that the rules answer without a model, as the user, as a program, and through the door. It fails if the door adds
//! more than [`MAX_ADDED`].
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on should say where")]
#![expect(clippy::print_stdout, reason = "a bench tells what it measured")]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use assistant::{Assistant, AssistantBuilder, Instance, ReplyRequest};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use settings::{Folders, Scope};
use testkit::{InMemorySecrets, ScriptedModel};
use tokio::runtime::Runtime;
use vocabulary::Caller;

const SUM: &str = "what is 17 times 23";

/// The most that the door may add to a reply, by the median.
const MAX_ADDED: Duration = Duration::from_millis(1);

/// Replies with the door and without that are compared.
const PAIRS: usize = 200;

/// Pairs before them, which are not counted.
const WARM: usize = 20;

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

/// Asks as a program does, without the door.
async fn ask_engine(assistant: &Assistant) {
    let caller = Caller { program: Some("bench".to_owned()), may_use_memory: false, ..Caller::default() };
    let conversation = assistant.conversation_with("bench");
    let request = ReplyRequest { caller, ..ReplyRequest::new(SUM, conversation) };
    let mut reply = assistant.open_reply(request).await.unwrap();
    while reply.next().await.is_some() {}
}

/// Asks through the door. As the engine alone: a conversation of its own, so that no history grows.
async fn ask_door(client: &reqwest::Client, address: SocketAddr, key: &str, id: usize) {
    let body = json!({ "voice_command": SUM, "conversation_id": id.to_string() });
    let url = format!("http://{address}/api/v0/voice/command");
    let asked = client.post(url).header("X-API-Key", key).json(&body);
    let answer: Value = asked.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["stop_reason"], "complete", "{answer}");
}

fn requests(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (assistant, address, key) = runtime.block_on(open(folder.path()));
    let client = reqwest::Client::new();
    let asked_before = AtomicUsize::new(0);

    criterion.bench_function("engine alone, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            let conversation = assistant.temporary_conversation();
            let mut reply = assistant.open_reply(ReplyRequest::new(SUM, conversation)).await.unwrap();
            while reply.next().await.is_some() {}
        });
    });
    criterion.bench_function("engine for a program, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            ask_engine(&assistant).await;
        });
    });
    criterion.bench_function("door alone", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            let asked = client.get(format!("http://{address}/health")).send().await.unwrap();
            asked.bytes().await.unwrap()
        });
    });
    criterion.bench_function("door and engine, a sum", |bencher| {
        bencher.to_async(&runtime).iter(|| async {
            ask_door(&client, address, &key, asked_before.fetch_add(1, Ordering::Relaxed)).await;
        });
    });
}

/// Compares a reply with the door and without, in turn, so that whatever else the machine does slows both alike.
fn added_time(_: &mut Criterion) {
    if cfg!(debug_assertions) {
        // The limit is for what users run.
        return;
    }
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (assistant, address, key) = runtime.block_on(open(folder.path()));
    let client = reqwest::Client::new();
    let (mut without, mut with) = (Vec::new(), Vec::new());

    runtime.block_on(async {
        for number in 0..WARM + PAIRS {
            let began = Instant::now();
            ask_engine(&assistant).await;
            let turned = Instant::now();
            ask_door(&client, address, &key, number).await;
            if number >= WARM {
                without.push(turned - began);
                with.push(turned.elapsed());
            }
        }
    });

    let added = median(with).saturating_sub(median(without));
    println!("the door adds {added:?} to a reply, by the median of {PAIRS}");
    assert!(added <= MAX_ADDED, "the door adds {added:?} to a reply, and {MAX_ADDED:?} is allowed");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

// Few samples: a program may ask 6,000 times in a minute.
criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(1));
    targets = requests, added_time
}
criterion_main!(benches);
