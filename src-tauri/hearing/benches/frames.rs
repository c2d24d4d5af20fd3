//! The cost of each frame: 50 frames arrive per second, with and without speech.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use hearing::{Earshot, HearingConfig, Segmenter, SpeechLimits, VoiceActivity};
use settings::{HearingSettings, ListeningSettings};
use vocabulary::{FRAME_SAMPLES, Frame};

fn frames(c: &mut Criterion) {
    let mut samples = [0.0; FRAME_SAMPLES];
    for (i, sample) in samples.iter_mut().enumerate() {
        *sample = (i as f32 * 0.1).sin() * 0.2;
    }
    let mut earshot = Earshot::new();
    c.bench_function("voice activity of a frame", |b| b.iter(|| earshot.is_voiced(black_box(&samples))));

    let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default())
        .expect("the default settings work");
    let frame = Frame::new(samples, Instant::now());
    let limits = SpeechLimits { pause: config.final_pass_silence, max_length: config.max_utterance };
    let mut segmenter = Segmenter::new(config);
    c.bench_function("segmenting a silent frame", |b| {
        b.iter(|| segmenter.push(black_box(&frame), false, limits))
    });
}

criterion_group!(benches, frames);
criterion_main!(benches);
