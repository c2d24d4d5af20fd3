//! Measures the time that the engine itself adds to a reply: from the query to the end, with a model that answers at
//! once and an embedding that is there already, by the number of rows in the diary.
//!
//! `cargo bench -p replying --bench engine -- --rows 0,10000,100000`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod fixture; // an engine with a memory of a given size
mod parts; // a model, an embedder and tools that take no time

use std::time::{Duration, Instant};

use clap::Parser;

use fixture::Fixture;

/// Replies before the measurement, so that the caches are filled.
const WARM_UP: usize = 20;

/// Measured replies.
const REPLIES: usize = 200;

/// Measures the time of the engine per reply.
#[derive(Parser)]
struct Arguments {
    /// Messages in memory, one measurement for each
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_values_t = [0, 10_000, 100_000])]
    rows: Vec<usize>,
    /// Tools to select from
    #[arg(long, default_value_t = 1_000)]
    tools: usize,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for rows in arguments.rows {
        runtime.block_on(measure(rows, arguments.tools));
    }
}

async fn measure(rows: usize, tools: usize) {
    let fixture = Fixture::with(rows, tools).await;
    let (mut whole, mut before) = (Vec::new(), Vec::new());
    for number in 0..WARM_UP + REPLIES {
        let began = Instant::now();
        let asked_at = fixture.reply(&question(number)).await;
        whole.push(began.elapsed());
        before.push(asked_at.duration_since(began));
    }
    println!("{rows} messages, {tools} tools");
    print_spread("until the model is asked", &before[WARM_UP..]);
    print_spread("whole reply", &whole[WARM_UP..]);
}

/// A question about something that the generated messages speak of.
fn question(number: usize) -> String {
    let [one, other] = fixture::words_of(number * 7);
    format!("what did I tell you about the {one} and the {other}?")
}

fn print_spread(name: &str, times: &[Duration]) {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1000.0).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    println!("  {name}: p50 {:.2} ms, p95 {:.2} ms", at(0.5), at(0.95));
}
