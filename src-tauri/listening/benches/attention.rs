//! The cost of judging an utterance while we speak a long reply.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use listening::{Attention, ListeningConfig, similarity};
use settings::Settings;
use vocabulary::{Utterance, UtteranceId, VoiceMatch};

const SPEECH: &str = "It will rain in Leeds this afternoon, so take an umbrella with you. Towards the evening the wind \
    turns to the north and the sky clears. Tomorrow begins with fog in the valleys, then the sun comes out for good.";

fn attention(c: &mut Criterion) {
    let zero = Instant::now();
    let config = ListeningConfig::try_from(&Settings::default()).expect("the default settings work");
    let utterance = Utterance {
        id: UtteranceId(0),
        text: "Jarvis, and what about the weather in York on Sunday?".into(),
        language: None,
        started_at: zero + Duration::from_secs(4),
        ended_at: zero + Duration::from_secs(6),
        energy_rms: 0.05,
        echo_share: 0.0,
        confidence: 0.9,
        voice: VoiceMatch::NotJudged,
    };
    c.bench_function("judging an utterance while we speak", |b| {
        b.iter_batched(
            || {
                let mut attention = Attention::new(config.clone());
                attention.speech_started(zero);
                attention.sentence_spoken(SPEECH, zero, Duration::from_secs(14));
                attention
            },
            |mut attention| attention.judge(black_box(&utterance), zero),
            criterion::BatchSize::SmallInput,
        );
    });
    c.bench_function("partial ratio of a sentence and a speech", |b| {
        b.iter(|| similarity::partial_ratio(black_box(&utterance.text), black_box(SPEECH)));
    });
}

criterion_group!(benches, attention);
criterion_main!(benches);
