//! The time until the first sound: clean-up for speech, and the first sentence of each voice.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use speaking::{SystemVoice, TextToSpeech, preprocess_for_speech};
use tokio_util::sync::CancellationToken;

/// A short answer.
const FIRST_SENTENCE: &str = "It is twenty past four.";
/// A paragraph with all marks that the clean-up removes.
const PARAGRAPH: &str = "# Weather\n\nIt **rains** in [Leeds](https://www.example.com/leeds), see https://example.com. \
    Wind is `10 < 20` and _rising_:\n\n1. take a coat\n2. take an <b>umbrella</b>\n\n```sh\necho my_long_name\n```\n";

fn clean_up(criterion: &mut Criterion) {
    criterion
        .bench_function("clean up a sentence", |b| b.iter(|| preprocess_for_speech(FIRST_SENTENCE, None)));
    criterion.bench_function("clean up a paragraph", |b| b.iter(|| preprocess_for_speech(PARAGRAPH, None)));
}

fn first_sentence(criterion: &mut Criterion, name: &str, voice: &dyn TextToSpeech) {
    let stop = CancellationToken::new();
    criterion.bench_function(&format!("first sentence, {name}"), |b| {
        b.iter(|| voice.synthesise(FIRST_SENTENCE, 1.0, &stop));
    });
}

fn system_voice(criterion: &mut Criterion) {
    first_sentence(criterion, "system", &SystemVoice::new("en"));
}

#[cfg(feature = "neural")]
fn neural_voices(criterion: &mut Criterion) {
    use models::{Machine, ModelStore};
    use speaking::{InstalledVoices, Voices};

    let store = ModelStore::with_default_settings().expect("this user has a home folder");
    for (id, name) in [("en_US-joe-medium", "Piper"), ("kokoro-bm_george", "Kokoro")] {
        for threads in [1, 2] {
            let voices = InstalledVoices::new(store.clone(), Machine::this(), threads);
            let voice = voices.load(id).expect("the models are installed: `cargo xtask models`");
            first_sentence(criterion, &format!("{name}, {threads} threads"), voice.as_ref());
        }
    }
}

#[cfg(not(feature = "neural"))]
fn neural_voices(_: &mut Criterion) {}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(4));
    targets = clean_up, system_voice, neural_voices
}
criterion_main!(benches);
