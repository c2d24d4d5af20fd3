//! Time to find the expression of time in a short question.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dates::{Calendar, span_of};
use jiff::civil::date;

const QUESTIONS: [(&str, &str); 4] = [
    ("a time", "What did I say about the dentist two weeks ago?"),
    ("no time", "Which of my friends is allergic to peanuts and what does she eat instead?"),
    ("between", "Wo war ich zwischen März und Mai, und wer war dabei?"),
    ("without spaces", "我上周一跟你说过什么关于去北京的旅行?"),
];

fn finding(c: &mut Criterion) {
    let calendar = Calendar::looking_back(date(2024, 9, 5));
    for (name, question) in QUESTIONS {
        c.bench_function(name, |b| b.iter(|| span_of(black_box(question), black_box(&calendar))));
    }
}

criterion_group!(benches, finding);
criterion_main!(benches);
