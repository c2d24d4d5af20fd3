//! The time that a selection takes, and how much memory the index needs.

use std::time::{Duration, Instant};

use llm::{CancellationToken, EmbedRole, Embedder};
use settings::SelectionStrategy;
use tools::Declaration;

use crate::catalogue::{Query, index};
use crate::figures::{Figures, at_share};

/// Numbers of tools, one measurement for each: a few servers, many, and far more than a person adds.
const SIZES: [usize; 3] = [100, 1_000, 4_000];

/// Selections that are timed.
const SELECTIONS: usize = 1_000;

/// Words that make further tools of those in the catalogue.
const VARIANTS: [&str; 16] = [
    "archive", "backup", "beta", "cloud", "demo", "europe", "family", "garage", "legacy", "mirror", "office",
    "private", "school", "staging", "studio", "team",
];

/// Prints time and memory by the number of tools.
pub async fn measure(
    tools: &[Declaration],
    queries: &[Query],
    embedder: &dyn Embedder,
    figures: &mut Figures,
) {
    let stop = CancellationToken::new();
    let texts: Vec<String> = queries.iter().map(|query| query.text.clone()).collect();
    let mut vectors = Vec::new();
    let mut embedding = Vec::new();
    for text in &texts {
        let started = Instant::now();
        let text = [text.clone()];
        vectors.push(embedder.embed(&text, EmbedRole::Query, stop.clone()).await.unwrap().remove(0));
        embedding.push(started.elapsed());
    }
    figures.note("embedding the question", &spread(&embedding));
    for size in SIZES {
        let before = resident_kib();
        let varied: Vec<Declaration> = (0..size).map(|number| varied(tools, number)).collect();
        let index = index(&varied);
        drop(varied);
        let started = Instant::now();
        index.embed_new(embedder, &stop).await.unwrap();
        let embedding_secs = started.elapsed().as_secs_f64();
        let mut times = Vec::new();
        for (text, vector) in texts.iter().zip(&vectors).cycle().take(SELECTIONS) {
            let started = Instant::now();
            std::hint::black_box(index.select(SelectionStrategy::Hybrid, text, Some(vector)));
            times.push(started.elapsed());
        }
        let memory = resident_kib().saturating_sub(before) as f64 / 1024.0;
        let [p50, p95] = spread(&times);
        figures.note(
            &format!("{size} tools"),
            &[p50, p95, ("memory MiB", memory), ("embedding all, s", embedding_secs)],
        );
    }
}

/// The tool of this number: those of the catalogue, then the same under other names with other purposes.
fn varied(tools: &[Declaration], number: usize) -> Declaration {
    let mut tool = tools[number % tools.len()].clone();
    let round = number / tools.len();
    if round > 0 {
        let word = VARIANTS[(round - 1) % VARIANTS.len()];
        tool.name = format!("{word}{round}_{}", tool.name);
        tool.description = format!("{} For the {word} {round}.", tool.description);
    }
    tool
}

fn spread(times: &[Duration]) -> [(&'static str, f64); 2] {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1000.0).collect();
    sorted.sort_by(f64::total_cmp);
    [("p50 ms", at_share(&sorted, 0.5)), ("p95 ms", at_share(&sorted, 0.95))]
}

/// Memory of this process. 0 if the system does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
