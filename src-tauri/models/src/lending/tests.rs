use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const IDLE: Duration = Duration::from_secs(300);

/// A lending of numbers that counts how often it loads.
fn counting() -> (Lending<usize>, Arc<AtomicUsize>) {
    let loads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&loads);
    let load = move || Ok::<_, io::Error>(counter.fetch_add(1, Ordering::SeqCst) + 1);
    (Lending::new("the number", Some(IDLE), load), loads)
}

/// Lets the keeper notice that time has passed, without letting more of it pass.
async fn let_the_keeper_work() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn is_loaded_on_first_use_and_shared_by_all_who_ask_meanwhile() {
    let (lending, loads) = counting();
    assert!(!lending.is_loaded());

    let (first, second) = tokio::join!(lending.borrow(), lending.borrow());

    assert_eq!((*first.unwrap(), *second.unwrap(), loads.load(Ordering::SeqCst)), (1, 1, 1));
    assert!(lending.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn is_unloaded_when_idle_for_long_enough_and_not_before() {
    let (lending, _) = counting();
    drop(lending.borrow().await.unwrap());

    tokio::time::advance(IDLE - Duration::from_secs(1)).await;
    let_the_keeper_work().await;
    let before = lending.is_loaded();
    tokio::time::advance(Duration::from_secs(2)).await;
    let_the_keeper_work().await;

    assert_eq!((before, lending.is_loaded()), (true, false));
}

#[tokio::test(start_paused = true)]
async fn is_kept_for_as_long_as_somebody_has_it() {
    let (lending, _) = counting();
    let loan = lending.borrow().await.unwrap();

    tokio::time::advance(10 * IDLE).await;
    let_the_keeper_work().await;

    assert!(lending.is_loaded());
    drop(loan);
}

#[tokio::test(start_paused = true)]
async fn every_use_begins_the_idle_time_anew() {
    let (lending, _) = counting();
    drop(lending.borrow().await.unwrap());
    tokio::time::advance(IDLE / 2).await;
    drop(lending.borrow().await.unwrap());

    tokio::time::advance(IDLE - Duration::from_secs(1)).await;
    let_the_keeper_work().await;

    assert!(lending.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn a_shorter_idle_time_counts_at_once() {
    let (lending, _) = counting();
    lending.preload().await.unwrap();
    tokio::time::advance(IDLE / 2).await;

    lending.set_idle(Some(IDLE / 4));
    let_the_keeper_work().await;

    assert!(!lending.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn without_an_idle_time_it_stays() {
    let (lending, _) = counting();
    lending.set_idle(None);
    lending.preload().await.unwrap();

    tokio::time::advance(1000 * IDLE).await;
    let_the_keeper_work().await;

    assert!(lending.is_loaded());
}

#[tokio::test(start_paused = true)]
async fn a_failed_load_is_tried_again_with_the_next_loan() {
    let attempts = AtomicUsize::new(0);
    let lending =
        Lending::new("the file", Some(IDLE), move || match attempts.fetch_add(1, Ordering::SeqCst) {
            0 => Err(io::Error::from(io::ErrorKind::NotFound)),
            _ => Ok("words"),
        });

    let first = lending.borrow().await.map(|loan| *loan);
    let second = lending.borrow().await.map(|loan| *loan);

    assert_eq!(first.unwrap_err().to_string(), "the file could not be loaded");
    assert_eq!(second.unwrap(), "words");
}

#[tokio::test(start_paused = true)]
async fn a_load_that_panics_is_an_error_and_the_next_one_is_free() {
    let attempts = AtomicUsize::new(0);
    let lending = Lending::new("the file", Some(IDLE), move || {
        assert!(attempts.fetch_add(1, Ordering::SeqCst) > 0, "the engine crashed");
        Ok::<_, io::Error>("words")
    });

    assert!(lending.borrow().await.is_err());
    assert_eq!(*lending.borrow().await.unwrap(), "words");
}

#[tokio::test(start_paused = true)]
async fn unloading_now_leaves_loans_that_are_out_alone() {
    let (lending, _) = counting();
    let old = lending.borrow().await.unwrap();

    lending.unload_now();
    let unloaded = !lending.is_loaded();
    let new = lending.borrow().await.unwrap();

    assert_eq!((*old, unloaded, *new), (1, true, 2));
}

#[tokio::test(start_paused = true)]
async fn a_load_nobody_waits_for_any_more_serves_whoever_asks_next() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let loads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&loads);
    let lending = Lending::new("slow", Some(IDLE), move || {
        wait.lock().unwrap().recv().unwrap();
        Ok::<_, io::Error>(counter.fetch_add(1, Ordering::SeqCst) + 1)
    });
    // The first one asks, and gives up at once.
    assert!(lending.borrow().now_or_never().is_none());

    go.send(()).unwrap();
    let loan = lending.borrow().await.unwrap();

    assert_eq!((*loan, loads.load(Ordering::SeqCst)), (1, 1));
}
