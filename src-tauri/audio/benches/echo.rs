//! The cost of the echo canceller for each second of the microphone, with and without sound of our own.

use std::time::{Duration, Instant};

use audio::{EchoCanceller, PlayedSound};
use criterion::{Criterion, criterion_group, criterion_main};
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame};

const FRAMES_PER_SECOND: usize = 50;

fn tone(first: usize) -> [f32; FRAME_SAMPLES] {
    std::array::from_fn(|n| ((first + n) as f32 * 0.1).sin() * 0.2)
}

fn echo(c: &mut Criterion) {
    let start = Instant::now();
    let second = |canceller: &mut EchoCanceller, played: Option<&PlayedSound>, frames_before: usize| {
        for n in frames_before..frames_before + FRAMES_PER_SECOND {
            let samples = tone(n * FRAME_SAMPLES);
            if let Some(played) = played {
                played.push(&samples);
            }
            let mut frame = Frame::new(samples, start + FRAME_DURATION * (n + 1) as u32);
            canceller.cancel(&mut frame);
        }
    };

    c.bench_function("a second of the microphone while we speak", |b| {
        let played = PlayedSound::default();
        played.start(start);
        let mut canceller = EchoCanceller::new(played.clone());
        let mut frames = 0;
        b.iter(|| {
            second(&mut canceller, Some(&played), frames);
            frames += FRAMES_PER_SECOND;
        });
    });
    c.bench_function("a second of the microphone while nothing plays", |b| {
        let played = PlayedSound::default();
        played.start(start);
        played.push(&tone(0));
        let mut canceller = EchoCanceller::new(played);
        let mut frames = FRAMES_PER_SECOND * Duration::from_secs(5).as_secs() as usize;
        b.iter(|| {
            second(&mut canceller, None, frames);
            frames += FRAMES_PER_SECOND;
        });
    });
}

criterion_group!(benches, echo);
criterion_main!(benches);
