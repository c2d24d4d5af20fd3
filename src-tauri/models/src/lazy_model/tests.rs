use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// A model that counts its loads and whose value is that count.
fn counting_model() -> (LazyModel<usize>, Arc<AtomicUsize>) {
    let loads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&loads);
    let load = move || Ok::<_, io::Error>(counter.fetch_add(1, Ordering::SeqCst) + 1);
    (LazyModel::new("the number", Some(IDLE_TIMEOUT), load), loads)
}

/// Lets the idle task run without advancing the clock.
async fn run_idle_task() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_first_uses_share_one_load() {
    let (model, loads) = counting_model();
    assert!(!model.is_loaded());

    let (first, second) = tokio::join!(model.acquire(), model.acquire());

    assert_eq!((*first.unwrap(), *second.unwrap(), loads.load(Ordering::SeqCst)), (1, 1, 1));
    assert!(model.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn model_is_unloaded_exactly_after_the_idle_timeout() {
    let (model, _) = counting_model();
    drop(model.acquire().await.unwrap());

    tokio::time::advance(IDLE_TIMEOUT - Duration::from_secs(1)).await;
    run_idle_task().await;
    let before = model.is_loaded();
    tokio::time::advance(Duration::from_secs(2)).await;
    run_idle_task().await;

    assert_eq!((before, model.is_loaded()), (true, false));
}

#[tokio::test(start_paused = true)]
async fn model_with_a_live_guard_is_never_unloaded() {
    let (model, _) = counting_model();
    let guard = model.acquire().await.unwrap();

    tokio::time::advance(10 * IDLE_TIMEOUT).await;
    run_idle_task().await;

    assert!(model.is_loaded());
    drop(guard);
}

#[tokio::test(start_paused = true)]
async fn each_use_restarts_the_idle_timeout() {
    let (model, _) = counting_model();
    drop(model.acquire().await.unwrap());
    tokio::time::advance(IDLE_TIMEOUT / 2).await;
    drop(model.acquire().await.unwrap());

    tokio::time::advance(IDLE_TIMEOUT - Duration::from_secs(1)).await;
    run_idle_task().await;

    assert!(model.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn model_without_idle_timeout_stays_loaded() {
    let model = LazyModel::new("the number", None, || Ok::<_, io::Error>(1));
    model.preload().await.unwrap();

    tokio::time::advance(1000 * IDLE_TIMEOUT).await;
    run_idle_task().await;

    assert!(model.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn failed_load_is_retried_by_the_next_acquire() {
    let attempts = AtomicUsize::new(0);
    let model = LazyModel::new("the file", Some(IDLE_TIMEOUT), move || {
        match attempts.fetch_add(1, Ordering::SeqCst) {
            0 => Err(io::Error::from(io::ErrorKind::NotFound)),
            _ => Ok("words"),
        }
    });

    let first = model.acquire().await.map(|guard| *guard);
    let second = model.acquire().await.map(|guard| *guard);

    assert_eq!(first.unwrap_err().to_string(), "the file could not be loaded");
    assert_eq!(second.unwrap(), "words");
}

#[tokio::test(start_paused = true)]
async fn panicking_load_returns_an_error_and_can_be_retried() {
    let attempts = AtomicUsize::new(0);
    let model = LazyModel::new("the file", Some(IDLE_TIMEOUT), move || {
        assert!(attempts.fetch_add(1, Ordering::SeqCst) > 0, "the engine crashed");
        Ok::<_, io::Error>("words")
    });

    assert!(model.acquire().await.is_err());
    assert_eq!(*model.acquire().await.unwrap(), "words");
}

#[tokio::test(start_paused = true)]
async fn explicit_unload_keeps_existing_guards_valid() {
    let (model, _) = counting_model();
    let old = model.acquire().await.unwrap();

    model.unload();
    let unloaded = !model.is_loaded();
    let new = model.acquire().await.unwrap();

    assert_eq!((*old, unloaded, *new), (1, true, 2));
}

#[tokio::test(start_paused = true)]
async fn result_of_an_abandoned_load_serves_the_next_caller() {
    let (finish, finished) = std::sync::mpsc::channel::<()>();
    let finished = Mutex::new(finished);
    let loads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&loads);
    let model = LazyModel::new("slow", Some(IDLE_TIMEOUT), move || {
        finished.lock().recv().unwrap();
        Ok::<_, io::Error>(counter.fetch_add(1, Ordering::SeqCst) + 1)
    });
    // The first caller starts the load and is cancelled at once.
    assert!(model.acquire().now_or_never().is_none());

    finish.send(()).unwrap();
    let guard = model.acquire().await.unwrap();

    assert_eq!((*guard, loads.load(Ordering::SeqCst)), (1, 1));
}
