//! Time to embed a question, and the diary entries of a day.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use embedding::InstalledEmbedder;
use llm::{CancellationToken, EmbedRole, Embedder};
use models::{Machine, ModelStore};

const QUESTION: &str = "when do they look at my teeth";

/// Texts with the usual lengths of diary entries: 6 to 90 words.
fn diary_entries() -> Vec<String> {
    let sentence = "The dentist moved the check-up to Thursday at nine, so we have to leave early. ";
    (0..32).map(|number| format!("{number}: {}", sentence.repeat(1 + number % 6))).collect()
}

fn embedding(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("the runtime starts");
    let store = ModelStore::with_default_settings().expect("the user has a home folder");
    for threads in [1, 2] {
        let embedder =
            InstalledEmbedder::with_threads(store.clone(), Machine::this(), Vec::new(), None, threads);
        for (name, texts) in
            [("a short text", vec![QUESTION.to_owned()]), ("32 diary entries", diary_entries())]
        {
            criterion.bench_function(&format!("{name}, {threads} threads"), |b| {
                b.iter(|| {
                    let embedded = embedder.embed(&texts, EmbedRole::Passage, CancellationToken::new());
                    runtime.block_on(embedded).expect("the model is installed by `cargo xtask models`")
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(4));
    targets = embedding
}
criterion_main!(benches);
