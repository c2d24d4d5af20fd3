//! Measures the cost of each token of an answer on its way to the screen, and of each query before it reaches the
//! model.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use replying::SentenceGate;

const ANSWER: &str = "It is twenty past four in the afternoon. There is plenty of time left before the train leaves, \
    e.g. for a cup of tea. Mind that platform 3.5 does not exist; you want platform 4.";

fn gate(c: &mut Criterion) {
    let tokens: Vec<&str> = ANSWER.split_inclusive(' ').collect();
    c.bench_function("an answer of 33 tokens through the gate", |b| {
        b.iter(|| {
            let mut gate = SentenceGate::new();
            for token in &tokens {
                black_box(gate.push(token)).expect("the answer is one");
            }
            gate.finish()
        });
    });
    let query =
        "my mail is ann@example.org and my card is 4111 1111 1111 1111, book the train to Leeds at noon";
    c.bench_function("redacting a query", |b| {
        b.iter(|| redaction::redact(black_box(query), redaction::MAX_CHARS))
    });
}

criterion_group!(benches, gate);
criterion_main!(benches);
