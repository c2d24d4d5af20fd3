//! First use of a language, and one sentence: `cargo bench -p languages --bench messages`.
//!
//! A first use may take 5 ms. On two busy cores (x86-64, November 2026) it took 0.18 ms for English, with the formats of
//! numbers and lists, and 0.06 ms for others; a sentence takes 0.4 µs, a duration or a day 1.7 µs.

#![expect(clippy::print_stdout, reason = "it prints what criterion cannot time")]

use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use languages::messages::Messages;
use vocabulary::Language;

/// First use happens once per process: each language is timed once, in the order of the folders.
fn first_use() {
    for data in languages::all() {
        let language = Language::new(data.code);
        let started = Instant::now();
        let said = Messages::for_language(language.as_ref()).timer_set_named("1 hour", "tea");
        let first = started.elapsed();
        let duration = Messages::for_language(language.as_ref()).duration(5400);
        println!(
            "first use of {}: {first:?}, with formats {:?} ({said} {duration})",
            data.code,
            started.elapsed()
        );
    }
}

fn sentence(criterion: &mut Criterion) {
    first_use();
    let messages = Messages::for_language(Language::new("de").as_ref());
    criterion.bench_function("sentence", |bencher| {
        bencher.iter(|| messages.timer_set_named("1 Stunde und 30 Minuten", "Tee"));
    });
    criterion.bench_function("duration", |bencher| bencher.iter(|| messages.duration(5400)));
    let day = jiff::civil::date(2027, 1, 4);
    criterion.bench_function("day", |bencher| bencher.iter(|| messages.day(day)));
}

criterion_group!(benches, sentence);
criterion_main!(benches);
