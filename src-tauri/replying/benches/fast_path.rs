//! The cost of the fast path for every query: a request that it takes, near misses, and long texts; and for the first request
//! in a language, which prepares its tables and may take 5 ms.

#![expect(clippy::print_stdout, reason = "it prints what criterion cannot time")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use replying::fast_path::recognise;

/// First use happens once per process: each language is timed once.
fn first_use() {
    for data in languages::all() {
        let language = vocabulary::Language::new(data.code);
        let began = Instant::now();
        black_box(recognise("10 + 5", language.as_ref(), &["Jarvis"]));
        println!("first request in {}: {:?}", data.code, began.elapsed());
    }
}

fn fast_path(c: &mut Criterion) {
    first_use();
    let english = vocabulary::Language::new("en");
    let long = "set a timer for ".repeat(625);
    let near_limit = "half past two and a quarter to the ".repeat(4);
    for (name, text) in [
        ("two timers", "Set a tea timer for four minutes and another for eggs"),
        ("time in a town", "what time is it in New York"),
        ("a question for the model", "set a timer for the length of the Titanic"),
        ("140 characters", near_limit.as_str()),
        ("10,000 characters", long.as_str()),
    ] {
        c.bench_function(name, |b| b.iter(|| recognise(black_box(text), english.as_ref(), &["Jarvis"])));
        c.bench_function(&format!("{name}, language unknown"), |b| {
            b.iter(|| recognise(black_box(text), None, &["Jarvis"]))
        });
    }
}

criterion_group!(benches, fast_path);
criterion_main!(benches);
